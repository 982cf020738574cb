"""The agreement of a judge with people, from a file, a frame or rows that hold both columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judgekit.data.frames import is_frame
from judgekit.data.jsonl import many_values
from judgekit.data.rows import Log, Row, memory_rows
from judgekit.data.sources import read_rows
from judgekit.errors import InputError, Problem, UsageError
from judgekit.located import kind_of, near
from judgekit.report.agreement.columns import Column, Columns
from judgekit.report.agreement.measure import measure
from judgekit.report.agreement.told import AS_WRITTEN, Told
from judgekit.report.agreement.value import Agreement
from judgekit.stats.agreement import Weights
from judgekit.types import Json

CASE_COLUMNS = ("case_id", "case", "id", "item_id", "question_id", "prompt_id", "story_id", "query_id", "dialogue_id")
"""Columns that often name the case: if one repeats and nobody said --case, the rows may not be independent."""


@dataclass(frozen=True)
class Source:
    """Where the columns come from.

    data      a path (CSV, JSON lines, YAML), a pandas frame, or rows as dicts
    columns   your short name -> the column's name in the data
    """

    data: Any
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    delimiter: str | None = None


def agreement_of(
    source: Source,
    *,
    human: str | Sequence[str],
    judge: str,
    by: str | None = None,
    case: str | None = None,
    told: Told = AS_WRITTEN,
    weights: Weights | None = None,
) -> Agreement:
    """The agreement of the column `judge` with the columns `human`; of several people the majority counts.

    Raises `InputError` or `UsageError` for anything that has to be mended first.
    """
    if weights not in (None, "linear", "quadratic"):
        raise UsageError(
            f"weights are linear or quadratic, not {weights!r}.{near(str(weights), ('linear', 'quadratic'))}"
        )
    human, columns = [human] if isinstance(human, str) else list(human), source.columns
    wanted = [*human, judge, *([by] if by else []), *([case] if case else [])]
    if not human:
        raise UsageError("no human column: say --human COLUMN")
    if idle := [name for name in columns if name not in wanted]:
        raise UsageError(f"--columns names {idle[0]!r}, which no option uses.{near(idle[0], wanted)}")
    sides = [columns.get(name, name) for name in (*human, judge)]
    if twice := [name for name in sides if sides.count(name) > 1]:
        raise UsageError(f"column {twice[0]!r} is given twice: a column agrees with itself")
    table = _Table.of(source.data, source.encoding, source.delimiter)
    table.check([columns.get(name, name) for name in wanted])

    def cells(name: str) -> list[str | None]:
        return table.cells(columns.get(name, name))

    read = Columns(
        source=table.source,
        humans={name: cells(name) for name in human},
        judge_name=judge,
        judge=cells(judge),
        cases=cells(case) if case else None,
        groups=cells(by) if by else None,
        lines=table.lines,
        notices=() if case else table.repeats(),
    )
    table.log.check()
    return measure(read, told, weights=weights, by_name=by or "")


class _Table:
    """Columns by name, wherever they came from."""

    def __init__(self, source: str, names: list[str], lines: list[int | None] | None, log: Log) -> None:
        self.source, self.names, self.lines, self.log = source, names, lines, log
        self.rows: Sequence[Row] = ()
        self.frame: Any = None
        self.only_column = False

    @classmethod
    def of(cls, data: Any, encoding: str | None, delimiter: str | None) -> _Table:
        log = Log()
        if is_frame(data):
            names = [str(name) for name in data.columns]
            if doubled := sorted({name for name in names if names.count(name) > 1}):
                raise InputError(Problem("frame", None, f"column {doubled[0]!r} occurs twice; rename one"))
            table = cls("frame", names, None, log)
            table.frame = data
            return table
        if isinstance(data, (str, Path)):
            with many_values():
                rows, found = read_rows(Path(data), name=str(data), log=log, encoding=encoding, delimiter=delimiter)
            log.check()
            names = list(found.columns) if found else list(dict.fromkeys(key for row in rows for key in row.values))
            if not names:
                raise InputError(Problem(str(data), None, "is empty: there are no rows"))
            table = cls(str(data), names, [row.line for row in rows], log)
            table.only_column = found is not None and len(names) == 1
        elif isinstance(data, Mapping) or not hasattr(data, "__iter__"):
            raise UsageError(f"data is a path, a frame or a list of dicts, not {kind_of(data)}")
        else:
            rows = memory_rows(data, "rows")
            table = cls("rows", list(dict.fromkeys(key for row in rows for key in row.values)), None, log)
        table.rows = rows
        return table

    def check(self, wanted: Sequence[str]) -> None:
        """Every column that was asked for is there."""
        problems = []
        for name in dict.fromkeys(wanted):
            if name not in self.names:
                what = (
                    f"there is no column {name!r}.{near(name, self.names)} Columns: {', '.join(map(repr, self.names))}."
                )
                if self.only_column:
                    what += " Only one column was seen: if its delimiter is none of , ; and tab, say --delimiter."
                problems.append(Problem(self.source, 1 if self.lines else None, what))
        if problems:
            raise InputError(problems)

    def cells(self, name: str) -> list[str | None]:
        """One column as text, None for a missing cell; a cell that is no single value is a problem."""
        if self.frame is not None:
            at = self.names.index(name)
            series = self.frame.iloc[:, at]
            gaps = series.isna().tolist()
            values: list[Json] = [None if gap else v for v, gap in zip(series.tolist(), gaps, strict=True)]
        else:
            values = [row.values.get(name) for row in self.rows]
        if set(map(type, values)) <= {str, type(None)}:
            return values
        out: list[str | None] = []
        for at, value in enumerate(values):
            text = _text(value)
            if isinstance(value, (list, tuple, dict)):
                line = self.lines[at] if self.lines else None
                what = f"{name!r} should be one label, not {kind_of(value)}"
                self.log.problems.append(Problem(self.source if line else f"row {at + 1}", line, what))
            out.append(text)
        return out

    def repeats(self) -> tuple[str, ...]:
        """A hint when a column that names cases repeats although no --case was given."""
        for name in CASE_COLUMNS:
            if name not in self.names:
                continue
            cells: Column = self.cells(name)
            if (distinct := len(set(cells))) < len(cells):
                what = (
                    f"{name!r} repeats ({distinct:,} values in {len(cells):,} rows): rows of one case are not "
                    f"independent, and the interval is too narrow; say --case {name}"
                )
                return (what,)
            return ()
        return ()


def _text(value: Json) -> str | None:
    """A cell as people write it in a command: true and false, 3 for 3.0."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return str(bool(value)).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(float(value))
    return str(value)
