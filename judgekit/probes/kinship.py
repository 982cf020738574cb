"""Self-preference: what a judge gives its own family's outputs against others' that people judged alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from judgekit.probes.effect import MIN_CASES, Band, Effect, p_outside
from judgekit.stats.draws import SEED, Seed, central, draws_for, gammas, generator, weighted_sums
from judgekit.types import Estimate, Frozen

METHOD = "difference of PASS shares at equal human label, case posterior"


class Kin(Frozen, frozen=True):
    """One labelled output that the judge decided: who wrote it, what people said, whether the judge said PASS."""

    case: str
    own: bool
    human: Literal["PASS", "FAIL"]
    passed: bool


def self_preference(rows: Sequence[Kin], *, band: Band, level: float = 0.95, seed: Seed = SEED) -> Effect:
    """PASS share of own outputs minus that of others, at equal human label.

    Within each human label that both groups have, the difference of the two shares, in which a case counts once; over
    labels, its mean weighted by their cases. Labels that one group lacks have nothing to be held against and are left
    out.

    returns     in [-1, 1]; n counts cases, `missing` outputs left out
    undefined   no label that both groups have, or fewer than `MIN_CASES` cases in a group
    source      direct standardisation over labels; each case weighs Exponential(1) in every share that it is part of,
                and each share has half a pseudo-case at 0 and at 1, as in `judgekit.stats.rates.case_mean`
    """
    labels = [x for x in ("PASS", "FAIL") if {row.own for row in rows if row.human == x} == {True, False}]
    used = [row for row in rows if row.human in labels]
    missing = len(rows) - len(used)
    groups = [len({row.case for row in used if row.own is own}) for own in (True, False)]
    cases = list(dict.fromkeys(row.case for row in used))
    why = _too_few(labels, groups)
    if why:
        return Effect(Estimate(n=len(cases), missing=missing, method=METHOD, level=level, undefined=why))
    at = {case: index for index, case in enumerate(cases)}
    passes = np.zeros((len(cases), len(labels), 2))
    totals = np.zeros_like(passes)
    for row in used:
        cell = (at[row.case], labels.index(row.human), int(row.own))
        passes[cell] += row.passed
        totals[cell] += 1
    passes /= np.maximum(totals, 1)
    totals = np.minimum(totals, 1)
    rng, draws = generator(seed), draws_for(level)
    points, counts = np.unique(
        np.hstack([passes.reshape(len(cases), -1), totals.reshape(len(cases), -1)]), axis=0, return_counts=True
    )
    sums, _ = weighted_sums(points, counts.astype(np.float64), rng, draws)
    cells = 2 * len(labels)
    prior = gammas(np.full(2 * cells, 0.5), rng, draws)
    share = (sums[:, :cells] + prior[:, :cells]) / (sums[:, cells:] + prior[:, :cells] + prior[:, cells:])
    weight = totals.sum(axis=(0, 2)) / totals.sum()
    drawn = np.asarray(np.diff(share.reshape(draws, len(labels), 2), axis=2)[:, :, 0] @ weight)
    seen = passes.sum(axis=0) / totals.sum(axis=0)
    value = float((seen[:, 1] - seen[:, 0]) @ weight)
    low, high = central(drawn, level)
    estimate = Estimate(value, min(low, value), max(high, value), len(cases), missing, METHOD, level)
    return Effect(estimate, p_outside(drawn, band))


def _too_few(labels: Sequence[str], groups: Sequence[int]) -> str:
    if not labels:
        return "there is no human label that both the judge's own family and others have outputs of"
    if min(groups) < MIN_CASES:
        own, others = groups
        return f"{own} cases of its own family and {others} of others; it takes {MIN_CASES} of each"
    return ""
