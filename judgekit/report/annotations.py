"""GitHub's annotations of a run: the gate and the cases that it is about, each at its line where that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judgekit.report.beside import advisory_grades, beside, by_case
from judgekit.report.escapes import command
from judgekit.report.numbers import plural, short
from judgekit.report.summary import CaseLine, Summary
from judgekit.types import Decision, Grade, TrialResult

MOST = 10
"""GitHub shows ten errors and ten warnings of a step, and drops the others in silence."""

MOST_TEXT = 1000

Places = Mapping[str, tuple[str, int | None]]
"""File (as seen from the root of the repository) and line of a case, by its id."""


def annotate(summary: Summary, decision: Decision, *, places: Places | None = None) -> list[str]:
    """Workflow commands, one a line: at most ten errors and ten warnings, the last of each being a count if need be.

    The gate is an error unless it passed. A failed case is an error when the gate failed, and a warning when the gate
    let it pass. Undecided cases, rules that only warn, and advisory judges that said FAIL are warnings.
    """
    errors, warnings = [], []
    name = f"{summary.info.suite}, {summary.info.variant}"
    if decision.outcome != "pass":
        told = "\n".join(short(reason, MOST_TEXT) for reason in decision.reasons) or decision.outcome
        errors.append(command("error", told, title=f"judgekit: gate {decision.outcome.upper()} ({name})"))
    warnings += [command("warning", told, title=f"judgekit: gate ({name})") for told in decision.warnings]
    groups = by_case(summary.results)
    level = "error" if decision.outcome == "fail" else "warning"
    known = places or {}
    for line in summary.lines:
        if line.outcome == "fail":
            found = _case(level, "FAIL", line, groups.get(line.case, ()), known)
            (errors if level == "error" else warnings).append(found)
    for line in summary.lines:
        if line.outcome == "undecided":
            warnings.append(_case("warning", "undecided", line, groups.get(line.case, ()), known))
    for line in summary.lines:
        if line.outcome == "pass":
            warnings += _advisory(line, groups.get(line.case, ()), known)
    return _few("error", errors) + _few("warning", warnings)


def _case(level: str, word: str, line: CaseLine, results: Sequence[TrialResult], places: Places) -> str:
    """Its reason names each grader that did not pass, as `rubric.dimension` for a judge."""
    told = short(line.why, MOST_TEXT) or word
    trials = line.passed + line.failed + line.undecided
    if trials > 1:
        told += f"\n{line.passed} of {trials} trials passed, {line.failed} failed, {line.undecided} undecided"
    aside = beside(results)
    if aside not in ("", "PASS"):
        told += f"\nadvisory, decides nothing: {aside}"
    must = " (must pass)" if line.must_pass else ""
    return _at(level, f"{line.case}: {word}{must}", told, line, places)


def _advisory(line: CaseLine, results: Sequence[TrialResult], places: Places) -> Iterator[str]:
    """What advisory judges have against a case that passed: one warning a dimension."""
    first: dict[str, Grade] = {}
    for grade in advisory_grades(results):
        if grade.verdict == "FAIL":
            first.setdefault(grade.name, grade)
    for name, grade in first.items():
        told = (
            f"advisory ({grade.advisory or 'uncertified'}), decides nothing: {short(grade.reason or 'FAIL', MOST_TEXT)}"
        )
        yield _at("warning", f"{line.case}: {name} says FAIL", short(told, MOST_TEXT), line, places)


def _at(level: str, title: str, told: str, line: CaseLine, places: Places) -> str:
    file, number = places.get(line.case, ("", None))
    return command(level, told, file=file, line=number if file else None, title=title)


def _few(level: str, found: list[str]) -> list[str]:
    if len(found) <= MOST:
        return found
    more = plural(len(found) - MOST + 1, f"more {level}")
    return [*found[: MOST - 1], command(level, f"and {more}: the summary lists what did not pass", title="judgekit")]
