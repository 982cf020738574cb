"""What was looked at before: labelled pairs as the file of looks knows them, under whatever name they are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from judgekit.calibration.attempts import Ledger, Look, Touched
from judgekit.calibration.fingerprint import words_of
from judgekit.run.looks import Looks
from judgekit.run.pairs.labelled import LabelledPairs, PairTask
from judgekit.run.pairs.trust import pair_fingerprint


def pair_marks(task: PairTask) -> tuple[str, str]:
    """What the file of looks calls the case and the texts of a pair.

    Never what it calls a case whose outputs are labelled one by one: those are labels of another kind, and a look at
    them is none at these.
    """
    asked = msgspec.json.encode(task.case.input)
    return (
        _mark(b"case of a pair\0" + task.case.id.encode("utf-8", "surrogatepass")),
        _mark(b"pair\0" + asked + "".join(task.item.first.pair).encode()),
    )


def past_of_pairs(data: LabelledPairs, looks: Looks | None) -> tuple[Ledger, Touched]:
    """The looks at these very pairs, in whatever file they are counted, and what says that they are these.

    Raises `InputError` for a damaged file of looks.
    """
    everything = [task for own in data.tasks.values() for task in own]
    touched = Touched(_marks(task for task in everything if task.item.split == "test"), _marks(everything))
    return (looks.ledger(touched) if looks else Ledger()), touched


def pair_look(
    kind: Literal["attempt", "shown"], tasks: Mapping[str, Sequence[PairTask]], token: str, now: datetime
) -> Look:
    """The line for a look at these labelled pairs: what was looked at, never what was found."""
    used = [task for own in tasks.values() for task in own]
    prints = {name: pair_fingerprint(own[0].judge).hash for name, own in tasks.items() if own}
    words = words_of(used[0].judge.config)
    cases = tuple(sorted({pair_marks(task)[0] for task in used}))
    texts = tuple(sorted({pair_marks(task)[1] for task in used}))
    return Look(kind, token, now.isoformat(timespec="seconds"), words, prints, cases, texts)


def _marks(tasks: Iterable[PairTask]) -> frozenset[str]:
    return frozenset(mark for task in tasks for mark in pair_marks(task))


def _mark(what: bytes) -> str:
    return hashlib.sha256(what).hexdigest()[:16]
