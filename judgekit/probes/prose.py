"""An output as running text: whether it is any, and its sentences."""

from __future__ import annotations

import json
import re

from judgekit.types import Json

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])\s*")


def prose(value: Json) -> str | None:
    """The text of an output that can be padded, dressed or exchanged; None for JSON, and for text that holds nothing.

    JSON is left alone: a text around it would break its form, which is a reason of its own for another verdict.
    """
    if not isinstance(value, str) or not value.strip():
        return None
    if value.lstrip()[0] in "{[":
        try:
            json.loads(value)
        except ValueError:
            return value
        return None
    return value


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, each without the blanks around it; a line's end ends a sentence too.

    Only blanks are lost: put together, the sentences hold every other character of the text.
    """
    found = []
    for line in text.splitlines():
        start = 0
        for end in _END.finditer(line):
            found.append(line[start : end.end()].strip())
            start = end.end()
        found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]
