"""Derived ids: what names a case that came without an id, from its input alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable

import msgspec

from judgekit.types import Message


def input_hash(given: str | tuple[Message, ...]) -> str:
    """Hex SHA-256 of an input: of its text, or of its messages as canonical JSON."""
    body = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else msgspec.json.encode(given)
    return hashlib.sha256(body).hexdigest()


class Derived:
    """Ids from inputs, the same on every machine: `in-` and 12 hex digits of the input's hash.

    Equal inputs are kept apart in their order: the second gets `-2`, the third `-3`. Rows of different `side`s (a
    variant, a trial) are counted apart, so that each side names the same cases in the same way.
    """

    def __init__(self) -> None:
        self.counts: Counter[Hashable] = Counter()

    def next(self, given: str | tuple[Message, ...], side: Hashable = None) -> str:
        """The id of the next row with this input."""
        name = f"in-{input_hash(given)[:12]}"
        self.counts[side, name] += 1
        nth = self.counts[side, name]
        return name if nth == 1 else f"{name}-{nth}"
