"""Kappa and its kin: the undefined case is a reason, the rubber stamp is 0, and the interval is honest."""

import itertools
import math
from typing import Literal

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from judgekit.stats import draws
from judgekit.stats.agreement import (
    agreement,
    chance_above,
    chance_below,
    kappa,
    kappa_asymptotic,
    kappas,
    matthews,
    one_verdict,
    predictive_value,
    recall,
    weighted_kappa,
    worst_case,
)
from judgekit.stats.intervals import posterior_values, priors
from judgekit.stats.tables import Table, count
from judgekit.types import Estimate

P, F, U = "PASS", "FAIL", "UNKNOWN"


def limits(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def rows(counts: list[list[int]]) -> tuple[list[str], list[str]]:
    pairs = [(str(i), str(j)) for i, row in enumerate(counts) for j, cell in enumerate(row) for _ in range(cell)]
    return [h for h, _ in pairs], [j for _, j in pairs]


# ── the undefined and the constant ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [1, 5])
def test_one_label_on_both_sides_is_undefined_though_they_agree(n: int) -> None:
    table = count([P] * n, [P] * n, labels=(P, F, U))
    found = kappa(table)
    assert (found.value, found.low, found.high, found.n) == (None, None, None, n)
    assert "people used one label only (PASS)" in found.undefined
    assert agreement(table).value == 1


def test_people_with_one_label_leave_kappa_undefined_whatever_the_judge_said() -> None:
    found = kappa(Table.of([[8, 2], [0, 0]]))
    assert found.value is None
    assert kappa_asymptotic(Table.of([[8, 2], [0, 0]])).value is None


def test_a_rubber_stamp_has_kappa_0_and_high_agreement() -> None:
    table = count([P] * 9 + [F], [P] * 10, labels=(P, F))
    assert kappa(table).value == 0
    assert agreement(table).value == 0.9
    assert one_verdict(table) == P
    assert one_verdict(Table.of([[1, 1], [0, 1]])) is None


@pytest.mark.parametrize(("good", "bad", "low", "high"), [(35, 15, -0.05, 0.14), (95, 5, -0.02, 0.42)])
def test_the_interval_of_a_rubber_stamp(good: int, bad: int, low: float, high: float) -> None:
    """Independent draws of the same posterior gave these limits when the method was chosen."""
    assert limits(kappa(Table.of([[good, 0], [bad, 0]]))) == pytest.approx((low, high), abs=0.02)


def test_no_pairs_are_undefined() -> None:
    table = count([P, None], [None, P], labels=(P, F))
    for found in (kappa(table), kappa_asymptotic(table), matthews(table), agreement(table)):
        assert found.value is None
        assert found.undefined == "no pair of labels"
        assert found.missing == 2


# ── known values ─────────────────────────────────────────────────────────────────────────────────────────


def test_kappa_of_a_skewed_table_by_hand() -> None:
    """po = 41/50, pe = (45 x 36 + 5 x 14)/2500 = .676, kappa = .144/.324."""
    found = kappa(Table.of([[36, 9], [0, 5]], [P, F]))
    assert found.value == pytest.approx(4 / 9)
    low, high = limits(found)
    assert 0.1 < low < 0.3
    assert 0.6 < high < 0.75


def test_negative_kappa_keeps_its_sign() -> None:
    x, y = [0, 3, 2, 4, 0, 2, 0, 4, 3, 0, 2], [2, 1, 3, 2, 3, 4, 2, 1, 4, 3, 1]
    found = kappa(count([str(a) for a in x], [str(b) for b in y]))
    assert found.value == pytest.approx(-0.1863, abs=5e-5)


def test_decided_pairs_all_labels_coverage_and_worst_case() -> None:
    table = count([P, P, F, F, P, F], [P, U, F, P, P, U], labels=(P, F, U))
    decided = table.without(U)
    assert kappa(decided).value == pytest.approx(0.5)
    assert kappa(table).value == pytest.approx(0.25)
    assert decided.n / (decided.n + decided.missing) == pytest.approx(0.67, abs=0.005)
    # the human PASS that was not decided counts as FAIL, the human FAIL as PASS: [[2, 1], [2, 1]] has kappa 0
    assert worst_case(table).counts.tolist() == [[2, 1], [2, 1]]
    assert kappa(worst_case(table)).value == pytest.approx(0, abs=1e-12)


def test_the_worst_case_counts_missing_verdicts_and_never_gains() -> None:
    table = count([P, P, F, F], [P, None, F, U], labels=(P, F, U))
    worst = worst_case(table)
    assert worst.n == 4
    assert worst.counts.tolist() == [[1, 1], [1, 1]]
    cased = count([P, P, F, F], [P, None, F, U], labels=(P, F, U), cases=["a", "a", "b", "b"])
    assert worst_case(cased).counts.tolist() == [[1, 1], [1, 1]]


def test_the_worst_case_of_three_labels_spreads_what_is_wrong() -> None:
    worst = worst_case(count(["a", "a", "b", "c"], ["a", None, None, "c"], labels=("a", "b", "c")))
    assert worst.counts.tolist() == [[1, 0.5, 0.5], [0.5, 0, 0.5], [0, 0, 1]]
    assert (worst.n, worst.missing, worst.cases) == (4, 0, 4)
    assert kappa(worst).value == pytest.approx((0.5 - 5.5 / 16) / (1 - 5.5 / 16))


def test_weights_follow_values_not_positions() -> None:
    table = count(list("112551"), list("122151"))
    assert weighted_kappa(table, "quadratic").value == pytest.approx(0.4848, abs=5e-5)


def test_words_need_a_declared_order() -> None:
    human, judge = ["low", "medium", "high", "high"], ["low", "high", "high", "medium"]
    table = count(human, judge, labels=("low", "medium", "high"))
    assert weighted_kappa(table, "quadratic", values=[0, 1, 2]).value == pytest.approx(0.6364, abs=5e-5)
    with pytest.raises(ValueError, match="words"):
        weighted_kappa(table, "quadratic")


@pytest.mark.parametrize("values", [[0, 1], [0, 1, 1], [0, 1, math.nan]])
def test_values_must_be_one_different_number_per_label(values: list[float]) -> None:
    with pytest.raises(ValueError, match="different numbers"):
        weighted_kappa(Table.of(np.eye(3) * 4), "linear", values=values)


def test_unknown_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="'linear' or 'quadratic'"):
        weighted_kappa(Table.of(np.eye(2) * 4), "cubic")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_scikit_learn_gets_the_same_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    counts = (rng.integers(0, 12, (k, k)) + np.eye(k, dtype=int)).tolist()
    human, judge = rows(counts)
    table = Table.of(counts)
    assert kappa(table).value == pytest.approx(cohen_kappa_score(human, judge), abs=1e-12)
    assert matthews(table).value == pytest.approx(matthews_corrcoef(human, judge), abs=1e-12)
    for weights in ("linear", "quadratic"):
        expected = cohen_kappa_score([int(h) for h in human], [int(j) for j in judge], weights=weights)
        assert weighted_kappa(table, weights).value == pytest.approx(expected, abs=1e-12)


