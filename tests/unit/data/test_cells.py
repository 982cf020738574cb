"""Values: one documented rule for each kind, and an error that says what to write instead."""

from typing import Any

import pytest

from judgekit.data import cells
from judgekit.data.cells import Wrong, join_list, split_list
from judgekit.data.messages import chat

CELL, TYPED = True, False
"""Whether text may stand for other kinds of values, as in a table, or not, as in JSON."""


@pytest.mark.parametrize(
    ("cell", "items"),
    [
        ("", ()),
        ("  ", ()),
        ("refund", ("refund",)),
        ("a|b", ("a", "b")),
        (" a | b ", ("a", "b")),
        (r"a\|b|c", ("a|b", "c")),
        ("refund||14 days|", ("refund", "", "14 days", "")),
        (r"C:\temp|\d+", ("C:\\temp", r"\d+")),
        ('["a|b", "c"]', ("a|b", "c")),
        ("[]", ()),
        ("[1]", ("[1]",)),
        ("[draft] x|y", ("[draft] x", "y")),
        ("a, b; c", ("a, b; c",)),
    ],
)
def test_a_cell_is_split_at_bars_and_nowhere_else(cell: str, items: tuple[str, ...]) -> None:
    assert split_list(cell) == items


@pytest.mark.parametrize(("cell", "value"), [("yes", True), (" TRUE ", True), ("1", True), ("No", False), ("0", False)])
def test_a_cell_may_say_yes_or_no(cell: str, value: bool) -> None:
    assert cells.flag(cell, CELL) is value


@pytest.mark.parametrize("value", ["yes", 1, "maybe", None])
def test_json_says_true_or_false_only(value: Any) -> None:
    with pytest.raises(Wrong, match="should be true or false"):
        cells.flag(value, TYPED)


@pytest.mark.parametrize("cell", ["25.0", "-1", "two", "1e3", "1_000", "٢٥"])
def test_a_count_is_a_whole_number(cell: str) -> None:
    if cell == "٢٥":
        assert cells.whole(cell, CELL) == 25
    else:
        with pytest.raises(Wrong, match="should be a whole number, 0 or more"):
            cells.whole(cell, CELL)


def test_a_decimal_comma_is_told_and_never_guessed() -> None:
    with pytest.raises(Wrong, match=r"decimal point: write 0\.5"):
        cells.number("0,5", CELL)
    assert cells.number(" 0.5 ", CELL) == 0.5


@pytest.mark.parametrize("value", ["nan", "inf", "", True, None, 10**400])
def test_a_number_is_finite(value: Any) -> None:
    with pytest.raises(Wrong):
        cells.number(value, CELL)


@pytest.mark.parametrize(("value", "shown"), [(True, '"true"'), (12, '"12"'), (1.5, '"1.5"')])
def test_what_is_no_text_is_to_be_quoted(value: Any, shown: str) -> None:
    with pytest.raises(Wrong, match="quote it") as error:
        cells.text(value, TYPED)
    assert shown in str(error.value)


def test_a_whole_number_is_an_id_by_its_digits_and_a_float_is_none() -> None:
    assert cells.ident(10124420001034504343, TYPED) == "10124420001034504343"
    with pytest.raises(Wrong, match="a float has lost digits"):
        cells.ident(12.0, TYPED)


@pytest.mark.parametrize("value", ["", "  ", " a", "a ", "a\nb", "a\tb"])
def test_an_id_is_one_line_without_blanks_around_it(value: str) -> None:
    with pytest.raises(Wrong):
        cells.ident(value, TYPED)


def test_an_id_may_hold_spaces_dots_and_any_script() -> None:
    for name in ("refund after 14.5 days", "вопрос-1", "می‌خواهم", "a"):
        assert cells.ident(name, TYPED) == name


def test_a_bare_text_where_json_needs_a_list_shows_the_list() -> None:
    with pytest.raises(Wrong, match=r'write \["refund"\]'):
        cells.texts("refund", TYPED)


def test_ids_in_json_lists_become_their_digits() -> None:
    assert cells.names([12, "a"], TYPED) == ("12", "a")
    assert cells.names("[12, 13]", CELL) == ("12", "13")
    assert cells.names("12|13", CELL) == ("12", "13")
    with pytest.raises(Wrong, match="does not say which"):
        cells.names(value=True, loose=TYPED)


def test_a_pattern_that_does_not_compile_is_told() -> None:
    with pytest.raises(Wrong, match="no regular expression"):
        cells.patterns(["(open"], TYPED)


@pytest.mark.parametrize("value", ["most", {"at_least": 0}, {"at_least": 2, "x": 1}, 2, None])
def test_a_pass_rule_is_all_any_or_at_least(value: Any) -> None:
    with pytest.raises(Wrong):
        cells.pass_rule(value, TYPED)
    assert cells.pass_rule({"at_least": 2}, TYPED) == {"at_least": 2}
    assert cells.pass_rule('{"at_least": 2}', CELL) == {"at_least": 2}


def test_a_near_word_is_suggested() -> None:
    with pytest.raises(Wrong, match="Did you mean 'critical'"):
        cells.one_of(("critical", "high"))("critcal", TYPED)


def test_text_parts_are_one_text_and_an_image_is_refused_by_name() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert chat([{"role": "user", "content": parts}], TYPED)[0].content == "a\nb"
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    for value in ([{"role": "user", "content": [*parts, image]}], [image]):
        with pytest.raises(Wrong, match=r"unsupported part \(image_url\)"):
            chat(value, TYPED)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "empty list"),
        ({"text": "x"}, "list of messages"),
        ([{"role": "tool", "content": "x"}], "role 'tool'"),
        ([{"role": "user"}], "message 1: content is missing"),
        ([{"role": "user", "content": "x", "name": "y"}], "unknown key 'name'"),
        (["hello"], r"should be \{role, content\}"),
        (7, "quote it"),
    ],
)
def test_what_is_no_chat_is_told(value: Any, reason: str) -> None:
    with pytest.raises(Wrong, match=reason):
        chat(value, TYPED)


def test_a_list_is_written_as_a_cell_that_reads_as_the_same_list() -> None:
    assert join_list(["a|b", "c"]) == r"a\|b|c"
    for items in (["a\\", "b"], ["", "x"], [" a"], ["[]"], []):
        assert list(split_list(join_list(items))) == items
