"""The numbers of an agreement, against scikit-learn and counts by hand."""

import random

import pytest
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from judgekit.errors import InputError, UsageError
from judgekit.report.agreement.measure import MOST_GROUPS, coverage, measure
from judgekit.report.agreement.told import AS_WRITTEN, Told

P, F, U = "PASS", "FAIL", "UNKNOWN"


def test_kappa_and_its_kin_are_those_of_scikit_learn(measured):
    chance = random.Random(5)
    human = [chance.choice("abc") for _ in range(200)]
    judge = [h if chance.random() < 0.7 else chance.choice("abc") for h in human]
    a = measured(human, judge)
    assert a.kappa.value == pytest.approx(cohen_kappa_score(human, judge), abs=1e-12)
    assert a.mcc.value == pytest.approx(matthews_corrcoef(human, judge), abs=1e-12)
    assert a.agreement.value == pytest.approx(sum(h == j for h, j in zip(human, judge, strict=True)) / 200)
    assert a.kappa.low < a.kappa.value < a.kappa.high


def test_rows_of_the_table_are_people(measured):
    a = measured([P, P, F], [P, F, F])
    assert (a.labels, a.table) == ((P, F), ((1, 1), (0, 1)))


def test_unknown_is_no_vote_but_is_seen(measured):
    a = measured([P, P, F, F, P, F], [P, U, F, P, P, U])
    assert (a.n, a.kappa.n) == (6, 4)
    assert a.kappa.value == pytest.approx(0.5)
    assert a.kappa_all_labels.value == pytest.approx(0.25)
    assert a.coverage.value == pytest.approx(4 / 6)
    # both UNKNOWNs wrong: PASS 2 right 1 wrong, FAIL 1 right 2 wrong: 3 of 6 agree, chance 1/2
    assert a.kappa_worst_case.value == pytest.approx(0.0)


def test_high_agreement_of_a_lenient_judge_beside_chance(measured):
    a = measured([P] * 45 + [F] * 5, [P] * 36 + [F] * 14)
    assert a.agreement.value == pytest.approx(0.82)
    assert a.chance_agreement == pytest.approx(0.676)
    assert a.kappa.value == pytest.approx(0.4444, abs=5e-5)
    assert (a.sensitivity.value, a.specificity.value) == (pytest.approx(0.8), pytest.approx(1.0))


def test_empty_cells_are_counted_on_the_side_that_lacks_them(measured):
    a = measured([P, None, F, None, P], [P, F, None, None, " "])
    assert a.n == 1
    assert (a.missing.human, a.missing.judge) == (2, 2)
    assert a.no_verdict == (1, 1)
    assert (a.coverage.n, a.coverage.value) == (4, 0.5)


@pytest.mark.parametrize("n", [1, 5])
def test_one_class_only_has_no_kappa_but_an_agreement(measured, n):
    a = measured([P] * n, [P] * n)
    assert a.kappa.value is None
    assert "one label only" in a.kappa.undefined
    assert a.agreement.value == 1.0
    assert a.exit_code == 3


def test_a_rubber_stamp_has_kappa_zero(measured):
    a = measured([P] * 9 + [F], [P] * 10)
    assert (a.kappa.value, a.agreement.value) == (pytest.approx(0.0), pytest.approx(0.9))
    assert a.exit_code == 0


def test_kappa_below_zero_is_not_clamped(measured):
    x = [0, 3, 2, 4, 0, 2, 0, 4, 3, 0, 2]
    y = [2, 1, 3, 2, 3, 4, 2, 1, 4, 3, 1]
    assert measured([str(v) for v in x], [str(v) for v in y]).kappa.value == pytest.approx(-0.1863, abs=5e-5)


def test_weights_go_by_value_not_by_position(measured):
    a = measured(list("112551"), list("122151"), weights="quadratic")
    assert a.kappa_weighted.value == pytest.approx(0.4848, abs=5e-5)
    assert a.headline is a.kappa_weighted


def test_words_are_weighted_by_their_declared_order(measured):
    human, judge = ["low", "medium", "high", "high"], ["low", "high", "high", "medium"]
    told = Told(labels=("low", "medium", "high"))
    assert measured(human, judge, told, weights="quadratic").kappa_weighted.value == pytest.approx(0.6364, abs=5e-5)
    with pytest.raises(UsageError, match="--labels, lowest first"):
        measured(human, judge, weights="quadratic")


def test_a_near_miss_counts_as_a_far_one_without_weights_and_that_is_told(measured):
    a = measured(list("12345"), list("12354"))
    assert "not asked for" in a.kappa_weighted.undefined
    assert any("near miss" in notice for notice in a.notices)
    assert not any("near miss" in n for n in measured(list("12345"), list("12354"), weights="linear").notices)


def test_labels_without_pass_and_fail_have_no_sensitivity(measured):
    a = measured(["good", "bad"], ["good", "bad"])
    assert a.sensitivity.value is None
    assert "--pass" in a.sensitivity.undefined
    assert measured(["good", "bad"], ["good", "bad"], Told(passes=("good",), fails=("bad",))).sensitivity.value == 1.0


