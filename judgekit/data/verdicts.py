"""Recorded verdicts of a judge of pairs: one row a pair, with its verdict in each order, read without guessing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from judgekit.data.rows import Form, Log, Row, memory_rows
from judgekit.data.sources import read_rows
from judgekit.data.tables import Table
from judgekit.errors import InputError, Problem, UsageError
from judgekit.located import near
from judgekit.types import Frozen, Json, text_of

Coded: TypeAlias = Literal["answer", "position"]
Side: TypeAlias = Literal["A", "B", "TIE", "UNKNOWN"]

POSITIONS = {"first": "FIRST", "second": "SECOND"}
OTHERS = {"tie": "TIE", "unknown": "UNKNOWN"}
SLOTS: dict[Coded, dict[str, str]] = {
    "answer": {"a": "A", "b": "B", "1": "A", "2": "B"},
    "position": {"a": "FIRST", "b": "SECOND", "1": "FIRST", "2": "SECOND"},
}
SETTLED = {"a": "A", "b": "B", "1": "A", "2": "B", "inconsistent": "INCONSISTENT"}
UNTOLD = (
    "say --coded answer if it names the same answer in both columns, "
    "or --coded position if it names the place in which the answer was shown"
)
TARGETS = ("A", "B", "TIE", "UNKNOWN", "FIRST", "SECOND", "INCONSISTENT")


class Recorded(Frozen, frozen=True):
    """One row. None = no verdict: an empty cell, or a spelling that `--labels` does not name.

    original, swapped   the answer that was preferred when A (when B) was shown first
    flipped             the row says INCONSISTENT without saying which way
    case                the case id, or the row's own number
    groups              the values of the `by` columns
    text_a, text_b      the two answers, where the file carries them
    """

    case: str
    original: Side | None = None
    swapped: Side | None = None
    flipped: bool = False
    gold: Side | None = None
    groups: tuple[str, ...] = ()
    text_a: str | None = None
    text_b: str | None = None


@dataclass(frozen=True)
class Layout:
    """Which columns hold what, and how their verdicts are meant.

    original, swapped   verdict when A was shown first, and when B was; `swapped` may be absent: one order only
    outcome             instead of both: what the pair came to (A, B, TIE, UNKNOWN, INCONSISTENT)
    coded               `answer`: A is the same answer in both columns; `position`: A is whatever was shown first.
                        FIRST and SECOND say it themselves
    labels              other spellings -> A, B, TIE, UNKNOWN, FIRST, SECOND or INCONSISTENT
    answers             the columns of the two answers, A's first
    """

    original: str | None = None
    swapped: str | None = None
    outcome: str | None = None
    coded: Coded | None = None
    gold: str | None = None
    case: str | None = None
    by: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        if (self.original is None) == (self.outcome is None) or (self.outcome and self.swapped):
            raise UsageError("name the verdicts: --original COL --swapped COL, or --outcome COL for settled pairs")
        if self.original is not None and self.original == self.swapped:
            raise UsageError(f"--original and --swapped are both {self.original!r}: each order has a column of its own")
        for written, target in self.labels:
            if target not in TARGETS:
                hint = near(target, TARGETS)
                raise UsageError(
                    f"label {written!r} stands for {target!r}, which is none of {', '.join(TARGETS)}.{hint}"
                )
            misplaced = ("INCONSISTENT",) if self.outcome is None else ("FIRST", "SECOND")
            if target in misplaced:
                where = "one order" if self.outcome is None else "both orders together"
                raise UsageError(f"label {written!r} stands for {target}, which no verdict on {where} can be")
        words = [written.strip().casefold() for written, _ in self.labels]
        if twice := sorted({word for word in words if words.count(word) > 1}):
            raise UsageError(f"label {twice[0]!r} is told to mean two things")

    def columns(self) -> list[str]:
        """Every column that has to be there."""
        named = [self.original, self.swapped, self.outcome, self.gold, self.case, *self.by, *(self.answers or ())]
        return [name for name in named if name is not None]

    def words(self, coded: Coded | None, *, settled: bool = False) -> dict[str, str]:
        """Spelling -> meaning. A meaning that was given spellings keeps only those."""
        own = {w.strip().casefold(): t for w, t in self.labels}
        usual = {**OTHERS, **(SETTLED if settled else {**POSITIONS, **(SLOTS[coded] if coded else {})})}
        return {**{w: t for w, t in usual.items() if t not in own.values()}, **own}


@dataclass(frozen=True)
class VerdictSet:
    """The rows in order, and what a reader must know of them."""

    rows: tuple[Recorded, ...]
    notices: tuple[str, ...]


def load_verdicts(path: Path, layout: Layout, *, name: str | None = None) -> VerdictSet:
    """Read a CSV, JSON lines or YAML file of recorded verdicts.

    Raises `InputError` with every row whose verdict is spelled in a way that was not told.
    """
    log = Log()
    rows, table = read_rows(path, name=name or str(path), log=log)
    log.check()
    if not rows:
        raise InputError(Problem(name or str(path), None, "has no rows"))
    return _read(rows, layout, log, table)


def verdicts_from_rows(rows: Iterable[Mapping[str, Json]], layout: Layout, *, form: Form = "rows") -> VerdictSet:
    """The same from rows in memory. Raises `InputError`."""
    listed = memory_rows(rows, form)
    if not listed:
        raise InputError(Problem("data", None, "has no rows"))
    return _read(listed, layout, Log(), None)


def _read(rows: Sequence[Row], layout: Layout, log: Log, table: Table | None) -> VerdictSet:
    known = list(table.columns) if table else list(dict.fromkeys(k for row in rows for k in row.values))
    for wanted in layout.columns():
        if wanted not in known:
            what = near(wanted, known).strip() or "Name one of these."
            stand_in = Table(rows[0].file, tuple(known), (), ",")
            log.problems.append((table or stand_in).missing(wanted, what))
    log.check()
    strays: dict[str, int] = {}
    read = [_row(row, number, layout, log, strays) for number, row in enumerate(rows, 1)]
    log.check()
    notices = [f"{n} x {word!r} is no verdict: --labels does not name it" for word, n in strays.items()]
    return VerdictSet(tuple(read), (*log.notices, *notices))


def _row(row: Row, number: int, layout: Layout, log: Log, strays: dict[str, int]) -> Recorded:
    def said(column: str | None, words: Mapping[str, str], *, strict: bool = False) -> str | None:
        value = _text(row, column)
        if value is None:
            return None
        word = value.strip().casefold()
        if word in words:
            return words[word]
        uncoded = layout.outcome is None and layout.coded is None
        if not strict and uncoded and word in SLOTS["answer"]:
            raise InputError(row.problem(f"{column!r} is {value!r}: {UNTOLD}"))  # the same holds for every row
        if strict or not layout.labels:
            more = "" if strict else ", FIRST, SECOND"
            mend = f"tell what it means, as in --labels {value}=A (or B, TIE, UNKNOWN{more})"
            log.problems.append(row.problem(f"{column!r} is {value!r}: {mend}"))
        else:
            strays[value] = strays.get(value, 0) + 1
        return None

    gold = said(layout.gold, layout.words("answer", settled=True), strict=True)
    if gold in ("INCONSISTENT", "FIRST", "SECOND"):
        log.problems.append(row.problem(f"{layout.gold!r} is {gold}: a gold preference is A, B, TIE or UNKNOWN"))
    flipped = False
    if layout.outcome is not None:
        settled = said(layout.outcome, layout.words(None, settled=True))
        flipped = settled == "INCONSISTENT"
        original = swapped = None if flipped else settled
    else:
        words = layout.words(layout.coded)
        original, swapped = said(layout.original, words), said(layout.swapped, words)
    case = _text(row, layout.case) if layout.case else str(number)
    if case is None:
        log.problems.append(row.problem(f"{layout.case!r} is empty: each row needs the id of its case"))
    answers = layout.answers or (None, None)
    return Recorded(
        case=case or "",
        original=_side(original, swapped=False),
        swapped=_side(swapped, swapped=True),
        flipped=flipped,
        gold=_side(gold, swapped=False),
        groups=tuple(_text(row, column) or "" for column in layout.by),
        text_a=_text(row, answers[0]),
        text_b=_text(row, answers[1]),
    )


def _text(row: Row, column: str | None) -> str | None:
    """A cell as text, None where it says that there is nothing."""
    value = row.values.get(column) if column is not None else None
    if value is None or row.absent(value) or (isinstance(value, str) and not value.strip()):
        return None
    return text_of(value)


def _side(meaning: str | None, *, swapped: bool) -> Side | None:
    """The answer that a verdict names: in the swapped order B is shown first."""
    match meaning:
        case "A" | "FIRST":
            return "B" if meaning == "FIRST" and swapped else "A"
        case "B" | "SECOND":
            return "A" if meaning == "SECOND" and swapped else "B"
        case "TIE":
            return "TIE"
        case "UNKNOWN":
            return "UNKNOWN"
    return None
