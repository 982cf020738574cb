"""Text that others wrote, made safe for Markdown, XML and GitHub's workflow commands without losing a sign of it."""

from __future__ import annotations

import re

from judgekit.report.numbers import short

_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_PIPE = re.compile(r"(\\*)\|")
_TICKS = re.compile("`+")
MOST_TICKS = 16
"""Markdown parsers give up on longer rows of backticks, so that the text behind them would count as Markdown."""


def visible(text: str) -> str:
    r"""The text with a sign in place of each character that cannot be shown, or that turns the order of the others.

    Control characters become their pictures (`␛`), everything else its code (`\u202e`). What comes out is valid in
    XML 1.0 and in UTF-8; tabs and line breaks stay, the latter all as `\n`.
    """
    return _UNSEEN.sub(_sign, text.replace("\r\n", "\n").replace("\r", "\n"))


def _sign(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"\\u{code:04x}"


def code(text: str, width: int, *, cell: bool = False) -> str:
    """One line of at most `width` characters as a Markdown code span, or "" if there is nothing to show.

    In a code span nothing is markup, a mention, a reference or a link, on any of the usual hosts.

    cell   for a cell of a table, where a pipe needs a backslash
    """
    line = short(_TICKS.sub(_fewer, visible(text)), width)
    if not line:
        return ""
    if cell:
        # a backslash before the pipe would be taken for the one that we add by some parsers: a blank keeps them apart
        line = _PIPE.sub(lambda m: f"{m[1]} \\|" if m[1] else "\\|", line)
    fence = "`" * (1 + max((len(m[0]) for m in _TICKS.finditer(line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _fewer(ticks: re.Match[str]) -> str:
    return ticks[0] if len(ticks[0]) <= MOST_TICKS else "`" * MOST_TICKS + "…"


def command(name: str, message: str, **properties: str | int | None) -> str:
    """One workflow command of GitHub: `::error title=case returns::49 words, the limit is 25`.

    Properties that are None or "" are left out.
    """
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value not in (None, ""))
    return f"::{name}{' ' if given else ''}{given}::{_data(message)}"


def _data(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