def test_a_stack_of_tables_gives_each_its_own_kappa() -> None:
    tables = np.array([[[20, 5], [10, 15]], [[5, 0], [0, 5]], [[5, 5], [5, 5]]], dtype=float)
    assert kappas(tables) == pytest.approx([0.4, 1.0, 0.0])
    assert np.isnan(kappas(np.array([[[5.0, 0.0], [0.0, 0.0]]]))).all()


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_the_asymptotic_error_is_the_delta_method(weights: Literal["linear", "quadratic"] | None) -> None:
    """Numerical slopes of kappa along each cell, put into the variance of a multinomial."""
    counts = np.array([[75.0, 1, 4], [5, 4, 1], [0, 0, 10]])
    apart = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    cost = {None: apart > 0, "linear": apart, "quadratic": apart**2}[weights].astype(float)

    def value(p: np.ndarray) -> float:
        return 1 - float((p * cost).sum() * p.sum() / (np.outer(p.sum(axis=1), p.sum(axis=0)) * cost).sum())

    p, step = counts / 100, 1e-6
    slopes = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        nudge = np.zeros((3, 3))
        nudge[i, j] = step
        slopes[i, j] = (value(p + nudge) - value(p - nudge)) / (2 * step)
    variance = ((p * slopes**2).sum() - (p * slopes).sum() ** 2) / 100
    found = kappa_asymptotic(Table.of(counts), weights=weights)
    assert found.value == pytest.approx(value(p))
    assert found.se == pytest.approx(math.sqrt(variance), rel=1e-5)
    if weights is None:
        assert found.value == pytest.approx(0.23 / 0.34)  # po = .89, pe = .8 x .8 + .1 x .05 + .1 x .15 = .66


