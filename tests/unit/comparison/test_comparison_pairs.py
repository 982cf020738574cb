import math

import pytest

from judgekit.comparison.pairs import compare, lost_passes, possible_loss
from judgekit.errors import UsageError
from judgekit.types import Grade, Output, TrialResult


def changes(comparison):
    return {pair.id: pair.change for pair in comparison.pairs}


def test_two_fixes_do_not_hide_two_regressions(side):
    base = side({"a": (1, 0), "b": (1, 0), "c": (0, 1), "d": (0, 1), "e": (1, 0)})
    new = side({"a": (0, 1), "b": (0, 1), "c": (1, 0), "d": (1, 0), "e": (1, 0)}, name="v2")
    found = compare(base, new)
    assert found.passed == (3, 3)
    assert found.on_like.value == 0
    assert changes(found) == {"a": "regression", "b": "regression", "c": "fixed", "d": "fixed", "e": "same"}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ((5, 0, 0), (5, 0, 0), "same"),
        ((5, 0, 0), (4, 1, 0), "regression"),
        ((4, 1, 0), (5, 0, 0), "fixed"),
        ((2, 3, 0), (4, 1, 0), "better"),
        # whatever the undecided trials would have been, it is at most 4 of 5 now
        ((5, 0, 0), (3, 1, 1), "regression"),
        # the undecided trial may be a pass: nobody can say
        ((5, 0, 0), (4, 0, 1), "unclear"),
        ((3, 1, 1), (4, 1, 0), "unclear"),
        # no better than 1 of 5 before, at least 2 now
        ((0, 4, 1), (2, 0, 3), "better"),
        # always without a verdict, on both sides
        ((0, 0, 5), (0, 0, 5), "same"),
        ((0, 5, 0), (0, 0, 5), "unclear"),
    ],
)
def test_undecided_trials_count_as_neither_pass_nor_fail(side, before, after, change):
    assert changes(compare(side({"a": before}), side({"a": after}, name="v2"))) == {"a": change}


def test_a_case_that_may_pass_by_its_rule_is_fixed_before_every_trial_passes(side):
    base = side({"a": (1, 4)}, pass_when={"at_least": 3})
    assert changes(compare(base, side({"a": (3, 2)}, name="v2", pass_when={"at_least": 3}))) == {"a": "fixed"}
    assert changes(compare(base, side({"a": (2, 3)}, name="v2", pass_when={"at_least": 3}))) == {"a": "better"}


def test_different_numbers_of_trials_are_compared_by_share(side):
    base, new = side({"a": (5, 0), "b": (2, 3)}), side({"a": (3, 0), "b": (1, 2)}, name="v2")
    found = compare(base, new, allow=["trials"])
    assert changes(found) == {"a": "same", "b": "regression"}  # 2/5 = .4 against 1/3
    (lost,) = found.changed("regression")
    assert lost_passes(lost) == 1  # 1/3 of 5 is 1.67: at most 1 whole pass of the 2 is left


def test_only_shared_cases_are_compared_and_the_others_listed(side):
    base = side({"c1": (0, 1), "c2": (1, 0), "c3": (1, 0)})
    new = side({"c2": (1, 0), "c3": (0, 1), "c4": (1, 0)}, name="v2")
    found = compare(base, new)
    assert [p.id for p in found.pairs] == ["c2", "c3"]
    assert [c.id for c in found.only_in_base] == ["c1"]
    assert [c.id for c in found.only_in_new] == ["c4"]
    assert found.passed == (2, 1)
    assert found.on_like.value == -0.5


def test_nothing_in_common_is_an_error_and_no_zero(side):
    with pytest.raises(UsageError, match="v1 and v2 have no case in common: a, b against c"):
        compare(side({"a": (1, 0), "b": (1, 0)}), side({"c": (1, 0)}, name="v2"))


def test_the_interval_on_these_cases_is_the_documented_formula(side):
    base, new = side({"a": (5, 0), "b": (2, 3)}), side({"a": (3, 2), "b": (5, 0)}, name="v2")
    found = compare(base, new).on_these
    # p = (c + 1/2)/6: 5.5/6, 2.5/6, 3.5/6, 5.5/6
    variance = sum(p * (1 - p) / 5 for p in (5.5 / 6, 2.5 / 6, 3.5 / 6, 5.5 / 6))
    half = 1.959964 * math.sqrt(variance) / 2
    assert found.value == pytest.approx((-0.4 + 0.6) / 2)
    assert found.low == pytest.approx(0.1 - half, abs=1e-5)
    assert found.high == pytest.approx(0.1 + half, abs=1e-5)


def test_one_trial_says_nothing_of_the_noise_between_trials(side):
    found = compare(side({"a": (1, 0)}), side({"a": (0, 1)}, name="v2"))
    assert found.on_these.value is None
    assert "two or more" in found.on_these.undefined
    assert found.on_like.value == -1


def test_a_case_with_one_decided_trial_does_not_undo_the_interval_of_the_others(side):
    base, new = side({"a": (5, 0), "b": (1, 0, 4)}), side({"a": (3, 2), "b": (1, 0, 4)}, name="v2")
    found = compare(base, new).on_these
    assert found.value == pytest.approx(-0.4)
    assert (found.n, found.missing) == (1, 1)


def test_undecided_cases_leave_the_mean_and_are_counted(side):
    base = side({"a": (5, 0), "b": (5, 0)})
    new = side({"a": (4, 1), "b": (0, 0, 5)}, name="v2")
    found = compare(base, new).on_like
    assert found.value == pytest.approx(-0.2)
    assert (found.n, found.missing) == (1, 1)


