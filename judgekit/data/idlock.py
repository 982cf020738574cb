"""The lock of ids: a text file beside the cases that remembers every id ever used, so that none is used twice.

Each line is `<16 hex digits of the input's hash> <live|gone> <id>`, sorted by id, so that two branches merge line by
line. An id is `gone` once the cases were locked without it. It may come back only with the input that it had: a
result of long ago must not be compared with that of another question under the same name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgekit.data.cases import CaseSet
from judgekit.data.derive import input_hash
from judgekit.errors import InputError, Problem
from judgekit.types import Case

NAME = "ids.lock"
HEAD = "# Every case id ever used. Commit this file; `judgekit check --lock` writes it."
_line = re.compile(r"([0-9a-f]{16}) (live|gone) (\S.*)")


@dataclass(frozen=True, slots=True)
class Locked:
    """What the lock knows of an id: the hash of its input, and whether it was deleted."""

    input: str
    gone: bool
    line: int = 0


@dataclass(frozen=True)
class LockReport:
    """The lock against the cases of today.

    problems   deleted ids that came back for another input
    notices    one sentence each for inputs that changed under their id, and for what the next lock will write
    new        ids that are not locked yet
    missing    live ids without a case: the next lock marks them as gone
    changed    ids whose input is another one than when they were locked
    """

    problems: tuple[Problem, ...]
    notices: tuple[str, ...]
    new: tuple[str, ...]
    missing: tuple[str, ...]
    changed: tuple[str, ...]


def parse_lock(text: str, *, file: str = NAME) -> dict[str, Locked]:
    """Read a lock. Raises `InputError` for every line that is not one, conflict marks of a merge among them."""
    out: dict[str, Locked] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        body = line.removesuffix("\r")
        if not body.strip() or body.startswith("#"):
            continue
        found = _line.fullmatch(body)
        if found is None:
            mark = body.startswith(("<<<<<<<", "=======", ">>>>>>>"))
            what = "holds the mark of an unfinished merge; keep the lines of both sides" if mark else _damaged(body)
            problems.append(Problem(file, number, what))
        elif found[3] in out:
            what = f"id {found[3]!r} is already at line {out[found[3]].line}; keep the line that says what is true"
            problems.append(Problem(file, number, what))
        else:
            out[found[3]] = Locked(found[1], found[2] == "gone", number)
    if problems:
        raise InputError(problems)
    return out


def _damaged(body: str) -> str:
    return f"is not a line of a lock ({body[:30]!r}); restore the file from version control"


def check_lock(text: str | None, cases: CaseSet, *, file: str = NAME) -> LockReport:
    """Compare the lock (None: there is none yet) with the cases. Raises `InputError` when it cannot be read."""
    if text is None:
        return LockReport((), (), tuple(case.id for case in cases), (), ())
    locked = parse_lock(text, file=file)
    problems, changed, new = [], [], []
    for case in cases:
        known = locked.get(case.id)
        if known is None:
            new.append(case.id)
        elif known.input != _short(case):
            if known.gone:
                what = f"id {case.id!r} belonged to a deleted case with another input ({file}:{known.line})"
                problems.append(cases.problem(case.id, f"{what}; give this case a new id"))
            else:
                changed.append(case.id)
    today = {case.id for case in cases}
    missing = [name for name, known in locked.items() if not known.gone and name not in today]
    notices = [
        f"the input of case {name!r} changed since it was locked: older results are not of it" for name in changed
    ]
    if new:
        notices.append(f"{_ids(len(new))} not locked yet: run `judgekit check --lock`")
    if missing:
        notices.append(f"{_ids(len(missing))} locked without a case, to be marked as gone by `judgekit check --lock`")
    return LockReport(tuple(problems), tuple(notices), tuple(new), tuple(missing), tuple(changed))


def update_lock(text: str | None, cases: CaseSet, *, file: str = NAME) -> str:
    """The text of the lock after locking these cases; the same cases give the same text again.

    Raises `InputError` when the lock cannot be read or a deleted id was used again.
    """
    report = check_lock(text, cases, file=file)
    if report.problems:
        raise InputError(report.problems)
    locked = {} if text is None else parse_lock(text, file=file)
    after = {name: Locked(known.input, gone=True) for name, known in locked.items()}
    after |= {case.id: Locked(_short(case), gone=False) for case in cases}
    lines = (f"{known.input} {'gone' if known.gone else 'live'} {name}" for name, known in sorted(after.items()))
    return "\n".join([HEAD, *lines]) + "\n"


def lock_path(files: Sequence[Path]) -> Path:
    """Where the lock of these case files stands: beside the first."""
    return files[0].parent / NAME


def _short(case: Case) -> str:
    return input_hash(case.input)[:16]


def _ids(n: int) -> str:
    return "1 id" if n == 1 else f"{n} ids"
