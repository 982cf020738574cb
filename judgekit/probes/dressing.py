"""Markdown around words that stay as they are."""

from __future__ import annotations

import re

from judgekit.probes.prose import sentences

_MARKDOWN = re.compile(r"^\s{0,3}(#{1,6}\s|[-*+]\s|\d+[.)]\s|>|```|~~~|\|)|\*\*|__", re.MULTILINE)


def dressed(text: str) -> str | None:
    """The same sentences in the same order: the first in bold type, the others as a list.

    None for a text that wears Markdown already (nobody could say what a second coat would change), or holds nothing.
    """
    found = sentences(text)
    if not found or _MARKDOWN.search(text):
        return None
    first, *others = found
    bullets = "".join(f"\n- {sentence}" for sentence in others)
    return f"**{first}**\n{bullets}" if bullets else f"**{first}**"
