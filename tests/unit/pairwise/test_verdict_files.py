"""Recorded verdicts in both orders: nothing about who stood where is guessed."""

import pytest

from judgekit.data.verdicts import Layout, load_verdicts, verdicts_from_rows
from judgekit.errors import InputError, UsageError

BOTH = {"original": "o", "swapped": "s"}


def read(rows, **layout):
    return verdicts_from_rows(rows, Layout(**{**BOTH, **layout}))


def sides(rows, **layout):
    return [(r.original, r.swapped) for r in read(rows, **layout).rows]


def test_first_and_second_say_themselves_what_they_mean():
    rows = [{"o": "FIRST", "s": "SECOND"}, {"o": "first", "s": "First "}, {"o": "Second", "s": "TIE"}]
    assert sides(rows) == [("A", "A"), ("A", "B"), ("B", "TIE")]


@pytest.mark.parametrize(("a", "b"), [("A", "B"), ("1", "2"), (1, 2), ("a", "b")])
def test_slots_and_answers_are_told_apart_by_what_was_said(a, b):
    rows = [{"o": a, "s": b}, {"o": a, "s": a}]
    assert sides(rows, coded="answer") == [("A", "B"), ("A", "A")]
    assert sides(rows, coded="position") == [("A", "A"), ("A", "B")]


def test_a_slot_is_never_guessed_to_be_an_answer():
    with pytest.raises(InputError, match=r"row 1: 'o' is 'A': say --coded answer if .* or --coded position"):
        read([{"o": "A", "s": "B"}] * 3)


def test_ties_and_abstentions_need_no_coding():
    assert sides([{"o": "tie", "s": "UNKNOWN"}]) == [("TIE", "UNKNOWN")]


def test_nothing_there_is_no_verdict_and_na_is_a_stray():
    assert sides([{"o": None, "s": ""}, {"o": " ", "s": "FIRST"}]) == [(None, None), (None, "B")]
    with pytest.raises(InputError, match=r"row 1: 'o' is 'NA': tell what it means, as in --labels NA=A"):
        read([{"o": "NA", "s": "FIRST"}], coded="answer")


def test_every_untold_spelling_is_listed():
    with pytest.raises(InputError) as error:
        read([{"o": "left", "s": "right"}, {"o": "left", "s": "A"}], coded="answer")
    assert len(error.value.problems) == 3


def test_told_spellings_replace_ours_and_the_rest_is_no_verdict():
    found = read(
        [{"o": "gpt", "s": "llama"}, {"o": "A", "s": "draw"}, {"o": "garbage", "s": "tie"}],
        labels=(("gpt", "B"), ("llama", "A"), ("draw", "TIE")),
        coded="answer",
    )
    assert [(r.original, r.swapped) for r in found.rows] == [("B", "A"), (None, "TIE"), (None, None)]
    assert found.notices == (
        "1 x 'A' is no verdict: --labels does not name it",
        "1 x 'garbage' is no verdict: --labels does not name it",
        "1 x 'tie' is no verdict: --labels does not name it",
    )


def test_settled_pairs_keep_their_conflicts():
    found = verdicts_from_rows([{"v": "a"}, {"v": "inconsistent"}, {"v": "tie"}, {"v": None}], Layout(outcome="v")).rows
    assert [(r.original, r.swapped, r.flipped) for r in found] == [
        ("A", "A", False),
        (None, None, True),
        ("TIE", "TIE", False),
        (None, None, False),
    ]


def test_gold_is_a_side_and_strays_in_it_are_errors():
    rows = [{"o": "FIRST", "s": "FIRST", "g": "2"}, {"o": "FIRST", "s": "FIRST", "g": ""}]
    assert [r.gold for r in read(rows, gold="g").rows] == ["B", None]
    with pytest.raises(InputError, match="'g' is 'maybe'"):
        read([{"o": "FIRST", "s": "x", "g": "maybe"}], gold="g", labels=(("x", "FIRST"),))
    with pytest.raises(InputError, match="a gold preference is A, B, TIE or UNKNOWN"):
        read([{"o": "FIRST", "s": "FIRST", "g": "inconsistent"}], gold="g")


def test_a_missing_column_is_named_with_what_there_is(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("orginal,swapped\nFIRST,SECOND\n")
    with pytest.raises(InputError, match=r"v.csv:1: there is no column 'original'.*Did you mean 'orginal'"):
        load_verdicts(file, Layout(original="original", swapped="swapped"), name="v.csv")


def test_a_place_is_given_as_file_and_line(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("o,s\nFIRST,SECOND\nFIRST,left\n")
    with pytest.raises(InputError, match=r"v.csv:3: 's' is 'left'"):
        load_verdicts(file, Layout(**BOTH), name="v.csv")


def test_a_file_without_rows_is_an_error(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("o,s\n")
    with pytest.raises(InputError, match="has no rows"):
        load_verdicts(file, Layout(**BOTH))


def test_cases_groups_and_texts_come_along():
    row = {"o": "FIRST", "s": "FIRST", "id": 7, "judge": "j", "set": None, "x": "one", "y": "two two"}
    (found,) = read([row], case="id", by=("judge", "set"), answers=("x", "y")).rows
    assert (found.case, found.groups, found.text_a, found.text_b) == ("7", ("j", ""), "one", "two two")
    with pytest.raises(InputError, match="'id' is empty"):
        read([{"o": "FIRST", "s": "FIRST", "id": ""}], case="id")


def test_rows_without_a_case_are_cases_of_their_own():
    assert [r.case for r in read([{"o": "FIRST", "s": "TIE"}] * 2).rows] == ["1", "2"]


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ({}, "name the verdicts"),
        ({"original": "o", "outcome": "v"}, "name the verdicts"),
        ({"outcome": "v", "swapped": "s"}, "name the verdicts"),
        ({"original": "o", "swapped": "o"}, "both 'o'"),
        ({**BOTH, "labels": (("x", "LEFT"),)}, "none of A, B, TIE"),
        ({**BOTH, "labels": (("x", "A"), ("X ", "B"))}, "told to mean two things"),
        ({**BOTH, "labels": (("x", "INCONSISTENT"),)}, "no verdict on one order can be"),
        ({"outcome": "v", "labels": (("x", "FIRST"),)}, "no verdict on both orders together can be"),
    ],
)
def test_a_layout_that_cannot_be_meant_is_refused(layout, said):
    with pytest.raises(UsageError, match=said):
        Layout(**layout)