def test_the_asymptotic_interval_collapses_where_ours_does_not() -> None:
    table = Table.of([[20, 0], [0, 10]])
    assert limits(kappa_asymptotic(table)) == (1, 1)
    low, high = limits(kappa(table))
    assert 0.75 < low < 0.9
    assert high == 1


# ── the posterior ────────────────────────────────────────────────────────────────────────────────────────


def test_limits_are_quantiles_of_dirichlet_posteriors() -> None:
    """Both priors drawn independently here, straight from numpy's own Dirichlet."""
    counts, k = np.array([[20, 3, 1], [2, 8, 0], [1, 1, 6]]), 3
    rng = np.random.default_rng(5)
    even = rng.dirichlet(counts.ravel() + 1 / 9, 200_000).reshape(-1, k, k)
    split = rng.dirichlet(counts.ravel() + np.where(np.eye(k, dtype=bool), 1 / 6, 1 / 12).ravel(), 200_000)
    low, high = limits(kappa(Table.of(counts)))
    assert low == pytest.approx(np.quantile(kappas(even), 0.025), abs=0.008)
    assert high == pytest.approx(np.quantile(kappas(split.reshape(-1, k, k)), 0.975), abs=0.008)


def test_the_chance_of_clearing_a_bar_agrees_with_the_limit() -> None:
    table = Table.of([[30, 3], [2, 15]])
    low, high = limits(kappa(table))
    assert chance_below(table, low) == pytest.approx(0.025, abs=1e-4)
    assert chance_above(table, high) == pytest.approx(0.025, abs=1e-4)
    with pytest.raises(ValueError, match="undefined"):
        chance_below(Table.of([[5, 1], [0, 0]]), 0.5)
    with pytest.raises(ValueError, match="undefined"):
        chance_above(Table.of([[5, 1], [0, 0]]), 0.5)


def test_a_declared_label_that_nobody_used_moves_no_number() -> None:
    two, three = Table.of([[20, 3], [2, 9]]), Table.of([[20, 3, 0], [2, 9, 0], [0, 0, 0]])
    assert kappa(two) == kappa(three)


def test_far_tails_get_more_draws() -> None:
    lower, upper = posterior_values(Table.of([[20, 3], [2, 9]]), kappas, level=1 - 2 * 0.0025)
    assert len(lower) == len(upper) == 160_000


@pytest.mark.parametrize("k", [2, 3, 5, 33, 60])
def test_each_prior_weighs_one_case_and_the_second_half_on_agreement(k: int) -> None:
    lower, upper = (prior.reshape(k, k) for prior in priors(k, np.random.default_rng(0)))
    assert lower.sum() == pytest.approx(1)
    assert upper.sum() == pytest.approx(1)
    assert np.trace(lower) == pytest.approx(1 / k)
    assert np.trace(upper) == pytest.approx(1 / 2)


def test_a_hundred_labels_have_an_interval_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MIN_DRAWS", 500)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 10)
    rng = np.random.default_rng(1)
    human = rng.integers(0, 100, 400)
    judge = np.clip(human + rng.integers(-5, 6, 400), 0, 99)
    table = count([str(h) for h in human], [str(j) for j in judge])
    low, high = limits(weighted_kappa(table, "quadratic"))
    assert 0.9 < low < high < 1


def test_a_table_of_one_label_has_no_posterior() -> None:
    with pytest.raises(ValueError, match="fewer than two labels"):
        posterior_values(Table.of([[5]]), kappas)


