"""What a user's function or command returned becomes an output or a fault, never a repr."""

import json
from types import SimpleNamespace

import pytest

from judgekit.run.convert import as_output, pick
from judgekit.types import Output

BASE = Output(id="c", variant="v", trial=2, model="openai:gpt-5")


def test_text_is_the_output_as_it_is():
    output = as_output("  two lines\n", BASE)
    assert (output.output, output.id, output.trial, output.model) == ("  two lines\n", "c", 2, "openai:gpt-5")


def test_empty_text_is_an_output_and_none_is_not():
    assert as_output("", BASE).fault is None
    assert as_output(None, BASE).fault.code == "returned_none"
    assert as_output({"output": None}, BASE).fault.code == "returned_none"


@pytest.mark.parametrize("key", ["output", "reply", "answer", "text"])
def test_a_dict_may_carry_label_and_citations(key):
    output = as_output({key: "hi", "label": "refund", "citations": ["a", 7], "finish": "length"}, BASE)
    assert (output.text, output.label, output.citations, output.finish) == ("hi", "refund", ("a", "7"), "length")
    assert output.retrieved is None


def test_another_dict_is_the_output_itself():
    output = as_output({"b": 1, "a": "café"}, BASE)
    assert json.loads(output.text) == {"a": "café", "b": 1}
    assert output.text.index('"a"') < output.text.index('"b"')
    assert "café" in output.text


@pytest.mark.parametrize(
    "reply",
    [
        SimpleNamespace(output_text="hi"),
        SimpleNamespace(content="hi"),
        SimpleNamespace(content=[SimpleNamespace(type="thinking"), SimpleNamespace(text="hi")]),
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="hi"))]),
    ],
)
def test_the_reply_of_an_sdk_gives_its_text(reply):
    assert as_output(reply, BASE).text == "hi"


@pytest.mark.parametrize(
    "value",
    [
        object(),
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=None))]),
        {"output": object()},
        {"x": float("nan")},
        [float("inf")],
        {1: "a"},
        {"output": "x", "citations": "a, b"},
        {"output": "x", "label": 3},
    ],
)
def test_what_is_no_output_is_a_fault_and_its_repr_is_nowhere(value):
    output = as_output(value, BASE)
    assert output.output is None
    assert output.fault.kind == "failed"
    assert "object at 0x" not in output.fault.why


def test_an_output_keeps_its_place_whatever_it_says():
    output = as_output(Output(id="other", output="x", trial=9, model="m"), BASE)
    assert (output.id, output.trial, output.variant, output.model) == ("c", 2, "v", "m")


def test_a_field_is_picked_from_a_json_output():
    output = as_output({"answer": {"items": [{"text": "a"}, {"text": "b"}]}, "x": 1}, BASE)
    assert pick(as_output({"value": {"text": "hi"}}, BASE), "value.text").output == "hi"
    assert pick(output, "items.1.text").output == "b"
    missing = pick(output, "items.2.text")
    assert missing.fault.code == "no_field"
    assert "'2'" in missing.fault.why
    assert pick(output, None) is output
