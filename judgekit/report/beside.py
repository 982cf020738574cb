"""What advisory judges said of a case: shown beside the outcome, never part of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from judgekit.types import Grade, TrialResult


def by_case(results: Iterable[TrialResult]) -> dict[str, list[TrialResult]]:
    """The results of each case, in order."""
    groups: dict[str, list[TrialResult]] = {}
    for result in results:
        groups.setdefault(result.case, []).append(result)
    return groups


def advisory_grades(results: Iterable[TrialResult]) -> list[Grade]:
    """The grades that decide nothing."""
    return [g for r in results for g in r.grades if g.kind == "judge" and not g.gating]


def beside(results: Sequence[TrialResult]) -> str:
    """`FAIL support-reply.polite (2 of 3 trials)`, or `PASS` when no advisory judge said otherwise; "" without one."""
    grades = advisory_grades(results)
    if not grades:
        return ""
    counts = Counter((_word(g), g.name) for g in grades if g.verdict != "PASS")
    return "; ".join(_told(counts, len(results))) or "PASS"


def _told(counts: Mapping[tuple[str, str], int], trials: int) -> list[str]:
    order = ("FAIL", "UNKNOWN", "no verdict")
    rows = sorted(counts.items(), key=lambda item: order.index(item[0][0]))
    return [f"{word} {name}" + (f" ({n} of {trials} trials)" if trials > 1 else "") for (word, name), n in rows]


def _word(grade: Grade) -> str:
    return grade.verdict or "no verdict"
