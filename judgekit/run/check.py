"""What `judgekit check` finds out without sending anything: does it all load, what is covered, can it be solved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from judgekit.data.coverage import Coverage, Gap, count, coverage, load_traffic
from judgekit.data.idlock import update_lock
from judgekit.errors import InputError, Problem
from judgekit.graders.code import checks_of, code_grades
from judgekit.graders.target import load_target
from judgekit.located import read_text
from judgekit.run.answers import load_function
from judgekit.run.called import importable
from judgekit.run.loaded import Suite, from_here, load_suite, lock_path, shown_path
from judgekit.run.plan import make_plan
from judgekit.suite import AtLeast
from judgekit.types import Case, Frozen, Grade, Json, Output


class IntentGap(Frozen, frozen=True):
    """One intent: shares of the cases and of live traffic in [0, 1], and their difference."""

    intent: str
    cases: int
    traffic: int
    case_share: float
    traffic_share: float
    gap: float


class Checked(Frozen, frozen=True):
    """What a suite holds.

    checks          how many cases have each code check
    negative_share  share of the cases in which the right answer is to give none, None without cases
    references      cases whose reference passed their own code checks (one that fails is an error)
    ungraded        cases that nothing grades: neither a code check nor a rubric
    coverage        by intent, in the order of the traffic file; empty without one
    uncovered       intents with traffic and without a case
    """

    suite: str
    cases: int
    holdout: int
    must_pass: int
    negatives: int
    negative_share: float | None
    tags: dict[str, int]
    categories: dict[str, int]
    intents: dict[str, int]
    severities: dict[str, int]
    checks: dict[str, int]
    rubrics: dict[str, int]
    variants: tuple[str, ...]
    references: int
    ungraded: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    coverage: tuple[IntentGap, ...] = ()
    uncovered: tuple[str, ...] = ()
    without_intent: int = 0
    locked: str = ""


def check_suite(path: Path, *, traffic: Path | None = None, lock: bool = False) -> Checked:
    """Load a suite and everything that a run of any of its variants would need.

    traffic   live counts per intent; else the suite's own `traffic:`, if it names one
    lock      write `ids.lock` beside the cases
    Raises `InputError` with every problem.
    """
    suite = load_suite(path)
    problems = problems_of_suite(suite)
    covered = None
    try:
        covered = _coverage(suite, traffic)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError([from_here(p, suite.folder) for p in problems])
    locked = _lock(suite) if lock else ""
    return describe(load_suite(path) if locked else suite, covered, locked)


def _coverage(suite: Suite, traffic: Path | None) -> Coverage | None:
    if traffic is None and suite.file.traffic is None:
        return None
    path = traffic or suite.folder / str(suite.file.traffic)
    return coverage(suite.cases, load_traffic(path, name=shown_path(path)))


def _lock(suite: Suite) -> str:
    path = lock_path(suite)
    before = read_text(path) if path.is_file() else None
    text = update_lock(before, suite.cases, file=shown_path(path))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            Problem(shown_path(path), None, f"cannot be written: {(error.strerror or '').lower()}")
        ) from None
    return shown_path(path)


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
    broken = set()
    importable(suite.folder)
    for target in sorted({c.expected.python for c in suite.cases if c.expected.python}):
        try:
            load_target(target)
        except InputError as error:
            broken.add(target)
            where = next(c.id for c in suite.cases if c.expected.python == target)
            problems += [suite.cases.problem(where, p.what) for p in error.problems]
    for case in suite.cases:
        if case.expected.python not in broken:
            problems += _reference_problems(suite, case)
        problems += _unreachable(suite, case)
    return problems


def _unreachable(suite: Suite, case: Case) -> list[Problem]:
    """A pass rule that asks for more passing trials than there are trials."""
    rule = case.pass_when or suite.file.pass_when
    wanted = rule.at_least if isinstance(rule, AtLeast) else rule["at_least"] if isinstance(rule, dict) else 0
    if wanted <= suite.file.trials or "trials" not in suite.file.model_fields_set:
        return []
    what = f"case {case.id!r} wants {wanted} passing trials, but the suite runs {suite.file.trials}"
    return [suite.cases.problem(case.id, what)]


def _reference_problems(suite: Suite, case: Case) -> list[Problem]:
    """A reference that does not pass its own case's checks: either the case or the reference is wrong."""
    return [
        suite.cases.problem(case.id, f"the reference of case {case.id!r} fails its own check {g.name}: {g.reason}")
        for g in _graded_reference(case)
        if g.verdict == "FAIL"
    ]


def _graded_reference(case: Case) -> Sequence[Grade]:
    if case.reference is None or not checks_of(case):
        return ()
    call = load_target(case.expected.python) if case.expected.python else None
    return code_grades(case, Output(id=case.id, output=case.reference), call=call)


def describe(suite: Suite, covered: Coverage | None, locked: str) -> Checked:
    """Count what a suite holds."""
    cases = suite.cases.cases
    counts = count(cases)
    return Checked(
        suite=suite.file.suite,
        cases=counts.cases,
        holdout=counts.holdout,
        must_pass=counts.must,
        negatives=counts.negatives,
        negative_share=counts.negative_share,
        tags=counts.tags,
        categories=counts.categories,
        intents=counts.intents,
        severities={name or "none given": n for name, n in counts.severities.items()},
        checks=dict(Counter(name for c in cases for name in checks_of(c)).most_common()),
        rubrics=dict(Counter(r.id for c in cases for r in suite.rubrics_of(c)).most_common()),
        variants=tuple(suite.file.variants),
        references=sum(any(g.verdict for g in _graded_reference(c)) for c in cases),
        ungraded=tuple(c.id for c in cases if not checks_of(c) and not suite.rubrics_of(c)),
        notices=suite.notices,
        coverage=tuple(map(_gap, covered.gaps)) if covered else (),
        uncovered=covered.uncovered if covered else (),
        without_intent=covered.untagged if covered else 0,
        locked=locked,
    )


def _gap(gap: Gap) -> IntentGap:
    return IntentGap(gap.intent, gap.cases, gap.traffic, gap.case_share, gap.traffic_share, gap.gap)


def checked_document(checked: Checked) -> dict[str, Json]:
    """What `check --json` prints: every field, empty ones too."""
    return {name: getattr(checked, name) for name in Checked.__struct_fields__}
