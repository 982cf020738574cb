"""What holds for every set of labelled pairs, whichever of the two answers is called A."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.calibration.pair_measure import PairSeen, measure_pairs
from judgekit.calibration.preferences import pair_items_of
from judgekit.data.preferences import TURNED, Preferred
from judgekit.types import sha256_of

CHOICES = st.sampled_from(["A", "B", "TIE", "UNKNOWN"])
OUTCOMES = st.sampled_from(["A", "B", "TIE", "UNKNOWN", "INCONSISTENT", "MISSING"])


def label(case, choice, who="", turned=False):
    a, b = sha256_of(f"{case} x"), sha256_of(f"{case} y")
    if turned:
        return Preferred(case, TURNED[choice], b, a, annotator=who)
    return Preferred(case, choice, a, b, annotator=who)


@given(st.lists(st.tuples(CHOICES, st.booleans()), min_size=1, max_size=6), st.randoms())
def test_a_pair_is_the_same_pair_in_every_order_of_rows_and_sides(given_labels, random):
    rows = [label("c", choice, f"p{i}") for i, (choice, _) in enumerate(given_labels)]
    other = [label("c", choice, f"p{i}", turned) for i, (choice, turned) in enumerate(given_labels)]
    random.shuffle(other)
    (one,), (two,) = pair_items_of(rows, "r.d"), pair_items_of(other, "r.d")
    assert one.row == two.row
    same_side = one.first.a_sha256 == two.first.a_sha256
    assert two.label == (one.label if same_side or one.label is None else TURNED[one.label])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(CHOICES, OUTCOMES), max_size=40))
def test_calling_the_other_answer_a_changes_no_number_but_the_name_of_its_recall(rows):
    def seen(turned):
        found = []
        for i, (human, judge) in enumerate(rows):
            (item,) = pair_items_of([label(f"c{i}", human, turned=turned)], "r.d")
            found.append(PairSeen(item, TURNED.get(judge, judge) if turned else judge))
        return measure_pairs(found, bar=0.5, tail=0.025)

    one, two = seen(False), seen(True)
    assert (one.n, one.coverage, one.judged) == (two.n, two.coverage, two.judged)
    assert one.kappa.value == (None if two.kappa.value is None else pytest.approx(two.kappa.value))
    assert (one.a_recall.value, one.b_recall.value) == (two.b_recall.value, two.a_recall.value)
