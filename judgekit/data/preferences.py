"""Human preferences: which of two answers a person would rather have, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from judgekit.data import cells
from judgekit.data.aliases import Columns
from judgekit.data.cells import Cells
from judgekit.data.labels import label_problem
from judgekit.data.rows import Log, Row, expand
from judgekit.data.sources import read_rows
from judgekit.errors import InputError, Problem
from judgekit.types import Frozen, sha256_of

Choice: TypeAlias = Literal["A", "B", "TIE", "UNKNOWN"]
CHOICES: dict[str, Choice] = {"a": "A", "b": "B", "tie": "TIE", "unknown": "UNKNOWN"}
TURNED: dict[Choice, Choice] = {"A": "B", "B": "A", "TIE": "TIE", "UNKNOWN": "UNKNOWN"}
"""The same preference when the two answers change places."""

PREFERENCE: dict[str, str] = {
    "case_id": "case",
    "id": "case",
    "case": "case",
    "label": "label",
    "preference": "label",
    "a": "a",
    "output_a": "a",
    "b": "b",
    "output_b": "b",
    **{name: name for name in ("a_sha256", "b_sha256", "a_variant", "b_variant", "a_model", "b_model")},
    **{name: name for name in ("dimension", "annotator", "trial", "split", "note")},
}
"""Names of a field of a preference -> our field."""


class Preferred(Frozen, frozen=True):
    """One person's preference between two answers to one case.

    choice      A or B: the answer in that column, whatever order the person saw them in
    dimension   "" where the file does not say: it fits the one dimension that is judged
    a, b        the texts, None where the file gives hashes only; `a_sha256`, `b_sha256` are always there
    trial       None where the file does not say
    place       `prefs.csv:7`, for messages; no part of the label
    """

    case: str
    choice: Choice
    a_sha256: str
    b_sha256: str
    a: str | None = None
    b: str | None = None
    dimension: str = ""
    annotator: str = ""
    trial: int | None = None
    split: str | None = None
    a_variant: str | None = None
    b_variant: str | None = None
    a_model: str | None = None
    b_model: str | None = None
    place: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """The hashes of both texts in an order of their own: the same pair in either place."""
        first, second = sorted((self.a_sha256, self.b_sha256))
        return first, second


def load_preferences(
    paths: str | Path | Sequence[str | Path], base: Path = Path(), *, columns: Mapping[str, str] = {}
) -> tuple[tuple[Preferred, ...], tuple[str, ...]]:
    """Read preferences from files or globs (relative to `base`): CSV, JSON lines or YAML; and what there is to say.

    columns   ours -> theirs, as in {"label": "Winner"}

    Raises `InputError` with every problem of every file: a label that is not A, B, TIE or UNKNOWN, an answer that is
    neither there as a text nor as a hash, a text that does not fit its hash, one person's second label of a pair.
    """
    log, found, empty = Log(), list[Preferred](), 0
    for path, name in expand(paths, base):
        try:
            rows, table = read_rows(path, name=name, log=log)
        except InputError as error:
            log.problems.extend(error.problems)
            continue
        names = list(table.columns if table else dict.fromkeys(key for row in rows for key in row.values))
        chosen = Columns(names, PREFERENCE, columns, name)
        log.problems.extend(chosen.problems)
        lacking = _lacking(chosen)
        log.problems.extend(Problem(name, 1 if table else None, what) for what in lacking if rows or table)
        if lacking or chosen.problems:
            continue
        if notice := chosen.notice(name):
            log.note(notice)
        for row in rows:
            if "label" not in chosen.found(row):
                empty += 1
            elif (label := _preferred(row, chosen, log)) is not None:
                found.append(label)
    _once(found, log)
    if empty:
        log.note(f"{empty} empty label{'s are' if empty > 1 else ' is'} left out")
    if not found and not log.problems:
        log.problems.append(Problem(str(paths), None, "holds no preference; fill in 'label' with A, B, TIE or UNKNOWN"))
    log.check()
    return tuple(found), tuple(log.notices)


def _lacking(chosen: Columns) -> list[str]:
    shown = ", ".join(map(repr, chosen.names))
    found = [
        f"there is no column {ours!r}; columns: {shown}. Map it: --columns {field}=NAME"
        for field, ours in (("case", "case_id"), ("label", "label"))
        if field not in chosen.of
    ]
    return found + [
        f"there is no column {side!r} (the text of answer {side.upper()}) and no '{side}_sha256'; columns: {shown}. "
        f"Map it: --columns {side}=NAME"
        for side in ("a", "b")
        if side not in chosen.of and f"{side}_sha256" not in chosen.of
    ]


def _preferred(row: Row, chosen: Columns, log: Log) -> Preferred | None:
    before = len(log.problems)
    read = Cells(row, chosen.found(row), log)
    written = read.found["label"][1]
    choice = CHOICES.get(written.strip().casefold()) if isinstance(written, str) else None
    if choice is None:
        what = f"label {cells.shown(written)} is not understood: write A, B, TIE or UNKNOWN"
        log.problems.append(read.problem(what, "label"))
    case = read.identity("case")
    if case is None and "case" not in read.found:
        log.problems.append(row.problem("'case_id' is missing"))
    a, a_sha256 = _answer(read, "a", log)
    b, b_sha256 = _answer(read, "b", log)

    def text(field: str) -> str | None:
        return read.get(field, cells.text, None)

    trial = read.get("trial", cells.positive, None)
    label = Preferred(
        case=case or "",
        choice=choice or "UNKNOWN",
        a_sha256=a_sha256,
        b_sha256=b_sha256,
        a=a,
        b=b,
        dimension=(text("dimension") or "").strip(),
        annotator=(text("annotator") or "").strip(),
        trial=trial,
        split=text("split"),
        a_variant=text("a_variant"),
        b_variant=text("b_variant"),
        a_model=text("a_model"),
        b_model=text("b_model"),
        place=row.place,
    )
    return label if len(log.problems) == before else None


def _answer(read: Cells, side: str, log: Log) -> tuple[str | None, str]:
    """The text and the hash of one answer; what is missing or does not fit is logged."""
    given = read.get(side, cells.text, None)
    told = (read.get(f"{side}_sha256", cells.text, None) or "").strip().lower()
    if given is None:
        if not told and side not in read.found and f"{side}_sha256" not in read.found:
            what = f"answer {side.upper()} is missing: a preference needs both texts ({side!r}, or '{side}_sha256')"
            log.problems.append(read.row.problem(what))
        elif told and (len(told) != 64 or set(told) - set("0123456789abcdef")):
            what = f"'{side}_sha256' is no SHA-256: 64 hex digits of the answer's text in UTF-8"
            log.problems.append(read.problem(what, f"{side}_sha256"))
        return None, told
    if told and told != sha256_of(given):
        what = f"'{side}_sha256' is not the hash of {side!r}: a preference belongs to the texts it was given for"
        log.problems.append(read.problem(what, f"{side}_sha256"))
    return given, sha256_of(given)


def _once(found: Sequence[Preferred], log: Log) -> None:
    seen: dict[tuple[object, ...], Preferred] = {}
    for label in found:
        first = seen.setdefault((label.case, label.dimension, label.annotator, label.trial, label.pair), label)
        if first is not label:
            who = f" by {label.annotator!r}" if label.annotator else ""
            what = f"case {label.case!r} has a second label{who} of the same pair; the first is at {first.place}"
            log.problems.append(label_problem(label, what))
