"""How many labels: the chance of a certificate, from the same posterior and policy that will decide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from judgekit.calibration.decide import bar_of
from judgekit.calibration.items import DEV_SHARE
from judgekit.stats.agreement import kappas
from judgekit.stats.draws import SEED, Floats, Seed, generator
from judgekit.stats.prevalence import kappa_at
from judgekit.suite import CalibrationPolicy
from judgekit.types import Frozen

MORE = (50, 100, 200)
SIZES = (40, 60, 80, 100, 150, 200, 300, 400)
HOPELESS = 0.20
"""Under this chance even with 200 more labels, the advice is to mend the criterion, not to label."""

TABLES = 300
DRAWS = 2_000
ONE_SIDED = 0.05


class Chance(Frozen, frozen=True):
    """The chance of a certificate at the first attempt with this many labels.

    split    with a quarter of them kept as dev; `every` with all of them used (`--certify --all`)
    """

    labels: int
    split: float
    every: float


def certifies(
    tables: Floats, policy: CalibrationPolicy, level: float, *, seed: Seed = SEED, draws: int = DRAWS
) -> NDArray[np.bool_]:
    """Whether each table would earn a certificate at this one-sided level, one row per case.

    tables    (s, 2, 2) counts, rows human, columns judge, PASS first
    returns   (s,): P(kappa < bar) <= level, both recall bounds, and the counts that the policy asks for. Coverage and
              the ceiling are taken as met.
    """
    from scipy.special import betaincinv

    rng = generator(seed)
    bar = bar_of(policy)
    human, right = tables.sum(axis=2), np.diagonal(tables, axis1=1, axis2=2)
    n = human.sum(axis=1)
    lows = betaincinv(right + 0.5, human - right + 0.5, ONE_SIDED)
    good = (human >= policy.each_label).all(axis=1) & (n >= policy.n) & (n >= policy.cases)
    good &= (lows[:, 0] >= policy.pass_recall_low) & (lows[:, 1] >= policy.fail_recall_low)
    good &= (tables.sum(axis=1) > 0).all(axis=1)
    good[good] = kappas(tables[good]) > bar  # the prior only pulls kappa down
    for at in np.flatnonzero(good):
        drawn = rng.standard_gamma(tables[at].ravel() + 0.25, size=(draws, 4)).reshape(draws, 2, 2)
        good[at] = (kappas(drawn) < bar).mean() <= level
    return np.asarray(good)


def judge_of(kappa: float, pass_rate: float) -> Floats:
    """(2, 2) shares of a judge of this kappa whose pass rate is that of the people."""
    wrong = pass_rate * (1 - pass_rate) * (1 - kappa)
    return np.array([[pass_rate - wrong, wrong], [wrong, 1 - pass_rate - wrong]])


def chance_of_certificate(
    shares: Floats, n: int, policy: CalibrationPolicy, level: float, *, seed: Seed = SEED, tables: int = TABLES
) -> float:
    """The chance that a judge with these (2, 2) shares is certified with n labelled pairs."""
    rng = generator(seed)
    drawn = rng.multinomial(n, shares.ravel(), size=tables).reshape(tables, 2, 2).astype(np.float64)
    return float(certifies(drawn, policy, level, seed=rng).mean())


def how_many(
    kappa: float,
    pass_rate: float,
    policy: CalibrationPolicy,
    level: float,
    *,
    sizes: Sequence[int] = SIZES,
    seed: Seed = SEED,
) -> tuple[Chance, ...]:
    """The chance of a certificate for a judge of this kappa at this pass rate, for each number of labels."""
    shares = judge_of(kappa, pass_rate)
    return tuple(
        Chance(
            size,
            chance_of_certificate(shares, round(size * (1 - DEV_SHARE)), policy, level, seed=seed),
            chance_of_certificate(shares, size, policy, level, seed=seed),
        )
        for size in sizes
    )


def with_more(
    table: Floats,
    policy: CalibrationPolicy,
    level: float,
    *,
    decided: float = 1.0,
    every: bool = False,
    more: Sequence[int] = MORE,
    seed: Seed = SEED,
) -> dict[int, float]:
    """The posterior chance of a certificate at the next attempt with so many more labelled outputs.

    table     (2, 2) counts until now; level: of the next attempt
    decided   share of the outputs that both sides decide; every: whether all labels are used, or three quarters
    returns   rounded to tenths: more would tell what the labels said
    """
    rng = generator(seed)
    shares = rng.standard_gamma(table.ravel() + 0.25, size=(TABLES, 4))
    shares /= shares.sum(axis=1, keepdims=True)
    found = {}
    for extra in more:
        n = round(extra * decided * (1 if every else 1 - DEV_SHARE))
        new = rng.multinomial(n, shares).reshape(TABLES, 2, 2)
        found[extra] = round(float(certifies(table + new, policy, level, seed=rng).mean()), 1)
    return found


def recalls_of(kappa: float, pass_rate: float) -> tuple[float, float]:
    """Recall of human PASS and of human FAIL of `judge_of`: what a kappa means at a pass rate."""
    shares = judge_of(kappa, pass_rate)
    right = np.diagonal(shares) / shares.sum(axis=1)
    assert abs(float(kappa_at(float(right[0]), float(right[1]), pass_rate)) - kappa) < 1e-9
    return float(right[0]), float(right[1])
