"""Writes the regression tag into the case files, a line at a time, and says what it had to leave to people."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgekit.comparison.graduate import REGRESSION, tag_line
from judgekit.comparison.prints import case_print
from judgekit.comparison.side import CaseSide
from judgekit.data.sources import LINES
from judgekit.run.loaded import Suite


@dataclass(frozen=True)
class Graduated:
    """What came of it.

    tagged   ids whose line now has the tag
    left     one sentence for each case that was not tagged, with its place
    """

    tagged: tuple[str, ...]
    left: tuple[str, ...]


def graduate(suite: Suite, cases: Sequence[CaseSide]) -> Graduated:
    """Tag cases in their files. JSON lines are edited in place; tables and YAML are left to people."""
    known = {case.id: case for case in suite.cases.cases}
    lines: dict[Path, dict[int, str]] = {}
    left = []
    for case in cases:
        now = known.get(case.id)
        if now is None or case_print(now) != case.fingerprint:
            left.append(f"{case.id}: {'is no case any more' if now is None else 'changed since this run'}")
            continue
        file, line = suite.cases.place(case.id)
        path = suite.folder / file
        if REGRESSION in now.tags:
            continue
        if path.suffix.lower() in LINES and line is not None:
            lines.setdefault(path, {})[line] = case.id
        else:
            left.append(f"{_place(file, line)}: add the tag {REGRESSION} to {case.id} by hand")
    tagged: list[str] = []
    for path, wanted in lines.items():
        done = _edit(path, wanted)
        tagged += done
        left += [
            f"{path.name}:{n}: add the tag {REGRESSION} to {i} by hand" for n, i in wanted.items() if i not in done
        ]
    return Graduated(tuple(tagged), tuple(left))


def _place(file: str, line: int | None) -> str:
    return f"{file}:{line}" if line else file


def _edit(path: Path, wanted: dict[int, str]) -> list[str]:
    """Put the tag into some lines of a file, and replace the file in one step; the ids that have it now."""
    raw = path.read_bytes().split(b"\n")
    done = []
    for number, case in wanted.items():
        try:
            line = raw[number - 1].decode("utf-8")
        except UnicodeDecodeError:  # UTF-16: left to people
            continue
        # the mark at the start of a file stands before its first object
        mark = "\ufeff" if line.startswith("\ufeff") else ""
        edited = tag_line(line.removeprefix(mark))
        if edited is not None:
            raw[number - 1] = (mark + edited).encode("utf-8")
            done.append(case)
    if done:
        new = path.with_name(f".{path.name}.new")
        new.write_bytes(b"\n".join(raw))
        shutil.copymode(path, new)
        new.replace(path)
    return done
