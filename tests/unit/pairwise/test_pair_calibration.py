"""Labelled pairs and a judge of pairs measured against them; numbers are worked out by hand."""

import pytest

from judgekit.calibration.decide import decide
from judgekit.calibration.fingerprint import changed
from judgekit.calibration.pair_measure import PairSeen, measure_pairs, recheck_pairs
from judgekit.calibration.preferences import pair_items_of
from judgekit.data.preferences import Preferred, load_preferences
from judgekit.errors import InputError, JudgekitError
from judgekit.run.pairs.trust import settled
from judgekit.suite import CalibrationPolicy
from judgekit.types import sha256_of

POLICY = CalibrationPolicy()


def preferred(case="c", choice="A", a="x", b="y", who="", place="prefs.csv:2", **more):
    return Preferred(case, choice, sha256_of(a), sha256_of(b), a, b, annotator=who, place=place, **more)


def item(labels, dimension="r.d"):
    (found,) = pair_items_of(labels, dimension)
    return found


def seen_of(table):
    """(human, judge) -> how many, each on a case of its own."""
    return [
        PairSeen(item([preferred(case=f"{human}-{judge}-{i}", choice=human)]), judge)
        for (human, judge), n in table.items()
        for i in range(n)
    ]


def ruling(table):
    measured = measure_pairs(seen_of(table), bar=0.5, tail=0.025)
    clears = measured.below is not None and measured.below <= 0.025
    return decide(measured, POLICY, tail=0.025, clears=clears)


# ── labelled pairs ───────────────────────────────────────────────────────────────────────────────────────


def test_two_people_who_saw_the_answers_in_other_places_agree():
    found = item([preferred(choice="A", who="ann"), preferred(choice="B", a="y", b="x", who="ben")])
    assert found.labels == (("ann", "A"), ("ben", "A"))
    assert found.label == "A"


def test_two_people_of_two_minds_have_no_label():
    found = item([preferred(choice="A", who="ann"), preferred(choice="A", a="y", b="x", who="ben")])
    assert found.label is None


def test_what_a_certificate_keeps_of_a_pair_depends_on_no_order():
    ann, ben = preferred(choice="A", who="ann"), preferred(choice="TIE", who="ben")
    turned = preferred(choice="B", a="y", b="x", who="ann")
    assert item([ann, ben]).row == item([ben, turned]).row


@pytest.mark.parametrize(
    "other",
    [
        preferred(choice="B"),
        preferred(choice="UNKNOWN"),
        preferred(case="d"),
        preferred(a="z"),
        preferred(who="ann"),
        preferred(trial=2),
    ],
)
def test_what_a_certificate_keeps_of_a_pair_changes_with_everything_that_was_labelled(other):
    assert item([other]).row != item([preferred()]).row


def test_three_texts_of_one_case_are_three_pairs():
    labels = [preferred(), preferred(b="z"), preferred(a="z", b="y")]
    assert len(pair_items_of(labels, "r.d")) == 3


def test_a_case_in_both_splits_is_an_error():
    labels = [preferred(split="dev"), preferred(b="z", split="test")]
    with pytest.raises(InputError, match="a case is in one"):
        pair_items_of(labels, "r.d")


def test_labels_of_another_dimension_are_none():
    assert pair_items_of([preferred(dimension="tone")], "r.d") == ()
    assert item([preferred(dimension="d")]).label == item([preferred(dimension="r.d")]).label == "A"


# ── measured ─────────────────────────────────────────────────────────────────────────────────────────────


def test_kappa_is_of_three_labels_and_recalls_are_of_a_and_b():
    table = {("A", "A"): 8, ("A", "B"): 2, ("B", "B"): 9, ("B", "TIE"): 1, ("TIE", "TIE"): 4, ("TIE", "A"): 1}
    m = measure_pairs(seen_of(table), bar=0.5, tail=0.025)
    # observed 21/25; people 10, 10, 5; judge 9, 11, 5: expected (90 + 110 + 25) / 625
    assert m.kappa.value == pytest.approx((21 / 25 - 225 / 625) / (1 - 225 / 625))
    assert m.table == ((8, 2, 0), (0, 9, 1), (1, 0, 4))
    assert (m.a_recall.value, m.b_recall.value) == (0.8, 0.9)
    recheck_pairs(seen_of(table), m)
    assert ruling(table).result == "inconclusive"


def test_what_is_no_label_counts_against_coverage_alone():
    table = {("A", "A"): 20, ("B", "B"): 20, ("A", "INCONSISTENT"): 2, ("B", "UNKNOWN"): 2, ("A", "MISSING"): 1}
    m = measure_pairs(seen_of(table), bar=0.5, tail=0.025)
    assert (m.n, m.judged, m.coverage) == (40, 45, pytest.approx(40 / 45))
    assert (m.kappa.value, m.a_recall.value, m.b_recall.value) == (1, 1, 1)
    (why,) = ruling(table).reasons
    assert "too few of the pairs" in why


