"""How often does an interval hold the truth? Ours beside the usual ones, over settings that are kind and unkind.

    python bench/coverage.py [--quick] [--reps 400] [--draws 4000] [--only kappa,cases,chosen,rate,paired] [--all]

Prints one line per setting (with --all; else the worst three) and a summary per group. Coverage is counted over the
data sets for which kappa exists (people used both labels); settings in which more than 30% have none are left out of
the summary, because coverage there depends on luck alone. Monte Carlo error at 400 repetitions: about .011.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from judgekit.stats import draws as drawing
from judgekit.stats.agreement import kappa, kappa_asymptotic, kappas
from judgekit.stats.correction import Judged, double_sampling, rogan_gladen
from judgekit.stats.counts import case_rate
from judgekit.stats.paired import on_cases_like_these, on_these_cases
from judgekit.stats.prevalence import kappa_at
from judgekit.stats.rates import case_mean, clustered_rate, t_mean
from judgekit.stats.stratified import stratified_kappa, stratify
from judgekit.stats.tables import Table, count

Interval = tuple[float, float]
OURS = "ours"


@dataclass
class Tally:
    """Hits and misses of one method in one setting."""

    inside: int = 0
    below: int = 0
    above: int = 0
    width: float = 0.0

    def add(self, interval: Interval, truth: float) -> None:
        low, high = interval
        self.inside += low <= truth <= high
        self.below += low > truth  # the lower limit promises too much
        self.above += high < truth
        self.width += high - low

    @property
    def n(self) -> int:
        return self.inside + self.below + self.above


@dataclass
class Result:
    """One setting: what each method did, and how many data sets could not be used."""

    name: str
    by: dict[str, Tally] = field(default_factory=dict)
    unusable: int = 0

    def add(self, method: str, interval: Interval, truth: float) -> None:
        self.by.setdefault(method, Tally()).add(interval, truth)


def limits(found: object) -> Interval | None:
    low, high = getattr(found, "low", None), getattr(found, "high", None)
    return None if low is None or high is None else (low, high)


# ── kappa ────────────────────────────────────────────────────────────────────────────────────────────────


def equal_margins(p: np.ndarray, value: float) -> np.ndarray:
    """The joint distribution with these margins on both sides and exactly this kappa."""
    return value * np.diag(p) + (1 - value) * np.outer(p, p)


def one_sided(p: float, value: float, *, lenient: bool) -> np.ndarray:
    """Two labels, errors of one kind only: false PASSes (lenient) or false FAILs."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        found = kappa_at(1.0, middle, p) if lenient else kappa_at(middle, 1.0, p)
        low, high = (middle, high) if found < value else (low, middle)
    pass_recall, fail_recall = (1.0, low) if lenient else (low, 1.0)
    return np.array([[p * pass_recall, p * (1 - pass_recall)], [(1 - p) * (1 - fail_recall), (1 - p) * fail_recall]])


def abstaining(p: float, recall: float, share: float) -> np.ndarray:
    """Three classes, the third of which only the judge uses."""
    decided = np.array([[p * recall, p * (1 - recall)], [(1 - p) * (1 - recall), (1 - p) * recall]])
    joint = np.zeros((3, 3))
    joint[:2, :2] = decided * (1 - share)
    joint[:2, 2] = decided.sum(axis=1) * share
    return joint


def kappa_settings(*, quick: bool) -> Iterator[tuple[str, int, np.ndarray]]:
    ns = (30, 100) if quick else (20, 30, 50, 100, 300)
    rates = (0.7, 0.9) if quick else (0.5, 0.7, 0.9, 0.95)
    values = (0.6, 0.9) if quick else (0.2, 0.5, 0.8, 0.9, 0.95)
    for n in ns:
        for p in rates:
            for value in values:
                yield f"equal  k2 n{n} p{p} kappa{value}", n, equal_margins(np.array([p, 1 - p]), value)
                yield f"lenient k2 n{n} p{p} kappa{value}", n, one_sided(p, value, lenient=True)
                yield f"strict k2 n{n} p{p} kappa{value}", n, one_sided(p, value, lenient=False)
                three = np.array([p, (1 - p) * 0.7, (1 - p) * 0.3])
                yield f"equal  k3 n{n} p{p} kappa{value}", n, equal_margins(three, value)
                if not quick:
                    five = np.array([p, *(1 - p) * np.array([0.4, 0.3, 0.2, 0.1])])
                    yield f"equal  k5 n{n} p{p} kappa{value}", n, equal_margins(five, value)
            yield f"abstain k3 n{n} p{p} recall.95 unknown.1", n, abstaining(p, 0.95, 0.1)
            yield f"abstain k3 n{n} p{p} recall.99 unknown.02", n, abstaining(p, 0.99, 0.02)


