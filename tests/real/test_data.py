"""Files that real judge studies published, read as people would give them to us; counts are those of their READMEs."""

from collections import Counter
from pathlib import Path

import pytest

from judgekit.data.cases import cases_from_rows
from judgekit.data.join import Judged, join_labels
from judgekit.data.labels import Spelling, load_labels
from judgekit.data.outputs import load_outputs
from judgekit.data.rows import Log
from judgekit.data.sources import read_rows
from judgekit.errors import InputError


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("hanna/ratings.csv", 6336),
        ("hanna/explanations.jsonl", 100),
        ("llm_rubric/human.csv", 734 + 223),
        ("llmbar/items.jsonl", 419),
        ("llmbar/ratings.csv", 838),
        ("llmbar/unparsed.jsonl", 29),
        ("llmbar/verdicts.csv", 15084),
        ("mt_bench_human/human_votes.csv", 1751),
        ("mt_bench_human/pairs.csv", 1240),
        ("pairwise_human/unparsed.jsonl", 139),
        ("pandalm/items.jsonl", 999),
        ("pandalm/labels.csv", 999),
        ("repeat_scores/scores.csv", 34816),
        ("trec_llmjudge/labels.csv", 4423),
        ("triviaqa_judges/labels_v1.csv", 3600),
        ("triviaqa_judges/labels_v2.csv", 3200),
        ("xstest/labels.csv", 2250),
        ("xstest/malformed_judge_outputs.jsonl", 11),
    ],
)
def test_every_row_is_read(data_dir: Path, name: str, rows: int) -> None:
    log = Log()
    found, _ = read_rows(data_dir / name, name=name, log=log)
    assert (len(found), log.problems) == (rows, [])


def test_three_annotators_in_a_wide_table_are_read_once_told_what_their_words_mean(data_dir: Path) -> None:
    who = ["annotator_1", "annotator_2", "annotator_3"]
    columns = {"case": "item_id"}
    with pytest.raises(InputError) as error:
        load_labels("pandalm/labels.csv", data_dir, columns=columns, annotators=who)
    said = str(error.value.problems[0])
    assert said.startswith("pandalm/labels.csv:2: 'annotator_1', 'annotator_2' and 'annotator_3': label '2' is not")
    told = Spelling(passes=("1",), fails=("2", "tie"))
    found = load_labels("pandalm/labels.csv", data_dir, columns=columns, annotators=who, spelling=told)
    assert (len(found), found.empty) == (3 * 999, 0)
    majority = load_labels("pandalm/labels.csv", data_dir, columns=columns | {"label": "majority"}, spelling=told)
    # the published counts of the majority: 422 for the first, 472 for the second, 105 ties
    assert Counter(label.verdict for label in majority) == {"PASS": 422, "FAIL": 472 + 105}
    assert Counter(label.written for label in majority) == {"1": 422, "2": 472, "tie": 105}


def test_a_judges_empty_cells_are_counted_and_not_guessed(data_dir: Path) -> None:
    told = Spelling(passes=("1",), fails=("2", "tie"))
    judge = {"case": "item_id", "label": "gpt_3_5_turbo"}
    found = load_labels("pandalm/labels.csv", data_dir, columns=judge, spelling=told)
    assert (len(found), found.empty) == (999 - 25, 25)


def test_three_classes_are_read_with_a_word_for_each(data_dir: Path) -> None:
    told = Spelling(passes=("full_compliance",), fails=("full_refusal",), unknowns=("partial_refusal",))
    columns = {"case": "item_id", "label": "gpt4_judge", "variant": "responder"}
    found = load_labels("xstest/labels.csv", data_dir, columns=columns, spelling=told)
    assert (len(found), found.empty) == (2250 - 11, 11)
    assert Counter(label.variant for label in found).keys() == {
        "llama2orig",
        "llama2new",
        "mistralinstruct",
        "mistralguard",
        "gpt4",
    }


def test_scores_become_verdicts_at_the_told_one(data_dir: Path) -> None:
    columns = {"case": "query_id", "label": "human", "variant": "passage_id"}
    found = load_labels("trec_llmjudge/labels.csv", data_dir, columns=columns, spelling=Spelling(pass_at=1))
    zeros = sum(label.written == "0" for label in found)
    assert (len(found), sum(label.verdict == "FAIL" for label in found)) == (4423, zeros)
    assert round(zeros / len(found), 2) == 0.45  # "45% zeros"


def test_the_texts_of_judges_are_outputs_under_told_columns(data_dir: Path) -> None:
    columns = {"id": "item_id", "variant": "order", "finish": "finish_reason"}
    outputs = load_outputs("llmbar/texts_gpt-4.jsonl", data_dir, columns=columns)
    assert len(outputs) == 838
    assert {output.variant for output in outputs} == {"original", "swapped"}
    assert all(isinstance(output.output, str) and output.fault is None for output in outputs)
    assert "ignored columns 'judge', 'strategy', 'parsed_choice'" in outputs.notices[0]


def test_ids_that_are_numbers_in_one_file_and_text_in_the_other_meet(data_dir: Path) -> None:
    told = Spelling(passes=("1",), fails=("2", "tie"))
    labels = load_labels(
        "pandalm/labels.csv", data_dir, columns={"case": "item_id", "label": "majority"}, spelling=told
    )
    rows, _ = read_rows(data_dir / "pandalm/items.jsonl", name="items.jsonl", log=Log())
    picked = [{"id": row.values["item_id"], "input": row.values["instruction"]} for row in rows]
    cases = cases_from_rows(picked)
    joined = join_labels(labels, [Judged(case.id, "better", None) for case in cases])
    assert (len(joined.pairs), joined.only_labels, joined.only_judged) == (999, (), ())
