"""What a preference is said to mean: one sentence first, no rounding that says too much, and warnings only for cause."""

import pytest

from judgekit.report.preference.value import block_of
from judgekit.report.preference.words import flips, percent, ranking_sentence, sentence, warnings
from judgekit.stats.preference import Pair, preference
from judgekit.stats.strengths import Duel, rank

NAMES = ("old", "new")


def block(b=0, a=0, ff=0, ss=0, tie=0, unknown=0, missing=0, lengths=None):
    picks = [("B", "B")] * b + [("A", "A")] * a + [("A", "B")] * ff + [("B", "A")] * ss + [("TIE", "TIE")] * tie
    picks += [("UNKNOWN", "B")] * unknown + [(None, "B")] * missing
    pairs = [Pair(str(i), *p) for i, p in enumerate(picks)]
    return block_of(pairs, lengths=[lengths] * len(pairs) if lengths else None)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (1, "100%"), (0.001, "under 1%"), (0.999, "over 99%"), (0.614, "61%"), (0.5, "50%")],
)
def test_a_share_is_never_rounded_to_none_or_all(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"b": 5}, "no pair flipped with the order"),
        ({"b": 9, "ff": 1}, "10% of pairs flipped with the order (one, to the first answer)"),
        ({"b": 9, "ss": 1}, "10% of pairs flipped with the order (one, to the second answer)"),
        ({"b": 8, "ff": 2}, "20% of pairs flipped with the order, both of them to the first answer"),
        ({"b": 7, "ss": 3}, "30% of pairs flipped with the order, all 3 of them to the second answer"),
        ({"b": 75, "ff": 23, "ss": 2}, "25% of pairs flipped with the order, 23 of 25 of them to the first answer"),
    ],
)
def test_flips_are_told_with_their_direction(made, told):
    assert flips(block(**made).stats) == told


def test_flips_of_unknown_direction_claim_none():
    assert flips(preference([Pair("1", undirected=True), Pair("2", "A", "A")])) == "50% of pairs flipped with the order"


def test_the_sentence_says_what_the_interval_lets_one_say():
    assert sentence(block(b=40, a=10), NAMES).startswith("new wins 80% [")
    assert sentence(block(b=40, a=10), NAMES).endswith("new is better on cases like these, by this judge.")
    assert sentence(block(b=10, a=40), NAMES).endswith("old is better on cases like these, by this judge.")
    assert sentence(block(b=11, a=10), NAMES).endswith("The interval holds 50%: no difference is shown.")
    assert sentence(block(missing=3), NAMES) == (
        "Nothing can be said: none of 3 pairs has a preference or a tie in both orders."
    )


def test_a_good_judge_earns_no_warning():
    assert list(warnings(block(b=30, a=20, ff=2, ss=2, tie=3), NAMES)) == []


def test_two_orders_that_differ_by_chance_are_no_warning():
    # 51% against 48%: not the same side of one half, and no more than noise
    assert list(warnings(block(b=24, a=24, ff=2, ss=1), NAMES)) == []


def test_a_lean_that_turns_the_answer_round_is_told_with_both_rates():
    found = list(warnings(block(b=11, a=3, ff=9, tie=1), NAMES))
    assert found[0] == "the judge leans to the answer shown first: 9 of 9 flips (p = 0.004)"
    assert found[1] == "one order alone would mislead: new wins 48% when old is shown first, and 85% when new is"
    assert "contradicts itself on 38% of pairs" in found[2]


def test_what_counts_for_neither_side_is_counted():
    found = list(warnings(block(b=30, a=20, unknown=2, missing=1), NAMES))
    assert found == [
        "1 pair without a verdict in one order or in both, counted for neither side",
        "the judge could not decide on 2 pairs, counted for neither side",
    ]


def test_length_is_told_where_it_goes_with_the_wins():
    assert "the longer answer wins 80%" in next(warnings(block(b=40, a=10, lengths=(10, 90)), NAMES))
    assert "the shorter answer wins 80%" in next(warnings(block(b=10, a=40, lengths=(10, 90)), NAMES))
    assert list(warnings(block(b=40, a=10, lengths=(50, 50)), NAMES)) == []


def test_the_strongest_is_named_only_against_whom_it_is_settled():
    def duels(x, y, wins, n=60):
        return [Duel(f"{x}{y}{i}", x, y, float(i < wins)) for i in range(n)]

    half = ranking_sentence(rank([*duels("a", "b", 55), *duels("a", "c", 55), *duels("b", "c", 30)]))
    assert half in (
        "no variant is shown to be the strongest: b leads, better than a, not resolved against c.",
        "no variant is shown to be the strongest: c leads, better than a, not resolved against b.",
    )
    none = ranking_sentence(rank([*duels("a", "b", 28), *duels("a", "c", 28), *duels("b", "c", 29)]))
    assert none == "no variant is shown to be the strongest: a leads, not resolved against b, c."
    top = rank([*duels("a", "b", 5), *duels("a", "c", 5), *duels("b", "c", 30)])
    assert ranking_sentence(top) == "a is the strongest of 3: better than b, c."
    assert ranking_sentence(rank([])) == "no ranking: a ranking needs two variants that met."
