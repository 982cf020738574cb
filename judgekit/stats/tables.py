"""Tables of human labels (rows) by judge labels (columns), counted once so that no later cost depends on the rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from judgekit.stats.draws import Floats, Ints

Codes: TypeAlias = NDArray[np.int32]

MISSING = -1
"""The code of a label that is not there."""


@dataclass(frozen=True, eq=False)
class Table:
    """Counts of human label (row) by judge label (column); what was left out is counted beside it.

    labels       k label texts, in the declared order
    counts       (k, k) sums of the rows' weights; without weights, the rows
    tally        (k, k) rows
    no_verdict   (k,) rows with that human label where the judge gave no verdict, or one that is not among the labels
    left_out     rows without a human label, or with one that is not among the labels
    cases        how many cases the counted rows come from
    stack        (d, k, k) the distinct tables of single cases, where cases hold several rows or weights; else None
    times        (d,) how many cases have each of them
    """

    labels: tuple[str, ...]
    counts: Floats
    tally: Ints
    no_verdict: Ints
    left_out: int = 0
    cases: int = 0
    stack: Floats | None = None
    times: Floats | None = None

    @classmethod
    def of(cls, counts: object, labels: Sequence[str] | None = None) -> Table:
        """A table from counts alone, one row per case.

        counts   (k, k) of whole numbers, rows human, columns judge
        errors   ValueError if it is not square, holds a negative number or a fraction, or labels repeat
        """
        table = np.array(counts, dtype=np.float64)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ValueError(f"a table of agreement is square, not {table.shape}")
        if not np.isfinite(table).all() or (table < 0).any() or (table != np.floor(table)).any():
            raise ValueError("a table of agreement holds whole numbers of 0 or more")
        names = tuple(labels) if labels is not None else tuple(str(i) for i in range(len(table)))
        if len(names) != len(table) or len(set(names)) != len(names):
            raise ValueError(f"a {len(table)} x {len(table)} table needs {len(table)} different labels, not {names}")
        tally = table.astype(np.int64)
        return cls(names, table, tally, np.zeros(len(names), dtype=np.int64), cases=int(tally.sum()))

    @property
    def n(self) -> int:
        """Rows counted in the table."""
        return int(self.tally.sum())

    @property
    def missing(self) -> int:
        """Rows that are not in the table because one side had no label, or none that is kept."""
        return self.left_out + int(self.no_verdict.sum())

    @property
    def human(self) -> Floats:
        """(k,) row sums."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def judge(self) -> Floats:
        """(k,) column sums."""
        return np.asarray(self.counts.sum(axis=0))

    def at(self, label: str) -> int:
        """The row and column of a label; ValueError names the labels that there are."""
        if label not in self.labels:
            raise ValueError(f"label {label!r} is not one of {list(self.labels)}")
        return self.labels.index(label)

    def occurring(self) -> Table:
        """The table of the labels that occur on either side; a label that nobody used moves no number."""
        return self.keep([a for a, used in zip(self.labels, self.human + self.judge, strict=True) if used])

    def without(self, label: str) -> Table:
        """The rows where neither side is `label` (UNKNOWN, say); the table itself if it has no such label."""
        if label not in self.labels:
            return self
        return self.keep([a for a in self.labels if a != label])

    def keep(self, labels: Sequence[str]) -> Table:
        """The rows where both sides are among `labels`, in that order.

        A row that only the judge gave another label is counted in `no_verdict`, any other that goes in `left_out`.
        """
        at = [self.at(a) for a in labels]
        pick = np.zeros((len(self.labels), len(at)))
        pick[at, range(len(at))] = 1
        kept = self._merged(tuple(labels), pick)
        human = self.tally.sum(axis=1)
        gone = [i for i in range(len(self.labels)) if i not in at]
        strayed = human[at] - kept.tally.sum(axis=1)
        lost = int(human[gone].sum() + self.no_verdict[gone].sum())
        return replace(kept, no_verdict=kept.no_verdict + strayed, left_out=kept.left_out + lost)

    def binary(self, passing: Sequence[str], names: tuple[str, str] = ("PASS", "FAIL")) -> Table:
        """The 2 x 2 table of "is among `passing`" against "is not"."""
        merge = np.zeros((len(self.labels), 2))
        for i, label in enumerate(self.labels):
            merge[i, 0 if label in passing else 1] = 1
        return self._merged(names, merge)

    def _merged(self, labels: tuple[str, ...], to: Floats) -> Table:
        """Rows and columns put together: `to` (k, new k) has a 1 where an old label becomes a new one."""
        counts = to.T @ self.counts @ to
        tally = (to.T @ self.tally @ to).astype(np.int64)
        no_verdict = (to.T @ self.no_verdict).astype(np.int64)
        if self.stack is None or self.times is None:
            return Table(labels, counts, tally, no_verdict, self.left_out, int(tally.sum()))
        return _stacked(labels, to.T @ self.stack @ to, self.times, tally=tally, out=(no_verdict, self.left_out))


# ── counting ─────────────────────────────────────────────────────────────────────────────────────────────


