"""A reply as a reader sees it: no invisible characters, full-width letters as ordinary ones, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from judgekit.types import ReplyForm

# Unicode's Default_Ignorable_Code_Point, and the interlinear annotation marks
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# East Asian input methods type these for the ASCII letter itself. Every other look-alike stays what it is.
_FULL_WIDTH = {0xFF01 + i: 0x21 + i for i in range(94)}

HIDDEN = "\0"
"""Stands for every character of a thought."""

_MARKS = "*_`~"
SHORT = 40
"""Characters of what a tag says, up to which it is remembered: judges say the same few words again and again."""


@dataclass(frozen=True, slots=True)
class Plain:
    """`text` is what is searched; `source` is the reply as it came.

    places   index in `source` of each character of `text`; None when they are the same
    """

    text: str
    source: str
    places: Sequence[int] | None = None

    @classmethod
    def of(cls, source: str) -> Plain:
        """The reader's view of a text."""
        if source.isascii():
            return cls(source, source)
        wide = source.translate(_FULL_WIDTH)
        if not _INVISIBLE.search(wide):
            return cls(wide, source)
        places = [i for i, c in enumerate(wide) if not _INVISIBLE.match(c)]
        return cls("".join(wide[i] for i in places), source, places)

    @property
    def visible(self) -> bool:
        """Whether there is anything but thoughts and white space."""
        return bool(self.text.replace(HIDDEN, " ").strip())

    def hide(self, spans: Iterable[tuple[int, int]]) -> Plain:
        """The same text in which nothing can be found between the given places (in order, apart)."""
        parts, at = [], 0
        for start, end in spans:
            parts += [self.text[at:start], HIDDEN * (end - start)]
            at = end
        return replace(self, text="".join([*parts, self.text[at:]]))

    def before(self, index: int) -> str:
        """The reply as it came, up to a place in `text`."""
        return self.source[: index if self.places is None else self.places[index]]

    def between(self, start: int, end: int) -> str:
        """The reply as it came, between two places in `text`."""
        if self.places is None:
            return self.source[start:end]
        return self.source[self.places[start] : self.places[end - 1] + 1] if end > start else ""


def label_of(said: str, form: ReplyForm) -> str | None:
    """The label that `said` is, whole: white space, Markdown marks, letter case and one full stop aside."""
    return _known_label_of(said, form) if len(said) <= SHORT else _label_of(said, form)


def _label_of(said: str, form: ReplyForm) -> str | None:
    said = Plain.of(said).text.strip().strip(_MARKS).strip()
    if said.endswith((".", "。")):
        said = said[:-1].rstrip().rstrip(_MARKS).rstrip()
    if not said.isascii():  # "ß".upper() is "SS", "ı".upper() is "I": only ASCII may change case
        return said if said in form.labels else None
    return next((label for label in form.labels if label.upper() == said.upper()), None)


_known_label_of = lru_cache(maxsize=1024)(_label_of)


def excerpt(text: str, limit: int = 100) -> str:
    """The end of a text in quotes, for a message of one line."""
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else "..." + line[-limit:])
