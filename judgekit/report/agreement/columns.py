"""Two sides of labels as they stand in a file: the columns of people, of the judge, of cases and of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from judgekit.errors import InputError, Problem
from judgekit.report.agreement.told import FAIL, MOST_LABELS, PASS, STRAY, Told, is_number
from judgekit.types import Frozen

Column: TypeAlias = Sequence[str | None]

MOST_SHOWN = 6


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of n rows, each cell as written, None where there is nothing.

    humans    column name -> (n,) labels of one person each (or of the one human column)
    judge     (n,) verdicts of the judge, whose column is `judge_name`
    cases     (n,) the case of each row, None when every row is a case of its own
    groups    (n,) the group of each row, None without groups
    lines     (n,) line of each row; None for rows from memory, which are numbered
    """

    source: str
    humans: Mapping[str, Column]
    judge_name: str
    judge: Column
    cases: Column | None = None
    groups: Column | None = None
    lines: Sequence[int | None] | None = None
    notices: tuple[str, ...] = ()

    def problem(self, row: int, what: str) -> Problem:
        """A problem of the row at position `row`."""
        line = self.lines[row] if self.lines is not None else None
        return Problem(self.source, line, what) if line else Problem(f"row {row + 1}", None, what)

    def line(self, row: int) -> int:
        """The line of a row, or its number from 1 for a row from memory."""
        return (self.lines[row] if self.lines is not None else None) or row + 1


class Understood(Frozen, frozen=True):
    """The same columns with every cell a label of the table or None.

    labels    of the table, in order; the abstention (`unknown`) last unless it was declared elsewhere
    strays    what the judge wrote that is no label -> how often; such cells are no verdict
    notices   what reading has to tell: spellings that were joined, or that look alike
    """

    labels: tuple[str, ...]
    unknown: str
    humans: dict[str, list[str | None]]
    judge: list[str | None]
    strays: dict[str, int] = {}
    notices: tuple[str, ...] = ()

    @property
    def decided(self) -> tuple[str, ...]:
        """The labels without the abstention."""
        return tuple(label for label in self.labels if label != self.unknown)


@dataclass
class _Reader:
    told: Told
    problems: list[Problem] = field(default_factory=list)
    spellings: dict[str, set[str]] = field(default_factory=dict)
    strays: dict[str, int] = field(default_factory=dict)

    def read(self, columns: Columns, name: str, cells: Column, *, human: bool) -> list[str | None]:
        """The labels of one column; each different value is looked at once."""
        meant: dict[str | None, str | None] = {None: None}
        lost: set[str] = set()
        for written in dict.fromkeys(cells):
            if written is None:
                continue
            label = self.told.label(written)
            if label is STRAY:
                lost.add(written)
                meant[written] = None
            elif label is None or isinstance(label, str):
                meant[written] = label
                if label is not None:
                    self.spellings.setdefault(label, set()).add(written.strip())
        if lost and human:
            rows: dict[str, list[int]] = {}
            for at, written in enumerate(cells):
                if written in lost and written is not None:
                    rows.setdefault(written, []).append(at)
            self.problems += [
                columns.problem(at[0], _not_a_label(columns, name, written, at, self.told))
                for written, at in rows.items()
            ]
        elif lost:
            for written in cells:
                if written in lost and written is not None:
                    self.strays[written.strip()] = self.strays.get(written.strip(), 0) + 1
        return [meant[written] for written in cells]


def understand(columns: Columns, told: Told) -> Understood:
    """Read every cell as a label, by what was told.

    Raises `InputError` naming each row in which a person's label is not one of the set, and when the columns cannot
    be two sides of the same labels: too many different values, or none in common although nothing was told.
    """
    reader = _Reader(told)
    humans = {name: reader.read(columns, name, cells, human=True) for name, cells in columns.humans.items()}
    judge = reader.read(columns, columns.judge_name, columns.judge, human=False)
    if reader.problems:
        raise InputError(reader.problems)
    sides = [*(set(cells) - {None} for cells in humans.values()), set(judge) - {None}]
    found = {label for side in sides for label in side if label is not None}
    if problem := _not_comparable(columns, sides, told):
        raise InputError(problem)
    return Understood(
        labels=told.order(found),
        unknown=told.abstention,
        humans=humans,
        judge=judge,
        strays=dict(sorted(reader.strays.items(), key=lambda item: (-item[1], item[0]))),
        notices=(*columns.notices, *_look_alikes(reader.spellings, told), *_odd(found - {told.abstention}, told)),
    )


