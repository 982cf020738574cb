"""Text as the code checks compare it: what counts as the same writing, and what counts as a word."""

from __future__ import annotations

import unicodedata

SHOWN = 80
"""Characters of a quoted term in a reason."""

_QUOTES = {"'": "‘’‚‛ʼ", '"': "“”„‟"}
_HYPHENS = {"-": "‐‑‒–−"}
_IGNORED = (
    "\u00ad\u200b\u2060\ufeff"  # soft hyphen, zero-width space, word joiner, byte order mark
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # direction marks
    "\ufe0e\ufe0f"  # text or emoji look of the same sign
)
# The zero-width joiner and non-joiner stay: they make other emoji, and other words in Persian and Indic scripts.
_SAME: dict[int, str | None] = {
    **{ord(other): plain for plain, others in (_QUOTES | _HYPHENS).items() for other in others},
    **dict.fromkeys(map(ord, _IGNORED)),
}


def fold(text: str, *, case_sensitive: bool = False) -> str:
    """The form in which two texts are equal exactly when a check calls them the same.

    Unicode NFC; any run of white space is one space, none at the ends; typographic quotes and hyphens are the plain
    ones; soft hyphens, zero-width spaces, direction marks and emoji look are dropped. Unless `case_sensitive`,
    letters are case-folded (ß is ss, final ς is σ), and the Turkish İ is i; the dotless ı stays a letter of its own.

    source   Unicode 16, section 3.13: canonical caseless matching, D145
    """
    if text.isascii():
        return " ".join((text if case_sensitive else text.lower()).split())
    if not case_sensitive:
        text = unicodedata.normalize("NFD", text).casefold().replace("i\u0307", "i")
    return " ".join(unicodedata.normalize("NFC", text.translate(_SAME)).split())


def words(text: str) -> int:
    """How many words: stretches between white space of any kind (no-break and ideographic spaces too)."""
    return len(text.split())


def shorten(text: str, limit: int = SHOWN) -> str:
    """`text` on one line, cut to `limit` characters with an ellipsis."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit and len(text) <= limit * 4 else line[: limit - 1] + "…"


def quoted(*terms: str) -> str:
    """Terms as a reason names them: `"14 days", "refund"`."""
    return ", ".join(f'"{shorten(term)}"' for term in terms)