def bootstrap_kappa(table: np.ndarray, rng: np.random.Generator, resamples: int) -> Interval:
    k, n = len(table), int(table.sum())
    stack = rng.multinomial(n, table.ravel() / n, size=resamples).reshape(-1, k, k).astype(float)
    values = kappas(stack)
    low, high = np.nanquantile(np.where(np.isfinite(values), values, np.nan), [0.025, 0.975])
    return float(low), float(high)


def run_kappa(reps: int, *, quick: bool) -> Iterator[Result]:
    for i, (name, n, joint) in enumerate(kappa_settings(quick=quick)):
        rng = np.random.default_rng((1, i))
        k, truth, result = len(joint), float(kappas(joint)), Result(name)
        for flat in rng.multinomial(n, joint.ravel() / joint.sum(), size=reps):
            table = Table.of(flat.reshape(k, k))
            mine = limits(kappa(table, seed=rng))
            if mine is None:
                result.unusable += 1
                continue
            result.add(OURS, mine, truth)
            result.add("asymptotic", limits(kappa_asymptotic(table)) or mine, truth)
            result.add("bootstrap", bootstrap_kappa(flat.reshape(k, k), rng, 1000), truth)
        yield result


# ── kappa with several rows per case ─────────────────────────────────────────────────────────────────────


def run_cases(reps: int, *, quick: bool) -> Iterator[Result]:
    shapes = {"5 each": [5], "unequal": [1, 1, 1, 2, 5, 10], "two heavy": [1] * 18 + [15, 15]}
    grid = [
        (c, s, p, icc)
        for c in ((40,) if quick else (20, 40, 100))
        for s in shapes
        for p in (0.7, 0.9)
        for icc in ((0.7,) if quick else (0.3, 0.7))
    ]
    for i, (cases, shape, p, icc) in enumerate(grid):
        rng, result = np.random.default_rng((2, i)), Result(f"{shape}, {cases} cases p{p} icc{icc}")
        truth = float(kappa_at(0.92, 0.85, p))
        for _ in range(reps):
            sizes = rng.permutation(np.resize(shapes[shape], cases))
            human, judge, case = [], [], []
            for c, m in enumerate(sizes):
                own, slip = rng.random() < p, rng.random()
                for _ in range(m):
                    h = own if rng.random() < icc**0.5 else rng.random() < p
                    luck = slip if rng.random() < icc**0.5 else rng.random()
                    right = luck < (0.92 if h else 0.85)
                    human.append("PASS" if h else "FAIL")
                    judge.append("PASS" if h == right else "FAIL")
                    case.append(c)
            mine = limits(kappa(count(human, judge, cases=case), seed=rng))
            flat = count(human, judge)
            rows = limits(kappa(flat, seed=rng))
            if mine is None or rows is None:
                result.unusable += 1
                continue
            result.add(OURS, mine, truth)
            result.add("rows as cases", rows, truth)
            result.add("asymptotic", limits(kappa_asymptotic(flat)) or rows, truth)
        yield result


# ── labels chosen by verdict ─────────────────────────────────────────────────────────────────────────────