def test_trials_of_one_case_are_not_independent_evidence() -> None:
    human, judge = [P, P, F, F, P, F] * 5, [P, P, F, F, F, F] * 5
    once = kappa(count(human[:6], judge[:6]))
    cased = kappa(count(human, judge, cases=list(range(6)) * 5))
    as_rows = kappa(count(human, judge))
    width = [limits(found)[1] - limits(found)[0] for found in (once, cased, as_rows)]
    assert width[1] == pytest.approx(width[0], abs=0.03)
    assert width[2] < 0.7 * width[1]


def test_a_case_of_ten_rows_weighs_ten_times_but_counts_once() -> None:
    table = count([P] * 10 + [F, P], [P] * 10 + [F, F], cases=[0] * 10 + [1, 2])
    assert (table.n, table.cases) == (12, 3)
    assert kappa(table).value == kappa(count([P] * 10 + [F, P], [P] * 10 + [F, F])).value
    low, high = limits(kappa(table))
    assert high - low > 0.8


def test_equal_weights_change_nothing_and_unequal_ones_move_kappa() -> None:
    human, judge = [P, P, P, F, F, F] * 4, [P, P, F, F, F, P] * 4
    plain, doubled = count(human, judge), count(human, judge, weights=[2.0] * 24)
    assert kappa(doubled).value == pytest.approx(kappa(plain).value)
    assert limits(kappa(doubled)) == pytest.approx(limits(kappa(plain)), abs=0.02)
    heavy = count(human, judge, weights=[9.0 if h != j else 1.0 for h, j in zip(human, judge, strict=True)])
    assert kappa(heavy).value < kappa(plain).value  # type: ignore[operator]


# ── recalls and predictive values ────────────────────────────────────────────────────────────────────────


def test_recalls_and_predictive_values_by_hand() -> None:
    table = Table.of([[36, 9], [1, 4]], [P, F])
    assert recall(table, P).value == pytest.approx(36 / 45)
    assert recall(table, F).value == pytest.approx(4 / 5)
    assert predictive_value(table, P).value == pytest.approx(36 / 37)
    assert predictive_value(table, F).value == pytest.approx(4 / 13)
    assert recall(table, F).n == 5


def test_recall_limits_are_those_of_a_beta() -> None:
    found = recall(Table.of([[36, 9], [1, 4]], [P, F]), F, level=0.90)
    drawn = np.random.default_rng(4).beta(4.5, 1.5, 2_000_000)
    assert limits(found) == pytest.approx(tuple(np.quantile(drawn, [0.05, 0.95])), abs=1e-3)


def test_recall_of_a_label_that_people_never_used_is_undefined() -> None:
    table = Table.of([[5, 1], [0, 0]], [P, F])
    assert recall(table, F).undefined == "people never said FAIL"
    assert predictive_value(Table.of([[5, 0], [1, 0]], [P, F]), F).undefined == "the judge never said FAIL"


def test_recall_over_cases_is_wider_than_over_rows() -> None:
    human, judge, case = [F] * 20, ([F] * 5 + [P] * 5) * 2, [i // 5 for i in range(20)]
    by_case, by_row = recall(count(human, judge, cases=case), F), recall(count(human, judge), F)
    assert by_case.value == by_row.value == 0.5
    assert limits(by_case)[0] < limits(by_row)[0]
    assert limits(by_case)[1] > limits(by_row)[1]


def test_matthews_needs_two_labels_of_the_judge_too() -> None:
    assert "the judge used one label only (PASS)" in matthews(Table.of([[9, 0], [1, 0]], [P, F])).undefined


def test_every_small_table_has_a_value_or_a_reason() -> None:
    for cells in itertools.product(range(3), repeat=4):
        table = Table.of(np.reshape(cells, (2, 2)), [P, F])
        for found in (kappa(table), matthews(table), agreement(table), recall(table, P), predictive_value(table, F)):
            if found.undefined:
                assert (found.value, found.low, found.high) == (None, None, None)
            else:
                low, high = limits(found)
                assert found.value is not None
                assert -1 <= low <= found.value <= high <= 1
