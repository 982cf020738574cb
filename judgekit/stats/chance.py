"""Agreement beyond chance among any number of raters, with gaps: Gwet's AC1, Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from judgekit.stats.agreement import POSTERIOR, Weights, distances, values_of
from judgekit.stats.draws import SEED, Floats, Seed, blocks, central, draws_for, generator, weighted_sums
from judgekit.stats.intervals import posterior_values, priors
from judgekit.stats.rates import WithError
from judgekit.stats.tables import Table
from judgekit.types import Estimate

Metric = Literal["nominal", "ordinal", "interval"]

Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Ratings:
    """Units rated by several raters whose names do not matter; units that look alike are counted once.

    labels     k labels, in order
    patterns   (p, k) how many raters gave each label to a unit
    times      (p,) how many units look like this
    missing    ratings that are not there
    """

    labels: tuple[str, ...]
    patterns: Floats
    times: Floats
    missing: int = 0

    @property
    def n(self) -> int:
        """Units with two ratings or more: a single rating agrees with nothing."""
        return int(self.times[self.patterns.sum(axis=1) >= 2].sum())


def ratings(codes: NDArray[np.integer[Any]], labels: Sequence[str]) -> Ratings:
    """Ratings from (units, raters) codes, positions among `labels`, -1 where a rater gave none."""
    k = len(labels)
    if codes.ndim != 2 or (codes.size and (codes.min() < -1 or codes.max() >= k)):
        raise ValueError(f"ratings are a (units, raters) table of codes from -1 to {k - 1}")
    counts = np.stack([(codes == label).sum(axis=1) for label in range(k)], axis=1)
    if (codes.shape[1] + 1) ** k < 2**62:  # one number per pattern sorts ten times as fast as rows
        keys = counts @ (codes.shape[1] + 1) ** np.arange(k, dtype=np.int64)
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        patterns = counts[first]
    else:
        patterns, times = np.unique(counts, axis=0, return_counts=True)
    full = patterns.any(axis=1)
    return Ratings(tuple(labels), patterns[full].astype(float), times[full].astype(float), int((codes < 0).sum()))


def ac1(
    data: Table | Ratings,
    *,
    weights: Weights | None = None,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> WithError:
    """Gwet's AC1 (AC2 with weights): chance agreement is what raters do who guess only on hard items.

    data        its labels are the scale: a label that nobody used still counts here, unlike in kappa
    returns     at most 1, with the posterior interval; `se` is Gwet's large-sample standard error, for comparison.
                It is 0.95 for a judge that says PASS always where 95% are PASS, so it never decides anything.
    undefined   no unit with two ratings, or one label only
    source      Gwet (2008), Br. J. Math. Stat. Psychol. 61:29; with gaps: Gwet (2014), Handbook, 4th ed.
    """
    return _beyond_chance(data, "gwet", weights, values, (level, seed))


def fleiss(
    data: Table | Ratings,
    *,
    weights: Weights | None = None,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> WithError:
    """Fleiss' kappa (Scott's pi for two raters): chance agreement from the labels of all raters together.

    returns     at most 1, with the posterior interval; `se` is the large-sample standard error, for comparison
    undefined   no unit with two ratings, or one label only
    source      Fleiss (1971), Psychol. Bull. 76:378; Scott (1955), POQ 19:321; with gaps: Gwet (2014)
    """
    return _beyond_chance(data, "fleiss", weights, values, (level, seed))


def alpha(
    data: Table | Ratings,
    metric: Metric = "nominal",
    *,
    values: Sequence[float] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Estimate:
    """Krippendorff's alpha for any number of raters and gaps.

    metric      nominal; ordinal (distance = units between two ranks); interval (squared difference of the values)
    values      (k,) the number behind each label, for ordinal (their order) and interval
    returns     at most 1, with the posterior interval over units
    undefined   no unit with two ratings, or one label only
    source      Krippendorff (2011), Computing Krippendorff's Alpha-Reliability
    """
    if metric not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"the metric is nominal, ordinal or interval, not {metric!r}")
    at = np.arange(len(data.labels), dtype=np.float64) if metric == "nominal" else values_of(data.labels, values)
    order = np.argsort(at)
    k = len(order)
    rated = 2.0 * data.n if isinstance(data, Table) else _pairable(data)

    def statistic(sums: Floats) -> Floats:
        pairs = sums.reshape(-1, k, k)[:, order][:, :, order]
        return alphas(pairs, metric, at[order], n=rated)

    method = f"alpha {metric}, {POSTERIOR}"
    return _estimate(
        data,
        (_coincidences, lambda t: (t + np.swapaxes(t, -1, -2)).reshape(len(t), -1)),
        statistic,
        method,
        (level, seed),
    )


def alphas(pairs: Floats, metric: Metric, values: Floats, *, n: float) -> Floats:
    """Alpha of each coincidence matrix of a stack (..., k, k), labels in rising order; NaN for one label only.

    n   ratings that can be paired, which the small-sample factor (n - 1) / n needs; draws keep that of the data
    """
    totals = pairs.sum(axis=-1)
    if metric == "ordinal":
        between = np.cumsum(totals, axis=-1) - totals / 2
        apart = (between[..., :, None] - between[..., None, :]) ** 2
    elif metric == "interval":
        apart = np.broadcast_to(distances(values, "quadratic"), pairs.shape)
    else:
        apart = np.broadcast_to(1 - np.eye(pairs.shape[-1]), pairs.shape)
    observed = (pairs * apart).sum(axis=(-1, -2))
    expected = np.einsum("...i,...ij,...j->...", totals, apart, totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - observed * totals.sum(axis=-1) / expected * (n - 1) / n)


# ── inside ───────────────────────────────────────────────────────────────────────────────────────────────

Features = Callable[[Floats], Floats]
"""What units (p, k) or tables (d, k, k) add up to: (p or d, features)."""


def _pairable(data: Ratings) -> float:
    """Ratings in units with two or more."""
    size = data.patterns.sum(axis=1)
    return float((data.times * size)[size >= 2].sum())


def _coincidences(units: Floats) -> Floats:
    k = units.shape[1]
    size = units.sum(axis=1)
    pairs = units[:, :, None] * units[:, None, :]
    pairs[:, range(k), range(k)] -= units
    usable = np.where(size >= 2, size - 1, 1)
    pairs *= ((size >= 2) / usable)[:, None, None]
    return np.asarray(pairs.reshape(len(units), k * k))


def _agreeing(units: Floats, likeness: Floats) -> Floats:
    """(p,) likeness of two random ratings of a unit, 0 where there are not two."""
    size = units.sum(axis=1)
    pairs = (units * (units @ likeness - 1)).sum(axis=1)
    return np.asarray(np.where(size >= 2, pairs / np.maximum(size * (size - 1), 1), 0.0))


def _unit_features(likeness: Floats) -> Features:
    """Per unit: agreement, whether it has two ratings, 1, and the share of each label."""

    def features(units: Floats) -> Floats:
        size = units.sum(axis=1)
        return np.column_stack([_agreeing(units, likeness), size >= 2, np.ones(len(units)), units / size[:, None]])

    return features


def _table_features(likeness: Floats) -> Features:
    def features(tables: Floats) -> Floats:
        total = tables.sum(axis=(1, 2))
        labels = (tables.sum(axis=1) + tables.sum(axis=2)) / 2
        return np.column_stack([(tables * likeness).sum(axis=(1, 2)), total, total, labels])

    return features


def _beyond_chance(
    data: Table | Ratings,
    kind: Literal["gwet", "fleiss"],
    weights: Weights | None,
    values: Sequence[float] | None,
    how: tuple[float, Seed],
) -> WithError:
    used = data if kind == "gwet" else _used(data)  # AC1 counts the labels of the scale, used or not
    likeness = np.eye(len(used.labels))
    if weights is not None:
        if weights not in ("linear", "quadratic"):
            raise ValueError(f"weights are 'linear' or 'quadratic', not {weights!r}")
        at = dict(zip(data.labels, values_of(data.labels, values), strict=True))
        apart = distances(np.array([at[label] for label in used.labels]), weights)
        likeness = 1 - apart / apart.max(initial=1e-300)

    def chance(shares: Floats) -> Floats:
        if kind == "fleiss":
            return np.asarray(np.einsum("...i,ij,...j->...", shares, likeness, shares))
        k = shares.shape[-1]
        return np.asarray(likeness.sum() * (shares * (1 - shares)).sum(axis=-1) / (k * (k - 1)))

    def statistic(sums: Floats) -> Floats:
        by_chance = chance(sums[:, 3:] / sums[:, 2:3])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((sums[:, 0] / sums[:, 1] - by_chance) / (1 - by_chance))

    name = ("AC1" if weights is None else f"AC2 {weights}") if kind == "gwet" else "Fleiss"
    features = (_unit_features(likeness), _table_features(likeness))
    estimate = _estimate(used, features, statistic, f"{name}, {POSTERIOR}", how)
    if estimate.value is None:
        return WithError(
            n=estimate.n, missing=estimate.missing, method=estimate.method, level=how[0], undefined=estimate.undefined
        )
    se = _standard_error(used, likeness, kind, estimate.value)
    return WithError(
        estimate.value, estimate.low, estimate.high, estimate.n, estimate.missing, estimate.method, how[0], se=se
    )


def _standard_error(data: Table | Ratings, likeness: Floats, kind: str, value: float) -> float | None:
    """Gwet's linearised standard error over units; None below two units."""
    units, times = _units(data)
    n = float(times.sum())
    if n < 2:
        return None
    size = units.sum(axis=1)
    two = size >= 2
    shares = units / size[:, None]
    pi = times @ shares / n
    k = len(pi)
    if kind == "fleiss":
        own = shares @ (likeness @ pi + likeness.T @ pi) / 2
        by_chance = float(pi @ likeness @ pi)
    else:
        own = likeness.sum() / (k * (k - 1)) * (shares @ (1 - pi))
        by_chance = float(likeness.sum() / (k * (k - 1)) * (pi * (1 - pi)).sum())
    each = n / float(times[two].sum()) * (_agreeing(units, likeness) - by_chance * two) / (1 - by_chance)
    pull = each - 2 * (1 - value) * (own - by_chance) / (1 - by_chance)
    return float(np.sqrt((times * (pull - value) ** 2).sum() / (n * (n - 1))))


