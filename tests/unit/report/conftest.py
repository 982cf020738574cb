"""Summaries from a few words: cases with the verdicts of their graders."""

from collections.abc import Callable
from typing import Any

import pytest

from judgekit.report.summary import CaseMark, Summary, summarize
from judgekit.types import Fault, Grade, RunInfo, TrialResult


def grade(
    case: str, grader: str, said: str, *, trial: int = 1, reason: str = "", gating: bool = True, **more: Any
) -> Grade:
    """`said` is a verdict, or `kind.code` of a fault. A grader with a dot is a judge's dimension."""
    name, _, dimension = grader.partition(".")
    judge = {"kind": "judge", "dimension": dimension, "gating": gating, "advisory": "" if gating else "uncertified"}
    own = judge if dimension else {"kind": "code", "gating": True}
    if "." in said:
        kind, _, code = said.partition(".")
        return Grade(case, trial, name, fault=Fault(kind, code, reason or "why not"), **own, **more)
    return Grade(case, trial, name, verdict=said, reason=reason, **own, **more)


@pytest.fixture
def summary_of() -> Callable[..., Summary]:
    """From {case: [grades of trial 1, grades of trial 2, ...]} with outcomes told by trial_outcome."""
    from judgekit.graders.outcome import trial_outcome

    def make(
        cases: dict[str, list[list[Grade]]], *, must: tuple[str, ...] = (), totals: Any = None, **info: Any
    ) -> Summary:
        trials = max((len(t) for t in cases.values()), default=1)
        results = [
            TrialResult(case, number, *trial_outcome(grades, totals=totals), tuple(grades))
            for case, by_trial in cases.items()
            for number, grades in enumerate(by_trial, 1)
        ]
        run = RunInfo(run="r1", suite="shop", variant="v2", trials=trials, **info)
        marks = [CaseMark(case, must_pass=case in must) for case in cases]
        return summarize(run, marks, results, units=len(cases) * trials, totals=totals)

    return make


@pytest.fixture(name="grade")
def _grade() -> Callable[..., Grade]:
    return grade
