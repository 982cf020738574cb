import pytest

from judgekit.stats.preference import Pair
from judgekit.stats.steadiness import steadiness

A, B, T = "A", "B", "TIE"


def test_a_judge_that_follows_the_position_is_steady_and_not_consistent():
    pairs = [Pair(str(i), A, B) for i in range(20) for _ in range(3)]
    found = steadiness(pairs, [p.case for p in pairs])
    assert found.repetition.value == 1
    assert found.position.value == 0
    assert found.fairness.value == 1
    assert found.drift.value == 1
    assert found.drift.low > 0


def test_a_noisy_judge_is_no_steadier_within_an_order_than_across():
    # every order gives A, A, B: two repeats agree in 1 of 3 pairs; across orders 5 of 9 agree
    pairs = [Pair(str(i), x, y) for i in range(30) for x, y in zip((A, A, B), (B, A, A), strict=True)]
    found = steadiness(pairs, [p.case for p in pairs])
    assert found.repetition.value == pytest.approx(1 / 3)
    assert found.position.value == pytest.approx(5 / 9)
    assert found.drift.value == pytest.approx(1 / 3 - 5 / 9)
    assert found.fairness.value == pytest.approx(0)


def test_one_look_in_each_order_cannot_tell_noise():
    found = steadiness([Pair("1", A, A), Pair("2", A, B)], ["1", "2"])
    assert found.repetition.value is None
    assert "use repeats" in found.repetition.undefined
    assert found.drift.value is None
    assert found.position.value == 0.5
    assert found.fairness.value == 0.5


def test_missing_verdicts_take_no_part():
    found = steadiness([Pair("1", A, None), Pair("1", A, A), Pair("1", None, A)], ["1", "1", "1"])
    assert found.repetition.value == 1
    assert found.position.value == 1
    assert steadiness([], []).fairness.value is None
