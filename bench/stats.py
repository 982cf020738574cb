"""Kappa with its interval: ours beside resampling and large-sample formulas, from 10^2 to 10^7 rows.

    python bench/stats.py [--runs 7] [--only ours]

Prints one JSON line per method and size, times in milliseconds (best and median of the runs). The bounds: kappa with
its interval in under 20 ms for two or three labels whatever the number of rows counted, and 10^7 labels counted in
under a second. Methods that resample rows are timed with fewer resamples and scaled to 10,000; such lines say so.
Exit code 1 if a bound is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable

import numpy as np

from judgekit.stats.agreement import kappa, kappa_asymptotic, kappas
from judgekit.stats.chance import ac1, alpha, ratings
from judgekit.stats.counts import case_rate
from judgekit.stats.rates import case_mean
from judgekit.stats.tables import Table, count, count_codes

RESAMPLES = 10_000
INTERVAL_MS, COUNTING_MS = 20.0, 1000.0


def columns(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    p = np.array([0.6, 0.3, 0.1]) if k == 3 else np.array([0.7, 0.3])
    human = rng.choice(k, n, p=p).astype(np.int8)
    return human, np.where(rng.random(n) < 0.8, human, rng.choice(k, n, p=p)).astype(np.int8)


def timed(call: Callable[[], object], runs: int) -> list[float]:
    call()  # imports and warm caches are not what is measured
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def line(method: str, n: int, k: int, taken: list[float], *, bound: float | None = None, note: str = "") -> bool:
    best, middle = taken[0], taken[len(taken) // 2]
    held = bound is None or best <= bound
    row = {"method": method, "rows": n, "labels": k, "best_ms": round(best, 3), "median_ms": round(middle, 3)}
    if bound is not None:
        row |= {"bound_ms": bound, "held": held}
    print(json.dumps(row | ({"note": note} if note else {})), flush=True)
    return held


def resampled_rows(human: np.ndarray, judge: np.ndarray, k: int, resamples: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    cell = human.astype(np.int64) * k + judge
    stack = [np.bincount(cell[rng.integers(0, len(cell), len(cell))], minlength=k * k) for _ in range(resamples)]
    return np.quantile(kappas(np.array(stack, dtype=float).reshape(-1, k, k)), [0.025, 0.975])


def scikit_learn_loop(human: np.ndarray, judge: np.ndarray, resamples: int) -> np.ndarray:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(0)
    found = []
    for _ in range(resamples):
        rows = rng.integers(0, len(human), len(human))
        found.append(cohen_kappa_score(human[rows], judge[rows]))
    return np.quantile(found, [0.025, 0.975])


def one_size(n: int, k: int, runs: int, *, others: bool) -> bool:
    human, judge = columns(n, k)
    table = Table.of(count_codes(human, judge, k))
    note = f"kappa {kappa(table).value:.4f}"
    counting = timed(lambda: count_codes(human, judge, k), runs)
    held = line("ours: counting codes", n, k, counting, bound=COUNTING_MS)
    interval = timed(lambda: kappa(table), runs)
    held &= line("ours: kappa with its posterior interval", n, k, interval, bound=INTERVAL_MS, note=note)
    line("ours: asymptotic, for comparison", n, k, timed(lambda: kappa_asymptotic(table), runs))
    if others:
        few = {100: 300, 10_000: 100, 1_000_000: 3, 10_000_000: 1}[n]
        for name, call in (
            ("bootstrap of rows, bincount", lambda: resampled_rows(human, judge, k, few)),
            ("bootstrap of rows, scikit-learn in a loop", lambda: scikit_learn_loop(human, judge, few)),
        ):
            start = time.perf_counter()
            call()
            taken = (time.perf_counter() - start) * 1000 * RESAMPLES / few
            line(name, n, k, [taken], note=f"scaled from {few} resamples")
    return held


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=7)
    options.add_argument("--only", choices=["ours", "all"], default="all")
    given = options.parse_args()
    held = True
    for n in (100, 10_000, 1_000_000, 10_000_000):
        for k in (2, 3):
            held &= one_size(n, k, given.runs, others=given.only == "all" and k == 3)
    texts = [np.array(["PASS", "FAIL", "UNKNOWN"], dtype=object)[column].tolist() for column in columns(10**6, 3)]
    line("ours: counting text labels", 10**6, 3, timed(lambda: count(*texts), given.runs))
    three = np.stack([*columns(100_000, 3), columns(100_000, 3)[0]], axis=1)
    rated = ratings(three, ["1", "2", "3"])
    line("ours: sorting 3 raters into patterns", 100_000, 3, timed(lambda: ratings(three, ["1", "2", "3"]), given.runs))
    line("ours: alpha with its interval, 3 raters", 100_000, 3, timed(lambda: alpha(rated), given.runs))
    line("ours: AC1 with its interval, 3 raters", 100_000, 3, timed(lambda: ac1(rated), given.runs))
    shares = (np.random.default_rng(2).integers(0, 6, 10_000) / 5).tolist()
    line("ours: pass rate of cases, one trial", 10_000, 2, timed(lambda: case_rate(9_000, 10_000), given.runs))
    line("ours: mean over cases, five trials", 10_000, 6, timed(lambda: case_mean(shares), given.runs))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
