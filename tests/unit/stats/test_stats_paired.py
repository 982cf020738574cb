"""Paired differences: two questions with two intervals, and tests that say when they cannot decide."""

import math

import pytest
from scipy.stats import binomtest

from judgekit.stats.paired import (
    ExactTest,
    binomial_p,
    holm,
    mcnemar,
    minimum_detectable,
    on_cases_like_these,
    on_these_cases,
    sign_test,
)


def test_on_these_cases_by_hand() -> None:
    """Two cases, T = 4: (1 -> 3) and (4 -> 4); p = 1.5/5, 3.5/5, 4.5/5, 4.5/5."""
    found = on_these_cases([(1, 4), (4, 4)], [(3, 4), (4, 4)])
    spread = math.sqrt((0.3 * 0.7 + 0.7 * 0.3 + 0.9 * 0.1 + 0.9 * 0.1) / 4) / 2
    assert found.value == pytest.approx(0.25)
    assert found.low == pytest.approx(0.25 - 1.959964 * spread, abs=1e-6)
    assert found.high == pytest.approx(0.25 + 1.959964 * spread, abs=1e-6)


def test_the_two_questions_have_two_answers() -> None:
    """Two of 20 cases surely broken: certain on these cases, not yet on cases like these."""
    base, new = [(5, 5)] * 20, [(0, 5)] * 2 + [(5, 5)] * 18
    here, like = on_these_cases(base, new), on_cases_like_these(base, new)
    assert here.value == like.value == pytest.approx(-0.1)
    assert here.high is not None
    assert here.high < 0
    assert like.high is not None
    assert like.high > 0


def test_nothing_changed_is_not_certainty() -> None:
    base = [(5, 5)] * 10
    for found in (on_these_cases(base, base), on_cases_like_these(base, base)):
        assert found.value == 0
        assert found.low is not None
        assert found.high is not None
        assert found.low < -0.01
        assert found.high > 0.01


def test_one_trial_says_nothing_of_the_noise_between_trials() -> None:
    found = on_these_cases([(1, 1)], [(0, 1)])
    assert found.value is None
    assert "one trial per case" in found.undefined


def test_cases_decided_on_one_side_only_are_left_out_and_counted() -> None:
    base, new = [(2, 2), (0, 0), (1, 2)], [(1, 2), (2, 2), (0, 0)]
    for found in (on_these_cases(base, new), on_cases_like_these(base, new)):
        assert (found.value, found.n, found.missing) == (-0.5, 1, 2)


@pytest.mark.parametrize("call", [on_these_cases, on_cases_like_these])
def test_no_shared_case_is_undefined(call: object) -> None:
    found = call([(0, 0)], [(1, 1)])  # type: ignore[operator]
    assert found.value is None
    assert found.undefined == "no case was decided on both sides"
    assert call([], []).value is None  # type: ignore[operator]


def test_unmatched_or_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="only shared cases"):
        on_cases_like_these([(1, 1)], [])
    with pytest.raises(ValueError, match="0 <= passed <= decided"):
        on_cases_like_these([(2, 1)], [(1, 1)])


def test_swapping_the_sides_turns_the_sign() -> None:
    base, new = [(1, 4), (4, 4), (2, 4)], [(3, 4), (4, 4), (0, 4)]
    there, back = on_these_cases(base, new), on_these_cases(new, base)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))  # type: ignore[operator]


def test_the_sign_test_says_when_it_cannot_decide() -> None:
    found = sign_test([0.2] * 5 + [0.0] * 10)
    assert found == ExactTest(None, 5, 0, 10, "5 changed cases cannot decide: it takes 6, all one way")
    assert sign_test([0.2] * 6).p == pytest.approx(2 / 64)
    assert sign_test([-0.1] * 3 + [0.1] * 3).p == 1


def test_a_difference_that_is_not_known_is_never_taken_for_no_change() -> None:
    with pytest.raises(ValueError, match="never passed as NaN"):
        sign_test([0.1, math.nan])


@pytest.mark.parametrize(("ups", "downs"), [(0, 0), (1, 9), (7, 7), (12, 3), (0, 30)])
def test_the_binomial_p_is_scipys(ups: int, downs: int) -> None:
    expected = binomtest(ups, ups + downs).pvalue if ups + downs else 1.0
    assert binomial_p(ups, downs) == pytest.approx(expected)


def test_mcnemar_by_hand_and_undefined_without_a_difference() -> None:
    assert mcnemar(1, 5).p == pytest.approx(2 * 7 / 64)
    assert mcnemar(0, 0).undefined == "the two never differ"
    with pytest.raises(ValueError, match="0 or more"):
        mcnemar(-1, 0)


def test_the_detectable_difference_by_hand() -> None:
    assert minimum_detectable(40, spread=0.3) == pytest.approx((1.959964 + 0.841621) * 0.3 / math.sqrt(40), rel=1e-6)
    # differences 1 and 0 with half a pseudo-case at -1 and at 1: mean 1/3, mean square 2/3
    found = minimum_detectable(100, [1.0, 0.0])
    assert found == pytest.approx((1.959964 + 0.841621) * math.sqrt(2 / 3 - 1 / 9) / 10, rel=1e-6)
    assert minimum_detectable(0, spread=0.3) is None


def test_the_detectable_difference_needs_a_spread_and_a_power() -> None:
    with pytest.raises(ValueError, match="spread is needed"):
        minimum_detectable(10)
    with pytest.raises(ValueError, match="power"):
        minimum_detectable(10, spread=0.3, power=80)


def test_unchanged_cases_do_not_make_every_difference_detectable() -> None:
    assert minimum_detectable(20, [0.0] * 20) > 0.1  # type: ignore[operator]


def test_holm_by_hand_keeps_order_and_leaves_out_the_undefined() -> None:
    """.01 x 3 = .03; .03 x 2 = .06; .04 x 1 = .04, raised to .06."""
    found = holm({"a": 0.04, "b": None, "c": 0.01, "d": 0.03})
    assert list(found) == ["a", "b", "c", "d"]
    assert found["b"] is None
    assert [found["a"], found["c"], found["d"]] == pytest.approx([0.06, 0.03, 0.06])


def test_holm_refuses_what_is_no_p() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm({"a": 1.2})
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}
