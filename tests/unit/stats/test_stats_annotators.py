"""Several annotators: the consensus, the ceiling that people set, and the alternative-annotator test."""

import numpy as np
import pytest

from judgekit.stats import draws
from judgekit.stats.agreement import kappa
from judgekit.stats.annotators import alternative_test, ceiling, consensus
from judgekit.stats.tables import count

P, F = "PASS", "FAIL"


def people(n: int, m: int, accuracy: float, seed: int = 0) -> tuple[list[str], dict[str, list[str]]]:
    """A truth, and m annotators who find it with this accuracy."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.6
    seen = [np.where(rng.random(n) < accuracy, truth, ~truth) for _ in range(m)]
    named = {f"a{i}": [P if x else F for x in one] for i, one in enumerate(seen)}
    return [P if x else F for x in truth], named


def test_consensus_is_more_than_half_and_the_rest_is_disputed() -> None:
    columns = {
        "ann": [P, P, P, None, P, None],
        "ben": [P, F, F, None, P, F],
        "cho": [F, P, None, None, P, None],
    }
    assert consensus(columns) == ([P, P, None, None, P, F], 1)


def test_half_of_the_votes_is_no_majority() -> None:
    assert consensus({"a": [P], "b": [P], "c": [F], "d": ["TIE"]}) == ([None], 1)


def test_the_ceiling_is_mean_judge_kappa_less_mean_human_kappa() -> None:
    judge, annotators = people(120, 3, 0.9)
    found = ceiling(judge, annotators)
    names = list(annotators)
    ours = np.mean([kappa(count(judge, annotators[a])).value for a in names])
    theirs = np.mean([kappa(count(annotators[a], annotators[b])).value for a, b in (names[:2], names[1:], names[::2])])
    assert found.judge.value == pytest.approx(ours)
    assert found.people.value == pytest.approx(theirs)
    assert found.difference.value == pytest.approx(ours - theirs)
    assert found.left_out == ()


def test_a_judge_that_guesses_lies_far_under_the_ceiling_and_an_equal_one_does_not() -> None:
    _, annotators = people(150, 3, 0.92)
    rng = np.random.default_rng(9)
    guesses = [P if x else F for x in rng.random(150) < 0.6]
    bad = ceiling(guesses, annotators).difference
    assert bad.high is not None
    assert bad.high < -0.3
    everyone = people(150, 4, 0.92)[1]
    equal = ceiling(everyone.pop("a3"), everyone).difference
    assert equal.low is not None
    assert equal.high is not None
    assert equal.low < 0 < equal.high


@pytest.mark.parametrize(("n", "m", "why"), [(200, 1, "two annotators"), (49, 2, "50 items")])
def test_too_few_annotators_or_items_have_no_ceiling(n: int, m: int, why: str) -> None:
    judge, annotators = people(n, m, 0.9)
    for found in (ceiling(judge, annotators).difference, ceiling(judge, annotators).people):
        assert found.value is None
        assert why in found.undefined


def test_pairs_that_share_too_little_are_left_out_by_name() -> None:
    judge, annotators = people(120, 3, 0.9)
    sparse: dict[str, list[str | None]] = {name: list(labels) for name, labels in annotators.items()}
    sparse["a2"] = [label if i < 5 else None for i, label in enumerate(annotators["a2"])]
    found = ceiling(judge, sparse)
    assert "a0 and a2: 5 items in common, fewer than 10" in found.left_out
    assert len(found.left_out) == 3
    assert found.people.value == pytest.approx(kappa(count(annotators["a0"], annotators["a1"])).value)


def test_items_with_one_human_label_or_no_verdict_take_no_part() -> None:
    """Nobody can agree with themselves: such items would count for the judge and not for the people."""
    judge, annotators = people(60, 2, 0.9)
    more = {
        name: [*labels, *([P, F] * 20 if name == "a0" else [None] * 40), P, F] for name, labels in annotators.items()
    }
    found = ceiling([*judge, *([F, P] * 20), None, None], more)
    assert found.judge.n == 60
    assert found.judge.value == ceiling(judge, annotators).judge.value


def test_annotators_who_all_say_pass_have_no_ceiling() -> None:
    found = ceiling([P] * 30 + [F] * 30, {"a": [P] * 60, "b": [P] * 60})
    assert found.difference.value is None
    assert "can be compared" in found.difference.undefined


def test_many_annotators_stay_affordable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two to the tenth cells and more: the prior is an even sample of them."""
    monkeypatch.setattr(draws, "MIN_DRAWS", 500)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 10)
    judge, annotators = people(80, 11, 0.85)
    assert ceiling(judge, annotators).people.n == 80


def test_the_alternative_test_passes_a_good_judge_and_fails_a_guessing_one() -> None:
    truth, annotators = people(300, 3, 0.9)
    good = alternative_test(truth, annotators, epsilon=0.1)
    assert good.winning_rate == 1
    rng = np.random.default_rng(1)
    bad = alternative_test([P if x else F for x in rng.random(300) < 0.5], annotators, epsilon=0.1)
    assert bad.winning_rate == 0
    assert bad.advantage.value < good.advantage.value  # type: ignore[operator]


def test_the_alternative_test_by_hand() -> None:
    """60 items, everyone says PASS; the judge says FAIL on the first 30: it ties on half of the items and loses there."""
    annotators = {name: [P] * 60 for name in "abc"}
    found = alternative_test([F] * 30 + [P] * 30, annotators, epsilon=0.6)
    assert found.by_annotator == {"a": 0.5, "b": 0.5, "c": 0.5}
    assert found.advantage.value == 0.5
    mean, se = 0.5, float(np.std([1.0] * 30 + [0.0] * 30, ddof=1)) / 60**0.5
    from scipy.stats import t

    assert found.p["a"] == pytest.approx(t.cdf((mean - 0.6) / se, 59))


def test_sure_differences_have_a_sure_p() -> None:
    annotators = {name: [P] * 60 for name in "abc"}
    assert alternative_test([P] * 60, annotators, epsilon=0.1).p == {"a": 0.0, "b": 0.0, "c": 0.0}
    assert alternative_test([F] * 60, annotators, epsilon=0.1).p == {"a": 1.0, "b": 1.0, "c": 1.0}


@pytest.mark.parametrize(("n", "m", "why"), [(100, 2, "three annotators"), (40, 3, "a0 has 40")])
def test_the_alternative_test_needs_three_annotators_and_fifty_items(n: int, m: int, why: str) -> None:
    truth, annotators = people(n, m, 0.9)
    found = alternative_test(truth, annotators, epsilon=0.2)
    assert (found.winning_rate, found.advantage.value) == (None, None)
    assert why in found.advantage.undefined


def test_numbers_are_compared_by_distance() -> None:
    annotators = {name: [float(3 + (i + j) % 2) for i in range(60)] for j, name in enumerate("abc")}
    near = alternative_test([3.5] * 60, annotators, epsilon=0.2, numeric=True)
    far = alternative_test([9.0] * 60, annotators, epsilon=0.2, numeric=True)
    assert near.winning_rate == 1
    assert far.winning_rate == 0
