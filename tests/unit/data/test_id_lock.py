"""An id names one case for ever: the lock remembers, and a deleted id does not come back for another input."""

import pytest

from judgekit.data.cases import CaseSet, cases_from_rows
from judgekit.data.idlock import check_lock, parse_lock, update_lock
from judgekit.errors import InputError


def cases(**inputs: str) -> CaseSet:
    return cases_from_rows([{"id": name, "input": given} for name, given in inputs.items()])


def test_without_a_lock_every_id_is_new_and_nothing_is_wrong() -> None:
    report = check_lock(None, cases(a="x", b="y"))
    assert (report.problems, report.notices, report.new) == ((), (), ("a", "b"))


def test_locking_the_same_cases_again_changes_nothing() -> None:
    text = update_lock(None, cases(b="y", a="x"))
    assert [line.split(" ", 1)[1] for line in text.splitlines()[1:]] == ["live a", "live b"]
    assert update_lock(text, cases(a="x", b="y")) == text
    assert check_lock(text, cases(a="x", b="y")).notices == ()


def test_a_deleted_id_for_another_input_is_an_error_at_the_case() -> None:
    text = update_lock(update_lock(None, cases(a="x", b="y")), cases(a="x"))
    assert parse_lock(text)["b"].gone
    report = check_lock(text, cases(a="x", b="other"))
    assert [str(p) for p in report.problems] == [
        "row 2: id 'b' belonged to a deleted case with another input (ids.lock:3); give this case a new id"
    ]
    with pytest.raises(InputError, match="give this case a new id"):
        update_lock(text, cases(a="x", b="other"))


def test_a_deleted_case_may_come_back_as_it_was() -> None:
    text = update_lock(update_lock(None, cases(a="x", b="y")), cases(a="x"))
    again = update_lock(text, cases(a="x", b="y"))
    assert not parse_lock(again)["b"].gone


def test_a_gone_id_is_remembered_through_any_number_of_locks() -> None:
    text = update_lock(None, cases(a="x", b="y"))
    for _ in range(3):
        text = update_lock(text, cases(a="x"))
    assert check_lock(text, cases(a="x", b="z")).problems


def test_an_input_that_changed_under_its_id_is_a_notice_until_the_next_lock() -> None:
    text = update_lock(None, cases(a="x", b="y"))
    report = check_lock(text, cases(a="x2", b="y"))
    assert (report.problems, report.changed) == ((), ("a",))
    assert "the input of case 'a' changed since it was locked" in report.notices[0]
    assert check_lock(update_lock(text, cases(a="x2", b="y")), cases(a="x2", b="y")).notices == ()


def test_new_and_missing_ids_are_told() -> None:
    report = check_lock(update_lock(None, cases(a="x", b="y")), cases(b="y", c="z"))
    assert (report.new, report.missing, len(report.notices)) == (("c",), ("a",), 2)


def test_ids_of_several_words_and_crlf_are_read() -> None:
    text = update_lock(None, cases(**{"refund after 14 days": "x", "вопрос": "y"}))
    assert set(parse_lock(text.replace("\n", "\r\n"))) == {"refund after 14 days", "вопрос"}


def test_damaged_lines_merge_marks_and_doubles_are_told_with_their_lines() -> None:
    good = update_lock(None, cases(a="x"))
    text = good + "<<<<<<< HEAD\nrubbish\n" + good.splitlines()[1] + "\n"
    with pytest.raises(InputError) as error:
        parse_lock(text)
    lines = str(error.value).splitlines()
    assert lines[0].startswith("ids.lock:3: holds the mark of an unfinished merge")
    assert lines[1].startswith("ids.lock:4: is not a line of a lock ('rubbish')")
    assert lines[2].startswith("ids.lock:5: id 'a' is already at line 2")