def test_tags_are_corrected_for_their_number(side):
    ids = [f"x{i}" for i in range(6)] + [f"y{i}" for i in range(6)]
    tags = {i: ("xs",) if i[0] == "x" else ("ys",) for i in ids} | {"z": ("zs",)}
    base = side(dict.fromkeys([*ids, "z"], (0, 1)), tags=tags)
    new = side({**dict.fromkeys(ids, (1, 0)), "z": (0, 1)}, name="v2", tags=tags)
    found = compare(base, new).by_tag
    assert found["xs"].test.p == pytest.approx(2 / 2**6)  # six of six, two-sided
    assert found["xs"].p_holm == pytest.approx(2 * 2 / 2**6)
    assert found["xs"].passed == (0, 6)
    assert found["zs"].test.p is None
    assert found["zs"].p_holm is None


def test_six_cases_all_one_way_are_the_least_that_decide(side):
    five = [f"c{i}" for i in range(5)]
    base, new = side(dict.fromkeys(five, (1, 0))), side(dict.fromkeys(five, (0, 1)), name="v2")
    assert compare(base, new).sign.p is None
    six = [*five, "c5"]
    base, new = side(dict.fromkeys(six, (1, 0))), side(dict.fromkeys(six, (0, 1)), name="v2")
    assert compare(base, new).sign.p == pytest.approx(2 / 2**6)


def test_must_pass_cases_come_first(side):
    base = side({"a": (1, 0), "b": (1, 0)}, must=("b",))
    new = side({"a": (0, 1), "b": (0, 1)}, name="v2", must=("b",))
    assert [p.id for p in compare(base, new).changed("regression")] == ["b", "a"]


def test_a_tag_taken_off_still_counts_and_is_told(side):
    base = side({"a": (1, 0)}, must=("a",), tags={"a": ("regression", "x")})
    found = compare(base, side({"a": (0, 1)}, name="v2"))
    assert found.pairs[0].tags == ("regression", "x")
    told = "\n".join(found.notices)
    assert "no longer must-pass: a" in told
    assert "no longer tagged regression: a" in told


def test_the_same_variant_twice_is_called_noise(side):
    base = side({"a": (1, 0)}, print_=None)
    again = side({"a": (0, 1)})
    assert "both sides are the run run-v1" in compare(base, again).notices
    import dataclasses

    other = dataclasses.replace(again, run="run-2")
    assert any("noise" in notice for notice in compare(base, other).notices)
    assert not any("noise" in notice for notice in compare(base, side({"a": (0, 1)}, name="v2")).notices)


def test_an_undecided_case_may_hide_a_loss_up_to_its_undecided_trials(side):
    base, new = side({"a": (5, 0)}), side({"a": (3, 0, 2)}, name="v2")
    (pair,) = compare(base, new).pairs
    assert (lost_passes(pair), possible_loss(pair)) == (0, 2)


# ── evidence ─────────────────────────────────────────────────────────────────────────────────────────────


def judged(trial, verdict, reason, *, outcome):
    code = Grade("a", trial, "must_include", "code", verdict="FAIL" if outcome == "fail" else "PASS", gating=True)
    judge = Grade("a", trial, "tone", "judge", "polite", verdict=verdict, reason=reason, advisory="uncertified")
    return TrialResult("a", trial, outcome, 'must_include: missing "x"' if outcome == "fail" else "", (code, judge))


def test_a_regression_comes_with_a_failing_output_and_the_reasoning_of_both_sides(side):
    base = side(
        {"a": (2, 0)}, results=[judged(1, "PASS", "kind", outcome="pass"), judged(2, "PASS", "also", outcome="pass")]
    )
    new = side(
        {"a": (1, 1)},
        name="v2",
        results=[judged(1, "PASS", "fine", outcome="pass"), judged(2, "FAIL", "curt", outcome="fail")],
        outputs={("a", 1): Output("a", "good"), ("a", 2): Output("a", "bad", trial=2)},
    )
    evidence = compare(base, new).pairs[0].evidence
    assert (evidence.trial, evidence.outcome, evidence.output) == (2, "fail", "bad")
    (reasoning,) = evidence.reasonings
    assert (reasoning.before.verdict, reasoning.before.reason) == ("PASS", "kind")
    assert (reasoning.after.verdict, reasoning.after.reason) == ("FAIL", "curt")
    assert reasoning.speaks
    assert not reasoning.deciding


def test_a_failure_is_shown_before_a_missing_verdict_and_beside_an_output_that_passed(side):
    base = side(
        {"a": (1, 1)}, results=[judged(1, "FAIL", "odd", outcome="fail"), judged(2, "PASS", "kind", outcome="pass")]
    )
    new = side(
        {"a": (0, 1, 1)},
        name="v2",
        results=[judged(1, "UNKNOWN", "", outcome="undecided"), judged(2, "FAIL", "curt", outcome="fail")],
    )
    (pair,) = compare(base, new).pairs
    assert pair.change == "unclear"
    assert (pair.evidence.trial, pair.evidence.outcome) == (2, "fail")
    (reasoning,) = pair.evidence.reasonings
    assert (reasoning.before.trial, reasoning.before.reason) == (2, "kind")


def test_a_file_has_no_evidence_and_a_run_against_it_shows_its_own_side(side):
    base = side({"a": (1, 0)}, from_file=True)
    new = side({"a": (0, 1)}, name="v2", results=[judged(1, "FAIL", "curt", outcome="fail")])
    (reasoning,) = compare(base, new).pairs[0].evidence.reasonings
    assert reasoning.before is None
    assert reasoning.after.reason == "curt"
    assert compare(side({"a": (1, 0)}), side({"a": (0, 1)}, name="f", from_file=True)).pairs[0].evidence is None
