"""What a judge said of one text in one arm of a probe, and two arms side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias

from judgekit.types import Frozen, Verdict

Arm: TypeAlias = Literal["base", "again", "padded", "dressed", "foreign", "attacked", "labelled"]
"""How a text was shown: as it is, as it is once more, padded, dressed, taken from another case, attacked; `labelled`
is a labelled output as it is."""

WORDS = ("PASS", "FAIL", "UNKNOWN", "no verdict")


class Seen(Frozen, frozen=True):
    """One judging. `verdict` is None where there is none; `attack` is the id of the attack in the text."""

    case: str
    trial: int
    arm: Arm
    verdict: Verdict | None
    attack: str = ""

    @property
    def unit(self) -> tuple[str, int]:
        """Case and trial."""
        return (self.case, self.trial)


class Values(Frozen, frozen=True):
    """What one effect is computed from.

    by_case   numbers of each case, one for each output (or attack) with verdicts that count
    left_out  outputs without such a verdict: UNKNOWN or none on a side
    moved     where the verdict changed: `case`, `case, trial 2`, with the attack's id behind it
    """

    by_case: dict[str, tuple[float, ...]]
    left_out: int = 0
    moved: tuple[str, ...] = ()

    @property
    def outputs(self) -> int:
        """How many numbers there are."""
        return sum(map(len, self.by_case.values()))


def tally(seen: Iterable[Seen]) -> dict[str, int]:
    """How often each verdict was given, and none."""
    counts: Counter[str] = Counter(one.verdict or "no verdict" for one in seen)
    return {word: counts[word] for word in WORDS}


def decided(seen: Seen | None) -> bool:
    """Whether there is a PASS or a FAIL."""
    return seen is not None and seen.verdict in ("PASS", "FAIL")


def paired(
    before: Mapping[tuple[str, int], Seen], after: Iterable[Seen], value: Callable[[Seen, Seen], float]
) -> Values:
    """`value` of each output that was decided in both arms."""
    by_case: dict[str, list[float]] = {}
    moved = []
    left_out = 0
    for new in after:
        old = before.get(new.unit)
        if old is None or not decided(old) or not decided(new):
            left_out += 1
            continue
        by_case.setdefault(new.case, []).append(value(old, new))
        if old.verdict != new.verdict:
            moved.append(f"{place(new)}: {old.verdict} to {new.verdict}")
    return Values({case: tuple(own) for case, own in by_case.items()}, left_out, tuple(moved))


def changed(old: Seen, new: Seen) -> float:
    """1 where the verdict is another one."""
    return float(old.verdict != new.verdict)


def shift(old: Seen, new: Seen) -> float:
    """How far PASS came or went: 1, 0 or -1."""
    return float(new.verdict == "PASS") - float(old.verdict == "PASS")


def place(seen: Seen) -> str:
    """`c1`, or `c1, trial 2`; with the attack if there is one."""
    where = seen.case if seen.trial == 1 else f"{seen.case}, trial {seen.trial}"
    return f"{where} ({seen.attack})" if seen.attack else where
