"""Cases: read from files or rows, under the names that people use, each with the place where it stands.

A line of JSON in our own names is decoded straight into a `Case`. Every line that this refuses, or of which it could
let something pass in silence, takes the slow path, which explains what is wrong and knows the names of others.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import get_args

import msgspec

from judgekit.data import cells
from judgekit.data.aliases import strict
from judgekit.data.cells import Cells, good_id
from judgekit.data.contexts import Contexts
from judgekit.data.derive import Derived
from judgekit.data.jsonl import NotAnObject, NotLines, decode_line, many_values, raw_lines, single_keys
from judgekit.data.messages import chat
from judgekit.data.rows import Form, Log, Row, expand, memory_rows
from judgekit.data.sources import LINES, read_rows
from judgekit.errors import InputError, Problem
from judgekit.types import SEVERITIES, Case, Expected, Grading, Json

GRADINGS: tuple[Grading, ...] = get_args(Grading)
_decode = msgspec.json.Decoder(Case).decode
_nothing = Expected()
_undecided = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


@dataclass(frozen=True)
class CaseSet:
    """Cases in the order of their files.

    cases     with unique ids; `context` holds the text of the files in `context_ref`
    notices   what reading has to say, one sentence each
    files     name and number of the first case of each file
    lines     the line of each case in its file, 0 for a row from memory
    """

    cases: tuple[Case, ...]
    notices: tuple[str, ...]
    files: tuple[tuple[str, int], ...]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {case.id: at for at, case in enumerate(self.cases)}

    def place(self, case: str) -> tuple[str, int | None]:
        """File and line of a case by its id; KeyError for an id that is not there."""
        return _place(self.files, self.lines, self._index[case])

    def problem(self, case: str, what: str) -> Problem:
        """A problem at the line of a case."""
        return Problem(*self.place(case), what)


class _Collector:
    """Takes cases one by one, watches their ids, and gives the set or every problem."""

    def __init__(self) -> None:
        self.cases: list[Case] = []
        self.lines = array("L")
        self.files: list[tuple[str, int]] = []
        self.seen: dict[str, int] = {}
        self.log = Log()

    def begin(self, file: str) -> None:
        self.files.append((file, len(self.cases)))

    def add(self, case: Case, line: int | None, row: Row | None = None) -> None:
        at = len(self.cases)
        first = self.seen.setdefault(case.id, at)
        self.cases.append(case)
        self.lines.append(line or 0)
        if first != at:
            here = row.problem if row else lambda what: Problem(self.files[-1][0], line, what)
            file, before = _place(self.files, self.lines, first)
            where = f"{file}:{before}" if before else file
            self.log.problems.append(here(f"id {case.id!r} is already used at {where}; an id names one case"))

    def finish(self) -> CaseSet:
        self._answerable()
        self.log.check()
        return CaseSet(tuple(self.cases), tuple(self.log.notices), tuple(self.files), self.lines)

    def _answerable(self) -> None:
        """One row that says whether it is answerable makes silence on it ambiguous for the others."""
        if not any(case.answerable is not None for case in self.cases):
            return
        for at, case in enumerate(self.cases):
            if case.answerable is None:
                file, line = _place(self.files, self.lines, at)
                what = f"case {case.id!r} does not say 'answerable', but others do: write true or false"
                self.log.problems.append(Problem(file, line, what))


def _place(files: Sequence[tuple[str, int]], lines: Sequence[int], at: int) -> tuple[str, int | None]:
    which = bisect_right([start for _, start in files], at) - 1
    return files[which][0], lines[at] or None


def load_cases(
    paths: str | Path | Sequence[str | Path],
    base: Path = Path(),
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> CaseSet:
    """Read cases from files or globs (relative to `base`): JSON lines, CSV or YAML, in any of the known shapes.

    Raises `InputError` with every problem of every file: an unknown field, a value that does not fit, a duplicate id
    (with both lines), a file in `context_ref` that is not there.
    """
    out = _Collector()
    for path, name in expand(paths, base):
        out.begin(name)
        contexts = Contexts(path.parent)
        try:
            if path.suffix.lower() in LINES and encoding is None:
                with many_values():
                    _read_fast(path, name, out, contexts)
            else:
                rows, _ = read_rows(path, name=name, log=out.log, encoding=encoding, delimiter=delimiter)
                for row in rows:
                    _add_slowly(row, out, contexts)
        except InputError as error:
            out.log.problems.extend(error.problems)
    if not out.cases and not out.log.problems:
        shown = ", ".join(name for name, _ in out.files) or "the list of files"
        raise InputError(Problem(shown, None, "holds no cases"))
    return out.finish()


def cases_from_rows(
    rows: Iterable[Mapping[str, Json]], base: Path = Path(), *, form: Form = "rows", columns: Mapping[str, str] = {}
) -> CaseSet:
    """Cases from dicts (or the rows of a frame, `form="frame"`), under the same names as in a file.

    Where no row has an id, ids are derived from the inputs, and a notice says so. Only the fields of a case are
    allowed; `columns` maps ours to theirs. `context_ref` is relative to `base`.
    """
    theirs = {name: field for field, name in columns.items()}
    return cases_of(
        [replace(row, values={theirs.get(k, k): v for k, v in row.values.items()}) for row in memory_rows(rows, form)],
        base,
    )


def cases_of(rows: Sequence[Row], base: Path) -> CaseSet:
    """The cases of rows that are at hand; `context_ref` is relative to `base`."""
    out, contexts = _Collector(), Contexts(base)
    derived = None if any("id" in row.values or "topic" in row.values for row in rows) else Derived()
    for row in rows:
        out.begin(row.file)
        _add_slowly(row, out, contexts, derived)
    if derived and rows:
        out.log.note("no row has an id: ids are derived from the inputs")
    return out.finish()


def _read_fast(path: Path, name: str, out: _Collector, contexts: Contexts) -> None:
    shapes: dict[int, list[bytes]] = {}
    for number, line in raw_lines(path, name=name):
        try:
            case = _decode(line)
            if not (_plain(case) and single_keys(line, shapes)):
                raise msgspec.ValidationError
        except _undecided:
            try:
                row = Row(name, number, decode_line(line), "json")
            except NotAnObject as why:
                out.log.problems.append(Problem(name, number, str(why)))
                if isinstance(why, NotLines):
                    break
                continue
            _add_slowly(row, out, contexts)
        else:
            out.add(case, number)


def _plain(case: Case) -> bool:
    """Whether nothing in a decoded case needs a second look: what types alone cannot say is left to the slow path."""
    return (
        case.input.__class__ is str
        and not case.context_ref
        and case.pass_when is None
        and good_id(case.id)
        and (not case.tags or all(map(str.strip, case.tags)))
        and (not case.rubrics or all(map(str.strip, case.rubrics)))
        and (case.expected is _nothing or _plain_checks(case.expected))
    )


def _plain_checks(checks: Expected) -> bool:
    return (
        not checks.must_match
        and checks.max_words >= 0
        and checks.tolerance >= 0
        and 0 <= checks.min_recall <= 1
        and 0 <= checks.min_precision <= 1
        and (not checks.must_include or all(map(str.strip, checks.must_include)))
        and (not checks.must_not_include or all(map(str.strip, checks.must_not_include)))
        and (not checks.citation or all(map(good_id, checks.citation)))
        and (not checks.retrieved or all(map(good_id, checks.retrieved)))
    )


def _add_slowly(row: Row, out: _Collector, contexts: Contexts, derived: Derived | None = None) -> None:
    before = len(out.log.problems)
    case = case_of(row, out.log, contexts, derived)
    if case is not None and len(out.log.problems) == before:
        out.add(case, row.line, row)


def case_of(row: Row, log: Log, contexts: Contexts, derived: Derived | None = None) -> Case | None:
    """The case of one row; every problem goes to `log`, None when there is no id or no input."""
    found = strict(row, log)
    read = Cells(row, found, log)
    given = read.get("input", chat, None)
    name = read.identity("id")
    if name is None and derived and given is not None:
        name = derived.next(given)
    for field, value in (("id", name), ("input", given)):
        if value is None and field not in found and not (field == "id" and derived):
            known = [f"{n!r}" for n in (("id", "topic") if field == "id" else ("input", "question"))]
            log.problems.append(row.problem(f"{field!r} is missing (write {' or '.join(known)})"))
    meta: dict[str, Json] = read.get("meta", cells.mapping, {})
    meta = meta | {field[5:]: read.get(field, cells.json_value, None) for field in found if field.startswith("meta.")}
    tags = read.texts("tags")
    for kind in ("category", "intent"):
        value = read.get(f"tag.{kind}", cells.optional_text, None)
        if value and value.strip() and f"{kind}:{value.strip()}" not in tags:
            tags = (*tags, f"{kind}:{value.strip()}")
    context = read.get("context", cells.optional_text, None)
    refs = contexts.listed(read.get("context_ref", cells.text_or_texts, ()))
    if refs and context is not None:
        log.problems.append(read.problem("has both 'context' and 'context_ref'; keep one", "context_ref"))
    elif refs:
        context, bad = contexts.read(refs)
        log.problems.extend(read.problem(f"'context_ref' {what}", "context_ref") for what in bad)
    checks = _checks(read)
    if name is None or given is None:
        return None
    return Case(
        id=name,
        input=given,
        context=context,
        context_ref=refs,
        expected=checks,
        reference=read.get("reference", cells.optional_text, None),
        rubric=read.get("rubric", cells.text, ""),
        rubrics=read.texts("rubrics", cells.text_or_texts),
        tags=tags,
        must_pass=read.get("must_pass", cells.flag, default=False),
        severity=read.get("severity", cells.one_of(SEVERITIES), None),
        grading=read.get("grading", cells.one_of(GRADINGS), "both"),
        answerable=read.get("answerable", cells.flag, None),
        pass_when=read.get("pass_when", cells.pass_rule, None),
        split=read.get("split", cells.optional_text, None),
        source=read.get("source", cells.optional_text, None),
        added_on=read.get("added_on", cells.optional_text, None),
        meta=meta,
    )


def _checks(read: Cells) -> Expected:
    checks = Expected(
        label=read.get("expected.label", cells.text, ""),
        equals=read.get("expected.equals", cells.text, ""),
        must_include=read.texts("expected.must_include"),
        must_not_include=read.texts("expected.must_not_include"),
        must_match=read.texts("expected.must_match", cells.patterns),
        max_words=read.get("expected.max_words", cells.whole, 0),
        citation=read.names("expected.citation") or (),
        retrieved=read.names("expected.retrieved") or (),
        min_recall=read.get("expected.min_recall", cells.share, 1.0),
        min_precision=read.get("expected.min_precision", cells.share, 0.0),
        json_schema=read.get("expected.json_schema", cells.mapping, None),
        number=read.get("expected.number", cells.number, None),
        tolerance=read.get("expected.tolerance", cells.amount, 0.0),
        python=read.get("expected.python", cells.text, ""),
        case_sensitive=read.get("expected.case_sensitive", cells.flag, default=False),
    )
    return _nothing if checks == _nothing else checks