def count(
    human: Sequence[str | None],
    judge: Sequence[str | None],
    *,
    labels: Sequence[str] | None = None,
    cases: Sequence[Hashable] | None = None,
    weights: Sequence[float] | None = None,
) -> Table:
    """The table of two columns of labels; None is missing: left out and counted, never a label.

    human, judge   (n,) label texts or None
    labels         the declared labels, in order; without them, those that occur, sorted
    cases          (n,) the case of each row, where a case can have several (trials): the unit of every interval
    weights        (n,) 1 / the known probability that the row was chosen for labelling
    errors         ValueError for columns of different length, an undeclared label, or a weight not above 0
    """
    if len(human) != len(judge):
        raise ValueError(f"{len(human)} human labels and {len(judge)} judge labels: rows must match")
    order = tuple(labels) if labels is not None else labels_in(human, judge)
    h, j = codes(human, order), codes(judge, order)
    k = len(order)
    both = (h >= 0) & (j >= 0)
    no_verdict = np.bincount(h[(h >= 0) & (j < 0)], minlength=k).astype(np.int64)
    left_out = int((h < 0).sum())
    cell = h[both] * k + j[both]
    tally = np.bincount(cell, minlength=k * k).reshape(k, k).astype(np.int64)
    if cases is None and weights is None:
        return Table(order, tally.astype(np.float64), tally, no_verdict, left_out, len(cell))
    rows = np.arange(len(h)) if cases is None else number(cases)
    if len(rows) != len(h):
        raise ValueError(f"{len(rows)} case ids for {len(h)} rows")
    weight = np.ones(len(h)) if weights is None else np.asarray(weights, dtype=np.float64)
    if len(weight) != len(h) or not (np.isfinite(weight) & (weight > 0)).all():
        raise ValueError("each row needs one weight above 0: 1 / its probability of being chosen")
    case = number(rows[both].tolist())
    flat = np.zeros((int(case.max(initial=-1)) + 1, k * k))
    np.add.at(flat, (case, cell), weight[both])
    return _stacked(order, flat.reshape(-1, k, k), np.ones(len(flat)), tally=tally, out=(no_verdict, left_out))


def count_by(
    human: Sequence[str | None],
    judge: Sequence[str | None],
    by: Sequence[str],
    *,
    labels: Sequence[str] | None = None,
    cases: Sequence[Hashable] | None = None,
) -> dict[str, Table]:
    """One table per value of `by` (a tag, a category), sorted by value, all with the same labels."""
    if not len(human) == len(judge) == len(by):
        raise ValueError(f"{len(human)} human labels, {len(judge)} judge labels, {len(by)} tags: rows must match")
    order = tuple(labels) if labels is not None else labels_in(human, judge)
    rows: dict[str, list[int]] = {}
    for i, value in enumerate(by):
        rows.setdefault(value, []).append(i)
    return {
        value: count(
            [human[i] for i in rows[value]],
            [judge[i] for i in rows[value]],
            labels=order,
            cases=None if cases is None else [cases[i] for i in rows[value]],
        )
        for value in sorted(rows)
    }


def labels_in(*columns: Sequence[str | None]) -> tuple[str, ...]:
    """Every label that occurs in the columns, sorted; ValueError for one that is neither text nor None."""
    found = {label for column in columns for label in set(column) if label is not None}
    for label in found:
        if not isinstance(label, str):
            raise ValueError(f"label {label!r} is not text; a label that is not there is None")  # noqa: TRY004
    return tuple(sorted(found))


def codes(values: Sequence[str | None], labels: Sequence[str]) -> Codes:
    """(n,) the position of each value among `labels`, -1 for None; ValueError names an undeclared label."""
    index: dict[str | None, int] = {label: i for i, label in enumerate(labels)}
    if len(index) != len(labels):
        raise ValueError(f"a label is declared twice: {list(labels)}")
    index[None] = MISSING
    try:
        return np.fromiter(map(index.__getitem__, values), np.int32, len(values))
    except KeyError as stray:
        raise ValueError(f"label {stray.args[0]!r} is not one of {list(labels)}") from None


def count_codes(human: NDArray[np.integer[Any]], judge: NDArray[np.integer[Any]], k: int) -> Ints:
    """(k, k) counts of two columns of whole numbers from 0 to k - 1."""
    for side in (human, judge):
        if len(side) and (side.min() < 0 or side.max() >= k):
            raise ValueError(f"codes run from {side.min()} to {side.max()}, outside of 0 to {k - 1}")
    narrow = np.dtype(np.int8 if k <= 11 else np.int64)
    cell = human.astype(narrow) * narrow.type(k) + judge.astype(narrow)
    return np.bincount(cell, minlength=k * k).reshape(k, k).astype(np.int64)


def number(values: Sequence[Hashable]) -> Ints:
    """(n,) the same whole number for the same value, in order of first appearance."""
    seen: dict[Hashable, int] = {}
    return np.fromiter((seen.setdefault(value, len(seen)) for value in values), np.int64, len(values))


def _stacked(labels: tuple[str, ...], stack: Floats, times: Floats, *, tally: Ints, out: tuple[Ints, int]) -> Table:
    """A table from tables of single cases: equal ones are joined, empty ones dropped."""
    no_verdict, left_out = out
    k = len(labels)
    flat = stack.reshape(len(stack), k * k)
    full = flat.any(axis=1)
    distinct, which = np.unique(flat[full], axis=0, return_inverse=True)
    joined = np.bincount(which.ravel(), weights=times[full], minlength=len(distinct)).astype(np.float64)
    counts = (joined @ distinct).reshape(k, k) if len(distinct) else np.zeros((k, k))
    cases = int(joined.sum())
    single = len(distinct) == 0 or bool((distinct.sum(axis=1) == 1).all())
    if single:  # one row per case: the plain table says it all
        return Table(labels, counts, tally, no_verdict, left_out, cases)
    return Table(labels, counts, tally, no_verdict, left_out, cases, distinct.reshape(-1, k, k), joined)
