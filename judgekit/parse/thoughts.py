"""Blocks in which a model thinks aloud: what stands in them is a draft and never searched for a verdict."""

from __future__ import annotations

import re

from judgekit.parse.plain import Plain

_NAMES = "think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis"
# The possessive quantifiers keep a reply of a hundred thousand blanks or brackets linear.
_EDGE = re.compile(
    rf"<\s*+(?P<a>/?)\s*+(?ai:(?:[a-z]{{1,12}}:)?(?:{_NAMES}))(?:\s[^<>]*+)?>"
    r"|\[(?P<b>/?)(?ai:think)\]"
    r"|◁(?P<c>/?)(?ai:think)▷"
    r"|<\|channel\|>\s*+(?ai:(?P<draft>analysis|commentary)|(?P<final>final))"
)


def hide_thoughts(plain: Plain) -> Plain | None:
    """The reply with its thoughts hidden; None when a block never closes.

    Blocks nest, whatever their names. A closing mark that nothing opened ends thoughts that began with the reply
    (some servers put the opening mark into the prompt).
    """
    spans: list[tuple[int, int]] = []
    depth = start = 0
    for edge in _EDGE.finditer(plain.text):
        if edge[0].endswith("/>"):
            continue
        if _closes(edge):
            if depth == 0:
                spans = [(0, edge.end())]
                continue
            depth -= 1
            if depth == 0:
                spans.append((start, edge.end()))
        elif not (depth and edge["draft"]):  # one channel ends where the next begins
            start = start if depth else edge.start()
            depth += 1
    if depth:
        return None
    return plain.hide(spans) if spans else plain


def _closes(edge: re.Match[str]) -> bool:
    return bool(edge["a"] or edge["b"] or edge["c"] or edge["final"])
