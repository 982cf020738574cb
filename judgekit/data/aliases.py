"""Names: under which names a source may give a field of ours, and what to say about the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from judgekit.data.jsonl import NotAnObject, decode_line
from judgekit.data.rows import Found, Log, Row
from judgekit.errors import Problem, UsageError
from judgekit.located import near
from judgekit.types import Case, Expected, Json, Output

EXPECTED: dict[str, str] = {name: f"expected.{name}" for name in Expected.__struct_fields__} | {
    "must_mention": "expected.must_include",
    "must_not_mention": "expected.must_not_include",
    "has": "expected.must_include",
    "has_not": "expected.must_not_include",
    "expect_citation": "expected.citation",
}
"""Names of a check -> our field. They stand under `expected` or at the top of a case."""

CASE: dict[str, str] = {name: name for name in Case.__struct_fields__ if name != "expected"} | {
    "question": "input",
    "topic": "id",
    "must": "must_pass",
    "expected_behaviour": "rubric",
    "expected_behavior": "rubric",
    "intent": "tag.intent",
    "category": "tag.category",
}
"""Names of a field of a case -> our field; `tag.x` becomes the tag `x:value`."""

OUTPUT: dict[str, str] = {name: name for name in Output.__struct_fields__} | {
    "case_id": "id",
    "reply": "output",
    "answer": "output",
    "text": "output",
    "input": "input",
    "question": "input",
    "finish_reason": "finish",
}
"""Names of a field of an output -> our field; `input` is there to derive an id from."""

LABEL: dict[str, str] = {
    "case_id": "case",
    "id": "case",
    "case": "case",
    "dimension": "dimension",
    "label": "label",
    "annotator": "annotator",
    "output": "output",
    "reply": "output",
    "answer": "output",
    "text": "output",
    "output_sha256": "output_sha256",
    "input": "input",
    "question": "input",
    "model": "model",
    "variant": "variant",
    "trial": "trial",
    "split": "split",
    "note": "note",
}
"""Names of a field of a label -> our field."""


def strict(row: Row, log: Log) -> Found:
    """The fields of a case under our names; every name that is not known is a problem with "did you mean"."""
    found: Found = {}
    for name, value in row.values.items():
        if name == "expected" and row.form == "table":
            value = _object(value)  # noqa: PLW2901 - a table has no other way to hold one
        if name == "expected" and isinstance(value, Mapping):
            for inner, deep in value.items():
                _put(found, _expected(inner), (f"expected.{inner}", deep), row, log)
        elif name == "expected" and not row.absent(value):
            what = (
                "'expected' should be keys and values: use expected.equals for an exact match, reference for a "
                "known good answer, rubric for what a judge shall look for"
            )
            log.problems.append(row.problem(what, name))
        elif name != "expected":
            top = EXPECTED.get(name) or CASE.get(name)
            if top is None and name.startswith(("expected.", "meta.")):
                head, _, rest = name.partition(".")
                top = name if head == "meta" and rest else _expected(rest)
            _put(found, top, (name, value), row, log)
    return found


def _object(cell: str) -> Json:
    """The object that a cell holds as JSON; any other cell as it is, to be refused in words."""
    try:
        return decode_line(cell.encode("utf-8", "surrogatepass")) if cell.lstrip().startswith("{") else cell
    except NotAnObject:
        return cell


def _expected(inner: str) -> str | None:
    return "rubric" if inner == "rubric" else EXPECTED.get(inner)


def _put(found: Found, field: str | None, given: tuple[str, Json], row: Row, log: Log) -> None:
    name, value = given
    if field is None:
        known = [*CASE, *EXPECTED, "expected", "rubric"]
        hint = near(name.rpartition(".")[2], known)
        mend = hint or " Put what is yours under 'meta'."
        log.problems.append(row.problem(f"unknown field {name!r}.{mend}", *name.split(".")))
    elif not row.absent(value):
        if field in found:
            what = f"{found[field][0]!r} and {name!r} both give the {field.rpartition('.')[2]}; keep one"
            log.problems.append(row.problem(what, *name.split(".")))
        else:
            found[field] = given


class Columns:
    """Which column of a source gives which of our fields, decided once for all its rows.

    given     ours -> theirs, as the user mapped them; an entry wins over every known name
    known     their usual names -> ours
    ignored   columns that no field takes, in their order
    """

    def __init__(self, columns: Iterable[str], known: Mapping[str, str], given: Mapping[str, str], file: str) -> None:
        self.names = list(dict.fromkeys(columns))
        self.problems: list[Problem] = []
        ours = set(known.values())
        self.of: dict[str, str] = {}
        for field, theirs in given.items():
            mapped = known.get(field, field)
            if mapped not in ours:
                raise UsageError(f"columns: {field!r} is no field of ours.{near(field, ours)}")
            if theirs not in self.names:
                shown = ", ".join(map(repr, self.names))
                hint = near(theirs, self.names)
                what = f"there is no column {theirs!r} to read {field!r} from.{hint} Columns: {shown}"
                self.problems.append(Problem(file, None, what))
            self.of[mapped] = theirs
        taken = set(self.of.values())
        for field in dict.fromkeys(known.values()):
            if field in self.of:
                continue
            names = [n for n in self.names if known.get(n) == field and n not in taken]
            if field in names:
                names = [field]  # our own name wins over an alias beside it
            if len(names) > 1:
                both = " and ".join(map(repr, names))
                mend = f"say which: --columns {field}={names[0]}"
                self.problems.append(Problem(file, None, f"{both} may both be the {field}; {mend}"))
            if names:
                self.of[field] = names[0]
        used = set(self.of.values())
        self.ignored = [n for n in self.names if n not in used]

    def found(self, row: Row) -> Found:
        """The fields that this row gives, absent values left out."""
        return {
            field: (name, row.values[name])
            for field, name in self.of.items()
            if name in row.values and not row.absent(row.values[name])
        }

    def notice(self, file: str) -> str:
        """One sentence that names what is ignored; "" if nothing is."""
        if not self.ignored:
            return ""
        word = "column" if len(self.ignored) == 1 else "columns"
        return f"{file}: ignored {word} {', '.join(map(repr, self.ignored))}"
