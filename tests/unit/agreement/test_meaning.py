"""What an agreement says in words."""

import pytest

from judgekit.report.agreement.meaning import rate, sentence, warnings
from judgekit.report.agreement.measure import measure
from judgekit.report.agreement.told import AS_WRITTEN, Told
from judgekit.types import Estimate

P, F, U = "PASS", "FAIL", "UNKNOWN"


def test_a_good_judge_in_one_sentence(measured):
    said = sentence(measured([P] * 48 + [F] * 12, [P] * 45 + [F] * 3 + [F] * 8 + [P] * 4))
    assert said.startswith("The judge agrees with people beyond chance: kappa 0.62 [")
    assert said.endswith("over 60 pairs; it misses 4 of 12 FAILs and fails 3 of 48 PASSes.")


def test_a_weak_judge_is_not_praised(measured):
    human, judge = [P, F] * 300, ([P, F] * 3 + [F, P] * 2) * 60
    assert sentence(measured(human, judge)).startswith("The judge agrees with people, but only weakly beyond chance")


def test_a_judge_like_chance_is_said_to_be_undecided(measured):
    said = sentence(measured([P, P, F, F] * 10, [P, F] * 20))
    assert said.startswith("It cannot be told from these labels whether the judge does better than chance: kappa 0.00")


def test_swapped_labels_are_suspected(measured):
    assert "perhaps its labels are swapped" in sentence(measured([P, F] * 30, [F, P] * 30))


def test_a_rubber_stamp_is_named(measured):
    said = sentence(measured([P] * 9 + [F], [P] * 10))
    assert said.startswith("The judge says PASS every time, so it tells nothing: kappa 0.00")
    assert said.endswith("the same label in 9 of 10 pairs.")


def test_one_human_label_is_the_reason(measured):
    said = sentence(measured([P] * 5, [P] * 5))
    assert "people used one label only (PASS)" in said
    assert "the same label in 5 of 5 pairs" in said


@pytest.mark.parametrize(
    ("human", "judge", "why"),
    [
        ([], [], "the file has no rows"),
        ([None, ""], [P, F], "no row has a label in 'human'"),
        ([P, F], [None, None], "no row with a human label has a verdict in 'judge'"),
        ([P, F], [U, U], "no row has a decided label on both sides"),
    ],
)
def test_nothing_to_compare_says_what_is_missing(measured, human, judge, why):
    assert sentence(measured(human, judge)) == f"Nothing can be said: {why}."


def test_people_who_never_agree_are_told(columns):
    a = measure(columns([P, P], [P, F], [F, P]), AS_WRITTEN)
    assert sentence(a) == "Nothing can be said: people never agree on a label."


def test_other_labels_are_told_by_the_weakest(measured):
    said = sentence(measured(["a"] * 20 + ["b"] * 20 + ["tie"] * 10, ["a"] * 20 + ["b"] * 20 + ["a"] * 9 + ["tie"]))
    assert said.endswith("it finds 1 of people's 10 'tie', its weakest label.")


def test_high_agreement_with_low_kappa_is_explained(measured):
    said = warnings(measured([P] * 45 + [F] * 5, [P] * 36 + [F] * 14))
    assert said[0].startswith("they agree on 82%, yet kappa is 0.44: people said PASS in 90%")


def test_a_balanced_good_judge_needs_no_warning(measured):
    assert warnings(measured([P, F] * 40, [P, F] * 38 + [F, P] * 2)) == ()


@pytest.mark.parametrize(
    ("human", "judge", "told", "warning"),
    [
        ([P, F] * 6, [P, F] * 6, AS_WRITTEN, "12 pairs are few"),
        ([P] * 40 + [F] * 2, [P] * 40 + [F] * 2, AS_WRITTEN, "people gave only 2 FAILs"),
        ([P, F] * 30, [P, U] * 30, AS_WRITTEN, "the judge decided only 50% of 60 rows"),
        (["1", "2"] * 30, ["1", "9"] * 30, Told(labels=("1", "2")), "30 cells of the judge without any of the labels"),
        (["1", "2"] * 30, ["1", "3"] * 30, AS_WRITTEN, "1 label that people never gave ('3')"),
        (["1", "2"] * 30, ["1", "1.5"] * 30, AS_WRITTEN, "finer than people's; say --pass-at N"),
    ],
)
def test_what_weakens_the_numbers_is_told(measured, human, judge, told, warning):
    assert any(warning in said for said in warnings(measured(human, judge, told)))


def test_a_single_case_is_told(measured):
    said = warnings(measured([P, F] * 20, [P, F] * 20, cases=["c"] * 40))
    assert "all pairs come from one case: they say nothing about other cases" in said


def test_people_at_odds_are_told_before_the_judge_is_blamed(columns):
    ann, ben = [P, F] * 40, [P, P, F, F] * 20
    assert any("people hardly agree with each other" in said for said in warnings(measure(columns(ann, ann, ben))))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.75, 0.41, 0.94), "0.75 [0.41, 0.94]"),
        ((1.0, 0.5, 1.0), "1.00 [0.50, 1.00]"),
        ((0.9986, 0.9969, 0.99941), "0.999 [0.997, 0.999]"),
        ((0.9998, 0.99, 0.99999), "0.9998 [0.9900, 0.9999]"),
        ((0.0, -0.11, 0.004), "0.000 [-0.110, 0.004]"),
    ],
)
def test_no_rounding_claims_nought_or_one(numbers, text):
    assert rate(Estimate(*numbers, n=9)) == text
