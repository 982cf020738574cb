"""Rates of counts in closed form: no draws and no array library, so that a plain run has its numbers at once."""

from __future__ import annotations

import math
from statistics import NormalDist

from judgekit.types import Estimate

CASE_POSTERIOR = "case posterior"
_STEPS = 500
_TINY = 1e-300


def case_rate(passed: int, decided: int, *, missing: int = 0, level: float = 0.95) -> Estimate:
    """Pass rate over cases with one outcome each: the case posterior in closed form.

    passed, decided   counts of cases, 0 <= passed <= decided
    missing           cases without a verdict: reported, never counted as failures
    returns           fractions in [0, 1]; the interval reaches 0 when nothing passed and 1 when nothing failed
    undefined         no case was decided
    source            Exponential(1) weight per case and half a pseudo-case at 0 and at 1 is exactly
                      Beta(s + 1/2, f + 1/2), the Jeffreys interval: Brown, Cai & DasGupta (2001), Stat. Sci. 16:101
    """
    check_counts(passed, decided)
    check_level(level)
    if decided == 0:
        return Estimate(missing=missing, level=level, method=CASE_POSTERIOR, undefined="no case was decided")
    low, high = jeffreys(passed, decided, level)
    return Estimate(passed / decided, low, high, n=decided, missing=missing, method=CASE_POSTERIOR, level=level)


def jeffreys(passed: int, decided: int, level: float) -> tuple[float, float]:
    """Limits of Beta(s + 1/2, f + 1/2), opened to 0 or 1 at the ends; [0, 1] for no observation at all."""
    failed = decided - passed
    tail = (1 - level) / 2
    low = 0.0 if passed == 0 else beta_quantile(tail, passed + 0.5, failed + 0.5)
    high = 1.0 if failed == 0 else 1 - beta_quantile(tail, failed + 0.5, passed + 0.5)
    return low, high


def wilson(passed: int, n: int, *, missing: int = 0, level: float = 0.95) -> Estimate:
    """Share of independent trials that passed, with its score interval: for one case over its own trials.

    returns     fractions in [0, 1]
    undefined   n == 0
    source      Wilson (1927), JASA 22:209
    """
    check_counts(passed, n)
    check_level(level)
    if n == 0:
        return Estimate(missing=missing, level=level, method="wilson", undefined="no trial was decided")
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    middle = (passed + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * (passed * (n - passed) / n + z2 / 4)) / (n + z2)
    low = 0.0 if passed == 0 else middle - half
    high = 1.0 if passed == n else middle + half
    return Estimate(passed / n, low, high, n=n, missing=missing, method="wilson", level=level)


def beta_quantile(p: float, a: float, b: float) -> float:
    """The x in [0, 1] below which a Beta(a, b) variable lies with probability `p`; a, b > 0.

    source   the regularised incomplete beta function by its continued fraction (DLMF 8.17.22), inverted by halving:
             60 halvings are more than a float holds
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _beta_below(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _beta_below(x: float, a: float, b: float) -> float:
    """P(Beta(a, b) < x)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side of the mean only
        return 1 - _beta_below(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method from the front."""
    c, d = 1.0, _inverse(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = _inverse(1 + term * d)
            c = 1 + term / c or _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def _inverse(value: float) -> float:
    return 1 / (value or _TINY)


def check_counts(passed: int, decided: int) -> None:
    """Raise ValueError unless 0 <= passed <= decided."""
    if not 0 <= passed <= decided:
        raise ValueError(f"counts must be 0 <= passed <= n, not {passed} of {decided}")


def check_level(level: float) -> None:
    """Raise ValueError unless a confidence level lies between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level!r}")
