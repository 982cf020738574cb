"""Outputs from elsewhere: read under the names that people use, nothing invented, nothing dropped in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from judgekit.data.outputs import OutputSet, load_outputs, outputs_from_rows
from judgekit.errors import InputError, UsageError
from judgekit.types import Fault, Output, Usage


def load(folder: Path, text: str, name: str = "o.jsonl", **options: Any) -> OutputSet:
    (folder / name).write_text(text, encoding="utf-8")
    return load_outputs(name, folder, **options)


def refusal(folder: Path, text: str, name: str = "o.jsonl", **options: Any) -> str:
    with pytest.raises(InputError) as error:
        load(folder, text, name, **options)
    return str(error.value)


def line(**fields: Any) -> str:
    return json.dumps(fields) + "\n"


@pytest.mark.parametrize("name", ["output", "reply", "answer", "text"])
def test_the_output_is_found_under_each_of_its_names(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, line(id="a", **{name: "x"})).outputs == (Output("a", "x"),)
    assert load(tmp_path, f"id,{name}\na,x\n", "o.csv").outputs == (Output("a", "x"),)


def test_every_field_is_read(tmp_path: Path) -> None:
    fields = {
        "variant": "v1",
        "trial": 2,
        "model": "openai:gpt-5",
        "label": "returns",
        "citations": ["kb#1"],
        "retrieved": ["kb#1", "kb#2"],
        "context": "c",
        "trace": [{"tool": "search"}],
        "finish": "length",
    }
    wanted = Output(
        "a", "x", "v1", 2, "openai:gpt-5", "returns", ("kb#1",), ("kb#1", "kb#2"), "c", [{"tool": "search"}], "length"
    )
    assert load(tmp_path, line(id="a", output="x", **fields)).outputs == (wanted,)
    assert load(tmp_path, line(id="a", reply="x", **fields)).outputs == (wanted,)
    text = "id,output,variant,trial,model,label,citations,retrieved,context,trace,finish\n"
    text += 'a,x,v1,2,openai:gpt-5,returns,kb#1,kb#1|kb#2,c,"[{""tool"": ""search""}]",max_tokens\n'
    assert load(tmp_path, text, "o.csv").outputs == (wanted,)


def test_an_absent_list_is_none_and_an_empty_one_is_empty(tmp_path: Path) -> None:
    text = line(id="a", output="x") + line(id="b", output="x", citations=[]) + line(id="c", output="x", citations=None)
    assert [o.citations for o in load(tmp_path, text)] == [None, (), None]
    text = 'id,output,citations\na,x,\nb,x,[]\nc,x,k|l\nd,x,"[1, 2]"\n'
    assert [o.citations for o in load(tmp_path, text, "o.csv")] == [None, (), ("k", "l"), ("1", "2")]


def test_extra_columns_are_ignored_with_one_notice_that_names_them(tmp_path: Path) -> None:
    found = load(tmp_path, "id,output,cost,note\na,x,1,\nb,y,2,z\n", "o.csv")
    assert found.notices == ("o.csv: ignored columns 'cost', 'note'",)
    found = load(tmp_path, line(id="a", output="x", cost=1) + line(id="b", output="y"))
    assert found.notices == ("o.jsonl: ignored column 'cost'",)
    assert [o.id for o in found] == ["a", "b"]


def test_columns_map_theirs_to_ours(tmp_path: Path) -> None:
    text = "Nr,Reply,output\na,theirs,other\n"
    found = load(tmp_path, text, "o.csv", columns={"id": "Nr", "output": "Reply"})
    assert found.outputs == (Output("a", "theirs"),)
    assert found.notices == ("o.csv: ignored column 'output'",)
    assert "Did you mean 'Reply'" in refusal(tmp_path, text, "o.csv", columns={"output": "reply"})
    with pytest.raises(UsageError, match=r"'outptu' is no field of ours\. Did you mean 'output'"):
        load(tmp_path, text, "o.csv", columns={"outptu": "Reply"})


def test_our_own_name_wins_and_two_aliases_are_asked_about(tmp_path: Path) -> None:
    assert load(tmp_path, line(id="a", output="x", text="y")).outputs[0].output == "x"
    assert "'reply' and 'text' may both be the output; say which" in refusal(
        tmp_path, line(id="a", reply="x", text="y")
    )


def test_no_output_column_names_the_columns_there_are(tmp_path: Path) -> None:
    assert "columns: 'id', 'Response'. Name it output" in refusal(tmp_path, "id,Response\na,x\n", "o.csv")
    assert "columns: 'id'" in refusal(tmp_path, line(id="a"))
    assert "--columns output=Text" in refusal(tmp_path, "id,Text\na,x\n", "o.csv")
    assert refusal(tmp_path, "\n") == "o.jsonl: holds no outputs"
    assert "Only one column was seen" in refusal(tmp_path, "id|output\na|x\n", "o.csv")


def test_a_missing_output_is_a_fault_that_is_told_and_never_an_empty_text(tmp_path: Path) -> None:
    found = load(tmp_path, "id,output\na,\nb,x\n", "o.csv")
    assert found.outputs[0] == Output("a", fault=Fault("failed", "missing", "the output is missing"))
    assert found.notices == ("1 output is missing (empty cell or null) and will have no verdict: o.csv:2",)
    found = load(tmp_path, line(id="a", output=None) + line(id="b", output=""))
    assert (found.outputs[0].fault is None, found.outputs[1]) == (False, Output("b", ""))
    assert "o.jsonl:2: 'output' is missing" in refusal(tmp_path, line(id="a", output="x") + line(id="b"))


def test_a_duplicate_names_both_lines_and_trials_and_variants_keep_rows_apart(tmp_path: Path) -> None:
    text = line(id="a", output="x", trial=1) + line(id="a", output="x", trial=2) + line(id="a", output="x", variant="v")
    assert len(load(tmp_path, text)) == 3
    message = refusal(tmp_path, text + "\n" + line(id="a", output="y", trial=2))
    assert message == "o.jsonl:5: id 'a', trial 2 is already given at o.jsonl:2; number the trials or name the variants"


def test_ids_are_derived_from_the_input_apart_for_each_variant_and_trial(tmp_path: Path) -> None:
    text = "input,output,variant\nq,1,v1\nq,2,v1\nq,3,v2\nr,4,v1\n"
    found = load(tmp_path, text, "o.csv")
    ids = [o.id for o in found]
    assert (ids[0], ids[1], len(set(ids))) == (ids[2], ids[0] + "-2", 3)
    assert "o.csv: no id column: ids are derived from the inputs" in found.notices
    assert "'id' is missing" in refusal(tmp_path, "output\nx\n", "o.csv")


def test_number_ids_of_json_and_text_ids_of_csv_are_the_same(tmp_path: Path) -> None:
    a = load(tmp_path, '{"id": 12, "output": "x"}\n{"id": 10124420001034504343, "output": "x"}\n')
    b = load(tmp_path, "id,output\n12,x\n10124420001034504343,x\n", "o.csv")
    assert a.outputs == b.outputs


def test_a_json_output_is_kept_as_it_is_and_a_cell_stays_text(tmp_path: Path) -> None:
    assert load(tmp_path, line(id="a", output={"answer": 1})).outputs[0].output == {"answer": 1}
    assert load(tmp_path, 'id,output\na,"{""answer"": 1}"\n', "o.csv").outputs[0].output == '{"answer": 1}'


def test_an_image_in_an_output_is_refused_by_name_and_text_parts_are_text(tmp_path: Path) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:"}}
    assert "'output' unsupported part (image_url)" in refusal(tmp_path, line(id="a", output=[image]))
    assert load(tmp_path, line(id="a", output=[{"type": "text", "text": "x"}])).outputs[0].output == "x"


@pytest.mark.parametrize(
    ("word", "finish"), [("stop", "stop"), ("MAX_TOKENS", "length"), ("end_turn", "stop"), ("SAFETY", "filter")]
)
def test_the_words_of_providers_for_the_end_are_understood(tmp_path: Path, word: str, finish: str) -> None:
    assert load(tmp_path, line(id="a", output="x", finish_reason=word)).outputs[0].finish == finish


def test_values_that_do_not_fit_are_all_told(tmp_path: Path) -> None:
    text = "id,output,trial,finish\na,x,0,done\n b,y,one,\n"
    assert [m.split(" ")[1] for m in refusal(tmp_path, text, "o.csv").splitlines()] == [
        "'trial'",
        "'finish'",
        "'trial'",
        "'id'",
    ]


def test_the_outputs_that_a_run_wrote_are_read_again(tmp_path: Path) -> None:
    import msgspec

    outputs = (
        Output("a", "x", "v", 1, usage=Usage(10, 5), cost_usd=0.5, cached=True),
        Output("b", variant="v", fault=Fault("failed", "timeout", "no answer in 120 s")),
        Output("c", {"k": [1]}, "v"),
    )
    text = "".join(msgspec.json.encode(o).decode() + "\n" for o in outputs)
    assert load(tmp_path, text).outputs == outputs
    assert load(tmp_path, line(id="z", output="x", more=1) + text).outputs[1:] == outputs


def test_rows_from_memory_are_read_alike() -> None:
    found = outputs_from_rows([{"id": 1, "reply": "x", "extra": 0}, {"id": "b", "reply": None}])
    assert [o.id for o in found] == ["1", "b"]
    assert found.notices[0] == "rows: ignored column 'extra'"
    assert "row 2" in found.notices[1]


def test_a_broken_line_does_not_hide_the_others(tmp_path: Path) -> None:
    message = refusal(tmp_path, line(id="a", output="x") + '{"id"\n' + line(id="a", output="y") + "[]\n")
    assert [m.split(": ")[0] for m in message.splitlines()] == ["o.jsonl:2", "o.jsonl:3", "o.jsonl:4"]
