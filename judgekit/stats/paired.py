"""Two versions on the same cases: differences with two intervals, exact tests, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from judgekit.stats.counts import CASE_POSTERIOR
from judgekit.stats.draws import SEED, Floats, Seed, draws_for
from judgekit.stats.rates import case_mean
from judgekit.types import Estimate, Frozen

Trials = Sequence[tuple[int, int]]
"""(passed, decided) of each case, the same cases in the same order on both sides."""


class ExactTest(Frozen, frozen=True):
    """A two-sided exact test of ups against downs; `p` is None exactly when `undefined` says why.

    ups, downs, same   cases that went up, went down, did not change
    """

    p: float | None
    ups: int
    downs: int
    same: int = 0
    undefined: str = ""


def on_these_cases(base: Trials, new: Trials, *, level: float = 0.95) -> Estimate:
    """Mean difference of pass shares, new - base, where only the trials are random: has it changed on these cases?

    returns     in [-1, 1]: d +- z sqrt(sum over cases and sides of p(1-p)/T) / m with p = (c + 1/2)/(T + 1)
    undefined   no shared case with decided trials on both sides, or one with a single trial
    source      Wald interval with each case's own binomial variance, smoothed so that sure cases keep some doubt
    """
    from scipy.special import ndtri

    pairs = _shared(base, new)
    missing = len(base) - len(pairs)
    draws_for(level)
    method = "on these cases"
    why = "no case was decided on both sides" if not len(pairs) else ""
    if len(pairs) and pairs[:, [1, 3]].min() < 2:
        why = "one trial per case says nothing of the noise between trials: it needs two or more"
    if why:
        return Estimate(n=len(pairs), missing=missing, method=method, level=level, undefined=why)
    passed, decided = pairs[:, [0, 2]], pairs[:, [1, 3]]
    p = (passed + 0.5) / (decided + 1)
    half = float(ndtri((1 + level) / 2)) * math.sqrt(float((p * (1 - p) / decided).sum())) / len(pairs)
    value = float((passed[:, 1] / decided[:, 1] - passed[:, 0] / decided[:, 0]).mean())
    low, high = max(-1.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, len(pairs), missing, method, level)


def on_cases_like_these(base: Trials, new: Trials, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Mean difference of pass shares, new - base, where the cases are a sample: is it better on cases like these?

    returns     in [-1, 1], case posterior with half a pseudo-case at -1 and at 1
    undefined   no shared case with decided trials on both sides
    source      as `judgekit.stats.rates.case_mean`
    """
    pairs = _shared(base, new)
    shares = pairs[:, 2] / pairs[:, 3] - pairs[:, 0] / pairs[:, 1]
    found = case_mean(shares, ends=(-1.0, 1.0), missing=len(base) - len(pairs), level=level, seed=seed)
    method = f"on cases like these, {CASE_POSTERIOR}"
    why = "no case was decided on both sides" if found.undefined else ""
    return Estimate(found.value, found.low, found.high, found.n, found.missing, method, level, why)


def sign_test(differences: Sequence[float]) -> ExactTest:
    """Exact sign test over cases: were changes up as likely as changes down? Unchanged cases say nothing here.

    undefined   fewer than 6 changed cases: even all one way would not reach p = 0.05
    source      Arbuthnot (1710); Conover (1999), Practical Nonparametric Statistics
    """
    x = np.asarray(differences, dtype=np.float64)
    if not np.isfinite(x).all():
        raise ValueError("a difference that is not known is left out, never passed as NaN or infinity")
    ups, downs = int((x > 0).sum()), int((x < 0).sum())
    same = len(x) - ups - downs
    if ups + downs < 6:
        why = f"{ups + downs} changed cases cannot decide: it takes 6, all one way"
        return ExactTest(None, ups, downs, same, why)
    return ExactTest(binomial_p(ups, downs), ups, downs, same)


def mcnemar(only_first: int, only_second: int) -> ExactTest:
    """Exact McNemar test of two classifications of the same items: do the errors lean one way?

    only_first, only_second   items that only the first (only the second) calls PASS
    undefined                 none differs
    source                    McNemar (1947), Psychometrika 12:153, exact binomial form
    """
    if min(only_first, only_second) < 0:
        raise ValueError("counts are 0 or more")
    if only_first + only_second == 0:
        return ExactTest(None, 0, 0, undefined="the two never differ")
    return ExactTest(binomial_p(only_second, only_first), only_second, only_first)


def binomial_p(ups: int, downs: int) -> float:
    """Two-sided exact p of a fair coin: twice the smaller tail, at most 1."""
    from scipy.special import bdtr

    n = ups + downs
    return min(1.0, 2 * float(bdtr(min(ups, downs), n, 0.5))) if n else 1.0


def minimum_detectable(
    cases: int,
    differences: Sequence[float] | None = None,
    *,
    spread: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> float | None:
    """The mean difference that `cases` paired cases would show with this chance; None for no case.

    differences   per case, in [-1, 1], from which the spread is taken (with half a pseudo-case at -1 and at 1)
    spread        standard deviation of the differences over cases, if known
    returns       in (0, 2]: (z_level + z_power) * spread / sqrt(cases); over 1 means: nothing could be seen
    source        Miller (2024), arXiv 2411.00640, for paired differences
    """
    from scipy.special import ndtri

    if not 0 < power < 1:
        raise ValueError(f"power lies between 0 and 1, not at {power!r}")
    draws_for(level)
    if spread is None:
        if differences is None:
            raise ValueError("the spread is needed: as a number, or as the differences of earlier cases")
        x = np.asarray(differences, dtype=np.float64)
        mean = x.sum() / (len(x) + 1)
        spread = math.sqrt(float((x**2).sum() + 1) / (len(x) + 1) - mean**2)
    if cases < 1:
        return None
    return float(ndtri((1 + level) / 2) + ndtri(power)) * spread / math.sqrt(cases)


def holm(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's adjusted p of several tests: each may be read against the same level, whatever the dependence.

    p         name -> p, or None where the test is undefined (it takes no part and stays None)
    returns   name -> adjusted p in [0, 1], in the order given
    source    Holm (1979), Scand. J. Stat. 6:65
    """
    known = sorted((value, name) for name, value in p.items() if value is not None)
    adjusted: dict[str, float] = {}
    worst = 0.0
    for rank, (value, name) in enumerate(known):
        if not 0 <= value <= 1:
            raise ValueError(f"a p lies between 0 and 1, not at {value!r} ({name})")
        worst = max(worst, min(1.0, value * (len(known) - rank)))
        adjusted[name] = worst
    return {name: adjusted.get(name) for name in p}


def _shared(base: Trials, new: Trials) -> Floats:
    """(m, 4) passed and decided of base, then of new, for the cases decided on both sides."""
    if len(base) != len(new):
        raise ValueError(f"{len(base)} cases in one and {len(new)} in the other: pass only shared cases")
    rows = np.array([(*b, *n) for b, n in zip(base, new, strict=True)], dtype=np.float64).reshape(-1, 4)
    if (rows < 0).any() or (rows[:, [0, 2]] > rows[:, [1, 3]]).any():
        raise ValueError("counts must satisfy 0 <= passed <= decided")
    return rows[(rows[:, 1] > 0) & (rows[:, 3] > 0)]
