"""A function of the user's own as a model: what it returns is the reply, what it raises is a failed call."""

import asyncio
import sys
from types import ModuleType, SimpleNamespace

import pytest

from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.base import Setup
from judgekit.providers.registry import make_provider
from judgekit.types import Message, Reply, Request


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("a_model_of_mine")
    monkeypatch.setitem(sys.modules, "a_model_of_mine", made)
    return made


def ask(name="answer", timeout_s=5.0):
    provider = make_provider("python", env={}, timeout_s=timeout_s)
    request = Request(f"python:a_model_of_mine:{name}", (Message("system", "s"), Message("user", "hi")), trial=2)
    return asyncio.run(provider(request))


def test_a_function_gets_the_messages_and_its_text_is_the_reply(module):
    module.answer = lambda messages: messages[-1]["content"].upper()
    assert ask() == Reply("HI")


def test_a_function_may_ask_for_the_request_and_be_async(module):
    async def answer(messages, request):
        await asyncio.sleep(0)
        return f"trial {request.trial}"

    module.answer = answer
    assert ask().text == "trial 2"


@pytest.mark.parametrize(
    "value",
    [
        {"text": "x", "finish": "length", "cost_usd": 0.5, "usage": {"input_tokens": 3}},
        Reply("x", finish="length", cost_usd=0.5),
    ],
)
def test_a_dict_or_reply_is_taken_whole(module, value):
    module.answer = lambda _: value
    reply = ask()
    assert (reply.text, reply.finish, reply.cost_usd) == ("x", "length", 0.5)


def test_the_reply_of_an_sdk_gives_its_text(module):
    module.answer = lambda _: SimpleNamespace(output_text="x")
    assert ask().text == "x"


@pytest.mark.parametrize("value", [None, 3, object(), {"text": "x", "finish": "nonsense"}, {"reply": "x"}])
def test_what_is_no_reply_is_a_failed_call(module, value):
    module.answer = lambda _: value
    with pytest.raises(CallFailed) as caught:
        ask()
    assert caught.value.code == "not_a_reply"
    assert "object at 0x" not in caught.value.why


def test_what_it_raises_is_a_failed_call(module):
    def answer(_):
        raise KeyError("x")

    module.answer = answer
    with pytest.raises(CallFailed, match="KeyError") as caught:
        ask()
    assert (caught.value.code, caught.value.retryable) == ("exception", False)


def test_a_function_that_hangs_is_given_up(module):
    async def answer(_):
        await asyncio.sleep(60)

    module.answer = answer
    with pytest.raises(CallFailed) as caught:
        ask(timeout_s=0.05)
    assert caught.value.code == "timeout"


def test_a_function_that_is_not_there_stops_the_run(module):
    module.answer = lambda _: "x"
    with pytest.raises(RunStopped, match="Did you mean 'answer'"):
        ask("answr")
    provider = make_provider("python", env={})
    with pytest.raises(RunStopped, match="python:module:function"):
        asyncio.run(provider(Request("python:nothing", (Message("user", "hi"),))))


def test_its_replies_are_never_cached():
    assert make_provider("python", env={}).cacheable is False
    assert Setup(env={}).timeout_s > 0
