"""What a probe does to a text: padding repeats, Markdown dresses, an exchange finds another case."""

import json

import pytest

from judgekit.probes.dressing import dressed
from judgekit.probes.mismatch import Written, exchanged
from judgekit.probes.padding import padded
from judgekit.probes.prose import prose, sentences


def test_sentences_end_at_full_stops_question_marks_and_lines():
    text = 'Yes. We open at ten! "Really?" Ask us.\nThe desk\n\n早上好。明天见。'
    assert sentences(text) == ["Yes.", "We open at ten!", '"Really?"', "Ask us.", "The desk", "早上好。", "明天见。"]


def test_a_number_with_a_point_is_no_end_of_a_sentence():
    assert sentences("It costs 3.50 euros. Pay at the desk.") == ["It costs 3.50 euros.", "Pay at the desk."]


def test_padding_says_everything_twice_and_nothing_else():
    assert padded("Yes. Bring an ID.") == "Yes. Bring an ID.\n\nYes. Bring an ID."
    assert padded("One.\nTwo.") == "One.\nTwo.\n\nOne. Two."


def test_dressing_makes_the_first_sentence_bold_and_a_list_of_the_others():
    assert dressed("Yes. Bring an ID. It takes a minute.") == "**Yes.**\n\n- Bring an ID.\n- It takes a minute."
    assert dressed("Yes.") == "**Yes.**"


@pytest.mark.parametrize(
    "text", ["# Hours\nTen to six.", "- one\n- two", "It is **free**.", "1. Go\n2. Ask", "```\nx\n```", "  "]
)
def test_text_that_wears_markdown_or_holds_nothing_is_not_dressed(text):
    assert dressed(text) is None


@pytest.mark.parametrize("value", ['{"a": 1}', "[1, 2]", {"a": 1}, ["x"], 3, None, "", " \n "])
def test_json_and_empty_outputs_are_no_prose(value):
    assert prose(value) is None


@pytest.mark.parametrize("text", ["plain", "{not json", "[see the page] for more", "3"])
def test_everything_else_is_prose_as_it_is(text):
    assert prose(text) == text


def units(*pairs):
    return {(f"c{i}", 1): Written(*pair) for i, pair in enumerate(pairs)}


def test_every_output_is_exchanged_for_one_of_a_case_that_asked_something_else():
    outputs = units(*((f"q{i}", f"a{i}") for i in range(6)))
    found = exchanged(outputs)
    assert found == {(f"c{i}", 1): (f"c{(i + 3) % 6}", 1) for i in range(6)}


def test_the_same_question_or_the_same_answer_is_no_exchange():
    outputs = units(("q", "a"), ("q", "b"), ("other", "a"))
    # c0 may not have c1 (same question) nor c2 (same answer); c1 and c2 have each other
    assert exchanged(outputs) == {("c1", 1): ("c2", 1), ("c2", 1): ("c1", 1)}


def test_trials_of_one_case_are_never_exchanged_with_each_other():
    outputs = {("c", t): Written("q", f"a{t}") for t in range(1, 4)}
    outputs["d", 1] = Written("p", "b")
    assert {unit: other[0] for unit, other in exchanged(outputs).items()} == {
        ("c", 1): "d",
        ("c", 2): "d",
        ("c", 3): "d",
        ("d", 1): "c",
    }


def test_one_question_in_the_whole_suite_leaves_nothing_to_exchange():
    assert exchanged(units(*(("q", json.dumps(i)) for i in range(4)))) == {}
