"""Seeded draws from a case posterior, and the quantiles read off them.

One idea runs through the package: every case gets an Exponential(1) weight, and pseudo-cases with a total weight
of 1 (the prior) sit where the data could have been but were not. With one 0/1 row per case this is exactly a
Dirichlet posterior; with several rows per case it stays a posterior over cases, never over rows.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Seed: TypeAlias = int | np.random.Generator
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

SEED = 20231
"""The seed where the caller gives none, so that the same counts always print the same interval."""

MIN_DRAWS = 20_000
IN_EACH_TAIL = 400
MANY_CELLS = 400
CHUNK = 4_000_000
MAX_POINTS = 1_024


def generator(seed: Seed) -> np.random.Generator:
    """A generator as it is, or a fresh one from an integer seed."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed)


def draws_for(level: float, cells: int = 1) -> int:
    """Draws that keep the seed from deciding at confidence `level`: 400 in each tail, and never under 20,000.

    Tables of more than 400 cells get fewer, down to a tenth: there a limit may move with the seed by a twentieth of
    a standard error, and nothing is certified on so many labels.
    """
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level!r}")
    tail = (1 - level) / 2
    draws = max(MIN_DRAWS, int(np.ceil(IN_EACH_TAIL / tail)))
    return draws // min(10, max(1, cells // MANY_CELLS))


def central(draws: Floats, level: float) -> tuple[float, float]:
    """The central interval of the draws: the same share of them is left out on both sides."""
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)


def gammas(shapes: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """(draws, shapes) of Gamma(shape, 1), 0 for a shape of 0; stored shape by shape, which is what makes it fast."""
    drawn = np.zeros((len(shapes), draws))
    for row, shape in zip(drawn, shapes.tolist(), strict=True):
        if shape > 0:
            rng.standard_gamma(shape, out=row)
    return drawn.T


def weighted_sums(points: Floats, counts: Floats, rng: np.random.Generator, draws: int) -> tuple[Floats, Floats]:
    """Sums of `points` and of the weights, when `counts[i]` cases at `points[i]` each weigh Exponential(1).

    points    (p, d): what a case adds; counts (p,), above 0, fractions are pseudo-cases
    returns   (draws, d) weighted sums and (draws,) total weights
    """
    sums = np.zeros((points.shape[1], draws))
    totals = np.zeros(draws)
    adding: Any = points.T
    if points.shape[1] > 64 and np.count_nonzero(points) < points.size / 10:
        from scipy.sparse import csc_array

        adding = csc_array(adding)
    step = max(1, CHUNK // draws)
    for start in range(0, len(points), step):
        weights = gammas(counts[start : start + step], rng, draws).T
        sums += adding[:, start : start + step] @ weights
        totals += weights.sum(axis=0)
    return sums.T, totals


def blocks(draws: int, size: int) -> list[int]:
    """Draws in portions that keep arrays of `size` numbers per draw small: their lengths, adding up to `draws`."""
    step = max(1, CHUNK // size)
    return [min(step, draws - start) for start in range(0, draws, step)]


def mean_draws(values: Floats, ends: tuple[float, float], rng: np.random.Generator, draws: int) -> Floats:
    """Draws of the mean over cases: Exponential(1) per case, half a pseudo-case at each end of the range.

    values   (n,), one per case, within `ends`. Beyond 1,024 distinct values, neighbours share their mean, which
             moves no limit by more than a millionth of the range.
    """
    points, counts = np.unique(values, return_counts=True)
    if len(points) > MAX_POINTS:
        groups = np.array_split(np.sort(values), MAX_POINTS)
        points = np.array([group.mean() for group in groups])
        counts = np.array([len(group) for group in groups])
    points = np.concatenate([points, ends])
    weights = np.concatenate([counts.astype(np.float64), [0.5, 0.5]])
    sums, totals = weighted_sums(points[:, None], weights, rng, draws)
    return sums[:, 0] / totals
