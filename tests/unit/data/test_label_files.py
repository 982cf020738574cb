"""Human labels: understood only if they are PASS, FAIL, UNKNOWN or were told; bound to the text they were given for."""

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.data.labels import Label, LabelSet, Spelling, labels_from_rows, load_labels
from judgekit.errors import InputError, UsageError
from judgekit.types import sha256_of


def load(folder: Path, text: str, name: str = "l.csv", **options: Any) -> LabelSet:
    (folder / name).write_text(text, encoding="utf-8")
    return load_labels(name, folder, **options)


def refusal(folder: Path, text: str, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        load(folder, text, **options)
    return str(error.value)


def test_a_long_table_is_read_with_every_field(tmp_path: Path) -> None:
    text = (
        "case_id,dimension,label,annotator,output,model,variant,trial,split,note\n"
        "a,polite,PASS,ann,Hello.,openai:gpt-5,v1,2,test,fine\n"
    )
    assert load(tmp_path, text).labels == (
        Label(
            case="a",
            verdict="PASS",
            written="PASS",
            dimension="polite",
            annotator="ann",
            output="Hello.",
            sha256=sha256_of("Hello."),
            variant="v1",
            trial=2,
            model="openai:gpt-5",
            split="test",
            note="fine",
            place="l.csv:2",
        ),
    )


def test_a_wide_table_gives_one_label_for_each_annotator(tmp_path: Path) -> None:
    found = load(tmp_path, "case_id,ann,ben,why\na,PASS,fail,x\nb,,UNKNOWN,\n", annotators=["ann", "ben"])
    assert [(one.case, one.annotator, one.verdict) for one in found] == [
        ("a", "ann", "PASS"),
        ("a", "ben", "FAIL"),
        ("b", "ben", "UNKNOWN"),
    ]
    assert found.annotators == ("ann", "ben")
    assert (found.empty, found.notices) == (1, ("l.csv: ignored column 'why'", "1 empty label is left out"))


def test_our_words_are_understood_in_any_letter_case_and_with_blanks(tmp_path: Path) -> None:
    found = load(tmp_path, "case_id,label\na,PASS\nb,pass\nc, Pass \nd,Fail\ne,unknown\n")
    assert [one.verdict for one in found] == ["PASS", "PASS", "PASS", "FAIL", "UNKNOWN"]


@pytest.mark.parametrize("word", ["yes", "true", "1", "good", "GOOD", "4", "None", "null", "NA", "PASSED", "P"])
def test_any_other_word_is_an_error_with_value_row_and_mend(tmp_path: Path, word: str) -> None:
    message = refusal(tmp_path, f"case_id,label\na,PASS\nb,{word}\n")
    assert message == (
        f"l.csv:3: label {word!r} is not understood: write PASS, FAIL or UNKNOWN, "
        "or say what it means: --pass yes --fail no, or --pass-at 3 for scores"
    )


def test_a_row_of_a_wide_table_is_told_once_with_its_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, "case_id,ann,ben,cas\na,0,0,PASS\nb,PASS,x,1\n", annotators=["ann", "ben", "cas"])
    told = [str(problem).partition(" is not understood")[0] for problem in caught.value.problems]
    assert told == ["l.csv:2: 'ann' and 'ben': label '0'", "l.csv:3: 'ben': label 'x'", "l.csv:3: 'cas': label '1'"]


def test_told_words_mean_what_was_told_and_nothing_else(tmp_path: Path) -> None:
    told = Spelling(passes=("no",), fails=("Yes",), unknowns=("?",))
    found = load(tmp_path, "case_id,label\na,No\nb,yes\nc,?\nd,PASS\n", spelling=told)
    assert [one.verdict for one in found] == ["PASS", "FAIL", "UNKNOWN", "PASS"]
    assert "known are PASS, FAIL, UNKNOWN, 'no', 'Yes', '?'" in refusal(
        tmp_path, "case_id,label\na,nope\n", spelling=told
    )


