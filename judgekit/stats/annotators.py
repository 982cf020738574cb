"""Several annotators: their consensus, how well people agree among themselves, and the judge beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from judgekit.stats.agreement import kappas
from judgekit.stats.draws import SEED, Floats, Ints, Seed, central, draws_for, generator, weighted_sums
from judgekit.stats.tables import codes, labels_in
from judgekit.types import Estimate, Frozen

MIN_ITEMS = 50
MIN_SHARED = 10
MAX_CELLS = 1_024

Column: TypeAlias = Sequence[str | None]
Bools: TypeAlias = NDArray[np.bool_]


def consensus(columns: Mapping[str, Column]) -> tuple[list[str | None], int]:
    """The label that more than half of an item's annotators gave, None where nobody or no majority did.

    returns   (n,) labels, and how many items are disputed (labelled, but without a majority)
    """
    agreed: list[str | None] = []
    disputed = 0
    for row in zip(*columns.values(), strict=True):
        given = Counter(label for label in row if label is not None)
        label, votes = given.most_common(1)[0] if given else (None, 0)
        majority = 2 * votes > given.total()
        disputed += bool(given) and not majority
        agreed.append(label if majority else None)
    return agreed, disputed


class Ceiling(Frozen, frozen=True):
    """How the judge agrees with people, beside how people agree with each other.

    judge        mean over annotators of kappa(judge, annotator)
    people       mean over pairs of annotators of kappa(annotator, annotator)
    difference   judge - people; its upper limit far below 0 means: people agree with each other, not with the judge
    left_out     pairs that shared too few items, or where one of them used one label only, with the reason
    """

    judge: Estimate
    people: Estimate
    difference: Estimate
    left_out: tuple[str, ...] = ()


def ceiling(judge: Column, annotators: Mapping[str, Column], *, level: float = 0.95, seed: Seed = SEED) -> Ceiling:
    """Judge against people, people against people, on the same items with one joint case posterior.

    judge        (n,) labels, None = no verdict
    annotators   name -> (n,) labels, None = not labelled
    returns      kappas and their difference; n = items with a verdict and at least two human labels.
                 The consensus is not used as the human side: it flatters the judge by 0.06 to 0.20.
    undefined    fewer than 2 annotators, fewer than 50 such items, or no pair with a defined kappa
    source       Exponential(1) weight per item, prior weight 1 over the k^(m+1) cells of judge and m annotators
    """
    names = list(annotators)
    order = labels_in(judge, *annotators.values())
    rows = np.stack([codes(column, order) for column in (judge, *annotators.values())], axis=1).astype(np.int64)
    rows = rows[(rows[:, 0] >= 0) & ((rows[:, 1:] >= 0).sum(axis=1) >= 2)]
    draws_for(level)
    if len(names) < 2:
        return _no_ceiling("a ceiling needs two annotators", len(rows), level)
    if len(rows) < MIN_ITEMS:
        why = f"a ceiling needs {MIN_ITEMS} items with a verdict and two human labels, there are {len(rows)}"
        return _no_ceiling(why, len(rows), level)
    k = len(order)
    patterns, times = np.unique(rows, axis=0, return_counts=True)
    title = ["judge", *names]
    left_out: list[str] = []
    pairs: list[tuple[int, int]] = []
    for a, b in combinations(range(len(title)), 2):
        if why := _unusable(rows[:, a], rows[:, b], k):
            left_out.append(f"{title[a]} and {title[b]}: {why}")
        else:
            pairs.append((a, b))
    with_judge = np.array([a == 0 for a, _ in pairs])
    if not pairs or with_judge.all() or not with_judge.any():
        return _no_ceiling("no pair of annotators, or no annotator and the judge, can be compared", len(rows), level)
    rng, draws = generator(seed), draws_for(level)
    cells = _prior_cells(k, len(title), rng)
    everything = np.concatenate([patterns, cells])
    weights = np.concatenate([times.astype(np.float64), np.full(len(cells), 1 / len(cells))])
    features = np.concatenate([_cells_of(everything, a, b, k) for a, b in pairs], axis=1)
    point = times @ features[: len(patterns)]
    drawn, _ = weighted_sums(features, weights, rng, draws)
    values = kappas(point.reshape(len(pairs), k, k))
    sampled = kappas(drawn.reshape(draws, len(pairs), k, k))

    def estimate(of: Floats, sample: Floats, what: str) -> Estimate:
        low, high = central(sample, level)
        value = float(of)
        return Estimate(value, min(low, value), max(high, value), n=len(rows), method=what, level=level)

    ours, theirs = values[with_judge].mean(), values[~with_judge].mean()
    our_draws, their_draws = sampled[:, with_judge].mean(axis=1), sampled[:, ~with_judge].mean(axis=1)
    return Ceiling(
        estimate(ours, our_draws, "mean kappa of judge and annotator"),
        estimate(theirs, their_draws, "mean kappa of two annotators"),
        estimate(ours - theirs, our_draws - their_draws, "difference, joint case posterior"),
        tuple(left_out),
    )


class AlternativeTest(Frozen, frozen=True):
    """Whether the judge could stand in for an annotator: printed, never decisive, because epsilon decides it.

    advantage       mean share of items on which the judge fits the other annotators at least as well as this one
    winning_rate    share of annotators against whom the judge wins, None when undefined
    p               name -> one-sided p of "not worse by epsilon or more"
    by_annotator    name -> advantage over that annotator alone
    """

    advantage: Estimate
    winning_rate: float | None
    epsilon: float
    p: dict[str, float] = {}
    by_annotator: dict[str, float] = {}


def alternative_test(
    judge: Sequence[str | float | None],
    annotators: Mapping[str, Sequence[str | float | None]],
    *,
    epsilon: float,
    numeric: bool = False,
    q: float = 0.05,
    level: float = 0.95,
    seed: Seed = SEED,
) -> AlternativeTest:
    """The alternative-annotator test: does the judge fit each annotator's colleagues as well as the annotator does?

    epsilon     how much worse than a person the judge may be, as a share of items (0.1 for crowds, 0.2 for experts)
    numeric     False: fit is agreement; True: values are numbers and fit is the negative root mean square distance
    q           false discovery rate (Benjamini & Yekutieli) over the annotators
    returns     shares in [0, 1]
    undefined   fewer than 3 annotators, or one with fewer than 50 items shared with the judge and a colleague
    source      Calderon, Reichart & Dror (2025), arXiv 2501.10970
    """
    names = list(annotators)
    why = "" if len(names) >= 3 else f"the test needs three annotators, there are {len(names)}"
    values, there = _as_numbers([judge, *annotators.values()], numeric=numeric)
    n = len(judge)
    wins, losses = np.zeros((n, len(names))), np.zeros((n, len(names)))
    usable = np.zeros((n, len(names)), dtype=bool)
    for j in range(len(names)):
        others = [i + 1 for i in range(len(names)) if i != j]
        seen = there[:, others]
        usable[:, j] = there[:, 0] & there[:, j + 1] & seen.any(axis=1)
        ours, theirs = (_fit(values[:, c], values[:, others], seen, numeric=numeric) for c in (0, j + 1))
        wins[:, j], losses[:, j] = ours >= theirs, theirs >= ours
    items = usable.sum(axis=0)
    if not why and items.min() < MIN_ITEMS:
        why = f"the test needs {MIN_ITEMS} items per annotator, {names[int(items.argmin())]} has {items.min()}"
    method = f"alternative annotator, epsilon {epsilon:g}"
    if why:
        return AlternativeTest(Estimate(n=n, method=method, level=level, undefined=why), None, epsilon)
    p = np.array([_worse_by(losses[u, j] - wins[u, j], epsilon) for j, u in enumerate(usable.T)])
    rejected = _discoveries(p, q)
    each = np.array([wins[u, j].mean() for j, u in enumerate(usable.T)])
    shown = usable.any(axis=1)
    low, high = _advantage_limits(wins[shown] * usable[shown], usable[shown].astype(float), level, seed)
    value = float(each.mean())
    advantage = Estimate(
        value, min(low, value), max(high, value), int(shown.sum()), n - int(shown.sum()), method, level
    )
    return AlternativeTest(
        advantage,
        float(rejected.mean()),
        epsilon,
        dict(zip(names, p.tolist(), strict=True)),
        dict(zip(names, each.tolist(), strict=True)),
    )


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────


def _no_ceiling(why: str, n: int, level: float) -> Ceiling:
    nothing = Estimate(n=n, level=level, method="joint case posterior", undefined=why)
    return Ceiling(nothing, nothing, nothing)


def _unusable(a: Ints, b: Ints, k: int) -> str:
    both = (a >= 0) & (b >= 0)
    if both.sum() < MIN_SHARED:
        return f"{int(both.sum())} items in common, fewer than {MIN_SHARED}"
    table = np.bincount(a[both] * k + b[both], minlength=k * k).reshape(k, k)
    if (table.sum(axis=0) > 0).sum() < 2 and (table.sum(axis=1) > 0).sum() < 2:
        return "both used one label only"
    return ""


def _prior_cells(k: int, m: int, rng: np.random.Generator) -> Ints:
    """Every combination of labels of m columns, or an even random sample where there are too many."""
    if k**m <= MAX_CELLS:
        return np.stack(np.meshgrid(*[np.arange(k)] * m, indexing="ij"), axis=-1).reshape(-1, m)
    return rng.integers(0, k, size=(MAX_CELLS, m))


def _cells_of(rows: Ints, a: int, b: int, k: int) -> Floats:
    """(p, k * k) a 1 in the cell of columns a and b of each row; all 0 where one is missing."""
    cells = np.zeros((len(rows), k * k))
    both = np.flatnonzero((rows[:, a] >= 0) & (rows[:, b] >= 0))
    cells[both, rows[both, a] * k + rows[both, b]] = 1
    return cells


def _as_numbers(columns: Sequence[Sequence[str | float | None]], *, numeric: bool) -> tuple[Floats, Bools]:
    there = np.array([[value is not None for value in column] for column in columns]).T
    if numeric:
        values = [[0.0 if value is None else float(value) for value in column] for column in columns]
        return np.array(values).T, there
    texts = [[None if value is None else str(value) for value in column] for column in columns]
    order = labels_in(*texts)
    return np.stack([codes(column, order) for column in texts], axis=1).astype(np.float64), there


def _fit(one: Floats, others: Floats, seen: Bools, *, numeric: bool) -> Floats:
    count = np.maximum(seen.sum(axis=1), 1)
    if numeric:
        return np.asarray(-np.sqrt((((one[:, None] - others) ** 2) * seen).sum(axis=1) / count))
    return np.asarray(((one[:, None] == others) & seen).sum(axis=1) / count)


def _worse_by(difference: Floats, epsilon: float) -> float:
    """One-sided p of a paired t test against "people are ahead by epsilon or more"."""
    from scipy.special import stdtr

    n, spread = len(difference), difference.std(ddof=1)
    gap = float(difference.mean()) - epsilon
    if spread == 0:
        return 0.0 if gap < 0 else 1.0
    return float(stdtr(n - 1, gap / (spread / np.sqrt(n))))


def _discoveries(p: Floats, q: float) -> Bools:
    """Which hypotheses fall at false discovery rate q under any dependence: Benjamini & Yekutieli (2001)."""
    m = len(p)
    order = np.argsort(p)
    bounds = q * np.arange(1, m + 1) / (m * (1 / np.arange(1, m + 1)).sum())
    below = np.flatnonzero(p[order] <= bounds)
    rejected = np.zeros(m, dtype=bool)
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected


def _advantage_limits(wins: Floats, usable: Floats, level: float, seed: Seed) -> tuple[float, float]:
    m = wins.shape[1]
    rows, times = np.unique(np.concatenate([wins, usable], axis=1), axis=0, return_counts=True)
    ends = np.concatenate([np.array([[0.0] * m, [1.0] * m]), np.ones((2, m))], axis=1)
    points = np.concatenate([rows, ends])
    weights = np.concatenate([times.astype(np.float64), [0.5, 0.5]])
    sums, _ = weighted_sums(points, weights, generator(seed), draws_for(level))
    return central((sums[:, :m] / sums[:, m:]).mean(axis=1), level)