def test_rows_of_one_case_widen_the_interval(measured):
    human, judge = [P, F] * 60, ([P, F] * 5 + [F, P]) * 10
    free = measured(human, judge)
    tied = measured(human, judge, cases=[f"c{at // 12 % 3}" for at in range(120)])
    assert free.kappa.value == pytest.approx(tied.kappa.value)
    assert tied.by_case
    assert (free.cases, tied.cases) == (120, 3)
    mixed = measured([P, F] * 60, ([P, F] * 30 + [F, P] * 30), cases=[f"c{at // 20}" for at in range(120)])
    assert mixed.kappa.high - mixed.kappa.low > 2 * (free.kappa.high - free.kappa.low)


def test_one_case_says_nothing_about_others(measured):
    assert measured([P, F, P, F], [P, F, P, P], cases=["c"] * 4).exit_code == 3


def test_a_row_without_its_case_is_an_error_with_its_line(measured):
    with pytest.raises(InputError, match=r"f\.csv:3: the case is missing"):
        measured([P, F], [P, F], cases=["c1", ""])


def test_groups_are_measured_alone_and_a_blank_one_has_a_name(measured):
    a = measured([P, F, P, F, P], [P, F, F, P, P], groups=["x", "x", "y", "y", None])
    assert list(a.by) == ["(empty)", "x", "y"]
    assert [a.by[g].kappa.value for g in ("x", "y")] == [pytest.approx(1.0), pytest.approx(-1.0)]
    assert "one label only" in a.by["(empty)"].kappa.undefined
    assert sum(g.n for g in a.by.values()) == a.n


def test_numbered_groups_are_in_order(measured):
    assert list(measured([P, F, P], [P, F, P], groups=["10", "9", "1"]).by) == ["1", "9", "10"]


def test_too_many_groups_are_refused(measured):
    n = MOST_GROUPS + 1
    with pytest.raises(InputError, match="201 different values"):
        measured([P, F] * n, [P, F] * n, groups=[str(at // 2) for at in range(2 * n)])


def test_the_majority_of_several_people_counts_and_disputes_are_counted(columns):
    a = measure(columns([P, P, F, F], [P, P, F, P], [P, F, F, F], [F, None, F, None]), AS_WRITTEN)
    # majorities: PASS, disputed, FAIL, disputed
    assert a.table == ((1, 0), (0, 1))
    assert (a.missing.human, a.missing.disputed) == (2, 2)
    assert list(a.annotators) == ["ann", "ben", "cy"]
    assert a.annotators["ann"].n == 4
    assert a.annotators["cy"].n == 2
    assert set(a.people.pairs) == {"ann and ben", "ann and cy", "ben and cy"}


def test_people_are_compared_as_scikit_learn_does(columns):
    chance = random.Random(7)
    ann = [chance.choice([P, F]) for _ in range(80)]
    ben = [x if chance.random() < 0.8 else chance.choice([P, F]) for x in ann]
    judge = [x if chance.random() < 0.9 else F for x in ann]
    a = measure(columns(judge, ann, ben), AS_WRITTEN)
    assert a.people.pairs["ann and ben"].value == pytest.approx(cohen_kappa_score(ann, ben), abs=1e-12)
    assert a.annotators["ben"].kappa.value == pytest.approx(cohen_kappa_score(ben, judge), abs=1e-12)
    mean = (cohen_kappa_score(ann, judge) + cohen_kappa_score(ben, judge)) / 2
    expected = mean - cohen_kappa_score(ann, ben)
    assert a.people.ceiling.difference.value == pytest.approx(expected, abs=1e-12)


def test_one_column_of_people_has_no_people_block(measured):
    a = measured([P, F], [P, F])
    assert (a.people, a.annotators) == (None, {})


def test_coverage_by_case_is_that_of_the_rows():
    human, judge = [P] * 6, [P, U, None, P, P, P]
    by_row, by_case = coverage(human, judge, U), coverage(human, judge, U, ["a", "a", "a", "b", "b", "b"])
    assert by_row.value == by_case.value == pytest.approx(4 / 6)
    assert by_row.n == by_case.n == 6
    assert by_case.low < by_row.low


def test_coverage_of_nothing_is_undefined():
    assert coverage([None], [None], U).undefined == "no row was judged"
    assert coverage([], [], U, []).undefined == "no row was judged"


def test_the_range_of_pass_rates_comes_with_pass_and_fail(measured):
    a = measured([P] * 30 + [F] * 30, [P] * 28 + [F] * 32)
    assert a.prevalence.at == 0.5
    assert a.prevalence.low < 0.5 < a.prevalence.high
    assert measured(["a", "b"], ["a", "b"]).prevalence is None


def test_a_label_that_was_never_decided_is_not_said_to_be_unused(measured):
    a = measured(["a", "b", "c"], ["a", "b", None])
    assert a.recalls["c"].undefined == "the judge decided no row that people gave c"
