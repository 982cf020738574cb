"""A judge asked the same again: how much of its inconsistency is noise, and how much follows the position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from judgekit.stats.draws import SEED, Seed
from judgekit.stats.preference import Pair
from judgekit.stats.rates import case_mean
from judgekit.types import Estimate, Frozen


class Steadiness(Frozen, frozen=True):
    """What repeats tell of a judge of pairs.

    repetition   chance that two repeats of the same request give the same pick: 1 = no noise
    position     chance that one pick of each order, from any repeats, name the same answer: 1 = the order is no matter
    fairness     mean lean to the answer shown first, from -1 (always the second) to 1 (always the first)
    drift        repetition - position: what the order alone changes, the noise taken off; 0 = noise explains all
    """

    repetition: Estimate
    position: Estimate
    fairness: Estimate
    drift: Estimate


def steadiness(
    pairs: Sequence[Pair], units: Sequence[Hashable], *, level: float = 0.95, seed: Seed = SEED
) -> Steadiness:
    """Tell the judge's noise from its position bias.

    pairs, units   (n,) repeats of one pair share their unit
    undefined      repetition and drift: no pair was asked twice in one order; position, fairness: no pair was read in
                   both orders
    source         the three measures of Shi et al. (2024), arXiv 2406.07791, as chances over two draws instead of
                   shares of the most frequent answer, so that they do not rise with few repeats
    """
    groups: dict[Hashable, list[Pair]] = {}
    for pair, unit in zip(pairs, units, strict=True):
        groups.setdefault(unit, []).append(pair)
    noise: list[tuple[str, float]] = []
    order: list[tuple[str, float]] = []
    drift: list[tuple[str, float]] = []
    lean: list[tuple[str, float]] = []
    for group in groups.values():
        case = group[0].case
        first = [p.original for p in group if p.original is not None]
        second = [p.swapped for p in group if p.swapped is not None]
        same = [_again(picks) for picks in (first, second) if len(picks) > 1]
        leans = [2 * p.first - 1 for p in group if p.first is not None]
        if same:
            noise.append((case, sum(same) / len(same)))
        if first and second:
            across = sum(a == b for a in first for b in second) / (len(first) * len(second))
            order.append((case, across))
            if len(same) == 2:
                drift.append((case, sum(same) / 2 - across))
        if leans:
            lean.append((case, sum(leans) / len(leans)))
    once = "no pair was asked twice in the same order: use repeats"
    unread = "no pair was read in both orders"
    return Steadiness(
        repetition=_mean(noise, (0, 1), once, level, seed),
        position=_mean(order, (0, 1), unread, level, seed),
        fairness=_mean(lean, (-1, 1), unread, level, seed),
        drift=_mean(drift, (-1, 1), once, level, seed),
    )


def _again(picks: Sequence[str]) -> float:
    """The chance that two different repeats agree."""
    n = len(picks)
    return sum(c * (c - 1) for c in Counter(picks).values()) / (n * (n - 1))


def _mean(
    values: Sequence[tuple[str, float]], ends: tuple[float, float], why: str, level: float, seed: Seed
) -> Estimate:
    cases: dict[str, list[float]] = {}
    for case, value in values:
        cases.setdefault(case, []).append(value)
    if not cases:
        return Estimate(level=level, undefined=why)
    return case_mean([sum(v) / len(v) for v in cases.values()], ends=ends, level=level, seed=seed)
