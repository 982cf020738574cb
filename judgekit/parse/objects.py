"""The verdict as a JSON object: `{"reasoning": "...", "verdict": "PASS"}`."""

from __future__ import annotations

import json
import re
from typing import Any

from judgekit.located import kind_of
from judgekit.parse.plain import HIDDEN, Plain, excerpt, label_of
from judgekit.types import Fault, ReplyForm

_FENCED = re.compile(r"(`{3,}|~{3,})[\w+-]*[ \t]*\n(?P<inside>.*)\n[ \t]*\1", re.DOTALL)
_EDGES = f" \t\r\n{HIDDEN}"


class _TwiceError(ValueError):
    """An object that gives its verdict twice."""


def find_object(plain: Plain, form: ReplyForm) -> tuple[str, str] | Fault:
    """Label and reason, or why there is no verdict. The object, bare or in one code fence, is the whole reply.

    Keys that were not asked for are ignored; a second `verdict` (in any letter case) is refused. A whole number
    stands for the level of that number. A `reasoning` that is not text is kept as the whole object.
    """
    text = unfenced(plain.text)
    start = plain.text.find(text)
    if not text.startswith("{") or HIDDEN in plain.text[start + len(text) :]:
        return _fault("no_json", f"the reply had to be one JSON object; it ends with {excerpt(plain.source)}")
    try:
        found = json.loads(plain.between(start, start + len(text)), object_pairs_hook=_once)
    except _TwiceError:
        return _fault("conflict", f"the reply gives `verdict` twice: {excerpt(plain.source)}")
    except (ValueError, RecursionError):
        return _fault("no_json", f"the reply is not valid JSON: {excerpt(plain.source)}")
    if "verdict" not in found:
        return _fault("no_verdict_key", f"the object has no `verdict`, only {excerpt(', '.join(found) or 'nothing')}")
    said = found["verdict"]
    if isinstance(said, int) and not isinstance(said, bool):
        said = str(said)
    label = label_of(said, form) if isinstance(said, str) else None
    if label is None:
        shown = excerpt(said, 60) if isinstance(said, str) else kind_of(said)
        return _fault("off_scale", f"`verdict` is {shown}, which is not one of {', '.join(form.labels)}")
    reasoning = found.get("reasoning", "")
    return label, reasoning if isinstance(reasoning, str) else text


def unfenced(text: str) -> str:
    """The text without the white space and thoughts around it, and without the one code fence around it."""
    text = text.strip(_EDGES)
    fenced = _FENCED.fullmatch(text)
    return fenced["inside"].strip() if fenced else text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if sum(key.strip().lower() == "verdict" for key, _ in pairs) > 1:
        raise _TwiceError
    return dict(pairs)


def _fault(code: str, why: str) -> Fault:
    return Fault("unreadable", code, why)
