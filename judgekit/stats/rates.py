"""Pass rates: of one case over its trials, and of a suite over its cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from judgekit.stats.counts import CASE_POSTERIOR, check_counts, jeffreys, wilson
from judgekit.stats.draws import SEED, Floats, Seed, central, draws_for, generator, mean_draws
from judgekit.types import Estimate


class WithError(Estimate, frozen=True):
    """An estimate whose method also gives a standard error; None where it is undefined.

    se   in the units of `value`
    """

    se: float | None = None


def case_mean(
    values: ArrayLike,
    *,
    ends: tuple[float, float] = (0.0, 1.0),
    missing: int = 0,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Estimate:
    """Mean over cases of any value in a known range (a pass share, a score, a difference): the case posterior.

    values      (n,), one per case, within `ends`; cases without a value are left out and told by `missing`
    ends        the range that a value can have: (0, 1) for rates, (-1, 1) for differences
    returns     in the units of `values`. The interval always holds the mean, and reaches an end of the range when
                every case lies there.
    undefined   no case
    source      Rubin (1981), Ann. Stat. 9:130 (Bayesian bootstrap), with half a pseudo-case at each end, which is
                what keeps it from collapsing when all cases agree
    """
    x = _values(values, ends)
    draws = draws_for(level)
    if not len(x):
        return Estimate(missing=missing, level=level, method=CASE_POSTERIOR, undefined="no case has a value")
    value = float(x.mean())
    lowest, highest = ends
    if np.isin(x, ends).all():
        low, high = jeffreys(int((x == highest).sum()), len(x), level)
        low, high = lowest + low * (highest - lowest), lowest + high * (highest - lowest)
    else:
        low, high = central(mean_draws(x, ends, generator(seed), draws), level)
    low, high = min(low, value), max(high, value)
    return Estimate(value, low, high, n=len(x), missing=missing, method=CASE_POSTERIOR, level=level)


# ── over trials ──────────────────────────────────────────────────────────────────────────────────────────


def pass_at_k(passed: int, decided: int, k: int, *, level: float = 0.95) -> Estimate:
    """Chance that at least one of k trials of this case passes: 1 - C(n-c, k) / C(n, k).

    passed, decided   c and n, counts of this case's trials
    returns           fractions in [0, 1]; limits are those of Wilson's interval under 1 - (1 - p)^k
    undefined         k > n: fewer trials were decided than are asked for
    source            Chen et al. (2021), arXiv 2107.03374
    """
    return _of_k(passed, decided, k, "pass@k", level)


def pass_hat_k(passed: int, decided: int, k: int, *, level: float = 0.95) -> Estimate:
    """Chance that all of k trials of this case pass: C(c, k) / C(n, k).

    passed, decided   c and n, counts of this case's trials
    returns           fractions in [0, 1]; limits are those of Wilson's interval under p^k
    undefined         k > n: fewer trials were decided than are asked for
    source            Yao et al. (2024), arXiv 2406.12045
    """
    return _of_k(passed, decided, k, "pass^k", level)


def suite_pass_at_k(trials: Sequence[tuple[int, int]], k: int, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Mean of pass@k over cases, with the case posterior.

    trials      (passed, decided) of each case
    returns     fractions in [0, 1]; `missing` counts the cases with fewer than k decided trials
    undefined   every case has fewer than k decided trials
    """
    return _suite_of_k(trials, k, "pass@k", level, seed)


