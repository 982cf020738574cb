"""What `judgekit check` finds out without sending anything: does it all load, what is covered, can it be solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judgekit.data.coverage import Coverage
from judgekit.errors import InputError, Problem
from judgekit.grade.code import checks_of, code_grades
from judgekit.grade.target import load_target
from judgekit.run.answers import load_function
from judgekit.run.loaded import Suite
from judgekit.run.plan import make_plan
from judgekit.types import Case, Frozen, Grade, Output


class Checked(Frozen, frozen=True):
    """What a suite holds.

    unchecked   cases that have neither a code check nor a rubric: nothing can grade them
    references  cases whose reference was passed through their code checks (one that fails is a problem)
    """

    suite: str
    cases: int
    holdout: int
    tags: dict[str, int]
    severities: dict[str, int]
    checks: dict[str, int]
    rubrics: tuple[str, ...]
    variants: tuple[str, ...]
    must_pass: int
    negatives: float
    references: int
    unchecked: tuple[str, ...]
    notices: tuple[str, ...] = ()
    coverage: Coverage | None = None


def problems_of_suite(suite: Suite) -> list[Problem]:
    """Everything that a run of any variant would trip over, found now: prompts, outputs, functions, references."""
    problems: list[Problem] = []
    for name in suite.file.variants:
        try:
            plan = make_plan(suite, name)
            if plan.variant.python:
                load_function(plan.variant.python, folder=suite.folder, name=name)
        except InputError as error:
            problems += [p for p in error.problems if p not in problems]
    for target in sorted({c.expected.python for c in suite.cases.cases if c.expected.python}):
        try:
            load_target(target)
        except InputError as error:
            where = next(c.id for c in suite.cases.cases if c.expected.python == target)
            problems += [suite.cases.problem(where, p.what) for p in error.problems]
    return problems + reference_problems(suite)


def reference_problems(suite: Suite) -> list[Problem]:
    """References that do not pass their own case's checks: either the case or the reference is wrong."""
    problems = []
    for case in suite.cases.cases:
        for grade in _graded_reference(case):
            if grade.verdict == "FAIL":
                what = f"the reference of case {case.id!r} fails its own check {grade.name}: {grade.reason}"
                problems.append(suite.cases.problem(case.id, what))
    return problems


def _graded_reference(case: Case) -> Sequence[Grade]:
    if case.reference is None or not checks_of(case):
        return ()
    call = load_target(case.expected.python) if case.expected.python else None
    return code_grades(case, Output(id=case.id, output=case.reference), call=call)


def describe(suite: Suite, coverage: Coverage | None, negatives: float) -> Checked:
    """Count what a suite holds."""
    cases = suite.cases.cases
    with_reference = [c for c in cases if any(g.verdict for g in _graded_reference(c))]
    judged = {r.id for c in cases for r in suite.rubrics_of(c)}
    return Checked(
        suite=suite.file.suite,
        cases=len(cases),
        holdout=sum(c.holdout for c in cases),
        tags=dict(Counter(t for c in cases for t in c.tags).most_common()),
        severities=dict(Counter(c.severity or "none given" for c in cases).most_common()),
        checks=dict(Counter(n for c in cases for n in checks_of(c)).most_common()),
        rubrics=tuple(sorted(judged)),
        variants=tuple(suite.file.variants),
        must_pass=sum(c.must for c in cases),
        negatives=negatives,
        references=len(with_reference),
        unchecked=tuple(c.id for c in cases if not checks_of(c) and not suite.rubrics_of(c)),
        notices=suite.notices,
        coverage=coverage,
    )
