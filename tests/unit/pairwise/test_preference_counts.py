"""What a pair comes to, and what a set of pairs adds up to; expectations are counted by hand."""

import pytest

from judgekit.stats.preference import Pair, preference

A, B, T, U = "A", "B", "TIE", "UNKNOWN"


def pairs(*picks: tuple[str | None, str | None]) -> list[Pair]:
    return [Pair(f"c{i}", *both) for i, both in enumerate(picks)]


@pytest.mark.parametrize(
    ("original", "swapped", "outcome", "score"),
    [
        (A, A, "A", 0.0),
        (B, B, "B", 1.0),
        (T, T, "TIE", 0.5),
        (A, B, "INCONSISTENT", 0.5),
        (B, A, "INCONSISTENT", 0.5),
        (A, T, "TIE", 0.25),
        (T, A, "TIE", 0.25),
        (T, B, "TIE", 0.75),
        (U, B, "UNKNOWN", None),
        (B, U, "UNKNOWN", None),
        (T, U, "UNKNOWN", None),
        (U, U, "UNKNOWN", None),
        (None, B, "MISSING", None),
        (U, None, "MISSING", None),
        (None, None, "MISSING", None),
    ],
)
def test_both_orders_decide_together(original, swapped, outcome, score):
    pair = Pair("c", original, swapped)
    assert (pair.outcome, pair.score) == (outcome, score)


def test_a_preference_beside_a_tie_is_a_tie_that_leans():
    assert Pair("c", A, T).leaning
    assert not Pair("c", T, T).leaning
    assert not Pair("c", A, A).leaning
    assert preference(pairs((A, T), (T, T), (T, B))).leaning == 2


def test_better_text_that_wins_in_both_slots_wins_twice():
    # X stands first in the original order and second in the swapped one; both columns name the answer
    s = preference(pairs((A, A)))
    assert s.counts["A"] == 1
    assert s.first == s.second == 0


def test_judge_that_always_picks_the_first_slot_gives_no_wins_and_is_told():
    s = preference(pairs(*[(A, B)] * 10))
    assert (s.counts["A"], s.counts["B"], s.counts["TIE"], s.counts["INCONSISTENT"]) == (0, 0, 0, 10)
    assert s.win_rate.value == 0.5
    assert (s.first, s.second) == (10, 0)
    assert s.bias_test.p == pytest.approx(2 / 2**10)
    assert s.first_position.value == 1
    assert (s.original.value, s.swapped.value) == (0, 1)


def test_the_direction_of_flips_is_kept_apart():
    s = preference(pairs((A, B), (A, B), (A, B), (B, A)))
    assert (s.first, s.second) == (3, 1)
    assert s.first_position.value == pytest.approx(0.5 + (3 - 1) / (2 * 4))


def test_rate_of_decided_pairs_names_what_it_leaves_out():
    # 4 wins, 2 losses, 2 ties, 2 inconsistent, 1 without a verdict: (4 + 1) / 8, with 3 of 11 left out
    s = preference(pairs(*[(B, B)] * 4, *[(A, A)] * 2, *[(T, T)] * 2, *[(A, B)] * 2, (B, None)))
    assert s.win_rate_decided.value == pytest.approx(0.625)
    assert s.win_rate_decided.n == 8
    assert s.win_rate_decided.missing == 3
    assert s.left_out == pytest.approx(3 / 11)
    # both orders averaged: the two flips count one half each
    assert s.win_rate.value == pytest.approx((4 + 1 + 1) / 10)
    assert s.win_rate.n == 10
    assert s.win_rate.missing == 1


def test_rate_of_decided_pairs_is_refused_when_most_are_left_out():
    s = preference(pairs(*[(B, B)] * 4, *[(A, B)] * 5))
    assert s.win_rate_decided.value is None
    assert "56% of the pairs would be left out" in s.win_rate_decided.undefined
    assert preference(pairs(*[(B, B)] * 4, *[(A, B)] * 4)).win_rate_decided.value == 1


def test_leaving_flips_out_exaggerates_what_averaging_does_not():
    s = preference(pairs(*[(B, B)] * 3, (A, A), *[(A, B)] * 4))
    assert s.win_rate_decided.value == pytest.approx(0.75)
    assert s.win_rate.value == pytest.approx(5 / 8)


def test_trials_of_a_case_are_one_unit():
    several = [Pair("x", B, B)] * 10 + [Pair("y", A, A)]
    s = preference(several)
    assert s.pairs == 11
    assert s.cases == 2
    assert s.win_rate.value == 0.5
    assert s.win_rate.n == 2
    # ten flips of one case are one vote in the test of position bias
    flips = preference([Pair("x", A, B)] * 10 + [Pair("y", B, A)])
    assert (flips.bias_test.ups, flips.bias_test.downs) == (1, 1)
    assert flips.bias_test.p == 1


def test_sign_test_counts_cases_and_leaves_flips_out():
    s = preference(pairs(*[(B, B)] * 6, *[(A, B)] * 5, (T, T)))
    assert (s.sign_test.ups, s.sign_test.downs, s.sign_test.same) == (6, 0, 6)
    assert s.sign_test.p == pytest.approx(2 / 2**6)


def test_unknown_and_missing_are_neither_ties_nor_wins():
    s = preference(pairs((U, B), (None, B), (B, B)))
    assert s.counts == {"A": 0, "B": 1, "TIE": 0, "INCONSISTENT": 0, "UNKNOWN": 1, "MISSING": 1}
    assert s.win_rate.value == 1
    assert s.win_rate.missing == 2
    # a lone order still shows what it would have said
    assert s.swapped.n == 2 + 1


def test_calls_of_half_read_pairs_count_for_the_first_share_of_calls():
    s = preference(pairs((A, B), (A, None), (None, A), (T, B)))
    # FIRST: A in the original order twice, B in the swapped order twice; SECOND: A in the swapped order once
    assert (s.first_calls, s.calls) == (4, 5)


def test_equal_texts_are_ties_and_say_nothing_of_the_judge():
    s = preference([*pairs((A, B), (B, B)), Pair("same", T, T, identical=True)])
    assert s.counts["TIE"] == s.identical == 1
    assert s.win_rate.n == 3
    assert s.consistency.n == s.inconsistent.n == s.first_position.n == 2
    assert s.inconsistent.value == 0.5


def test_flips_of_unknown_direction_are_counted_and_not_tested():
    s = preference([Pair("x", undirected=True), Pair("y", B, B)])
    assert s.counts["INCONSISTENT"] == s.undirected == 1
    assert s.win_rate.value == 0.75
    assert s.bias_test.p is None
    assert "not known which way" in s.bias_test.undefined
    assert s.first_position.n == 1


def test_nothing_judged_is_undefined_and_never_a_half():
    for empty in ([], pairs((None, None))):
        s = preference(empty)
        for rate in (s.win_rate, s.win_rate_decided, s.consistency, s.first_position, s.original):
            assert rate.value is None
            assert rate.undefined
        assert s.bias_test.p is None


def test_leaning_pairs_lean_half_as_much_as_flips():
    assert preference(pairs((A, T))).first_position.value == 0.75
    assert preference(pairs((T, A))).first_position.value == 0.25