def run_chosen(reps: int, *, quick: bool) -> Iterator[Result]:
    three = {"p.9 k3": (np.array([0.9, 0.07, 0.03]), 0.75)}
    two = {f"p{p} recalls {a}/{b}": (p, a, b) for p in (0.7, 0.9, 0.95) for a, b in ((0.95, 0.85), (0.98, 0.6))}
    grid = [(name, n) for name in (*two, *three) for n in ((60,) if quick else (40, 60, 120))]
    for i, (name, n) in enumerate(grid):
        rng, result = np.random.default_rng((3, i)), Result(f"{name}, {n} labels of 500")
        if name in two:
            p, a, b = two[name]
            joint, labels = np.array([[p * a, p * (1 - a)], [(1 - p) * (1 - b), (1 - p) * b]]), ("PASS", "FAIL")
        else:
            joint, labels = equal_margins(*three[name]), ("A", "B", "C")
        k, truth = len(joint), float(kappas(joint))
        for _ in range(reps):
            drawn = rng.choice(k * k, size=500, p=joint.ravel())
            human, verdict = drawn // k, drawn % k
            shown: list[str | None] = [None] * 500
            for v in range(k):
                here = np.flatnonzero(verdict == v)
                for at in rng.permutation(here)[: n // k]:
                    shown[at] = labels[human[at]]
            judged = [labels[v] for v in verdict]
            mine = limits(stratified_kappa(stratify(judged, shown, labels, seed=rng)))
            naive = limits(kappa(count(shown, judged, labels=labels), seed=rng))
            if mine is None or naive is None:
                result.unusable += 1
                continue
            result.add(OURS, mine, truth)
            result.add("as if random", naive, truth)
        yield result


# ── the corrected pass rate ──────────────────────────────────────────────────────────────────────────────


def run_rate(reps: int, *, quick: bool) -> Iterator[Result]:
    grid = [
        (true, n, total, unknown, trials)
        for true in (0.7, 0.95)
        for n in ((60,) if quick else (30, 60, 120))
        for total in ((500,) if quick else (200, 1000))
        for unknown in ((0.1,) if quick else (0.0, 0.02, 0.1, 0.3))
        for trials in (1, 5)
    ]
    for i, (true, n, total, unknown, trials) in enumerate(grid):
        rng = np.random.default_rng((4, i))
        result = Result(f"true {true}, {n} labels of {total}, unknown {unknown}, {trials} per case")
        cases = total // trials
        for _ in range(reps):
            ease = rng.beta(true * 1.5, (1 - true) * 1.5, size=cases) if trials > 1 else np.full(cases, true)
            case = np.repeat(np.arange(cases), trials)
            human = rng.random(len(case)) < ease[case]
            right = rng.random(len(case)) < np.where(human, 0.92, 0.85)
            verdict = np.where(human == right, "PASS", "FAIL").astype(object)
            verdict[rng.random(len(case)) < unknown * np.where(human, 0.7, 1.7)] = "UNKNOWN"
            labelled = np.zeros(len(case), dtype=bool)
            labelled[rng.permutation(len(case))[:n]] = True
            shown = [float(h) if seen else None for h, seen in zip(human, labelled, strict=True)]
            run = Judged(verdict.tolist(), shown, case.tolist() if trials > 1 else None)
            mine = limits(double_sampling(run, seed=rng).rate)
            decided = verdict != "UNKNOWN"
            people = ["PASS" if h else "FAIL" for h in human[labelled]]
            judge = [None if v == "UNKNOWN" else v for v in verdict[labelled]]
            table = count(people, judge, labels=("PASS", "FAIL"))
            raw = (int((verdict == "PASS").sum()), int(decided.sum()))
            other = limits(rogan_gladen(*raw, table, seed=rng).rate)
            assert mine is not None
            result.add(OURS, mine, true)
            result.add("Rogan-Gladen", other or (0.0, 1.0), true)
            result.add("labels alone", limits(case_rate(people.count("PASS"), n)) or mine, true)
            result.add("raw", limits(case_rate(*raw)) or mine, true)
        yield result


# ── pass rates and paired differences ────────────────────────────────────────────────────────────────────


def bca(values: np.ndarray, rng: np.random.Generator) -> Interval:
    from scipy.special import ndtr, ndtri

    mean = values.mean()
    boot = values[rng.integers(0, len(values), size=(1000, len(values)))].mean(axis=1)
    share = float(np.clip((boot < mean).mean() + (boot == mean).mean() / 2, 1e-6, 1 - 1e-6))
    left_out = (values.sum() - values) / (len(values) - 1)
    away = left_out.mean() - left_out
    spread = float((away**2).sum()) ** 1.5
    skew = float((away**3).sum()) / (6 * spread) if spread else 0.0
    z0 = ndtri(share)
    ends = [ndtr(z0 + (z0 + z) / (1 - skew * (z0 + z))) for z in (-1.96, 1.96)]
    low, high = np.quantile(boot, ends)
    return float(low), float(high)


def run_paired(reps: int, *, quick: bool) -> Iterator[Result]:
    kinds: dict[str, Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]] = {
        "nothing changed": lambda _, m: (np.ones(m), np.ones(m)),
        "10% broken": lambda r, m: (np.ones(m), (r.random(m) > 0.1).astype(float)),
        "5% broken": lambda r, m: (np.ones(m), (r.random(m) > 0.05).astype(float)),
        "half mended": lambda r, m: ((r.random(m) < 0.5).astype(float), np.ones(m)),
        "flaky, equal": lambda _, m: (np.full(m, 0.8), np.full(m, 0.8)),
        "20% better": lambda r, m: (b := r.beta(2, 2, m), np.minimum(1, b + (r.random(m) < 0.2) * 0.8)),
    }
    truth_of = {"nothing changed": 0.0, "10% broken": -0.1, "5% broken": -0.05, "half mended": 0.5, "flaky, equal": 0.0}
    big = np.random.default_rng(0)
    before, after = kinds["20% better"](big, 10**6)
    truth_of["20% better"] = float((after - before).mean())
    for i, (kind, m, trials) in enumerate(
        (kind, m, t) for kind in kinds for m in ((12, 20) if quick else (8, 12, 20, 40)) for t in (1, 5)
    ):
        rng, result = np.random.default_rng((5, i)), Result(f"{kind}, {m} cases x {trials}")
        rates = Result(f"rate: {kind}, {m} cases x {trials}")
        rate_truth = float(np.mean(kinds[kind](big, 10**5)[1]))
        for _ in range(reps):
            p0, p1 = kinds[kind](rng, m)
            base, new = (list(zip(rng.binomial(trials, p).tolist(), [trials] * m, strict=True)) for p in (p0, p1))
            x = np.array([n[0] / trials - b[0] / trials for b, n in zip(base, new, strict=True)])
            mine = limits(on_cases_like_these(base, new, seed=rng))
            assert mine is not None
            result.add(OURS, mine, truth_of[kind])
            result.add("t", limits(t_mean(x)) or mine, truth_of[kind])
            result.add("BCa", bca(x, rng), truth_of[kind])
            if trials > 1:
                here = limits(on_these_cases(base, new))
                assert here is not None
                result.add("on these cases*", here, float((p1 - p0).mean()))
            shares = [passed / trials for passed, _ in new]
            rates.add(OURS, limits(case_mean(shares, seed=rng)) or mine, rate_truth)
            rates.add("clustered", limits(clustered_rate(new)) or mine, rate_truth)
            rates.add("t", limits(t_mean(shares)) or mine, rate_truth)
        yield result
        yield rates


