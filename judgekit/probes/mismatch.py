"""Outputs that belong to another case: what a judge that looks at the case has to notice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from judgekit.types import Frozen

Unit: TypeAlias = tuple[str, int]
"""Case and trial."""


class Written(Frozen, frozen=True):
    """What was asked, and what was answered."""

    asked: str
    answered: str


def exchanged(outputs: Mapping[Unit, Written]) -> dict[Unit, Unit]:
    """For each output, whose text takes its place: one of another case that was asked something else.

    The search begins half the suite away, because neighbours in a file of cases are often about the same thing. A
    unit for which there is none (every other case asks or answers the same) is left out.
    """
    units = list(outputs)
    found: dict[Unit, Unit] = {}
    if len({written.asked for written in outputs.values()}) < 2:
        return found
    for at, unit in enumerate(units):
        for step in range(len(units)):
            other = units[(at + len(units) // 2 + step) % len(units)]
            mine, theirs = outputs[unit], outputs[other]
            if other[0] != unit[0] and theirs.asked != mine.asked and theirs.answered != mine.answered:
                found[unit] = other
                break
    return found
