"""Columns from two lists, and few draws: these tests are about values and words, not about limits."""

from collections.abc import Callable, Sequence

import pytest

from judgekit.report.agreement.columns import Columns
from judgekit.report.agreement.measure import measure
from judgekit.report.agreement.told import AS_WRITTEN, Told
from judgekit.report.agreement.value import Agreement
from judgekit.stats import draws, prevalence


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MIN_DRAWS", 1_000)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 25)
    monkeypatch.setattr(prevalence, "GRID", 19)


Cells = Sequence[str | None]


@pytest.fixture
def columns() -> Callable[..., Columns]:
    def make(judge: Cells, *humans: Cells, cases: Cells | None = None, groups: Cells | None = None) -> Columns:
        names = ("ann", "ben", "cy")[: len(humans)] if len(humans) > 1 else ("human",)
        lines = range(2, len(judge) + 2)
        return Columns("f.csv", dict(zip(names, humans, strict=True)), "judge", judge, cases, groups, lines)

    return make


@pytest.fixture
def measured(columns: Callable[..., Columns]) -> Callable[..., Agreement]:
    def make(
        human: Cells, judge: Cells, told: Told = AS_WRITTEN, *, weights=None, cases=None, groups=None
    ) -> Agreement:
        return measure(columns(judge, human, cases=cases, groups=groups), told, weights=weights, by_name="topic")

    return make
