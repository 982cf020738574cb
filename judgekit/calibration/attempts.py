"""Looks at the labels: each try on the test split is counted and decided at a level of its own, five at most.

A look belongs to what was looked at, not to the name of a file: looks of other files at the same cases or texts count.
The levels .05/(j(j+1)) of the attempts j = 1, 2, ... add up to .05 however often one tries, so the chance that a set
of test labels ever lets a judge under the bar through stays at 5%.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Literal

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.types import Frozen

BUDGET = 0.05
MOST = 5
LONG_AGO = datetime(1, 1, 2, tzinfo=UTC)


class Look(Frozen, frozen=True):
    """One line of `<labels>.attempts.jsonl`.

    kind        `attempt`: the test labels were used; `shown`: disagreements of the dev split were shown
    token       what tells two lines of one moment apart
    dimensions  `rubric.dimension` -> fingerprint of the judge
    cases       hashes of the cases whose labels were used or shown
    texts       hashes of their inputs and outputs, which stay when a case gets another id
    """

    kind: Literal["attempt", "shown"]
    token: str
    at: str
    judge: str
    dimensions: dict[str, str]
    cases: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def hashes(self) -> frozenset[str]:
        """Everything that says what was looked at."""
        return frozenset((*self.cases, *self.texts))


class Touched(Frozen, frozen=True):
    """Hashes of cases and texts of a set of labels.

    test    of what an attempt would open; `every` of all of it
    """

    test: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()


class Ledger(Frozen, frozen=True):
    """What looks add up to.

    spent    hashes of the cases and texts of sets that are used up: they are dev now
    used     attempts of the set in use
    shown    dimensions of which disagreements were shown
    others   files of other labels whose looks are among them
    """

    used: int = 0
    spent: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """The number of the next attempt, from 1."""
        return self.used + 1


def level(attempt: int) -> float:
    """The one-sided level at which an attempt is decided: .025, .0083, .0042, .0025, .0017."""
    if attempt < 1:
        raise ValueError(f"attempts are numbered from 1, not {attempt}")
    return BUDGET / (attempt * (attempt + 1))


def ledger(
    looks: Iterable[Look],
    *,
    upto: str | None = None,
    others: Mapping[str, Iterable[Look]] | None = None,
    touched: Touched | None = None,
) -> Ledger:
    """Count the looks in the order of their file.

    upto      token of the last look of this file that counts
    others    looks of the files of other labels: those that touch the same cases or texts count, at their time
    touched   what these labels are about; without it no other file counts

    A set of test labels is used up by its fifth attempt. Cases that were in none of a used-up set's attempts make a
    new set with a budget of its own.
    """
    touched = touched or Touched()
    used, open_, spent, shown = 0, set[str](), set[str](), set[str]()
    told: list[str] = []
    for look, file in _in_order(tuple(looks), others or {}, upto):
        if file and not _counts(look, touched, spent):
            continue
        if file and file not in told:
            told.append(file)
        if look.kind == "shown":
            shown |= set(look.dimensions)
        else:
            used += 1
            open_ |= look.hashes
        if look.token == upto and not file:
            break
        if used == MOST:
            spent |= open_
            used, open_ = 0, set()
    return Ledger(used, frozenset(spent), frozenset(shown), tuple(told))


def _counts(look: Look, touched: Touched, spent: set[str]) -> bool:
    """Whether a look of another file is one at these labels."""
    if look.kind == "shown":
        return not look.hashes.isdisjoint(touched.every)
    return not look.hashes.isdisjoint(touched.test - spent)


def _in_order(own: tuple[Look, ...], others: Mapping[str, Iterable[Look]], upto: str | None) -> list[tuple[Look, str]]:
    """All looks by time, each with its file, "" for this one; in every file the order of its lines is kept.

    Whatever stands in another file when `upto` is counted came before it, also where the clocks differ.
    """
    last = next((at for at, look in enumerate(own) if look.token == upto), len(own))
    timed: list[tuple[datetime, bool, Look, str]] = []
    for file, looks in (*others.items(), ("", own[:last])):
        when = LONG_AGO
        seen: Look | None = None
        for look in looks:
            when = max(when, _time(look))
            if file and look.kind == "attempt" and not look.hashes and seen is not None:
                look = msgspec.structs.replace(look, cases=seen.cases, texts=seen.texts)  # noqa: PLW2901 - torn
            seen = look if look.kind == "attempt" else seen
            timed.append((when, not file, look, file))
    timed.sort(key=lambda one: one[:2])
    return [(look, file) for _, _, look, file in timed] + [(look, "") for look in own[last:]]


def _time(look: Look) -> datetime:
    """When a look was made; the beginning of time where its line does not say it."""
    try:
        at = datetime.fromisoformat(look.at)
    except ValueError:
        return LONG_AGO
    return at if at.tzinfo else at.replace(tzinfo=UTC)


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
