"""What a written label means."""

import pytest

from judgekit.errors import UsageError
from judgekit.report.agreement.told import AS_WRITTEN, STRAY, Told, clean


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("PASS", "PASS"),
        ("pass", "PASS"),
        (" Pass ", "PASS"),
        ("fail\t", "FAIL"),
        ("unknown", "UNKNOWN"),
        ("Good", "Good"),
        ("good", "good"),
        ("NA", "NA"),
        ("None", "None"),
        ("3.0", "3"),
        ("3.50", "3.5"),
        ("007", "007"),
        ("10", "10"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_without_a_word_labels_are_opaque_but_for_pass_fail_and_unknown(written, label):
    assert AS_WRITTEN.label(written) == label


@pytest.mark.parametrize("written", ["", " ", "\t", "\u00a0"])
def test_only_a_blank_cell_is_missing(written):
    assert AS_WRITTEN.label(written) is None


def test_words_told_to_be_missing_are_missing_in_any_case():
    told = Told(missing=("error", "n/a"))
    assert [told.label(w) for w in ("ERROR", "N/A", "errors")] == [None, None, "errors"]


def test_what_is_not_in_the_declared_set_is_a_stray():
    told = Told(labels=("low", "High"))
    assert [told.label(w) for w in ("low", "LOW", "high", "UNKNOWN")] == ["low", "low", "High", "UNKNOWN"]
    assert told.label("medium") is STRAY
    assert told.label("PASS") is STRAY


def test_declared_labels_that_differ_only_in_case_stay_apart():
    told = Told(labels=("a", "A"))
    assert (told.label("a"), told.label("A")) == ("a", "A")


def test_a_score_written_with_a_decimal_point_is_the_declared_number():
    told = Told(labels=("1", "2", "3"))
    assert told.label("2.0") == "2"
    assert told.label("2.5") is STRAY


def test_words_for_pass_and_fail():
    told = Told(passes=("yes", "ok"), fails=("no",))
    assert [told.label(w) for w in ("YES", "ok", "No", "pass", "unknown")] == [
        "PASS",
        "PASS",
        "FAIL",
        "PASS",
        "UNKNOWN",
    ]
    assert told.label("maybe") is STRAY


def test_scores_pass_from_the_told_one_on():
    told = Told(pass_at=3)
    assert [told.label(w) for w in ("3", "2.9999", "4.6667", "-1")] == ["PASS", "FAIL", "PASS", "FAIL"]
    assert told.label("three") is STRAY
    assert told.label("2,5") is STRAY


def test_a_score_beyond_the_scale_is_a_stray():
    told = Told(pass_at=3, within=(1, 5))
    assert [told.label(w) for w in ("1", "5.0", "PASS")] == ["FAIL", "PASS", "PASS"]
    assert [told.label(w) for w in ("0.3333", "5.1", "-3")] == [STRAY] * 3


def test_an_abstention_keeps_its_own_word():
    told = Told(unknown=("inconsistent",))
    assert told.label("Inconsistent") == "inconsistent"
    assert told.abstention == "inconsistent"
    assert told.label("UNKNOWN") == "UNKNOWN"
    assert told.order({"b", "inconsistent", "a"}) == ("a", "b", "inconsistent")


def test_several_words_of_abstention_are_one():
    told = Told(unknown=("unsure", "skip"))
    assert {told.label("Unsure"), told.label("skip")} == {"UNKNOWN"}


@pytest.mark.parametrize(
    ("found", "order"),
    [
        ({"10", "9", "1"}, ("1", "9", "10")),
        ({"b", "a"}, ("a", "b")),
        ({"PASS"}, ("PASS", "FAIL")),
        ({"FAIL", "UNKNOWN", "PASS"}, ("PASS", "FAIL", "UNKNOWN")),
        ({"UNKNOWN"}, ("UNKNOWN",)),
        ({"PARTIAL", "FAIL", "PASS"}, ("PASS", "FAIL", "PARTIAL")),
        (set(), ()),
    ],
)
def test_the_order_of_a_table_without_a_word(found, order):
    assert AS_WRITTEN.order(found) == order


def test_a_declared_set_keeps_its_order_and_its_unused_labels():
    told = Told(labels=("PASS", "FAIL", "UNKNOWN"))
    assert told.order({"PASS"}) == ("PASS", "FAIL", "UNKNOWN")
    assert Told(labels=("b", "a")).order({"a", "UNKNOWN"}) == ("b", "a", "UNKNOWN")


def test_numbers_have_their_value_and_words_only_a_declared_order():
    assert AS_WRITTEN.values(("1", "2", "5")) == (1.0, 2.0, 5.0)
    assert AS_WRITTEN.values(("low", "high")) is None
    assert AS_WRITTEN.values(("1", "2", "tie")) is None
    assert Told(labels=("low", "mid", "high")).values(("low", "mid", "high")) == (0.0, 1.0, 2.0)
    assert Told(labels=("5", "1")).values(("5", "1")) == (5.0, 1.0)
    assert AS_WRITTEN.values(()) is None


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"labels": ("a", "b", "a")}, "'a' twice"),
        ({"labels": ("1", "1.0")}, "'1' twice"),
        ({"labels": ("a",)}, "two labels or more"),
        ({"labels": ("a", "UNKNOWN")}, "two labels or more"),
        ({"labels": ("a", "")}, "empty label"),
        ({"labels": ("a", "b"), "pass_at": 3}, "leave it out"),
        ({"labels": tuple(map(str, range(26)))}, "25 is the most"),
        ({"passes": ("yes",)}, "--fail"),
        ({"fails": ("no",)}, "--pass"),
        ({"within": (1, 5)}, "--pass-at divides"),
        ({"within": (5, 1), "pass_at": 3}, "lowest and the highest"),
        ({"passes": ("x",), "fails": ("X",)}, "two things"),
        ({"passes": ("unknown",), "fails": ("no",)}, "two things"),
    ],
)
def test_what_contradicts_itself_is_refused(told, why):
    with pytest.raises(UsageError, match=why):
        Told(**told)


def test_padding_zeros_of_decimals_are_no_difference_but_leading_zeros_are():
    assert [clean(w) for w in ("1.0", "1.", "0.50", ".50", "100", "1.05", "01", "v1.0")] == [
        "1",
        "1",
        "0.5",
        ".5",
        "100",
        "1.05",
        "01",
        "v1.0",
    ]