# ── printing ─────────────────────────────────────────────────────────────────────────────────────────────

GROUPS: dict[str, tuple[str, Callable[..., Iterator[Result]]]] = {
    "kappa": ("kappa, one row per case", run_kappa),
    "cases": ("kappa, several rows per case", run_cases),
    "chosen": ("kappa, labels chosen by verdict", run_chosen),
    "rate": ("pass rate corrected for the judge's errors", run_rate),
    "paired": ("paired differences and pass rates", run_paired),
}


def show(title: str, results: list[Result], *, everything: bool) -> None:
    kept = [r for r in results if r.by and r.unusable <= 0.3 * (r.unusable + r.by[OURS].n)]
    print(f"\n{title}: {len(results)} settings, {len(results) - len(kept)} left out as mostly undefined")
    print(
        f"  {'method':<16} {'mean':>6} {'min':>6} {'<.92':>5} {'<.90':>5} {'low-miss mean':>14} {'max':>6} {'width':>6}"
    )
    for method in dict.fromkeys(m for r in kept for m in r.by):
        tallies = [r.by[method] for r in kept if method in r.by]
        cover = np.array([t.inside / t.n for t in tallies])
        low = np.array([t.below / t.n for t in tallies])
        width = np.mean([t.width / t.n for t in tallies])
        print(
            f"  {method:<16} {cover.mean():6.3f} {cover.min():6.3f} {(cover < 0.92).sum():5d} {(cover < 0.9).sum():5d}"
            f" {low.mean():14.3f} {low.max():6.3f} {width:6.3f}"
        )
    ranked = sorted(kept, key=lambda r: r.by[OURS].inside / r.by[OURS].n)
    for result in ranked if everything else ranked[:3]:
        parts = ", ".join(f"{m} {t.inside / t.n:.3f} ({t.below / t.n:.3f} low)" for m, t in result.by.items())
        print(f"    {result.name}: {parts}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="a few settings of each group")
    options.add_argument("--reps", type=int, default=400)
    options.add_argument("--draws", type=int, default=4000, help="posterior draws; judgekit itself takes 20,000")
    options.add_argument("--only", default=",".join(GROUPS))
    options.add_argument("--all", action="store_true", help="every setting, not the worst three of each group")
    given = options.parse_args()
    drawing.MIN_DRAWS, drawing.IN_EACH_TAIL = given.draws, given.draws // 40
    for name in given.only.split(","):
        title, run = GROUPS[name]
        start = time.perf_counter()
        show(title, list(run(given.reps, quick=given.quick)), everything=given.all)
        print(f"  ({time.perf_counter() - start:.0f} s)")


if __name__ == "__main__":
    main()
