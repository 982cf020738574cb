"""How a judge's kappa moves with the share of PASS: the range of pass rates within which it still clears the bar."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from judgekit.stats.draws import MIN_DRAWS, SEED, Floats, Seed, gammas, generator, weighted_sums
from judgekit.stats.tables import Table
from judgekit.types import Frozen

GRID = 999
"""The pass rates that are looked at: so many, evenly between 0 and 1."""


class PrevalenceRange(Frozen, frozen=True):
    """Pass rates, as people would label, between which the recomputed kappa clears the bar.

    low, high   fractions in [0, 1]; None where it clears the bar nowhere, or where `undefined` says why
    at          the pass rate of the labels that were used
    """

    low: float | None = None
    high: float | None = None
    at: float | None = None
    undefined: str = ""

    def holds(self, pass_rate: float) -> bool:
        """Whether the judge clears the bar at this pass rate."""
        return self.low is not None and self.high is not None and self.low <= pass_rate <= self.high


def kappa_at(pass_recall: Floats | float, fail_recall: Floats | float, pass_rate: Floats | float) -> Floats:
    """Kappa of a judge with these recalls where this share is PASS; arrays broadcast.

    returns   at most 1; 0 at a pass rate of 0 or 1, its limit there
    source    Feinstein & Cicchetti (1990), J. Clin. Epidemiol. 43:543 (the prevalence paradox)
    """
    a, b, p = (np.asarray(x, dtype=np.float64) for x in (pass_recall, fail_recall, pass_rate))
    judged = p * a + (1 - p) * (1 - b)
    expected = p * (1 - judged) + (1 - p) * judged
    top = 2 * p * (1 - p) * (a + b - 1)
    return np.asarray(np.divide(top, expected, out=np.zeros(np.broadcast(top, expected).shape), where=expected > 0))


def prevalence_range(table: Table, bar: float, *, seed: Seed = SEED) -> PrevalenceRange:
    """Pass rates at which the median of the recomputed kappa is at least `bar`, on a grid of 0.001.

    table       2 x 2, human rows and judge columns, the first label being PASS
    returns     the range around which kappa peaks; kappa has one peak, so there is one range
    undefined   people used one label only
    source      both recalls from Beta(1/2, 1/2) posteriors (cases weighted where they hold several rows)
    """
    if len(table.labels) != 2:
        raise ValueError(f"a pass rate needs a table of PASS and FAIL, not of {list(table.labels)}")
    human = table.human
    if (human == 0).any():
        return PrevalenceRange(undefined="people used one label only: no recall of the other")
    at = float(human[0] / human.sum())
    pass_recall, fail_recall = recalls(table, seed=seed)

    @cache
    def middle(step: int) -> float:
        return float(np.median(kappa_at(pass_recall, fail_recall, step / (GRID + 1))))

    peak = _first(lambda step: step == GRID or middle(step + 1) < middle(step), 1, GRID)
    if middle(peak) < bar:
        return PrevalenceRange(at=at)
    low = _first(lambda step: middle(step) >= bar, 1, peak)
    high = _first(lambda step: step == GRID or middle(step + 1) < bar, peak, GRID)
    return PrevalenceRange(low / (GRID + 1), high / (GRID + 1), at)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first step from `low` to `high` from which on something holds, by bisection; it holds at `high`."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def recalls(table: Table, *, draws: int = MIN_DRAWS, seed: Seed = SEED) -> tuple[Floats, Floats]:
    """Posterior draws of the recall of human PASS and of human FAIL: (draws,) each, from a 2 x 2 table.

    Each human label is a sample of its own, with Beta(1/2, 1/2); several rows per case weigh together.
    """
    rng = generator(seed)
    if table.stack is None or table.times is None:
        cells, size = gammas(table.counts.ravel(), rng, draws), np.ones(2)
    else:
        rows = table.stack.sum(axis=2)
        used = table.times @ rows
        size = np.where(used > 0, table.times @ rows**2 / np.maximum(used, 1e-300), 1.0)
        cells, _ = weighted_sums(table.stack.reshape(-1, 4), table.times, rng, draws)
    cells = cells.reshape(draws, 2, 2) + size[:, None] * rng.standard_gamma(0.5, size=(draws, 2, 2))
    right = np.diagonal(cells, axis1=1, axis2=2) / cells.sum(axis=2)
    return right[:, 0], right[:, 1]
