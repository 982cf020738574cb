"""Labelled outputs from a table of counts."""

from collections.abc import Callable

import pytest

from judgekit.calibration.items import Item
from judgekit.calibration.measure import Seen
from judgekit.types import Fault

FAULT = Fault("unreadable", "no_tag", "no verdict")


@pytest.fixture
def seen_of() -> Callable[..., list[Seen]]:
    """{(human, judge): count} as labelled outputs, each of a case of its own; None = disputed, or no verdict."""

    def make(counts: dict[tuple[str | None, str | None], int], per_case: int = 1) -> list[Seen]:
        found = []
        for (human, judge), count in counts.items():
            for _ in range(count):
                n = len(found)
                item = Item(f"c{n // per_case}", "r.d", (("", human or "PASS"),), human, "test", f"row{n}")
                found.append(Seen(item, judge, None if judge else FAULT, ""))
        return found

    return make
