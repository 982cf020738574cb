"""What was looked at before: labelled outputs as the file of looks knows them, under whatever name they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from judgekit.calibration.attempts import Ledger, Look, Touched
from judgekit.calibration.fingerprint import fingerprint_of, judge_words
from judgekit.calibration.items import case_hash, text_hash
from judgekit.errors import NotEnough
from judgekit.graders.judge import Instrument
from judgekit.run.labelled import Labelled, Task
from judgekit.run.looks import Looks
from judgekit.types import Case


def past_of(data: Labelled, looks: Looks | None, *, every: bool = False) -> Ledger:
    """The looks at these very cases and texts, in whatever file they are counted.

    every   count for an attempt that would use the dev split too
    Raises `InputError` for a damaged file of looks.
    """
    return looks.ledger(touched_by(data, every=every)) if looks else Ledger()


def touched_by(data: Labelled, *, every: bool = False) -> Touched:
    """What these labels are about, and what of it an attempt would open."""
    tasks = _all(data)
    test = [task for task in tasks if every or task.item.split == "test"]
    return Touched(frozenset(_hashes(test)), frozenset(_hashes(tasks)))


def gone_cases(data: Labelled, past: Ledger) -> frozenset[str]:
    """Hashes of the cases of used-up sets; one that has another id now is known by its text."""
    return past.spent | {case_hash(task.item.case) for task in _all(data) if _text(task) in past.spent}


def elsewhere(past: Ledger) -> tuple[str, ...]:
    """A notice where looks at the same outputs under another name count."""
    return (f"looks at these outputs are counted from {', '.join(past.others)} too",) if past.others else ()


def counted(looks: Looks | None, look: Look, touched: Touched | None) -> int:
    """Write an attempt down and give its number; 1 where nobody counts.

    Raises `InputError` when it cannot be written, `NotEnough` when the labels were used up since they were opened.
    """
    now = looks.add(look, touched) if looks else Ledger(used=1)
    if not look.hashes.isdisjoint(now.spent):
        raise NotEnough("another command used these labels up at the same time: nothing was decided, nothing is shown")
    return now.used


def look_of(
    kind: Literal["attempt", "shown"],
    judges: Mapping[str, Instrument],
    token: str,
    now: datetime,
    tasks: Sequence[Task],
) -> Look:
    """The line for a look of these judges at these labelled outputs: what was looked at, never what was found."""
    prints = {name: fingerprint_of(judge).hash for name, judge in judges.items()}
    words = next((judge_words(judge) for judge in judges.values()), "")
    cases = tuple(sorted({case_hash(task.item.case) for task in tasks}))
    texts = tuple(sorted({_text(task) for task in tasks}))
    return Look(kind, token, now.isoformat(timespec="seconds"), words, prints, cases, texts)


def _all(data: Labelled) -> list[Task]:
    return [task for own in data.tasks.values() for task in own]


def _hashes(tasks: Iterable[Task]) -> set[str]:
    return {given for task in tasks for given in (case_hash(task.item.case), _text(task))}


def _text(task: Task) -> str:
    return text_hash(_given(task.case), task.output.sha256)


def _given(case: Case) -> str:
    turns = [("", case.input)] if isinstance(case.input, str) else [(m.role, m.content) for m in case.input]
    return msgspec.json.encode(turns).decode()
