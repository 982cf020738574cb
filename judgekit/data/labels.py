"""Human labels: what a person said of one output on one dimension, read strictly and joined strictly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from judgekit.data import cells
from judgekit.data.aliases import LABEL, Columns
from judgekit.data.cells import Cells
from judgekit.data.derive import Derived
from judgekit.data.messages import chat
from judgekit.data.rows import Form, Log, Row, expand, memory_rows
from judgekit.data.sources import read_rows
from judgekit.data.tables import Table
from judgekit.errors import InputError, Problem, UsageError
from judgekit.types import Frozen, Json, Verdict, sha256_of

OURS: dict[str, Verdict] = {"pass": "PASS", "fail": "FAIL", "unknown": "UNKNOWN"}
_number = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")


class Placed(Protocol):
    """What every kind of human label says of itself."""

    @property
    def case(self) -> str:
        """The id of its case."""
        ...

    @property
    def dimension(self) -> str:
        """What it calls its dimension, "" for nothing."""
        ...

    @property
    def split(self) -> str | None:
        """`dev` or `test` as the file has it."""
        ...

    @property
    def place(self) -> str:
        """Where it stands: `labels.csv:7`."""
        ...


class Label(Frozen, frozen=True):
    """One person's verdict on one output and dimension.

    case         id of the case
    dimension    "" where the file does not say: it fits the one dimension that is judged
    written      what stands in the file, blanks around it removed
    annotator    "" where the file does not say
    sha256       hash of the output's text that was labelled, None where the file gives neither text nor hash
    variant, trial   None where the file does not say
    model        what wrote the output, None where the file does not say
    place        `labels.csv:7`, for messages; no part of the label
    """

    case: str
    verdict: Verdict
    written: str
    dimension: str = ""
    annotator: str = ""
    output: str | None = None
    sha256: str | None = None
    variant: str | None = None
    trial: int | None = None
    model: str | None = None
    split: str | None = None
    note: str = ""
    place: str = ""


@dataclass(frozen=True)
class LabelSet:
    """Labels in the order of their files.

    empty     rows or cells without a label: left out, never guessed
    """

    labels: tuple[Label, ...]
    notices: tuple[str, ...]
    empty: int

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    @property
    def annotators(self) -> tuple[str, ...]:
        """The annotators in the order in which they first occur."""
        return tuple(dict.fromkeys(label.annotator for label in self.labels))


@dataclass(frozen=True)
class Spelling:
    """How labels are written, besides PASS, FAIL and UNKNOWN in any letter case.

    passes, fails, unknowns   words, compared without letter case and blanks around them
    pass_at                   for scores: the lowest one that is a PASS
    """

    passes: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    pass_at: float | None = None

    def __post_init__(self) -> None:
        words = [_folded(word) for words in (self.passes, self.fails, self.unknowns) for word in words]
        if twice := sorted({word for word in words if words.count(word) > 1}):
            raise UsageError(f"label {twice[0]!r} is told to mean two things")

    def verdict(self, written: str) -> Verdict | None:
        """What `written` means; None when it was not told. What was told wins over our own words."""
        word = _folded(written)
        told: list[tuple[tuple[str, ...], Verdict]] = [
            (self.passes, "PASS"),
            (self.fails, "FAIL"),
            (self.unknowns, "UNKNOWN"),
        ]
        for words, verdict in told:
            if word in map(_folded, words):
                return verdict
        if word in OURS:
            return OURS[word]
        if self.pass_at is not None and _number.fullmatch(word):
            return "PASS" if float(word) >= self.pass_at else "FAIL"
        return None


def load_labels(
    paths: str | Path | Sequence[str | Path],
    base: Path = Path(),
    *,
    columns: Mapping[str, str] = {},
    annotators: Sequence[str] = (),
    spelling: Spelling = Spelling(),
    encoding: str | None = None,
    delimiter: str | None = None,
) -> LabelSet:
    """Read labels from files or globs (relative to `base`): CSV, JSON lines or YAML.

    columns     ours -> theirs, as in {"label": "Verdict"}
    annotators  wide tables: the columns that hold one person's labels each
    spelling    what words or scores mean other than PASS, FAIL and UNKNOWN

    Raises `InputError` with every problem of every file: a label that was not told (value, row, and what to say), a
    text that does not fit its hash, the same label twice.
    """
    log, labels, empty = Log(), list[Label](), 0
    for path, name in expand(paths, base):
        try:
            rows, table = read_rows(path, name=name, log=log, encoding=encoding, delimiter=delimiter)
            found, gaps = _read(rows, name, log, _Way(columns, tuple(annotators), spelling), table)
            labels, empty = labels + found, empty + gaps
        except InputError as error:
            log.problems.extend(error.problems)
    return _finish(labels, empty, log)


def labels_from_rows(
    rows: Iterable[Mapping[str, Json]],
    *,
    columns: Mapping[str, str] = {},
    annotators: Sequence[str] = (),
    spelling: Spelling = Spelling(),
    form: Form = "rows",
) -> LabelSet:
    """Labels from dicts (or the rows of a frame, `form="frame"`), as `load_labels` reads them from a file."""
    log = Log()
    way = _Way(columns, tuple(annotators), spelling)
    labels, empty = _read(memory_rows(rows, form), "rows", log, way, None)
    return _finish(labels, empty, log)


@dataclass(frozen=True)
class _Way:
    columns: Mapping[str, str]
    annotators: tuple[str, ...]
    spelling: Spelling


def _finish(labels: list[Label], empty: int, log: Log) -> LabelSet:
    seen: dict[tuple[object, ...], Label] = {}
    for label in labels:
        # without a trial or a variant, two texts of one case are told apart by their hash alone
        key = (label.case, label.dimension, label.annotator, label.variant, label.trial, label.sha256)
        first = seen.setdefault(key, label)
        if first is not label:
            who = f" by {label.annotator!r}" if label.annotator else ""
            what = f"case {label.case!r} has a second label{who}; the first is at {first.place}"
            log.problems.append(label_problem(label, what))
    if empty:
        log.note(f"{empty} empty label{'s are' if empty > 1 else ' is'} left out")
    if not labels and not empty and not log.problems:
        log.problems.append(Problem("labels", None, "hold no rows"))
    log.check()
    return LabelSet(tuple(labels), tuple(log.notices), empty)


def label_problem(label: Placed, what: str) -> Problem:
    """A problem at the place of a label."""
    file, _, line = label.place.rpartition(":")
    return Problem(file, int(line), what) if line.isdigit() and file else Problem(label.place, None, what)


def _read(rows: Sequence[Row], file: str, log: Log, way: _Way, table: Table | None) -> tuple[list[Label], int]:
    names = list(table.columns if table else dict.fromkeys(key for row in rows for key in row.values))
    wide = {who: who for who in way.annotators}
    chosen = Columns(names, LABEL | {who: f"label {who}" for who in wide}, way.columns, file)
    log.problems.extend(chosen.problems)
    lacking = [who for who in wide if who not in names]
    if not wide and "label" not in chosen.of:
        lacking = ["label"]
    for who in lacking:
        mend = "Name the columns of the annotators (--annotators ann,ben), or map it: --columns label=NAME"
        what = f"there is no column {who!r}; columns: {', '.join(map(repr, names))}. {mend}"
        log.problems.append(table.missing(who, mend) if table else Problem(file, None, what))
    if chosen.problems or lacking:
        return [], 0
    derived = Derived() if "case" not in chosen.of and "input" in chosen.of else None
    if "case" not in chosen.of and not derived:
        log.problems.append(Problem(file, 1 if table else None, "there is no column 'case_id' and no 'input' either"))
        return [], 0
    if notice := chosen.notice(file):
        log.note(notice)
    labels: list[Label] = []
    empty = 0
    for row in rows:
        found = _labels_of(row, chosen, log, way, derived)
        labels += found
        empty += (len(wide) or 1) - len(found)
    return labels, empty


def _labels_of(row: Row, chosen: Columns, log: Log, way: _Way, derived: Derived | None) -> list[Label]:
    read = Cells(row, chosen.found(row), log)
    variant, trial = read.get("variant", cells.text, None), read.get("trial", cells.positive, None)
    dimension, annotator = read.get("dimension", cells.text, ""), read.get("annotator", cells.text, "").strip()
    case = read.identity("case")
    if derived:
        given = read.get("input", chat, None)
        case = None if given is None else derived.next(given, (variant, trial, dimension, annotator))
    if case is None and ("input" if derived else "case") not in read.found:
        log.problems.append(row.problem(f"{'input' if derived else 'case_id'!r} is missing"))
    output, sha256 = read.get("output", cells.text, None), read.get("output_sha256", cells.text, None)
    if output is not None:
        if sha256 is not None and sha256.strip().lower() != sha256_of(output):
            what = "'output_sha256' is not the hash of 'output': a label belongs to the text it was given for"
            log.problems.append(read.problem(what, "output_sha256"))
        sha256 = sha256_of(output)
    found = []
    untold: dict[str, list[str]] = {}
    for who in way.annotators or ("",):
        field = f"label {who}" if who else "label"
        if field not in read.found:
            continue
        written = _written(read.found[field][1])
        verdict = None if written is None else way.spelling.verdict(written)
        if written is not None and not written:
            continue
        if verdict is None or written is None:
            untold.setdefault(_untold(read.found[field][1], way.spelling), []).append(who)
        elif case is not None:
            found.append(
                Label(
                    case=case,
                    verdict=verdict,
                    written=written,
                    dimension=dimension.strip(),
                    annotator=who or annotator,
                    output=output,
                    sha256=sha256.strip().lower() if sha256 else None,
                    variant=variant,
                    trial=trial,
                    model=read.get("model", cells.text, None),
                    split=read.get("split", cells.text, None),
                    note=read.get("note", cells.text, ""),
                    place=row.place,
                )
            )
    for what, people in untold.items():
        columns = f"{_listed(people)}: " if people[0] else ""
        log.problems.append(read.problem(columns + what, f"label {people[0]}" if people[0] else "label"))
    return found


def _written(value: Json) -> str | None:
    """A label as text: words as they stand, numbers and true/false as people write them in a command."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip() if isinstance(value, (str, int, float)) else None


def _untold(value: Json, spelling: Spelling) -> str:
    if not isinstance(value, (str, int, float)):
        return f"label should be one word or score, found {cells.shown(value)}"
    told = [f"{word!r}" for words in (spelling.passes, spelling.fails, spelling.unknowns) for word in words]
    if told or spelling.pass_at is not None:
        scale = [f"scores (pass at {spelling.pass_at:g})"] if spelling.pass_at is not None else []
        mend = f"known are PASS, FAIL, UNKNOWN, {', '.join(told + scale)}"
    else:
        mend = "write PASS, FAIL or UNKNOWN, or say what it means: --pass yes --fail no, or --pass-at 3 for scores"
    return f"label {cells.shown(value)} is not understood: {mend}"


def _folded(word: str) -> str:
    return word.strip().casefold()


def _listed(names: Sequence[str]) -> str:
    """`'A'`, `'A' and 'B'`, `'A', 'B' and 'C'`."""
    *before, last = map(repr, names)
    return f"{', '.join(before)} and {last}" if before else last
