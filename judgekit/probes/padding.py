"""Padding that adds nothing: what the text already says, said once more."""

from __future__ import annotations

from judgekit.probes.prose import sentences


def padded(text: str) -> str:
    """The text, and then its own sentences again as one paragraph.

    Repetition holds no new claim, promise or courtesy, in any language, so that no criterion about the content can
    have a reason to judge the longer text otherwise. A criterion about length or style can, and then it should.
    """
    return f"{text}\n\n{' '.join(sentences(text))}"
