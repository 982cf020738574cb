"""What a gate rule says: light, as every run asks for it, whether or not there is anything to compare with."""

from __future__ import annotations

from typing import Literal

from judgekit.types import Frozen

Word = Literal["ok", "broken", "undecided", "no_data"]


class Finding(Frozen, frozen=True):
    """What one rule says, and why.

    word   `ok`, `broken`, `undecided` (the data cannot tell), or `no_data` (the rule lacks what it needs)
    """

    word: Word
    why: str = ""
