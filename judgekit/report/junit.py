"""A run as JUnit XML, which most CI systems show: each grade is a test, and so is the gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal
from xml.etree import ElementTree as ET

from judgekit.graders.outcome import rubric_total
from judgekit.report.beside import by_case
from judgekit.report.escapes import visible
from judgekit.report.numbers import short
from judgekit.report.summary import Summary
from judgekit.rubric import Rubric, Total
from judgekit.types import Decision, Frozen, Grade, RunInfo, TrialResult

Mark = Literal["", "failure", "error", "skipped"]


class Entry(Frozen, frozen=True):
    """One test case: `mark` is "" when it passed; `kind` is a short word and `why` the reason for people."""

    name: str
    mark: Mark = ""
    kind: str = ""
    why: str = ""


def junit(summary: Summary, decision: Decision, *, totals: Mapping[str, Rubric] | None = None) -> str:
    """One test for each case, trial and grader, and one for the gate, as an XML document.

    FAIL is a failure. UNKNOWN and no verdict are errors: they are no evidence about the output, and no pass. What an
    advisory judge said is skipped, with its verdict as the reason. Trials that were not reached are errors.

    totals   rubrics that pass by a total: the total is the test that counts, its dimensions are skipped
    """
    info = summary.info
    name = f"{info.suite}.{info.variant}"
    tests = [_gate(decision), *_tests(summary, totals or {})]
    counts = Counter(test.mark for test in tests)
    sums = {"tests": str(len(tests)), "failures": str(counts["failure"]), "errors": str(counts["error"])}
    root = ET.Element("testsuites", {"name": "judgekit", **sums})
    seconds = _seconds(info)
    given = {"timestamp": info.started, "time": "" if seconds is None else f"{seconds:.3f}"}
    suite = ET.SubElement(root, "testsuite", {"name": visible(name), **sums, "skipped": str(counts["skipped"])})
    suite.attrib.update({key: value for key, value in given.items() if value})
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(summary, decision):
        ET.SubElement(properties, "property", name=key, value=visible(value))
    for test in tests:
        found = ET.SubElement(suite, "testcase", classname=visible(name), name=visible(test.name))
        if test.mark:
            why = visible(test.why)
            told = ET.SubElement(found, test.mark, message=short(why, 300))
            told.text = why
            if test.mark != "skipped":
                told.set("type", test.kind)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _gate(decision: Decision) -> Entry:
    mark: dict[str, Mark] = {"pass": "", "fail": "failure", "undecided": "error"}
    return Entry("gate", mark[decision.outcome], decision.outcome, "\n".join(decision.reasons) or decision.outcome)


def _tests(summary: Summary, totals: Mapping[str, Rubric]) -> Iterator[Entry]:
    groups = by_case(summary.results)
    many = summary.info.trials > 1
    for line in summary.lines:
        reached = {result.trial: result for result in groups.get(line.case, ())}
        for trial in range(1, summary.info.trials + 1):
            after = f" (trial {trial})" if many else ""
            if trial not in reached:
                yield Entry(f"{line.case}: not reached{after}", "error", "not_reached", "the run ended before this")
                continue
            yield from _of_result(reached[trial], after, totals)


def _of_result(result: TrialResult, after: str, totals: Mapping[str, Rubric]) -> Iterator[Entry]:
    by_total = {name: rubric for name, rubric in totals.items() if isinstance(rubric.pass_when, Total)}
    for grade in result.grades:
        name = f"{result.case}: {grade.name}{after}"
        if grade.gating and grade.kind == "judge" and grade.grader in by_total:
            said = grade.verdict if grade.level is None else f"level {grade.level}"
            yield Entry(name, "skipped", why=f"counts towards the total of {grade.grader}: {_said(grade, said)}")
        else:
            yield _of_grade(name, grade)
    for rubric_name, rubric in by_total.items():
        own = [grade for grade in result.grades if grade.kind == "judge" and grade.grader == rubric_name]
        if own:
            yield _of_total(f"{result.case}: {rubric_name} (total){after}", own, rubric)
    if not result.grades:
        yield Entry(f"{result.case}: no grade{after}", "error", "nothing_graded", result.why or "nothing graded")


def _of_grade(name: str, grade: Grade) -> Entry:
    if not grade.gating:
        why = f"advisory ({grade.advisory or 'uncertified'}), decides nothing: {_said(grade, grade.verdict)}"
        return Entry(name, "skipped", why=why)
    if grade.fault is not None:
        return Entry(name, "error", grade.fault.kind, f"no verdict: {_said(grade, None)}")
    if grade.verdict == "UNKNOWN":
        return Entry(name, "error", "UNKNOWN", _said(grade, grade.verdict))
    return Entry(name) if grade.verdict == "PASS" else Entry(name, "failure", "FAIL", _said(grade, grade.verdict))


def _of_total(name: str, grades: Sequence[Grade], rubric: Rubric) -> Entry:
    assert isinstance(rubric.pass_when, Total)
    outcome, why = rubric_total(grades, rubric.pass_when, rubric.dimensions)
    if not all(grade.gating for grade in grades):
        reason = next((g.advisory for g in grades if g.advisory), "uncertified")
        return Entry(name, "skipped", why=f"advisory ({reason}), decides nothing: {outcome}: {why}")
    mark: dict[str, Mark] = {"pass": "", "fail": "failure", "undecided": "error"}
    return Entry(name, mark[outcome], "FAIL" if outcome == "fail" else "no_total", why)


def _said(grade: Grade, word: str | None) -> str:
    """The verdict with its reason, or what came instead of one."""
    if grade.fault is not None:
        return f"{grade.fault.kind} ({grade.fault.code}): {grade.fault.why}"
    reason = grade.reason.strip()
    evidence = f"\nevidence: {grade.evidence}" if grade.evidence else ""
    return (f"{word}: {reason}" if reason else str(word)) + evidence


def _properties(summary: Summary, decision: Decision) -> Iterator[tuple[str, str]]:
    info = summary.info
    yield "run", info.run
    yield "suite", info.suite
    yield "variant", info.variant
    yield "decision", decision.outcome
    yield "cases", f"{summary.passed} passed, {summary.failed} failed, {summary.undecided} undecided"
    for judge in info.judges:
        yield "judge", judge
    for key, values in (("warning", decision.warnings), ("not_evaluated", decision.not_evaluated)):
        for value in values:
            yield key, value
    for notice in (*([info.selected] if info.selected else []), *info.notices):
        yield "notice", notice


def _seconds(info: RunInfo) -> float | None:
    """How long the run took, None when it was not finished."""
    if not (info.started and info.finished):
        return None
    return (datetime.fromisoformat(info.finished) - datetime.fromisoformat(info.started)).total_seconds()
