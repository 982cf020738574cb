"""Two sides of labels, read as labels."""

import pytest

from judgekit.errors import InputError
from judgekit.report.agreement.columns import Columns, understand
from judgekit.report.agreement.told import AS_WRITTEN, Told


def test_a_stray_of_the_judge_is_no_verdict_and_is_counted(columns):
    read = understand(columns(["1", "9", "9", "no score"], ["1", "2", "1", "2"]), Told(labels=("1", "2")))
    assert read.judge == ["1", None, None, None]
    assert read.strays == {"9": 2, "no score": 1}


def test_a_stray_of_a_person_is_an_error_with_its_rows(columns):
    with pytest.raises(InputError) as error:
        understand(columns(["1"] * 4, ["1", "9", "x", "9"]), Told(labels=("1", "2")))
    assert [(p.file, p.line) for p in error.value.problems] == [("f.csv", 3), ("f.csv", 4)]
    assert "'9' (and in 1 more: 5)" in error.value.problems[0].what
    assert "the labels are 1, 2" in str(error.value)


def test_rows_from_memory_are_named_by_their_number():
    with pytest.raises(InputError, match="row 2: 'h' is 'maybe'"):
        understand(Columns("rows", {"h": ["yes", "maybe"]}, "j", ["yes", "no"]), Told(passes=("yes",), fails=("no",)))


def test_strays_of_several_people_are_told_at_once(columns):
    with pytest.raises(InputError) as error:
        understand(columns(["1", "2"], ["1", "x"], ["y", "2"]), Told(labels=("1", "2")))
    assert len(error.value.problems) == 2


def test_columns_that_share_no_label_are_refused_unless_told(columns):
    sides = columns(["PASS", "FAIL"], ["yes", "no"])
    with pytest.raises(InputError, match=r"share no label.*'no', 'yes'.*'FAIL', 'PASS'"):
        understand(sides, AS_WRITTEN)
    assert understand(sides, Told(passes=("yes",), fails=("no",))).humans == {"human": ["PASS", "FAIL"]}


def test_pass_against_fail_alone_is_an_answer_not_a_mistake(columns):
    assert understand(columns(["FAIL"], ["PASS"]), AS_WRITTEN).labels == ("PASS", "FAIL")


def test_an_empty_side_is_no_mistake_of_labels(columns):
    assert understand(columns([None, ""], ["a", "b"]), AS_WRITTEN).judge == [None, None]


def test_a_column_of_texts_is_not_taken_for_labels(columns):
    texts = [f"answer {n}" for n in range(26)]
    with pytest.raises(InputError, match="'judge' holds 26 different values"):
        understand(columns(texts, ["a"] * 26), AS_WRITTEN)


def test_many_scores_are_fine_where_a_pass_mark_was_told(columns):
    scores = [str(n / 7) for n in range(60)]
    read = understand(columns(scores, scores), Told(pass_at=4))
    assert read.labels == ("PASS", "FAIL")


@pytest.mark.parametrize(
    ("human", "judge", "notice"),
    [
        (["3", "2"], ["3.0", "2"], "'3.0' counts as '3'"),
        (["Yes", "no"], ["yes", "no"], "'Yes' and 'yes' count as different labels"),
        (["PASS", "None"], ["PASS", "FAIL"], "'None' counted as labels of their own beside PASS and FAIL"),
        (["1", "2", "3"], ["1", "2", "refusal"], "'refusal' counted as labels of their own beside scores"),
    ],
)
def test_spellings_that_may_deceive_are_told(columns, human, judge, notice):
    assert any(notice in said for said in understand(columns(judge, human), AS_WRITTEN).notices)


@pytest.mark.parametrize(
    ("human", "judge"), [(["PASS", "fail "], ["pass", "FAIL"]), (["1", "2", "tie"], ["1", "2", "tie"]), (["a"], ["a"])]
)
def test_plain_labels_give_no_notice(columns, human, judge):
    assert understand(columns(judge, human), AS_WRITTEN).notices == ()
