"""Agreement from labels that were chosen by the judge's verdict, so that its rare FAILs get enough of them.

Kappa of such labels alone is wrong (.73 for a true .64 where half of the labels are judge-FAILs at 90% PASS): each
verdict is a sample of its own, and the verdicts are joined by their shares among all judged outputs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from judgekit.stats.agreement import kappas
from judgekit.stats.draws import SEED, Floats, Seed, central, draws_for, generator, weighted_sums
from judgekit.stats.tables import codes, number
from judgekit.types import Estimate

METHOD = "labels chosen by verdict, posterior per verdict"


@dataclass(frozen=True, eq=False)
class Stratified:
    """What the table of all judged outputs would be: its best guess, and draws for either limit.

    labels         k labels
    table          (k, k) shares, rows human, columns judge
    lower, upper   (draws, k, k) under the prior of the lower and of the upper limit
    n              labelled outputs
    missing        outputs without a verdict among `labels`
    level          the confidence level that the draws suffice for
    undefined      why there is no table; "" where there is
    """

    labels: tuple[str, ...]
    table: Floats
    lower: Floats
    upper: Floats
    n: int
    missing: int
    level: float
    undefined: str = ""


def stratify(
    verdicts: Sequence[str | None],
    human: Sequence[str | None],
    labels: Sequence[str],
    *,
    cases: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: Seed = SEED,
) -> Stratified:
    """The table of all judged outputs, of which some were labelled, at random within each verdict.

    verdicts    (n,) of every judged output; one that is not among `labels` (UNKNOWN, None) takes no part
    human       (n,) label among `labels`, or None = not labelled
    labels      the decided labels, at least two
    cases       (n,) the case of each output; without it every output is its own case
    undefined   no label, a verdict that occurs and has no labelled output, or people used one label only
    source      a Dirichlet of weight 1 per verdict (evenly, or half of it on agreement for the upper limit), shares
                from all outputs, an Exponential(1) weight per case
    """
    k, order, draws = len(labels), tuple(labels), draws_for(level)
    if k < 2:
        raise ValueError(f"agreement needs two labels, not {list(labels)}")
    if len(human) != len(verdicts) or (cases is not None and len(cases) != len(verdicts)):
        raise ValueError("verdicts, human labels and cases must be columns of the same length")
    j = codes([verdict if verdict in order else None for verdict in verdicts], order).astype(np.int64)
    h = codes(human, order).astype(np.int64)
    missing = int((j < 0).sum())
    case = np.arange(len(j)) if cases is None else number(list(cases))
    features = np.zeros((int(case.max(initial=-1)) + 1, k + k * k))
    judged, both = np.flatnonzero(j >= 0), np.flatnonzero((j >= 0) & (h >= 0))
    np.add.at(features, (case[judged], j[judged]), 1)
    np.add.at(features, (case[both], k + h[both] * k + j[both]), 1)
    rows, times = np.unique(features[features.any(axis=1)], axis=0, return_counts=True)
    total = times @ rows
    outputs, counts = total[:k], total[k:].reshape(k, k)
    why = _undefined(order, outputs, counts)
    none = np.zeros((0, k, k))
    if why:
        return Stratified(order, np.zeros((k, k)), none, none, len(both), missing, level, why)
    weights = times.astype(np.float64)
    per_case = rows[:, k:].reshape(-1, k, k).sum(axis=1)
    sizes = np.divide(weights @ per_case**2, weights @ per_case, out=np.ones(k), where=weights @ per_case > 0)
    rng = generator(seed)
    sums, _ = weighted_sums(rows, weights, rng, draws)
    share = sums[:, None, :k] / sums[:, :k].sum(axis=1)[:, None, None]
    drawn = sums[:, k:].reshape(draws, k, k)
    even = np.full((k, k), 1 / k)
    split = np.where(np.eye(k, dtype=bool), 1 / 2, 1 / (2 * (k - 1)))
    lower, upper = (_joined(drawn, prior, sizes, share, rng) for prior in (even, split))
    in_column = np.divide(counts, counts.sum(axis=0), out=np.zeros((k, k)), where=counts.sum(axis=0) > 0)
    table = in_column * outputs / outputs.sum()
    return Stratified(order, table, lower, upper if k > 2 else lower, len(both), missing, level)


def stratified_kappa(found: Stratified) -> Estimate:
    """Cohen's kappa of all judged outputs; undefined as `stratify` says."""
    if found.undefined:
        return _none(found)
    return _estimate(found, float(kappas(found.table)), kappas(found.lower), kappas(found.upper))


def stratified_recall(found: Stratified, label: str) -> Estimate:
    """Share of the outputs that people would give `label` where the judge gave it too, over all judged outputs.

    undefined   as `stratify`, or people never used `label`
    """
    at = found.labels.index(label)
    if found.undefined:
        return _none(found)
    whole = found.table[at].sum()
    if whole == 0:
        return _none(found, f"people never said {label}")
    lower, upper = (draws[:, at, at] / draws[:, at].sum(axis=1) for draws in (found.lower, found.upper))
    return _estimate(found, float(found.table[at, at] / whole), lower, upper)


def stratified_chance_below(found: Stratified, bar: float) -> float:
    """P(kappa < bar) under the prior of the lower limit; ValueError where there is no table."""
    if found.undefined:
        raise ValueError(f"kappa is undefined: {found.undefined}")
    return float((kappas(found.lower) < bar).mean())


def _undefined(labels: tuple[str, ...], outputs: Floats, counts: Floats) -> str:
    if counts.sum() == 0:
        return "no output has both a verdict and a label"
    bare = [label for label, there, seen in zip(labels, outputs, counts.sum(axis=0), strict=True) if there and not seen]
    if bare:
        return f"no output with verdict {', '.join(bare)} has a label"
    used = np.flatnonzero(counts.sum(axis=1))
    if len(used) < 2:
        return f"people used one label only ({labels[int(used[0])]}): agreement beyond chance needs two"
    return ""


def _joined(drawn: Floats, prior: Floats, sizes: Floats, share: Floats, rng: np.random.Generator) -> Floats:
    columns = drawn + sizes * rng.standard_gamma(prior, size=drawn.shape)
    return np.asarray(columns / columns.sum(axis=1, keepdims=True) * share)


def _none(found: Stratified, why: str = "") -> Estimate:
    reason = why or found.undefined
    return Estimate(n=found.n, missing=found.missing, method=METHOD, level=found.level, undefined=reason)


def _estimate(found: Stratified, value: float, lower: Floats, upper: Floats) -> Estimate:
    low, high = central(lower, found.level)[0], central(upper, found.level)[1]
    return Estimate(value, min(low, value), max(high, value), found.n, found.missing, METHOD, found.level)