def _units(data: Table | Ratings) -> tuple[Floats, Floats]:
    if isinstance(data, Ratings):
        return data.patterns, data.times
    k = len(data.labels)
    pairs = np.eye(k)[:, None, :] + np.eye(k)[None, :, :]
    return pairs.reshape(k * k, k), data.counts.ravel()


def _used(data: Table | Ratings) -> Table | Ratings:
    """Without the labels that nobody used."""
    if isinstance(data, Table):
        return data.occurring()
    used = np.flatnonzero(data.patterns.sum(axis=0))
    labels = tuple(data.labels[i] for i in used)
    return Ratings(labels, data.patterns[:, used], data.times, data.missing)


def _estimate(
    data: Table | Ratings,
    features: tuple[Features, Features],
    statistic: Statistic,
    method: str,
    how: tuple[float, Seed],
) -> Estimate:
    """Value and posterior interval of a statistic of sums over units; the prior lies as in `draw_tables`."""
    level, seed = how
    draws = draws_for(level, len(data.labels) ** 2)
    of_units, of_tables = features
    rated = data.patterns[data.patterns.sum(axis=1) >= 2] if isinstance(data, Ratings) else data.counts
    occurs = rated.any(axis=0) if isinstance(data, Ratings) else (data.human + data.judge) > 0
    why = ""
    if data.n == 0:
        why = "no unit has two ratings"
    elif occurs.sum() < 2:
        why = f"one label only ({data.labels[int(occurs.argmax())]}): agreement beyond chance needs two"
    if why:
        return Estimate(n=data.n, missing=data.missing, method=method, level=level, undefined=why)
    if isinstance(data, Table):

        def of_draws(tables: Floats) -> Floats:
            return statistic(of_tables(tables))

        value = float(of_draws(data.counts[None])[0])
        lower, upper = posterior_values(data, of_draws, level=level, seed=seed)
    else:
        value = float(statistic((data.times @ of_units(data.patterns))[None])[0])
        lower, upper = _unit_draws(data, of_units, statistic, draws, generator(seed))
    low, high = central(lower, level)[0], central(upper, level)[1]
    return Estimate(value, min(low, value), max(high, value), data.n, data.missing, method, level)


def _unit_draws(
    data: Ratings, features: Features, statistic: Statistic, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Values under either prior; a pseudo-unit of two labels holds half of its ratings in each."""
    k, size = len(data.labels), data.patterns.sum(axis=1)
    typical = max(2.0, float((data.times * size**2).sum() / (data.times * size).sum()))
    weights = priors(k, rng)
    there = np.flatnonzero(weights[0] + weights[1])
    pairs = np.zeros((len(there), k))
    for side in (there // k, there % k):
        pairs[range(len(there)), side] += typical / 2
    points, pseudo = features(data.patterns), features(pairs)
    lower: list[Floats] = []
    upper: list[Floats] = []
    for portion in blocks(draws, points.shape[1]):
        base, _ = weighted_sums(points, data.times, rng, portion)
        for found, prior in zip((lower, upper), weights, strict=True):
            added, _ = weighted_sums(pseudo, prior[there], rng, portion)
            found.append(statistic(base + added))
    return np.concatenate(lower), np.concatenate(upper)
