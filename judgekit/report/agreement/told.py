"""What the labels of a file mean: as they stand, as a declared set, or as PASS and FAIL in other words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from judgekit.data.labels import Spelling
from judgekit.errors import UsageError

PASS, FAIL, UNKNOWN = "PASS", "FAIL", "UNKNOWN"
Words: TypeAlias = str | Sequence[Any]
MOST_LABELS = 25
"""A column with more different values than this holds texts or fine scores, not labels."""

_number = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
_padded = re.compile(r"([+-]?\d+)\.0*|([+-]?\d*\.\d*[1-9])0+")


class Stray:
    """A written value that is none of the labels."""


STRAY: Final = Stray()


@dataclass(frozen=True)
class Told:
    """What the user said about the labels. Without a word they are opaque text, only PASS and FAIL being known.

    labels           the whole set, in order (lowest first, where order matters)
    unknown          words with which a judge (or a person) abstains
    passes, fails    words that mean PASS and FAIL, compared without letter case
    pass_at          for scores: the lowest one that is a PASS
    within           with `pass_at`: the lowest and the highest score of the scale; a score beyond them is no label
    missing          words that stand for an empty cell
    Raises `UsageError` for what contradicts itself.
    """

    labels: tuple[str, ...] = ()
    unknown: tuple[str, ...] = (UNKNOWN,)
    passes: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    pass_at: float | None = None
    within: tuple[float, float] | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(clean(label) for label in self.labels))
        if twice := sorted({label for label in self.labels if self.labels.count(label) > 1}):
            raise UsageError(f"--labels names {twice[0]!r} twice")
        if "" in self.labels:
            raise UsageError("--labels holds an empty label: an empty cell is missing, never a label")
        if self.binary and self.labels:
            raise UsageError("--labels is a set of its own: leave it out where --pass, --fail or --pass-at say it all")
        if bool(self.passes) != bool(self.fails) and self.pass_at is None:
            lacks = "fail" if self.passes else "pass"
            raise UsageError(f"say also which labels are --{lacks}: nothing is taken for a {lacks.upper()} by default")
        if self.within is not None and (self.pass_at is None or not self.within[0] < self.within[1]):
            raise UsageError("--range is the lowest and the highest score (1,5) of the scale that --pass-at divides")
        decided = set(self.labels) - {clean(word) for word in self.unknown}
        if self.labels and len(decided) < 2:
            raise UsageError("--labels needs two labels or more, in order, separated by commas")
        if len(self.labels) > MOST_LABELS:
            raise UsageError(f"--labels names {len(self.labels)} labels; {MOST_LABELS} is the most")
        _ = self._spelling  # a word that means two things

    @classmethod
    def of(
        cls,
        labels: Words = (),
        unknown: Words = UNKNOWN,
        passes: Words = (),
        fails: Words = (),
        pass_at: float | None = None,
        within: tuple[float, float] | None = None,
        missing: Words = (),
    ) -> Told:
        """The same from one word or several, which may be numbers."""
        return cls(
            _listed(labels), _listed(unknown), _listed(passes), _listed(fails), pass_at, within, _listed(missing)
        )

    @property
    def binary(self) -> bool:
        """Whether the labels were told to be PASS and FAIL in other words."""
        return bool(self.passes or self.fails) or self.pass_at is not None

    @property
    def abstention(self) -> str:
        """How an abstention is shown: in the file's own word where there is one."""
        return clean(self.unknown[0]) if len(self.unknown) == 1 and not self.binary else UNKNOWN

    @property
    def _spelling(self) -> Spelling:
        return Spelling(self.passes, self.fails, self.unknown, self.pass_at)

    def label(self, written: str) -> str | Stray | None:
        """The label that a cell holds; None for a missing one, `STRAY` for a value that is no label."""
        text = clean(written)
        word = text.casefold()
        if not text or word in {clean(w).casefold() for w in self.missing}:
            return None
        if self.binary:
            return STRAY if self._beyond(text) else self._spelling.verdict(text) or STRAY
        if text in self.labels:
            return text
        if word in {clean(w).casefold() for w in self.unknown}:
            return self.abstention
        if self.labels:
            same = [label for label in self.labels if label.casefold() == word]
            return same[0] if len(same) == 1 else STRAY
        return text.upper() if word in ("pass", "fail") else text

    def _beyond(self, text: str) -> bool:
        return self.within is not None and is_number(text) and not self.within[0] <= float(text) <= self.within[1]

    def order(self, found: Iterable[str]) -> tuple[str, ...]:
        """The labels of the table, in order: as declared, else PASS and FAIL, numbers by value, words by alphabet."""
        seen = set(found)
        gone = self.abstention
        if self.labels:
            return self.labels + ((gone,) if gone in seen - set(self.labels) else ())
        decided = seen - {gone}
        if self.binary or decided <= {PASS, FAIL}:
            decided_in_order = [PASS, FAIL] if self.binary or decided else []
        elif all(map(is_number, decided)):
            decided_in_order = sorted(decided, key=float)
        else:
            decided_in_order = sorted(decided, key=lambda label: ((PASS, FAIL, label).index(label), label))
        return (*decided_in_order, *([gone] if gone in seen else []))

    def values(self, decided: tuple[str, ...]) -> tuple[float, ...] | None:
        """The number behind each label: its value, else its place in the declared order; None where there is none."""
        if not decided:
            return None
        if all(map(is_number, decided)):
            return tuple(map(float, decided))
        if self.labels or set(decided) <= {PASS, FAIL}:
            return tuple(float(at) for at in range(len(decided)))
        return None


def _listed(words: Words) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(map(str, words))


def clean(written: str) -> str:
    """A label without blanks around it, in Unicode NFC, and without the zeros that a number's decimals end in."""
    text = unicodedata.normalize("NFC", written).strip()
    if found := _padded.fullmatch(text):
        return found[1] or found[2]
    return text


def is_number(label: str) -> bool:
    """Whether a label is a plain decimal number."""
    return _number.fullmatch(label) is not None


AS_WRITTEN: Final = Told()
"""Nothing was told: labels are opaque."""
