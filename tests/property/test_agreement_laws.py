"""Laws of an agreement that hold for any two columns of labels."""

import json
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.report.agreement.columns import Columns
from judgekit.report.agreement.meaning import sentence, warnings
from judgekit.report.agreement.measure import measure
from judgekit.report.agreement.told import AS_WRITTEN, Told
from judgekit.report.agreement.value import Agreement
from judgekit.stats import draws, prevalence

CELLS = st.sampled_from(["PASS", "FAIL", "pass ", "UNKNOWN", "", None])
ROWS = st.lists(st.tuples(CELLS, CELLS, st.sampled_from(["x", "y", None])), max_size=40)


@pytest.fixture(autouse=True, scope="module")
def _few_draws():
    with (
        patch.object(draws, "MIN_DRAWS", 40),
        patch.object(draws, "IN_EACH_TAIL", 1),
        patch.object(prevalence, "GRID", 9),
    ):
        yield


def of(rows, told=AS_WRITTEN, **more) -> Agreement:
    human, judge = [row[0] for row in rows], [row[1] for row in rows]
    return measure(Columns("f.csv", {"human": human}, "judge", judge, **more), told, by_name="group")


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_every_row_is_in_the_table_or_counted_as_missing(rows):
    a = of(rows, groups=[row[2] for row in rows])
    assert a.n + a.missing.human + a.missing.judge == a.rows == len(rows)
    assert sum(map(sum, a.table)) == a.n
    assert sum(group.n for group in a.by.values()) == a.kappa.n


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_whatever_comes_there_are_words_and_strict_json(rows):
    a = of(rows)
    assert sentence(a).endswith(".")
    assert all(warnings(a))
    document = json.loads(json.dumps(a.to_dict(), allow_nan=False))
    assert (document["kappa"]["value"] is None) == bool(document["kappa"].get("undefined"))
    assert a.exit_code == (0 if a.kappa.value is not None else 3)


@settings(max_examples=40, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows, chance):
    mixed = list(rows)
    chance.shuffle(mixed)
    assert of(rows) == of(mixed)


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_kappa_does_not_care_which_side_is_which(rows):
    there, back = of(rows).kappa.value, of([(b, a, c) for a, b, c in rows]).kappa.value
    if there is not None and back is not None:
        assert there == pytest.approx(back, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_other_words_for_pass_and_fail_give_the_same_numbers(rows):
    words = {"PASS": "yes", "pass ": "Yes", "FAIL": "no", "UNKNOWN": "UNKNOWN", "": "", None: None}
    other = [(words[a], words[b], c) for a, b, c in rows]
    plain, told = of(rows), of(other, Told(passes=("yes",), fails=("no",)))
    assert (plain.kappa, plain.coverage, plain.missing) == (told.kappa, told.coverage, told.missing)