def suite_pass_hat_k(trials: Sequence[tuple[int, int]], k: int, *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Mean of pass^k over cases, with the case posterior; as judged, never by powers of a corrected rate.

    trials      (passed, decided) of each case
    returns     fractions in [0, 1]; `missing` counts the cases with fewer than k decided trials
    undefined   every case has fewer than k decided trials
    """
    return _suite_of_k(trials, k, "pass^k", level, seed)


def suite_rate(trials: Sequence[tuple[int, int]], *, level: float = 0.95, seed: Seed = SEED) -> Estimate:
    """Mean over cases of the share of their decided trials that passed: every case counts once.

    trials      (passed, decided) of each case; a case with no decided trial is counted in `missing`
    returns     fractions in [0, 1], with the case posterior
    undefined   no case has a decided trial
    """
    for passed, decided in trials:
        check_counts(passed, decided)
    shares = [passed / decided for passed, decided in trials if decided]
    return case_mean(shares, missing=len(trials) - len(shares), level=level, seed=seed)


# ── for comparison with other tools ──────────────────────────────────────────────────────────────────────


def clustered_rate(trials: Sequence[tuple[int, int]], *, level: float = 0.95) -> WithError:
    """Share of all decided trials that passed, with the standard error clustered by case; for comparison only.

    trials      (passed, decided) of each case; trials count here, so a case with ten weighs ten times
    returns     value +- z se, not clipped to [0, 1]. It collapses near 0 and 1: `suite_rate` holds there.
    undefined   fewer than two cases with a decided trial
    source      Liang & Zeger (1986), Biometrika 73:13; for evals, Miller (2024), arXiv 2411.00640
    """
    used = [pair for pair in trials if pair[1]]
    missing = len(trials) - len(used)
    if len(used) < 2:
        why = f"a standard error over cases needs two of them, there are {len(used)}"
        return WithError(n=len(used), missing=missing, method="clustered", level=level, undefined=why)
    passed, decided = (np.array(column, dtype=np.float64) for column in zip(*used, strict=True))
    value = float(passed.sum() / decided.sum())
    se = float(np.sqrt(((passed - decided * value) ** 2).sum()) / decided.sum())
    half = NormalDist().inv_cdf((1 + level) / 2) * se
    return WithError(
        value, value - half, value + half, n=len(used), missing=missing, method="clustered", level=level, se=se
    )


def t_mean(values: ArrayLike, *, missing: int = 0, level: float = 0.95) -> WithError:
    """Mean over cases with Student's t interval; for comparison only.

    values      (n,), one per case, any finite numbers
    returns     in the units of `values`, not clipped to their range
    undefined   fewer than two cases: a standard error of 0 would look like certainty
    source      Student (1908), Biometrika 6:1
    """
    from scipy.special import stdtrit

    x = _values(values, (-math.inf, math.inf))
    if len(x) < 2:
        why = f"a standard error needs two cases, there are {len(x)}"
        return WithError(n=len(x), missing=missing, method="t", level=level, undefined=why)
    value, se = float(x.mean()), float(x.std(ddof=1) / math.sqrt(len(x)))
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * se
    return WithError(value, value - half, value + half, n=len(x), missing=missing, method="t", level=level, se=se)


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────


def _values(values: ArrayLike, ends: tuple[float, float]) -> Floats:
    x = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(x).all():
        raise ValueError("a missing value is left out and counted as missing, never passed as NaN or infinity")
    if len(x) and (x.min() < ends[0] or x.max() > ends[1]):
        raise ValueError(f"values run from {x.min()} to {x.max()}, outside of {ends}")
    return x


def _share_of_k(passed: int, decided: int, k: int, which: str) -> float:
    if which == "pass^k":
        return math.comb(passed, k) / math.comb(decided, k)
    return 1 - math.comb(decided - passed, k) / math.comb(decided, k)


def _too_few(k: int, decided: int) -> str:
    return f"k = {k} is more than the {decided} decided trials"


def _of_k(passed: int, decided: int, k: int, which: str, level: float) -> Estimate:
    check_counts(passed, decided)
    if k < 1:
        raise ValueError(f"k counts trials, from 1; not {k}")
    method = which.replace("k", str(k))
    if k > decided:
        return Estimate(n=decided, method=method, level=level, undefined=_too_few(k, decided))
    value = _share_of_k(passed, decided, k, which)
    one = wilson(passed, decided, level=level)
    assert one.low is not None
    assert one.high is not None
    low, high = (one.low**k, one.high**k) if which == "pass^k" else (1 - (1 - one.low) ** k, 1 - (1 - one.high) ** k)
    return Estimate(value, min(low, value), max(high, value), n=decided, method=method, level=level)


def _suite_of_k(trials: Sequence[tuple[int, int]], k: int, which: str, level: float, seed: Seed) -> Estimate:
    if k < 1:
        raise ValueError(f"k counts trials, from 1; not {k}")
    for passed, decided in trials:
        check_counts(passed, decided)
    enough = [_share_of_k(passed, decided, k, which) for passed, decided in trials if decided >= k]
    missing = len(trials) - len(enough)
    method = f"{which.replace('k', str(k))}, {CASE_POSTERIOR}"
    if not enough:
        most = max((decided for _, decided in trials), default=0)
        why = f"{_too_few(k, most)} of any case" if trials else "no case"
        return Estimate(missing=missing, method=method, level=level, undefined=why)
    mean = case_mean(enough, missing=missing, level=level, seed=seed)
    return Estimate(mean.value, mean.low, mean.high, n=mean.n, missing=missing, method=method, level=level)
