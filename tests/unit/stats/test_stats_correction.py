"""The corrected pass rate: right where the raw one misses, open about what it does not know."""

import numpy as np
import pytest

from judgekit.stats.correction import (
    NO_VERDICT,
    Judged,
    double_sampling,
    double_sampling_difference,
    rogan_gladen,
    rogan_gladen_difference,
)
from judgekit.stats.tables import Table
from judgekit.types import Estimate

P, F, U = "PASS", "FAIL", "UNKNOWN"


def limits(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def outputs(counts: dict[str | None, tuple[int, int, int]]) -> Judged:
    """verdict -> (human PASS, human FAIL, not labelled)."""
    verdicts: list[str | None] = []
    human: list[float | None] = []
    for verdict, (good, bad, none) in counts.items():
        verdicts += [verdict] * (good + bad + none)
        human += [1] * good + [0] * bad + [None] * none
    return Judged(verdicts, human)


def test_double_sampling_by_hand() -> None:
    """80% PASS of which 9 in 10 are right, 20% FAIL of which 1 in 5 is in truth a PASS: .8 x .9 + .2 x .2."""
    found = double_sampling(outputs({P: (18, 2, 60), F: (1, 4, 15)}))
    assert found.rate.value == pytest.approx(0.76)
    assert found.rate.n == 25
    low, high = limits(found.rate)
    assert 0.6 < low < 0.76 < high < 0.88
    assert found.gates
    assert found.assumes == ""
    assert [(s.name, s.outputs, s.labelled, s.passed) for s in found.strata] == [(F, 20, 5, 1), (P, 80, 20, 18)]


def test_labels_of_everything_leave_only_the_doubt_about_other_cases() -> None:
    found = double_sampling(outputs({P: (700, 0, 0), F: (0, 300, 0)}))
    low, high = limits(found.rate)
    assert found.rate.value == 0.7
    assert high - low == pytest.approx(2 * 1.96 * (0.21 / 1000) ** 0.5, rel=0.08)


def test_an_empty_stratum_is_named_and_taken_as_anything() -> None:
    found = double_sampling(outputs({P: (20, 0, 60), F: (0, 10, 6), U: (0, 0, 4)}))
    assert found.unlabelled == pytest.approx(0.04)
    assert found.gates
    assert "4% of outputs have verdict UNKNOWN and no label" in found.assumes
    without = double_sampling(outputs({P: (20, 0, 60), F: (0, 10, 6)}))
    assert limits(found.rate)[1] - limits(found.rate)[0] > limits(without.rate)[1] - limits(without.rate)[0]


def test_too_much_without_labels_is_shown_but_does_not_gate() -> None:
    found = double_sampling(outputs({P: (20, 0, 60), F: (0, 10, 0), None: (0, 0, 10)}))
    assert found.unlabelled == pytest.approx(0.1)
    assert not found.gates
    assert NO_VERDICT in found.assumes


@pytest.mark.parametrize("run", [Judged([], []), Judged([P, F], [None, None])])
def test_no_labels_are_undefined(run: Judged) -> None:
    found = double_sampling(run)
    assert found.rate.value is None
    assert found.rate.undefined
    assert not found.gates


@pytest.mark.parametrize(
    "make",
    [
        lambda: Judged([P], []),
        lambda: Judged([P], [1], cases=[]),
        lambda: Judged([P], [2]),
        lambda: Judged([P], [1], probabilities=[None]),
        lambda: Judged([P], [1], probabilities=[0.0]),
    ],
)
def test_columns_that_do_not_fit_are_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r"one of each|human label|probability"):
        make()  # type: ignore[operator]


def test_labels_chosen_within_tags_need_the_tags() -> None:
    """Hard outputs are labelled all, easy ones one in ten: without tags the rate is pulled to the hard ones."""
    verdicts = [P] * 200
    tags = ["hard"] * 50 + ["easy"] * 150
    human: list[float | None] = [0.0 if i % 2 else 1.0 for i in range(50)]
    human += [1.0 if i % 10 == 0 else None for i in range(150)]
    blind, seeing = double_sampling(Judged(verdicts, human)), double_sampling(Judged(verdicts, human, tags=tags))
    assert seeing.rate.value == pytest.approx(0.25 * 0.5 + 0.75)
    assert blind.rate.value == pytest.approx(40 / 65)
    chances = [1.0] * 50 + [0.1] * 150
    weighted = double_sampling(Judged(verdicts, human, probabilities=chances))
    assert weighted.rate.value == pytest.approx(seeing.rate.value)


