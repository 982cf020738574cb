"""Rates: exact where they can be, open where nothing is known, never a silent 0 or 1."""

import math

import numpy as np
import pytest

from judgekit.stats.counts import case_rate, wilson
from judgekit.stats.rates import (
    case_mean,
    clustered_rate,
    pass_at_k,
    pass_hat_k,
    suite_pass_at_k,
    suite_pass_hat_k,
    suite_rate,
    t_mean,
)
from judgekit.types import Estimate


def limits(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def beta_quantiles(a: float, b: float, *q: float) -> list[float]:
    """By adding up the density on a fine grid in sin^2, which tames its poles at 0 and 1."""
    angle = (np.arange(2_000_000) + 0.5) * (math.pi / 2) / 2_000_000
    log = (2 * a - 1) * np.log(np.sin(angle)) + (2 * b - 1) * np.log(np.cos(angle))
    cumulative = np.cumsum(np.exp(log - log.max()))
    return [float(np.sin(angle[np.searchsorted(cumulative, share * cumulative[-1])]) ** 2) for share in q]


def test_case_rate_is_the_jeffreys_interval() -> None:
    found = case_rate(6, 8)
    assert found.value == 0.75
    assert limits(found) == pytest.approx(beta_quantiles(6.5, 2.5, 0.025, 0.975), abs=1e-5)


def test_case_rate_reaches_the_end_where_all_cases_agree() -> None:
    assert limits(case_rate(0, 8)) == pytest.approx([0, *beta_quantiles(0.5, 8.5, 0.975)], abs=1e-5)
    assert limits(case_rate(8, 8)) == pytest.approx([*beta_quantiles(8.5, 0.5, 0.025), 1], abs=1e-5)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (case_rate(0, 0, missing=3), "no case was decided"),
        (wilson(0, 0), "no trial was decided"),
        (case_mean([]), "no case has a value"),
        (suite_rate([(0, 0), (0, 0)]), "no case has a value"),
        (clustered_rate([]), "a standard error over cases needs two of them, there are 0"),
        (t_mean([0.5]), "a standard error needs two cases, there are 1"),
    ],
)
def test_nothing_counted_is_undefined_with_a_reason(found: Estimate, why: str) -> None:
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.undefined == why


def test_missing_cases_are_told_and_count_neither_way() -> None:
    assert case_rate(3, 4, missing=96).value == 0.75
    assert case_rate(3, 4, missing=96).missing == 96
    assert case_rate(0, 0, missing=3).missing == 3


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [(0, 25, 0.0, 0.133), (0, 5000, 0.0, 0.0008), (17, 19, 0.686, 0.971), (18, 19, 0.754, 0.991)],
)
def test_wilson_knows_the_edge_and_small_samples(passed: int, n: int, low: float, high: float) -> None:
    assert limits(wilson(passed, n)) == pytest.approx((low, high), abs=0.0005)


@pytest.mark.parametrize("call", [case_rate, wilson])
def test_impossible_counts_are_refused(call: object) -> None:
    with pytest.raises(ValueError, match="0 <= passed <= n"):
        call(3, 2)  # type: ignore[operator]


def test_a_level_outside_of_0_and_1_is_refused() -> None:
    with pytest.raises(ValueError, match="confidence level"):
        case_rate(1, 2, level=95)


def test_case_mean_of_zeros_and_ones_is_case_rate() -> None:
    assert limits(case_mean([1, 1, 0, 1])) == limits(case_rate(3, 4))


def test_case_mean_draws_match_the_exact_posterior() -> None:
    """One case at 0.5 among ones: with a Beta in hand for the rest, the limits follow from its own draws."""
    rng = np.random.default_rng(7)
    weights = rng.gamma([5.0, 1.0, 0.5, 0.5], size=(400_000, 4))
    exact = np.quantile(weights @ [1, 0.5, 0, 1] / weights.sum(axis=1), [0.025, 0.975])
    assert limits(case_mean([1, 1, 1, 1, 1, 0.5])) == pytest.approx(tuple(exact), abs=0.01)


