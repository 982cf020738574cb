"""Sheets: rows that hold a case and an output side by side, as a frame in a notebook does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from judgekit.data.aliases import CASE, EXPECTED, OUTPUT
from judgekit.data.cases import CaseSet, cases_of
from judgekit.data.outputs import OutputSet, outputs_from_rows
from judgekit.data.rows import Form, Row, memory_rows
from judgekit.errors import InputError
from judgekit.types import Json

OF_OUTPUT = frozenset(name for name, field in OUTPUT.items() if field not in ("id", "input", "context", "label"))
OF_CASE = (frozenset(CASE) | frozenset(EXPECTED) | {"expected"}) - {"label", "retrieved"}
"""A column that both could claim is the output's, but `context` is the case's and `label` (a person's) is nobody's."""


@dataclass(frozen=True)
class Sheet:
    """The cases and outputs of a sheet; one case for all rows with its id."""

    cases: CaseSet
    outputs: OutputSet
    notices: tuple[str, ...]


def sheet_from_rows(
    rows: Iterable[Mapping[str, Json]], base: Path = Path(), *, columns: Mapping[str, str] = {}, form: Form = "rows"
) -> Sheet:
    """Split rows into cases and outputs. Without ids, both get the one derived from the input.

    columns   ours -> theirs; columns that neither side knows are ignored with one notice

    Raises `InputError` with every problem, among them rows of one id that disagree about the case.
    """
    theirs = {name: field for field, name in columns.items()}
    listed = [{theirs.get(k, k): v for k, v in row.values.items()} for row in memory_rows(rows, form)]
    names = list(dict.fromkeys(key for row in listed for key in row))
    named = next((name for name in ("id", "case_id", "topic") if name in names), None)
    of_output = {*OF_OUTPUT, named} if named else {*OF_OUTPUT, "input", "question"}
    answers = [_rename(row, of_output, named) for row in listed]
    outputs = outputs_from_rows(answers, form=form)
    kept: dict[str, Row] = {}
    problems = []
    for number, (row, output) in enumerate(zip(listed, outputs, strict=True), start=1):
        values = {k: v for k, v in row.items() if _of_case(k) and k != named} | {"id": output.id}
        case = Row(f"row {number}", None, values, form)
        first = kept.setdefault(output.id, case)
        if first.values != values:
            what = f"id {output.id!r} stands for another case in {first.place}; give each case its own id"
            problems.append(case.problem(what))
    if problems:
        raise InputError(problems)
    cases = cases_of(list(kept.values()), base)
    ignored = [name for name in names if not (_of_case(name) or name in of_output)]
    notices = [*cases.notices, *outputs.notices]
    if ignored:
        notices.append(f"ignored columns: {', '.join(map(repr, ignored))}")
    return Sheet(cases, replace(outputs, notices=()), tuple(notices))


def _of_case(name: str) -> bool:
    return name not in OF_OUTPUT and (name in OF_CASE or name.startswith(("expected.", "meta.")))


def _rename(row: Mapping[str, Json], wanted: set[str], named: str | None) -> dict[str, Json]:
    return {("id" if key == named else key): value for key, value in row.items() if key in wanted}