def test_trials_of_one_case_are_one_piece_of_evidence() -> None:
    verdicts, human = [P, P, F, F] * 25, [1.0, 1.0, 0.0, 0.0] * 25
    cases = [i // 10 for i in range(100)]
    by_row, by_case = (double_sampling(Judged(verdicts, human, c)) for c in (None, [c % 5 for c in cases]))
    assert by_case.rate.value == by_row.rate.value == 0.5
    mixed = Judged([P] * 50 + [F] * 50, [1.0] * 50 + [0.0] * 50, [i // 10 for i in range(100)])
    wide, narrow = limits(double_sampling(mixed).rate), limits(by_row.rate)
    assert wide[1] - wide[0] > 1.8 * (narrow[1] - narrow[0])


def test_whole_cases_can_be_sampled_for_pass_hat_k() -> None:
    """Verdict = judged passes of 3 trials, label = the case's own pass^2, a fraction."""
    found = double_sampling(Judged(["3", "3", "2", "2"], [1.0, None, 1 / 3, None]))
    assert found.rate.value == pytest.approx((1 + 1 / 3) / 2)


def test_rogan_gladen_by_hand() -> None:
    """Judged .80, recalls .9 and .8: (.8 + .8 - 1)/.7 = .857; and the words that it needs."""
    found = rogan_gladen(400, 500, Table.of([[90, 10], [20, 80]], [P, F]))
    assert found.rate.value == pytest.approx(0.6 / 0.7)
    assert "unchanged recalls" in found.assumes
    low, high = limits(found.rate)
    assert 0.7 < low < 0.857 < high < 1


def test_rogan_gladen_stays_in_range() -> None:
    assert rogan_gladen(500, 500, Table.of([[90, 10], [5, 95]], [P, F])).rate.value == 1
    assert rogan_gladen(0, 500, Table.of([[90, 10], [5, 95]], [P, F])).rate.value == 0


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[6, 4], [5, 5]], "add up to 1 or less"),
        ([[10, 2], [0, 0]], "one label only"),
    ],
)
def test_a_judge_that_may_know_nothing_corrects_nothing(table: list[list[int]], why: str) -> None:
    found = rogan_gladen(8, 10, Table.of(table, [P, F]))
    assert found.rate.value is None
    assert why in found.rate.undefined
    assert not found.gates
    assert why in rogan_gladen_difference([0.5, -0.5], Table.of(table, [P, F])).rate.undefined


def test_rogan_gladen_needs_verdicts_and_two_labels() -> None:
    good = Table.of([[90, 10], [20, 80]], [P, F])
    assert rogan_gladen(0, 0, good, missing=5).rate.undefined == "no output was decided"
    assert rogan_gladen_difference([], good).rate.undefined == "no case was decided on both sides"
    with pytest.raises(ValueError, match="PASS and FAIL"):
        rogan_gladen(1, 2, Table.of(np.eye(3) * 5))
    with pytest.raises(ValueError, match="0 <= passed <= decided"):
        rogan_gladen(3, 2, good)


def test_a_difference_with_labels_on_both_sides() -> None:
    base, new = outputs({P: (18, 2, 60), F: (1, 4, 15)}), outputs({P: (20, 0, 60), F: (1, 4, 15)})
    found = double_sampling_difference(base, new)
    assert found.rate.value == pytest.approx(0.84 - 0.76)
    assert found.rate.n == 50
    low, high = limits(found.rate)
    assert low < 0.08 < high


def test_shared_cases_make_the_difference_sharper() -> None:
    """The same hard cases fail on both sides: their difference is known better than either rate."""
    cases = [i // 4 for i in range(200)]
    verdicts = [P if case % 2 else F for case in cases]
    human: list[float | None] = [1.0 if v == P else 0.0 for v in verdicts]
    paired = double_sampling_difference(Judged(verdicts, human, cases), Judged(verdicts, human, cases))
    alone = double_sampling_difference(
        Judged(verdicts, human, cases), Judged(verdicts, human, [f"other {case}" for case in cases])
    )
    width = [limits(found.rate)[1] - limits(found.rate)[0] for found in (paired, alone)]
    assert paired.rate.value == alone.rate.value == 0
    assert width[0] < 0.5 * width[1]


def test_a_difference_without_labels_on_one_side_is_undefined() -> None:
    found = double_sampling_difference(outputs({P: (5, 0, 5)}), outputs({P: (0, 0, 10)}))
    assert found.rate.undefined == "new: no output of this run has a human label"
    assert not found.gates


def test_the_other_difference_says_what_it_assumes_and_never_gates() -> None:
    found = rogan_gladen_difference([0.7] * 10 + [0.0] * 90, Table.of([[90, 10], [20, 80]], [P, F]))
    assert found.rate.value == pytest.approx(0.07 / 0.7)
    assert "equal error rates" in found.assumes
    assert not found.gates
