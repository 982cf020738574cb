"""How large an effect is, over cases, and how sure it is that it lies outside of a band."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from judgekit.stats.draws import SEED, Floats, Seed, draws_for, generator, mean_draws
from judgekit.stats.rates import case_mean
from judgekit.types import Estimate, Frozen

Band = tuple[float, float]
"""The effects that are nothing to worry about, both ends included."""

MIN_CASES = 8
"""Below so many cases no interval holds what it says, so that nothing is concluded."""


class Effect(Frozen, frozen=True):
    """An effect with its interval.

    p   two-sided: twice the smaller chance that the effect is not beyond the band's ends; None where it is undefined
    """

    estimate: Estimate
    p: float | None = None


def effect_over_cases(
    values: Mapping[str, Sequence[float]],
    *,
    ends: tuple[float, float],
    band: Band,
    left_out: int = 0,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Effect:
    """Mean over cases of each case's mean, with the case posterior.

    values      the numbers of each case, within `ends`; a case counts once, however many it has
    returns     in the units of `values`; `missing` tells what was left out. The interval at `level` leaves the band
                exactly when p <= 1 - level, up to the draws
    undefined   no case has a number
    source      as `judgekit.stats.rates.case_mean`
    """
    x = np.array([sum(own) / len(own) for own in values.values() if own], dtype=np.float64)
    found = case_mean(x, ends=ends, missing=left_out, level=level, seed=seed)
    if not len(x):
        return Effect(found)
    draws = mean_draws(x, ends, generator(seed), draws_for(level))
    return Effect(found, p_outside(draws, band))


def p_outside(draws: Floats, band: Band) -> float:
    """Twice the smaller of P(effect <= upper end) and P(effect >= lower end): small only when it is surely outside.

    Never 0: so many draws cannot tell a chance below one in their number.
    """
    low, high = band
    tail = min(float((draws <= high).mean()), float((draws >= low).mean()))
    return min(1.0, 2 * max(tail, 1 / len(draws)))


def benjamini_hochberg(p: Iterable[float]) -> list[float]:
    """Adjusted p of several tests: those at or under q are a set in which the expected share of false ones is q.

    returns   in [0, 1], in the order given; never below the p itself
    source    Benjamini & Hochberg (1995), JRSS B 57:289, for independent or positively dependent tests
    """
    values = np.asarray(list(p), dtype=np.float64)
    m = len(values)
    order = np.argsort(values)[::-1]
    ranked = values[order] * m / np.arange(m, 0, -1)
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(ranked)) if m else ranked
    return [float(value) for value in adjusted]
