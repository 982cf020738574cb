"""Labelled outputs: grouping, consensus, split, and the hash that a certificate is bound to."""

import msgspec
import pytest

from judgekit.calibration.items import check_dimensions, items_of, rows_of, split_of
from judgekit.data.labels import Label
from judgekit.errors import InputError


def label(case="c1", verdict="PASS", **more):
    return Label(case=case, verdict=verdict, written=verdict, sha256="ab", place=f"l.csv:{case}", **more)


def test_a_quarter_of_all_cases_is_dev():
    dev = sum(split_of(f"case-{i}") == "dev" for i in range(20_000))
    assert 4_800 < dev < 5_200


def test_split_is_pinned():
    # a change of the hash would move labels between the splits of every user
    assert [split_of(x) for x in ("a", "b", "c", "d", "e", "f", "g", "h")] == [
        "test",
        "dev",
        "dev",
        "dev",
        "dev",
        "dev",
        "test",
        "test",
    ]


def test_majority_of_annotators_is_the_label_and_a_tie_is_disputed():
    three = [label(verdict=v, annotator=a) for a, v in (("ann", "PASS"), ("ben", "FAIL"), ("cas", "FAIL"))]
    (item,) = items_of(three, "r.d")
    assert item.label == "FAIL"
    assert item.labels == (("ann", "PASS"), ("ben", "FAIL"), ("cas", "FAIL"))
    (tie,) = items_of(three[:2], "r.d")
    assert tie.label is None


def test_outputs_are_apart_by_variant_trial_and_text():
    labels = [label(), label(variant="v2"), label(trial=2), msgspec.structs.replace(label(), sha256="cd")]
    assert len(items_of(labels, "r.d")) == 4


def test_dimension_may_be_left_out_or_short_and_is_the_same_row():
    rows = {next(iter(rows_of([label(dimension=d)], "r.d"))) for d in ("", "d", "r.d")}
    assert len(rows) == 1
    assert not items_of([label(dimension="other")], "r.d")


@pytest.mark.parametrize(
    "change",
    [
        {"case": "c2"},
        {"variant": "v"},
        {"trial": 1},
        {"verdict": "FAIL"},
        {"annotator": "ann"},
        {"sha256": "cd"},
    ],
)
def test_every_part_of_a_label_is_in_its_hash(change):
    before = rows_of([label()], "r.d")
    assert rows_of([msgspec.structs.replace(label(), **change)], "r.d") != before


def test_place_note_and_spelling_are_not_in_the_hash():
    other = msgspec.structs.replace(label(), place="x:9", note="hm", written="pass ", model="m")
    assert rows_of([other], "r.d") == rows_of([label()], "r.d")


def test_another_annotator_of_a_used_row_changes_it():
    one = rows_of([label(annotator="ann")], "r.d")
    assert not one & rows_of([label(annotator="ann"), label(annotator="ben")], "r.d")


def test_a_case_in_both_splits_is_an_error():
    with pytest.raises(InputError, match="a case is in one"):
        items_of([label(split="dev"), label(split="Test", trial=2)], "r.d")
    with pytest.raises(InputError, match="neither 'dev' nor 'test'"):
        items_of([label(split="train")], "r.d")


def test_split_of_one_row_holds_for_its_case():
    dev = next(f"c{i}" for i in range(99) if split_of(f"c{i}") == "dev")
    items = items_of([label(dev), label(dev, split="test", trial=2)], "r.d")
    assert {item.split for item in items} == {"test"}


def test_dimension_that_is_not_judged_gets_a_suggestion():
    with pytest.raises(InputError, match=r"l\.csv:c1: no dimension 'polit' is judged.*polite"):
        check_dimensions([label(dimension="polit")], ["reply.polite"])
    with pytest.raises(InputError, match="names no dimension, and there are several"):
        check_dimensions([label()], ["a.x", "b.x"])
    with pytest.raises(InputError, match=r"may be a\.x or b\.x"):
        check_dimensions([label(dimension="x")], ["a.x", "b.x"])
