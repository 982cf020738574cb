"""What grades add up to: a trial's outcome, a case's outcome over its trials, and a rubric that passes by a total."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from judgekit.rubric import Dimension, Ordinal, Rubric, Total
from judgekit.suite import AtLeast
from judgekit.types import Frozen, Grade, Json, Outcome


class Part(Frozen, frozen=True):
    """One thing that a trial's outcome rests on: a grade, or the total of a rubric.

    why    for people: the reason of the verdict, or of there being none
    lack   what is missing when undecided: `no verdict`, `UNKNOWN`, `no total`
    """

    name: str
    outcome: Outcome
    why: str
    gating: bool
    advisory: str = ""
    lack: str = ""


def trial_outcome(grades: Sequence[Grade], *, totals: Mapping[str, Rubric] | None = None) -> tuple[Outcome, str]:
    """The outcome of one trial, and the reason for a fail or for undecided ("" for a pass).

    It fails when any gating grade fails, passes when there are gating grades and all of them pass, and is undecided
    otherwise. Advisory grades never decide.

    totals   rubric id -> rubric; in those that pass by a `Total` the total decides in place of the dimensions, and
             gates only if the grades of all of them do; others are ignored
    """
    by_total = {name: rubric for name, rubric in (totals or {}).items() if isinstance(rubric.pass_when, Total)}
    parts = [_part(grade) for grade in grades if grade.kind == "code" or grade.grader not in by_total]
    for name, rubric in by_total.items():
        own = [grade for grade in grades if grade.kind == "judge" and grade.grader == name]
        if own:
            parts.append(_total_part(own, rubric))
    deciding = [part for part in parts if part.gating]
    failed = [part for part in deciding if part.outcome == "fail"]
    if failed:
        return "fail", "; ".join(f"{part.name}: {part.why or 'FAIL'}" for part in failed)
    waiting = [part for part in deciding if part.outcome == "undecided"]
    if waiting:
        return "undecided", "; ".join(_grouped(waiting))
    if deciding:
        return "pass", ""
    if parts:
        return "undecided", "only advisory judges: " + ", ".join(sorted({p.advisory or "advisory" for p in parts}))
    return "undecided", "nothing graded"


def case_outcome(outcomes: Iterable[Outcome], pass_when: Json | AtLeast, *, trials: int = 0) -> Outcome:
    """The outcome of a case over its trials; undecided only while undecided trials could still change it.

    pass_when   `all`, `any` or `{"at_least": k}` passes, k >= 1
    trials      how many were planned: those without an outcome (an interrupted run) count as undecided

    No trials at all is undecided. Raises ValueError for any other `pass_when`.
    """
    seen = list(outcomes)
    n = max(len(seen), trials)
    needed = _needed(pass_when, n)
    passed, failed = seen.count("pass"), seen.count("fail")
    if n == 0:
        return "undecided"
    if passed >= needed:
        return "pass"
    return "fail" if n - failed < needed else "undecided"


def rubric_total(grades: Sequence[Grade], total: Total, dimensions: Sequence[Dimension]) -> tuple[Outcome, str]:
    """Whether a rubric passes by its total, and why, from the grades of that rubric (at most one per dimension).

    A dimension without a level of its scale (UNKNOWN, no verdict, not graded) is a gap, which could be any level. The
    outcome is undecided unless every way to fill the gaps agrees. Raises ValueError for two grades of a dimension, and
    for a binary dimension.
    """
    given: dict[str, int | None] = {}
    for grade in grades:
        if grade.dimension in given:
            raise ValueError(f"two grades of the dimension {grade.name}")
        given[grade.dimension] = grade.level if grade.verdict in ("PASS", "FAIL") else None
    scales = {dimension.id: _scale(dimension) for dimension in dimensions}
    worst, best, gaps = {}, {}, []
    for name, scale in scales.items():
        level = given.get(name)
        if level is not None and level in scale:
            worst[name] = best[name] = level
        else:
            worst[name], best[name] = scale[0], scale[-1]
            gaps.append(name)
    least, most = sum(worst.values()), sum(best.values())
    at_zero = [name for name in total.no_level_zero_in if best[name] == scales[name][0]]
    may_be_zero = [name for name in total.no_level_zero_in if worst[name] == scales[name][0]]
    reach = f"total {least}" if least == most else f"total {least} to {most}"
    if at_zero:
        return "fail", f"lowest level in {', '.join(at_zero)}"
    if most < total.min_total:
        return "fail", f"{reach}, at least {total.min_total} expected"
    if least >= total.min_total and not may_be_zero:
        return "pass", f"{reach}, at least {total.min_total} expected"
    return "undecided", f"{reach}, at least {total.min_total} expected; no level for {', '.join(gaps)}"


def _needed(pass_when: Json | AtLeast, n: int) -> int:
    """How many of n trials must pass."""
    if pass_when == "all":
        return n
    if pass_when == "any":
        return 1
    at_least = pass_when.at_least if isinstance(pass_when, AtLeast) else None
    if isinstance(pass_when, Mapping) and set(pass_when) == {"at_least"}:
        at_least = pass_when["at_least"]
    if not isinstance(at_least, int) or isinstance(at_least, bool) or at_least < 1:
        raise ValueError(f"pass_when is {pass_when!r}; write all, any, or {{at_least: 2}}")
    return at_least


def _part(grade: Grade) -> Part:
    if grade.fault is not None:
        why = grade.fault.why or grade.fault.code
        return Part(grade.name, "undecided", why, grade.gating, grade.advisory, "no verdict")
    if grade.verdict == "UNKNOWN":
        return Part(grade.name, "undecided", "", grade.gating, grade.advisory, "UNKNOWN")
    return Part(grade.name, "pass" if grade.verdict == "PASS" else "fail", grade.reason, grade.gating, grade.advisory)


def _total_part(grades: Sequence[Grade], rubric: Rubric) -> Part:
    assert isinstance(rubric.pass_when, Total)
    outcome, why = rubric_total(grades, rubric.pass_when, rubric.dimensions)
    gating = all(grade.gating for grade in grades)
    reasons = sorted({grade.advisory for grade in grades if not grade.gating and grade.advisory})
    return Part(rubric.id, outcome, why, gating, ", ".join(reasons), "no total" if outcome == "undecided" else "")


def _scale(dimension: Dimension) -> list[int]:
    """The levels of a dimension, ascending."""
    if not isinstance(dimension.scale, Ordinal):
        raise ValueError(f"the dimension {dimension.id!r} is binary: it has no levels to add up")  # noqa: TRY004
    return sorted(int(level) for level in dimension.scale.levels)


def _grouped(parts: Sequence[Part]) -> list[str]:
    """`no verdict from must_include, max_words (timeout)`: names that miss for one reason stand together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        groups.setdefault((part.lack, part.why), []).append(part.name)
    return [f"{lack} from {', '.join(names)}" + (f" ({why})" if why else "") for (lack, why), names in groups.items()]
