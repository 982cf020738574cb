"""A row of an input, whatever file or frame it came from, and the notices that reading left behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path
from typing import Literal, TypeAlias

from judgekit.errors import InputError, Problem
from judgekit.located import Located
from judgekit.types import Json

Form: TypeAlias = Literal["table", "json", "yaml", "frame", "rows"]
Found: TypeAlias = dict[str, tuple[str, Json]]
"""Our name of a field -> the name that the source gives it, and its value."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it was read: nothing is renamed, nothing converted.

    file, line   where it stands; a row from memory has `row 3` for a file and no line
    form         `table` cells are text and an empty one is missing; `frame` cells may be text or typed values;
                 `json`, `yaml` and `rows` hold typed values
    at, path     the YAML document and the place of this row in it, for the line of each single value
    """

    file: str
    line: int | None
    values: Mapping[str, Json]
    form: Form
    at: Located | None = None
    path: tuple[str | int, ...] = ()

    def problem(self, what: str, *path: str | int) -> Problem:
        """A problem of this row, or of the value at `path` in it where single values have lines."""
        if self.at is not None:
            return self.at.problem((*self.path, *path), what)
        return Problem(self.file, self.line, what)

    def absent(self, value: Json) -> bool:
        """Whether `value` says that there is none: null, or an empty cell of a table file."""
        return value is None or (value == "" and self.form == "table")

    @property
    def place(self) -> str:
        """`cases.jsonl:4`, or `row 4` for a row from memory."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(slots=True)
class Log:
    """What reading finds on its way: problems (the read fails with all of them) and notices (it goes on)."""

    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def note(self, what: str) -> None:
        """Keep a notice once, however often it comes."""
        if what not in self.notices:
            self.notices.append(what)

    def check(self) -> None:
        """Raise `InputError` with every problem so far, file by file in the order of their lines."""
        if self.problems:
            files = list(dict.fromkeys(problem.file for problem in self.problems))
            raise InputError(sorted(self.problems, key=lambda p: (files.index(p.file), p.line or 0)))


def memory_rows(rows: Iterable[Mapping[str, Json]], form: Form) -> list[Row]:
    """Rows from memory, numbered from 1."""
    out = []
    for number, values in enumerate(rows, start=1):
        if not hasattr(values, "items"):  # what callers pass is not always what the types say
            what = f"expected a dict of field names and values, found {type(values).__name__}"
            raise InputError(Problem(f"row {number}", None, what))
        out.append(Row(f"row {number}", None, {str(k): v for k, v in values.items()}, form))
    return out


def expand(paths: str | Path | Sequence[str | Path], base: Path) -> list[tuple[Path, str]]:
    """The files that `paths` (files or globs, relative to `base`) name, each once, with the name to show for it.

    Raises `InputError` for a glob that fits no file; a missing file is told when it is read.
    """
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    found: dict[Path, tuple[Path, str]] = {}
    for item in given:
        text = str(item)
        hits = [base / text]
        if any(sign in text for sign in "*?[") and not hits[0].exists():
            found_here = glob(str(base / text), recursive=True)  # noqa: PTH207 - the pattern may be absolute
            hits = sorted(hit for hit in map(Path, found_here) if hit.is_file())
            if not hits:
                raise InputError(Problem(text, None, f"no file fits this pattern in {base}"))
        for path in hits:
            found.setdefault(path.resolve(), (path, _shown(path, base)))
    return list(found.values())


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