def test_unchanged_cases_leave_doubt_on_both_sides() -> None:
    low, high = limits(case_mean([0.0] * 12, ends=(-1, 1)))
    assert -0.3 < low < -0.1
    assert 0.1 < high < 0.3


def test_the_same_numbers_print_the_same_interval_and_another_seed_moves_it_little() -> None:
    values = [0.2, 0.4, 0.4, 1.0, 0.0]
    assert case_mean(values) == case_mean(values)
    assert limits(case_mean(values)) == pytest.approx(limits(case_mean(values, seed=1)), abs=0.02)


def test_many_distinct_values_are_grouped_without_moving_the_limits() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(9000)
    found = case_mean(values)
    half = 1.959964 * values.std() / math.sqrt(len(values))
    assert found.value == pytest.approx(values.mean())
    assert limits(found) == pytest.approx((values.mean() - half, values.mean() + half), abs=3e-4)


@pytest.mark.parametrize("values", [[math.nan], [math.inf], [1.1], [-0.1]])
def test_values_that_are_no_share_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"missing value|outside of"):
        case_mean(values)


def test_pass_at_k_by_hand() -> None:
    assert pass_at_k(2, 5, 3).value == pytest.approx(0.9)  # 1 - C(3,3)/C(5,3) = 1 - 1/10
    assert pass_at_k(1, 200, 1).value == pytest.approx(0.005)
    assert pass_at_k(0, 5, 3).value == 0
    assert pass_at_k(5, 5, 3).value == 1


def test_pass_hat_k_by_hand() -> None:
    assert pass_hat_k(3, 5, 2).value == pytest.approx(0.3)  # C(3,2)/C(5,2)
    assert pass_hat_k(4, 5, 5).value == 0
    assert pass_hat_k(5, 5, 5).value == 1


@pytest.mark.parametrize("call", [pass_at_k, pass_hat_k])
def test_more_trials_than_were_decided_is_undefined_not_0_or_1(call: object) -> None:
    found = call(0, 2, 5)  # type: ignore[operator]
    assert found.value is None
    assert found.undefined == "k = 5 is more than the 2 decided trials"


@pytest.mark.parametrize("call", [pass_at_k, pass_hat_k])
def test_k_counts_from_1(call: object) -> None:
    with pytest.raises(ValueError, match="from 1"):
        call(1, 2, 0)  # type: ignore[operator]


def test_one_trial_gives_pass_at_1_and_no_pass_at_10() -> None:
    """164 problems with one trial each are 164 cases, not 164 samples of one."""
    trials = [(1, 1)] * 50 + [(0, 1)] * 114
    assert suite_pass_at_k(trials, 1).value == pytest.approx(50 / 164)
    ten = suite_pass_at_k(trials, 10)
    assert (ten.value, ten.n, ten.missing) == (None, 0, 164)


def test_suite_pass_hat_k_leaves_out_and_counts_cases_with_too_few_trials() -> None:
    found = suite_pass_hat_k([(3, 3), (2, 3), (1, 1), (0, 0)], 3)
    assert (found.value, found.n, found.missing) == (0.5, 2, 2)


def test_suite_rate_counts_every_case_once() -> None:
    found = suite_rate([(10, 10), (0, 1), (0, 0)])
    assert (found.value, found.n, found.missing) == (0.5, 2, 1)


def test_clustered_standard_error_by_hand() -> None:
    """Cases 1/2 and 3/3: mean .8, residual sums -.6 and .6, so se = sqrt(.72)/5."""
    found = clustered_rate([(1, 2), (3, 3)])
    assert found.value == pytest.approx(0.8)
    assert found.se == pytest.approx(math.sqrt(0.72) / 5)


def test_standard_error_of_two_scores() -> None:
    found = t_mean([0.25, 0.75])
    assert found.se == pytest.approx(0.25)
    assert limits(found) == pytest.approx((0.5 - 12.7062 * 0.25, 0.5 + 12.7062 * 0.25), abs=1e-3)
