"""Labels that would leak into the judge: test outputs that stand in its own examples, criterion or template."""

from __future__ import annotations

from collections.abc import Iterable

from judgekit.graders.judge import Instrument

LONG = 40
"""Characters from which on a text is no coincidence inside another one."""


def repeats_of(judge: Instrument, texts: Iterable[str]) -> list[str]:
    """Places of a judge's own text that repeat one of `texts`: examples, criterion or template."""
    wanted = [_folded(text) for text in texts]
    whole = set(wanted)
    long = [text for text in wanted if len(text) >= LONG]
    found = []
    for number, example in enumerate(judge.dimension.examples, 1):
        own = _folded(example.output)
        if own in whole or any(text in own for text in long):
            found.append(f"example {number} of {judge.name}")
    for place, text in (
        (f"the criterion of {judge.name}", judge.dimension.criterion),
        ("the template", judge.template.source),
    ):
        own = _folded(text)
        if any(part in own for part in long):
            found.append(place)
    return found


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
