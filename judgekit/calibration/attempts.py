"""Looks at the labels: each try on the test split is counted and decided at a level of its own, five at most.

The levels .05/(j(j+1)) of the attempts j = 1, 2, ... add up to .05 however often one tries, so the chance that a set
of test labels ever lets a judge under the bar through stays at 5%.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.types import Frozen

BUDGET = 0.05
MOST = 5


class Look(Frozen, frozen=True):
    """One line of `<labels>.attempts.jsonl`.

    kind        `attempt`: the test labels were used; `shown`: disagreements of the dev split were shown
    token       what tells two lines of one moment apart
    dimensions  `rubric.dimension` -> fingerprint of the judge
    cases       hashes of the cases whose labels were used
    """

    kind: Literal["attempt", "shown"]
    token: str
    at: str
    judge: str
    dimensions: dict[str, str]
    cases: tuple[str, ...] = ()


class Ledger(Frozen, frozen=True):
    """What a file of looks adds up to.

    spent    hashes of the cases of sets that are used up: they are dev now
    used     attempts of the set in use
    shown    dimensions of which disagreements were shown
    """

    used: int = 0
    spent: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()

    @property
    def number(self) -> int:
        """The number of the next attempt, from 1."""
        return self.used + 1


def level(attempt: int) -> float:
    """The one-sided level at which an attempt is decided: .025, .0083, .0042, .0025, .0017."""
    if attempt < 1:
        raise ValueError(f"attempts are numbered from 1, not {attempt}")
    return BUDGET / (attempt * (attempt + 1))


def ledger(looks: Iterable[Look], *, upto: str | None = None) -> Ledger:
    """Count the looks in the order of their file; `upto` is the token of the last one that counts.

    A set of test labels is used up by its fifth attempt. Cases that were in none of a used-up set's attempts make a
    new set with a budget of its own.
    """
    used, cases, spent, shown = 0, set[str](), set[str](), set[str]()
    for look in looks:
        if look.kind == "shown":
            shown |= set(look.dimensions)
        else:
            used += 1
            cases |= set(look.cases)
        if look.token == upto:
            break
        if used == MOST:
            spent |= cases
            used, cases = 0, set()
    return Ledger(used, frozenset(spent), frozenset(shown))


def read_looks(text: str, *, file: str) -> tuple[Look, ...]:
    """The lines of a file of looks. A torn last line counts as an attempt of its own: it was written before a result.

    Raises `InputError` with the place of a damaged line.
    """
    decoder = msgspec.json.Decoder(Look)
    lines = text.split("\n")
    looks: list[Look] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            looks.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeError):
            if number == len(lines):
                looks.append(Look("attempt", f"line {number}", "", "", {}))
                continue
            what = "is damaged; this file counts looks at the test labels: put back the committed one"
            raise InputError(Problem(file, number, what)) from None
    return tuple(looks)
