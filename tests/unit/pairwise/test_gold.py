import pytest

from judgekit.stats.gold import against_gold, between_orders
from judgekit.stats.preference import Pair

A, B, T, U = "A", "B", "TIE", "UNKNOWN"


def test_each_order_is_held_against_gold_on_its_own():
    pairs = [Pair("1", A, A), Pair("2", A, B), Pair("3", B, None), Pair("4", B, B), Pair("5", T, A)]
    gold = against_gold(pairs, [A, B, B, A, None])
    assert (gold.pairs, gold.without) == (4, 1)
    assert (gold.original.right, gold.original.n) == (2, 4)  # 1 and 3
    assert (gold.swapped.right, gold.swapped.n) == (2, 3)  # 1 and 2; 3 has no verdict
    assert gold.accuracy == pytest.approx(4 / 8)
    assert gold.both_right == pytest.approx(1 / 4)
    assert gold.original.labels == ("A", "B")
    assert gold.original.table == ((1, 1), (1, 1))
    assert gold.original.kappa.value == pytest.approx(0)


def test_inconsistent_pairs_are_left_out_first_and_ties_second():
    pairs = [Pair("1", A, A), Pair("2", A, B), Pair("3", B, B), Pair("4", T, T), Pair("5", U, A)]
    gold = against_gold(pairs, [A, T, B, A, B])
    assert (gold.decided.right, gold.decided.n) == (2, 3)
    assert (gold.as_tie.right, gold.as_tie.n) == (3, 4)
    assert (gold.one_sided.right, gold.one_sided.n) == (2, 2)
    assert gold.decided.kappa.missing == 2


def test_a_gold_tie_leaves_one_sided():
    gold = against_gold([Pair("1", A, A), Pair("2", B, B)], [T, B])
    assert (gold.decided.right, gold.decided.n) == (1, 2)
    assert (gold.one_sided.right, gold.one_sided.n) == (1, 1)


def test_without_gold_there_is_no_accuracy():
    gold = against_gold([Pair("1", A, A)], [None])
    assert gold.accuracy is gold.both_right is None
    assert gold.original.kappa.value is None


def test_a_judge_that_follows_the_position_disagrees_with_itself():
    found = between_orders([Pair(str(i), A, B) for i in range(5)] + [Pair(str(i), B, A) for i in range(5, 10)])
    assert found.agreement.value == 0
    assert found.kappa.value == pytest.approx(-1)
    constant = between_orders([Pair("1", A, B), Pair("2", A, B)])
    assert constant.kappa.value is None
    assert constant.kappa.undefined == "in one order the judge gave the same answer every time"


def test_a_pair_of_equal_texts_is_no_agreement_of_the_judge():
    assert between_orders([Pair("1", A, A), Pair("2", T, T, identical=True)]).n == 1