def _not_a_label(columns: Columns, name: str, written: str, rows: Sequence[int], told: Told) -> str:
    if told.binary:
        known = [*told.passes, *told.fails, *told.unknown]
        limits = f" from {told.within[0]:g} to {told.within[1]:g}" if told.within else ""
        scale = [f"scores{limits} (--pass-at {told.pass_at:g})"] if told.pass_at is not None else []
        mend = f"known are PASS, FAIL, {', '.join([*known, *scale])}"
    else:
        mend = f"the labels are {', '.join(told.labels)}"
    more = ""
    if len(rows) > 1:
        others = ", ".join(str(columns.line(at)) for at in rows[1 : MOST_SHOWN + 1])
        more = f" (and in {len(rows) - 1:,} more: {others}{', ...' if len(rows) > MOST_SHOWN + 1 else ''})"
    return f"{name!r} is {written[:60]!r}{more}: {mend}; a word that stands for an empty cell is told with --missing"


def _not_comparable(columns: Columns, sides: Sequence[set[str | None]], told: Told) -> Problem | None:
    names = [*columns.humans, columns.judge_name]
    for name, side in zip(names, sides, strict=True):
        if len(side) > MOST_LABELS:
            what = (
                f"column {name!r} holds {len(side)} different values ({few(side)}): is it the column of labels? "
                "For scores say --pass-at N, for one set of labels --labels A,B,C"
            )
            return Problem(columns.source, None, what)
    people: set[str | None] = set().union(*sides[:-1])
    judge = sides[-1]
    gone = {told.abstention}
    known = {PASS, FAIL} | gone
    apart = (people - gone) and (judge - gone) and not (people - gone) & (judge - gone)
    if apart and not told.labels and not told.binary and not (people <= known and judge <= known):
        what = (
            f"people and judge share no label: people wrote {few(people)}, the judge {few(judge)}. "
            "Say what they mean: --pass A,B --fail C,D, or --pass-at N for scores"
        )
        return Problem(columns.source, None, what)
    return None


def _look_alikes(spellings: dict[str, set[str]], told: Told) -> list[str]:
    notices = []
    for label, written in sorted(spellings.items()):
        other = sorted(w for w in written if w.casefold() != label.casefold())
        if other and not told.binary and label != told.abstention:
            notices.append(f"{', '.join(map(repr, other))} counts as {label!r}")
    folded: dict[str, list[str]] = {}
    for label in spellings:
        folded.setdefault(label.casefold(), []).append(label)
    notices += [
        f"{' and '.join(map(repr, sorted(same)))} count as different labels although only letter case differs: "
        "if they are one, name the set once with --labels"
        for same in folded.values()
        if len(same) > 1
    ]
    return notices


def _odd(decided: set[str], told: Told) -> list[str]:
    """Words beside PASS and FAIL, or beside scores, are perhaps no labels at all; without a word they are labels."""
    if told.labels or told.binary:
        return []
    numbers = {label for label in decided if is_number(label)}
    usual, name = (numbers, "scores") if len(numbers) > 2 else (decided & {PASS, FAIL}, "PASS and FAIL")
    odd = decided - usual
    if not usual or not odd:
        return []
    words = ",".join(sorted(odd)[:MOST_SHOWN])
    mend = f"if they are none, say --missing {words}, or name the set with --labels"
    return [f"{few(set(odd))} counted as labels of their own beside {name}: {mend}"]


def few(labels: set[str | None]) -> str:
    """The first few labels, for a message."""
    shown = sorted(str(label)[:30] for label in labels if label is not None)
    more = f" and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    return ", ".join(map(repr, shown[:MOST_SHOWN])) + more
