"""Cases that pass reliably and guard nothing yet: which they are, and the tag that makes them guard."""

from __future__ import annotations

import dataclasses
import json
import re

import msgspec

from judgekit.comparison.side import CaseSide, Side
from judgekit.types import Json

REGRESSION = "regression"
RELIABLE_TRIALS = 3
"""So many trials, all passed, is called reliable: a case that passes half the time does that once in eight."""

_tags = re.compile(r'"tags"\s*:\s*(\[[^\[\]]*\])')


def graduates(side: Side) -> tuple[CaseSide, ...]:
    """The cases that passed every one of three or more trials, and are neither must-pass nor tagged regression."""
    return tuple(
        case
        for case in side.cases
        if case.trials >= RELIABLE_TRIALS
        and case.passed == case.trials
        and not case.must_pass
        and REGRESSION not in case.tags
    )


def tagged(side: Side, ids: set[str]) -> Side:
    """The side with the tag on some of its cases."""
    cases = [
        msgspec.structs.replace(case, tags=(*case.tags, REGRESSION)) if case.id in ids else case for case in side.cases
    ]
    return dataclasses.replace(side, cases=tuple(cases))


def tag_line(line: str, tag: str = REGRESSION) -> str | None:
    """A line of JSON with one more tag and not a character changed elsewhere; None when that cannot be done safely.

    The line is read again after the change: but for the tag it must mean what it meant.
    """
    body = line.rstrip()
    end = line[len(body) :]
    try:
        value: Json = json.loads(body)
    except ValueError:
        return None
    if not isinstance(value, dict) or not isinstance(value.get("tags", []), list):
        return None
    tags = [*value.get("tags", []), tag]
    written = json.dumps(tags, ensure_ascii=False)
    if "tags" in value:
        edits = [body[: at.start(1)] + written + body[at.end(1) :] for at in _tags.finditer(body)]
    else:
        inner = body[:-1].rstrip()
        edits = [f'{inner}{", " if value else ""}"tags": {written}}}']
    wanted = {**value, "tags": tags}
    return next((edit + end for edit in edits if _means(edit, wanted)), None)


def _means(text: str, wanted: Json) -> bool:
    try:
        return bool(json.loads(text) == wanted)
    except ValueError:
        return False
