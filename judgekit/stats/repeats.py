"""A judge asked again about the same outputs: how often it gives the same verdict, and how much of the noise is its."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgekit.stats.agreement import kappa
from judgekit.stats.chance import alpha, ratings
from judgekit.stats.counts import case_rate
from judgekit.stats.draws import SEED, Seed
from judgekit.stats.paired import ExactTest, mcnemar
from judgekit.stats.tables import codes, count, labels_in
from judgekit.types import Estimate, Frozen


class Repeats(Frozen, frozen=True):
    """Test-retest agreement of one judge.

    unanimous   share of the items with a verdict in every run that got the same one each time
    kappa       between the first and the second run
    alpha       Krippendorff's, nominal, over all runs, gaps allowed
    flips       with two labels: items that went up (to the first label) and down between the first two runs, exact
                McNemar; else undefined
    """

    unanimous: Estimate
    kappa: Estimate
    alpha: Estimate
    flips: ExactTest


def repeats(
    runs: Sequence[Sequence[str | None]],
    *,
    labels: Sequence[str] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Repeats:
    """Agreement of a judge with itself, from two runs or more over the same items.

    runs        each (n,) labels, None = no verdict
    labels      in order, the better first for `flips`; without them those that occur, sorted
    errors      ValueError for fewer than two runs, or runs of different length
    """
    if len(runs) < 2 or len({len(run) for run in runs}) != 1:
        raise ValueError("repeats are two or more runs over the same items")
    order = tuple(labels) if labels is not None else labels_in(*runs)
    grid = np.stack([codes(run, order) for run in runs], axis=1)
    full = grid[(grid >= 0).all(axis=1)]
    same = int((full == full[:, :1]).all(axis=1).sum())
    table = count(runs[0], runs[1], labels=order)
    flips = ExactTest(None, 0, 0, undefined="a test of flips needs two labels")
    if len(order) == 2:
        flips = mcnemar(int(table.counts[0, 1]), int(table.counts[1, 0]))
    return Repeats(
        case_rate(same, len(full), missing=len(grid) - len(full), level=level),
        kappa(table, level=level, seed=seed),
        alpha(ratings(grid, order), level=level, seed=seed),
        flips,
    )


class Noise(Frozen, frozen=True):
    """Where the differences between verdicts on one case come from, as variances of a 0/1 verdict (at most 0.25).

    judge     between repeated verdicts on the same output: the judge's noise
    trials    between the outputs of one case, the judge's noise taken off: the feature's noise
    cases     between cases, both taken off
    Each is None where nothing was repeated that could show it.
    """

    judge: float | None
    trials: float | None
    cases: float | None


def noise(verdicts: Sequence[Sequence[Sequence[bool]]]) -> Noise:
    """Variance components of verdicts nested in outputs nested in cases.

    verdicts   per case, per output (trial), the repeated verdicts: True = PASS
    returns    unbiased components, one level's spread less what the level below puts into it; 0 where that is more
    source     Searle, Casella & McCulloch (1992), Variance Components
    """
    within = [np.var(v, ddof=1) for case in verdicts for v in case if len(v) > 1]
    judge = float(np.mean(within)) if within else None
    shares = [[(float(np.mean(v)), len(v)) for v in case if len(v)] for case in verdicts]
    between, carried = [], []
    for case in shares:
        if len(case) > 1:
            between.append(np.var([share for share, _ in case], ddof=1))
            carried.append(np.mean([1 / votes for _, votes in case]))
    trials = None
    if between:
        trials = max(0.0, float(np.mean(between)) - (judge or 0.0) * float(np.mean(carried)))
    means = [(float(np.mean([share for share, _ in case])), case) for case in shares if case]
    cases = None
    if len(means) > 1:
        below = [
            (trials or 0.0) / len(case) + (judge or 0.0) * float(np.sum([1 / v for _, v in case])) / len(case) ** 2
            for _, case in means
        ]
        cases = max(0.0, float(np.var([mean for mean, _ in means], ddof=1)) - float(np.mean(below)))
    return Noise(judge, trials, cases)
