"""How often a judge is certified, and how often it should not have been: operating characteristics by simulation.

    python bench/certify.py            # every table, half an hour on two cores
    python bench/certify.py --fast     # fewer repetitions, some minutes

Kappa, number of test labels and share of PASS are varied; then one set of test labels is used again and again by
judges that are all exactly at the bar (each certificate is a false one), by chosen variants and by somebody who climbs
on whatever an attempt prints.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgekit.calibration.attempts import MOST, level
from judgekit.calibration.plan import certifies, chance_of_certificate, judge_of, with_more
from judgekit.suite import CalibrationPolicy

POLICY = CalibrationPolicy()
BARE = CalibrationPolicy(fail_recall_low=0, pass_recall_low=0)
"""The kappa rule alone: the recall rules only ever take certificates away."""

Labels = NDArray[np.bool_]
SEED = 7


def chance_table(repeats: int) -> None:
    """The chance of a certificate at the first attempt."""
    kappas = (0.5, 0.6, 0.7, 0.8, 0.9)
    print("chance of a certificate, attempt 1; bar 0.50, default policy")
    print("share of PASS   n  " + "".join(f"  k={kappa:.2f}" for kappa in kappas))
    for pass_rate in (0.5, 0.7, 0.9):
        for n in (33, 50, 75, 100, 150, 200):
            row = [
                chance_of_certificate(judge_of(kappa, pass_rate), n, POLICY, level(1), seed=SEED, tables=repeats)
                for kappa in kappas
            ]
            print(f"{pass_rate:13.2f} {n:4d}  " + "".join(f"  {value:6.2f}" for value in row))


@dataclass(frozen=True)
class World:
    """People's labels of one test set, and judges of a fixed true kappa.

    correlation   how much of a judge's errors it shares with the other judges, in [0, 1]
    """

    n: int
    pass_rate: float
    kappa: float
    correlation: float = 0.0

    def labels(self, rng: np.random.Generator) -> Labels:
        """(n,) True = PASS."""
        return rng.random(self.n) < self.pass_rate

    def verdicts(self, labels: Labels, rng: np.random.Generator, shared: NDArray[np.float64]) -> Labels:
        """(n,) verdicts of a fresh judge; with probability `correlation` an error is decided by the shared draw."""
        shares = judge_of(self.kappa, self.pass_rate)
        recalls = np.diagonal(shares) / shares.sum(axis=1)
        own = rng.random(self.n)
        draw = np.where(rng.random(self.n) < self.correlation, shared, own)
        right = draw < np.where(labels, recalls[0], recalls[1])
        return np.where(right, labels, ~labels)


def table_of(labels: Labels, verdicts: Labels) -> NDArray[np.float64]:
    """(2, 2) counts, rows human, columns judge, PASS first."""
    cells = (~labels).astype(int) * 2 + (~verdicts).astype(int)
    return np.bincount(cells, minlength=4).reshape(2, 2).astype(float)


def false_by_variants(world: World, attempts: int, repeats: int, policy: CalibrationPolicy = BARE) -> float:
    """Chance that any of `attempts` judges at the bar is certified on one set of labels."""
    rng = np.random.default_rng(SEED)
    found = 0
    for _ in range(repeats):
        labels, shared = world.labels(rng), rng.random(world.n)
        for attempt in range(1, min(attempts, MOST) + 1):
            table = table_of(labels, world.verdicts(labels, rng, shared))
            if certifies(table[None], policy, level(attempt), seed=rng, draws=_draws(attempt))[0]:
                found += 1
                break
    return found / repeats


def false_by_climbing(world: World, attempts: int, repeats: int, policy: CalibrationPolicy = BARE) -> float:
    """The same for somebody who keeps what looked best by the chance that an inconclusive attempt prints.

    Each attempt draws 40% of the verdicts of the best judge so far again. The true kappa is the bar's all the time.
    """
    rng = np.random.default_rng(SEED)
    found = 0
    for _ in range(repeats):
        labels, shared = world.labels(rng), rng.random(world.n)
        best, best_chance = world.verdicts(labels, rng, shared), -1.0
        for attempt in range(1, min(attempts, MOST) + 1):
            fresh = world.verdicts(labels, rng, shared)
            trial = np.where(rng.random(world.n) < 0.4, fresh, best) if attempt > 1 else best
            table = table_of(labels, trial)
            if certifies(table[None], policy, level(attempt), seed=rng, draws=_draws(attempt))[0]:
                found += 1
                break
            printed = with_more(table, policy, level(attempt + 1), more=(100,), seed=rng)[100]
            if printed >= best_chance:
                best, best_chance = trial, printed
    return found / repeats


def false_by_more_labels(world: World, sizes: tuple[int, ...], repeats: int, policy: CalibrationPolicy = BARE) -> float:
    """The same judge tried again whenever labels were added: every look counts."""
    rng = np.random.default_rng(SEED)
    found = 0
    for _ in range(repeats):
        labels, shared = world.labels(rng), rng.random(world.n)
        verdicts = world.verdicts(labels, rng, shared)
        for attempt, n in enumerate(sizes[:MOST], 1):
            table = table_of(labels[:n], verdicts[:n])
            if certifies(table[None], policy, level(attempt), seed=rng, draws=_draws(attempt))[0]:
                found += 1
                break
    return found / repeats


def _draws(attempt: int) -> int:
    """Enough draws for the tail of an attempt."""
    return int(25 / level(attempt))


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="fewer repetitions")
    fast = parser.parse_args().fast
    chance_table(100 if fast else 1000)
    repeats = 200 if fast else 2000
    print("\nfalse certificates per set of test labels: every judge has kappa 0.50, the bar; kappa rule alone")
    print("share of PASS   n  shared errors  attempts  chosen variants")
    for pass_rate in (0.5, 0.7, 0.9):
        for n in (50, 100):
            for correlation in (0.0, 0.6):
                for attempts in (1, 3, 5, 10):
                    world = World(n, pass_rate, 0.5, correlation)
                    print(
                        f"{pass_rate:13.2f} {n:4d} {correlation:13.1f} {attempts:9d} "
                        f"{false_by_variants(world, attempts, repeats):15.3f}",
                        flush=True,
                    )
    few = max(100, repeats // 5)
    print("\nhill climbing on the printed chance, 10 attempts asked for (5 allowed)")
    for pass_rate in (0.5, 0.7):
        for n in (50, 100):
            world = World(n, pass_rate, 0.5, 0.6)
            print(f"{pass_rate:13.2f} {n:4d} {false_by_climbing(world, 10, few):8.3f}", flush=True)
    print("\nthe same judge with 40, 80, 120, 160, 200 labels")
    for pass_rate in (0.5, 0.7, 0.9):
        world = World(200, pass_rate, 0.5)
        print(f"{pass_rate:13.2f} {false_by_more_labels(world, (40, 80, 120, 160, 200), repeats):8.3f}", flush=True)


if __name__ == "__main__":
    main()
