"""Replay answers from recordings: the first that fits, exact keys first, and a miss says what was asked."""

import asyncio

import pytest

from judgekit.errors import CallFailed, InputError
from judgekit.providers.replay import Failure, Recording, Replay, bare_name, read_recordings, recording_key
from judgekit.types import Message, Request


def ask(recordings, question="How do I return it?", system="Be short.", model="replay:m", **extra):
    request = Request(model, (Message("system", system), Message("user", question)), **extra)
    return asyncio.run(Replay(recordings)(request))


def test_the_first_recording_that_fits_wins():
    recordings = [Recording("a", question_has="refund"), Recording("b", question_has="return"), Recording("c")]
    assert ask(recordings).text == "b"
    assert ask(recordings, "hello").text == "c"


def test_every_condition_must_hold():
    recording = Recording("a", model="m", question_has=("return", "How"), system_has="short", trial=2, vote=3, ask=1)
    assert ask([recording], trial=2, vote=3).text == "a"
    for wrong in ({"trial": 1, "vote": 3}, {"trial": 2, "vote": 1}, {"trial": 2, "vote": 3, "ask": 2}):
        with pytest.raises(CallFailed):
            ask([recording], **wrong)
    for wrong in ({"question": "return"}, {"system": "Be long."}, {"model": "replay:n"}):
        with pytest.raises(CallFailed):
            ask([recording], trial=2, vote=3, **wrong)


def test_a_rule_of_any_model_keeps_its_place_among_those_of_one():
    recordings = [Recording("any", question_has="return"), Recording("mine", model="m")]
    assert ask(recordings).text == "any"
    assert ask(recordings, "hello").text == "mine"


def test_an_exact_key_wins_over_every_rule_and_knows_no_provider():
    request = Request("openai:gpt-5", (Message("user", "hi"),), {"temperature": 0})
    recordings = [Recording("rule"), Recording("exact", key=recording_key(request))]
    replayed = Request("replay:gpt-5", (Message("user", "hi"),), {"temperature": 0})
    assert asyncio.run(Replay(recordings)(replayed)).text == "exact"
    other = Request("replay:gpt-5", (Message("user", "hi"),), {"temperature": 1})
    assert asyncio.run(Replay(recordings)(other)).text == "rule"


def test_a_key_tells_every_part_of_a_request_apart():
    base = {"model": "openai:m", "messages": (Message("user", "ab"), Message("user", "c"))}
    keys = [
        recording_key(Request(**{**base, **other}))
        for other in (
            {},
            {"model": "openai:n"},
            {"messages": (Message("user", "a"), Message("user", "bc"))},
            {"messages": (Message("system", "ab"), Message("user", "c"))},
            {"params": {"t": 1}},
            {"schema": {}},
            {"trial": 2},
            {"vote": 2},
            {"ask": 2},
        )
    ]
    assert len(set(keys)) == len(keys)
    assert recording_key(Request(**base, label="x")) == keys[0]


def test_a_miss_says_which_request_found_nothing():
    with pytest.raises(CallFailed) as caught:
        ask([Recording("a", model="model-large")], model="replay:model-big", label="c7, trial 1, answer")
    assert caught.value.code == "no_recording"
    assert not caught.value.retryable
    for part in ("c7, trial 1, answer", "model-big", "How do I return it?", "model-large"):
        assert part in caught.value.why


def test_a_failed_call_can_be_recorded():
    with pytest.raises(CallFailed, match="busy") as caught:
        ask([Recording(error=Failure("status_503", "busy", status=503, retryable=True, after_s=2.0))])
    assert (caught.value.status, caught.value.retryable, caught.value.after_s) == (503, True, 2.0)


@pytest.mark.parametrize(
    ("given", "name"),
    [("replay:m", "m"), ("openai:m", "m"), ("replay:openai:m", "m"), ("m", "m"), ("openrouter:a/b:free", "a/b:free")],
)
def test_the_bare_name_has_no_provider(given, name):
    assert bare_name(given) == name


def test_every_bad_line_of_a_file_is_told_at_once(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"reply": "a"}\n\n{"reply": "a", "questoin_has": "x"}\n{"model": "m"}\n{"reply": 3}\n{oops\n')
    with pytest.raises(InputError) as caught:
        read_recordings([path])
    assert [p.line for p in caught.value.problems] == [3, 4, 5, 6]
    assert "Did you mean 'question_has'?" in str(caught.value)
    assert "either 'reply' or 'error'" in str(caught.value)