def test_people_who_cannot_tell_are_no_label_either():
    m = measure_pairs(seen_of({("A", "A"): 5, ("B", "B"): 5, ("UNKNOWN", "A"): 3}), bar=0.5, tail=0.025)
    assert (m.n, m.coverage, m.human) == (10, 1, {"A": 5, "B": 5, "UNKNOWN": 3})


@pytest.mark.parametrize(
    ("table", "result", "word"),
    [
        ({("A", "A"): 20, ("B", "B"): 20}, "certified", "reaches 0.50"),
        ({("A", "A"): 15, ("B", "B"): 15, ("TIE", "TIE"): 10}, "certified", "reaches 0.50"),
        ({("A", "A"): 36, ("B", "B"): 4}, "inconclusive", "people said B 4 times"),
        ({("A", "A"): 14, ("B", "B"): 14}, "inconclusive", "too few pairs"),
        ({("A", "B"): 20, ("B", "A"): 20}, "refused", "whole interval of kappa"),
        ({("A", "A"): 20, ("B", "A"): 20}, "refused", "one verdict only (A)"),
        # ties found, preferences not: every A is called a TIE
        ({("A", "TIE"): 15, ("B", "B"): 40, ("TIE", "TIE"): 40}, "refused", "human As"),
    ],
)
def test_the_policy_holds_for_pairs(table, result, word):
    ruled = ruling(table)
    assert ruled.result == result
    assert any(word in reason for reason in ruled.reasons)


def test_the_stricter_recall_of_the_policy_holds_for_both_sides():
    m = measure_pairs(seen_of({("A", "A"): 20, ("B", "B"): 20}), bar=0.5, tail=0.025)
    policy = CalibrationPolicy(fail_recall_low=0.9, pass_recall_low=0.6)
    assert [(label, low) for label, _, low in m.recalls(policy)] == [("A", 0.9), ("B", 0.9)]


def test_a_kappa_that_was_measured_on_other_pairs_is_certified_by_nobody():
    m = measure_pairs(seen_of({("A", "A"): 20, ("B", "B"): 20}), bar=0.5, tail=0.025)
    with pytest.raises(JudgekitError, match="nothing is certified"):
        recheck_pairs(seen_of({("A", "A"): 19, ("A", "B"): 1, ("B", "B"): 20}), m)
    with pytest.raises(JudgekitError, match="nothing is certified"):
        recheck_pairs(seen_of({("A", "A"): 20}), m)


# ── after a run, and words ───────────────────────────────────────────────────────────────────────────────


def test_other_parameters_that_the_provider_refused_take_the_say_away():
    earned = {"d": frozenset({"temperature"})}
    assert settled({"d": ""}, earned, {"d": frozenset()}) == {"d": "other parameters"}
    assert settled({"d": ""}, earned, {"d": frozenset({"temperature"})}) == {"d": ""}
    assert settled({"d": ""}, earned, {}) == {"d": ""}
    assert settled({"d": "refused"}, earned, {"d": frozenset()}) == {"d": "refused"}


def test_what_the_judge_may_answer_has_a_name_of_its_own():
    assert changed({"labels": "1"}, {"labels": "2"}) == ("the verdicts on offer",)


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────


def test_labels_are_read_in_any_case_from_json_lines_too(tmp_path):
    (tmp_path / "p.jsonl").write_text(
        '{"id": "c", "output_a": "x", "output_b": "y", "preference": " tie ", "trial": 2, "annotator": "ann"}\n'
    )
    (label,), notices = load_preferences("p.jsonl", tmp_path)
    assert (label.case, label.choice, label.a, label.b, label.trial) == ("c", "TIE", "x", "y", 2)
    assert label.a_sha256 == sha256_of("x")
    assert notices == ()


def test_an_empty_label_is_left_out_and_told(tmp_path):
    (tmp_path / "p.csv").write_text("case_id,a,b,label,mood\nc,x,y,,calm\nd,x,y,B,calm\n")
    labels, notices = load_preferences("p.csv", tmp_path)
    assert [label.case for label in labels] == ["d"]
    assert any("1 empty label" in note for note in notices)
    assert any("'mood'" in note for note in notices)


@pytest.mark.parametrize("label", ["FIRST", "1", "PASS", "A wins", "-"])
def test_a_word_that_is_no_preference_is_never_guessed(tmp_path, label):
    (tmp_path / "p.csv").write_text(f"case_id,a,b,label\nc,x,y,{label}\n")
    with pytest.raises(InputError, match="write A, B, TIE or UNKNOWN"):
        load_preferences("p.csv", tmp_path)
