"""Kappa moves with the pass rate: known values, and the range within which a judge clears the bar."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from judgekit.stats import prevalence
from judgekit.stats.prevalence import PrevalenceRange, kappa_at, prevalence_range, recalls
from judgekit.stats.tables import Table, count

P, F = "PASS", "FAIL"


@pytest.mark.parametrize(("rate", "value"), [(0.7, 0.81), (0.9, 0.71), (0.95, 0.58), (0.98, 0.38)])
def test_one_judge_has_many_kappas(rate: float, value: float) -> None:
    assert kappa_at(0.95, 0.85, rate) == pytest.approx(value, abs=0.005)


def test_kappa_at_a_rate_is_scikit_learns_on_such_labels() -> None:
    human = [P] * 800 + [F] * 200
    judge = [P] * 720 + [F] * 80 + [P] * 50 + [F] * 150
    assert kappa_at(0.9, 0.75, 0.8) == pytest.approx(cohen_kappa_score(human, judge))


def test_kappa_is_0_where_all_is_pass_and_for_a_coin() -> None:
    assert kappa_at(0.9, 0.9, [0.0, 1.0]) == pytest.approx([0, 0])
    assert kappa_at(0.3, 0.7, 0.4) == pytest.approx(0)
    assert kappa_at(1.0, 0.0, 1.0) == 0


def test_the_range_ends_where_kappa_meets_the_bar() -> None:
    """With so many labels the median is the value itself: solve kappa(.95, .85, p) = .6 by bisection."""
    found = prevalence_range(Table.of([[95_000, 5_000], [15_000, 85_000]], [P, F]), 0.6)

    def solve(low: float, high: float) -> float:
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if (kappa_at(0.95, 0.85, middle) > 0.6) == (low < high) else (low, middle)
        return low

    assert found.at == 0.5
    assert found.high == pytest.approx(solve(0.5, 1.0), abs=0.002)
    assert found.low is not None
    assert kappa_at(0.95, 0.85, found.low) >= 0.599
    assert kappa_at(0.95, 0.85, found.low - 0.002) < 0.6
    assert found.holds(0.7)
    assert not found.holds(0.98)


@pytest.mark.parametrize("bar", [0.0, 0.4, 0.5, 0.6, 0.8])
@pytest.mark.parametrize(
    "cells",
    [
        [[95, 5], [15, 85]],
        [[104, 1], [1, 16]],
        [[39, 0], [1, 10]],
        [[200, 30], [4, 6]],
        [[12, 3], [2, 9]],
        [[5, 40], [60, 7]],
        [[30, 30], [30, 30]],
        [[400, 0], [0, 400]],
    ],
)
def test_bisection_finds_what_a_look_at_every_rate_of_the_grid_finds(
    cells: list[list[int]], bar: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table.of(cells, [P, F])
    of_pass, of_fail = recalls(table, draws=2_000)
    monkeypatch.setattr(prevalence, "recalls", lambda *_a, **_k: (of_pass, of_fail))
    grid = np.arange(1, 1000) / 1000
    clears = grid[[np.median(kappa_at(of_pass, of_fail, rate)) >= bar for rate in grid]]
    found = prevalence_range(table, bar)
    if not len(clears):
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low == pytest.approx(clears[0], abs=1e-3)
        assert found.high == pytest.approx(clears[-1], abs=1e-3)


def test_a_poor_judge_clears_the_bar_nowhere() -> None:
    found = prevalence_range(Table.of([[60, 40], [40, 60]], [P, F]), 0.5)
    assert found == PrevalenceRange(at=0.5)
    assert not found.holds(0.5)


def test_one_human_label_gives_no_range() -> None:
    assert "one label only" in prevalence_range(Table.of([[9, 1], [0, 0]], [P, F]), 0.5).undefined
    with pytest.raises(ValueError, match="PASS and FAIL"):
        prevalence_range(Table.of(np.eye(3) * 4), 0.5)


def test_recall_draws_are_betas() -> None:
    of_pass, of_fail = recalls(Table.of([[18, 2], [3, 7]], [P, F]), draws=100_000)
    rng = np.random.default_rng(2)
    for mine, (a, b) in ((of_pass, (18.5, 2.5)), (of_fail, (7.5, 3.5))):
        expected = np.quantile(rng.beta(a, b, 400_000), [0.05, 0.5, 0.95])
        assert np.quantile(mine, [0.05, 0.5, 0.95]) == pytest.approx(expected, abs=0.005)


def test_recalls_of_cases_are_wider_than_of_rows() -> None:
    human, judge = [P] * 50 + [F] * 50, ([P] * 5 + [F] * 5) * 10
    by_case, by_row = (
        recalls(count(human, judge, labels=(P, F), cases=cases)) for cases in ([i // 5 for i in range(100)], None)
    )
    assert by_case[0].std() > 1.5 * by_row[0].std()