def test_scores_pass_at_the_told_one(tmp_path: Path) -> None:
    found = load(tmp_path, "case_id,label\na,3\nb,2.9\nc,5\nd,unknown\ne,-1\n", spelling=Spelling(pass_at=3))
    assert [one.verdict for one in found] == ["PASS", "FAIL", "PASS", "UNKNOWN", "FAIL"]
    assert "scores (pass at 3)" in refusal(tmp_path, "case_id,label\na,four\n", spelling=Spelling(pass_at=3))
    assert "not understood" in refusal(tmp_path, "case_id,label\na,nan\n", spelling=Spelling(pass_at=3))


def test_one_word_cannot_mean_two_things() -> None:
    with pytest.raises(UsageError, match="'yes' is told to mean two things"):
        Spelling(passes=("yes",), fails=("YES ",))


def test_a_text_that_does_not_fit_its_hash_is_an_error(tmp_path: Path) -> None:
    good, bad = sha256_of("x"), sha256_of("y")
    assert load(tmp_path, f"case_id,label,output,output_sha256\na,PASS,x,{good.upper()}\n").labels[0].sha256 == good
    assert "l.csv:2: 'output_sha256' is not the hash of 'output'" in refusal(
        tmp_path, f"case_id,label,output,output_sha256\na,PASS,x,{bad}\n"
    )
    assert load(tmp_path, f"case_id,label,output_sha256\na,PASS,{bad}\n").labels[0].sha256 == bad


def test_a_sheet_without_ids_takes_them_from_the_inputs(tmp_path: Path) -> None:
    found = load(tmp_path, "input,output,label\nq,x,PASS\nq,y,FAIL\n")
    assert found.labels[1].case == found.labels[0].case + "-2"
    assert "no column 'case_id' and no 'input' either" in refusal(tmp_path, "output,label\nx,PASS\n")


def test_the_same_label_twice_names_both_places_and_other_texts_are_others(tmp_path: Path) -> None:
    message = refusal(tmp_path, "case_id,label,annotator\na,PASS,ann\na,FAIL,ben\na,FAIL,ann\n")
    assert message == "l.csv:4: case 'a' has a second label by 'ann'; the first is at l.csv:2"
    assert len(load(tmp_path, "case_id,label,output\na,PASS,x\na,FAIL,y\n")) == 2


def test_a_missing_column_or_annotator_names_the_columns_there_are(tmp_path: Path) -> None:
    assert "there is no column 'label'; columns: 'case_id', 'Verdict'" in refusal(tmp_path, "case_id,Verdict\na,PASS\n")
    assert load(tmp_path, "case_id,Verdict\na,PASS\n", columns={"label": "Verdict"}).labels[0].verdict == "PASS"
    assert "there is no column 'cid'" in refusal(tmp_path, "case_id,ann\na,PASS\n", annotators=["ann", "cid"])


def test_ids_are_text_and_a_row_without_one_is_an_error(tmp_path: Path) -> None:
    assert [one.case for one in load(tmp_path, "case_id,label\n007,PASS\nNA,FAIL\n")] == ["007", "NA"]
    assert "l.csv:3: 'case_id' is missing" in refusal(tmp_path, "case_id,label\na,PASS\n,FAIL\n")


def test_json_lines_and_rows_are_read_alike(tmp_path: Path) -> None:
    rows = [{"case_id": 7, "label": "PASS"}, {"case_id": "b", "label": None}, {"case_id": "c", "label": "fail"}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    for found in (load(tmp_path, text, "l.jsonl"), labels_from_rows(rows)):
        assert [(one.case, one.verdict) for one in found] == [("7", "PASS"), ("c", "FAIL")]
        assert found.empty == 1
    with pytest.raises(InputError, match="row 1: label True is not understood"):
        labels_from_rows([{"case_id": "a", "label": True}])
    told = Spelling(passes=("true",), fails=("false",))
    assert labels_from_rows([{"case_id": "a", "label": True}], spelling=told).labels[0].verdict == "PASS"
    with pytest.raises(InputError, match="should be one word or score, found a list"):
        labels_from_rows([{"case_id": "a", "label": ["PASS"]}])


def test_a_float_that_stands_for_a_whole_score_is_that_score() -> None:
    told = Spelling(passes=("1",), fails=("0",))
    found = labels_from_rows([{"case_id": "a", "label": 1.0}, {"case_id": "b", "label": 0}], spelling=told)
    assert [one.verdict for one in found] == ["PASS", "FAIL"]
