"""What a service is sent, and what of its reply arrives, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest
from loopback_service import Play, Seen, Service
from service_shapes import ANTHROPIC, GEMINI, KEY, OPENAI, SHAPES, Shape

from judgekit.types import Message, Reply, Request, Usage


def ask(shape: Shape, play: Play, **more: Any) -> tuple[Reply, list[Seen], str]:
    async def main() -> tuple[Reply, list[Seen], str]:
        async with Service([play]) as service:
            provider = shape.provider(service.url)
            reply = await provider(shape.request(**more))
            await provider.aclose()
            return reply, service.seen, service.url

    return asyncio.run(main())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_reply_arrives_whole(shape: Shape) -> None:
    reply, _, _ = ask(shape, Play(200, shape.reply("Well.\n<result>PASS</result>")))
    assert reply.text == "Well.\n<result>PASS</result>"
    assert reply.finish == "stop"
    assert reply.model == "judge-1-2025"
    assert reply.reasoning == ("" if shape is OPENAI else "Hm.")
    assert reply.usage.input_tokens == 12
    assert reply.usage.output_tokens == 7
    assert reply.usage.cached_tokens == 4
    assert reply.usage.reasoning_tokens == (None if shape is ANTHROPIC else 3)
    assert reply.dropped == ()
    assert reply.latency_s is not None
    assert reply.latency_s > 0


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_usage_that_is_missing_stays_unknown(shape: Shape) -> None:
    reply, _, _ = ask(shape, Play(200, shape.no_usage))
    assert reply.text == "ok"
    assert reply.usage == Usage()


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": None}, {"prompt_tokens": "12"}, {"prompt_tokens": True}, []])
def test_usage_that_is_no_count_stays_unknown(usage: Any) -> None:
    reply, _, _ = ask(OPENAI, Play(200, {**OPENAI.reply("ok"), "usage": usage}))
    assert reply.text == "ok"
    assert reply.usage.input_tokens is None


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_key_travels_in_its_header_and_nowhere_else(shape: Shape) -> None:
    _, seen, _ = ask(shape, Play(200, shape.reply("ok")))
    name, value = shape.key_header
    assert seen[0].path == shape.path
    assert seen[0].headers[name] == value
    assert KEY not in seen[0].path
    assert KEY.encode() not in seen[0].raw


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_no_parameter_is_sent_that_nobody_set(shape: Shape) -> None:
    _, seen, _ = ask(shape, Play(200, shape.reply("ok")))
    assert (
        set(seen[0].body)
        == {
            "openai": {"model", "messages"},
            "anthropic": {"model", "messages", "system", "max_tokens"},  # this service asks for a limit
            "gemini": {"contents", "systemInstruction"},
        }[shape.name]
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_text_is_sent_character_for_character(shape: Shape) -> None:
    text = 'é \u0000 \u2028 {{ x }} </answer> "\\" 漢字 🙂 \r\n\t'
    _, seen, _ = ask(shape, Play(200, shape.reply("ok")), text=text)
    assert text in _texts(seen[0].body)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_lone_surrogate_is_sent_as_an_escape(shape: Shape) -> None:
    _, seen, _ = ask(shape, Play(200, shape.reply("ok")), text="bad \ud800 text")
    assert b"\\ud800" in seen[0].raw
    assert "bad \ud800 text" in _texts(seen[0].body)


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [t for v in value.values() for t in _texts(v)]
    if isinstance(value, list):
        return [t for v in value for t in _texts(v)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_what_wire_says_is_what_is_sent(shape: Shape) -> None:
    async def main() -> None:
        async with Service([Play(200, shape.reply("ok"))]) as service:
            provider = shape.provider(service.url)
            request = shape.request(params={"temperature": 0.2, "max_tokens": 99}, schema={"type": "object"})
            wire = provider.wire(request)
            await provider(request)
            await provider.aclose()
            assert service.seen[0].body == wire["body"]
            assert service.url + service.seen[0].path == wire["url"]
            assert wire["provider"] == shape.name
            assert KEY not in json.dumps(wire)

    asyncio.run(main())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_compressed_reply_is_read(shape: Shape) -> None:
    body = gzip.compress(json.dumps(shape.reply("zipped")).encode())
    reply, _, _ = ask(shape, Play(200, body, {"content-encoding": "gzip"}))
    assert reply.text == "zipped"


def test_compressed_bomb_stops_at_the_cap() -> None:
    from judgekit.errors import CallFailed

    async def main() -> None:
        bomb = gzip.compress(b" " * 50_000_000)
        async with Service([Play(200, bomb, {"content-encoding": "gzip"})]) as service:
            provider = OPENAI.provider(service.url, max_bytes=1_000_000)
            with pytest.raises(CallFailed) as caught:
                await provider(OPENAI.request())
            assert caught.value.code == "too_big"
            await provider.aclose()

    asyncio.run(main())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_key_with_a_line_break_works_and_leaves_no_trace(shape: Shape) -> None:
    async def main() -> None:
        async with Service([Play(200, shape.reply("ok"))]) as service:
            provider = shape.provider(service.url, env={"MY_KEY": f"  {KEY}\n"}, api_key_env="MY_KEY")
            await provider(shape.request())
            await provider.aclose()
            name, value = shape.key_header
            assert service.seen[0].headers[name] == value
            assert KEY not in repr(provider)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("message", "finish", "text", "said"),
    [
        ({"content": None, "tool_calls": [{"id": "t"}]}, "tool_calls", "", "tool"),
        ({"content": None, "tool_calls": [{"id": "t"}]}, "stop", "", "tool"),
        ({"content": None}, "stop", "", ""),
        ({"content": None, "refusal": "I can't help"}, "stop", "", "I can't help"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "stop", "ab", ""),
        ({"content": "text"}, "mystery", "text", "mystery"),
        ({"content": "text"}, None, "text", "no finish reason"),
    ],
)
def test_message_without_text_never_becomes_the_word_none(message: Any, finish: Any, text: str, said: str) -> None:
    body = OPENAI.reply("x")
    body["choices"] = [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}]
    reply, _, _ = ask(OPENAI, Play(200, body))
    assert reply.text == text
    assert said in reply.note
    expected = {"tool_calls": "tool", "mystery": "other", None: "other", "stop": "stop"}[finish]
    if message.get("tool_calls"):
        expected = "tool"
    if message.get("refusal"):
        expected = "refused"
    assert reply.finish == expected


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_separate_thoughts_stay_out_of_the_text(field: str) -> None:
    body = OPENAI.reply("PASS it is")
    body["choices"][0]["message"][field] = "maybe FAIL"
    reply, _, _ = ask(OPENAI, Play(200, body))
    assert (reply.text, reply.reasoning) == ("PASS it is", "maybe FAIL")


def test_thoughts_among_the_parts_stay_out_of_the_text() -> None:
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "FAIL?"}]}, {"type": "text", "text": "PASS"}]
    reply, _, _ = ask(OPENAI, Play(200, OPENAI.reply(parts)))
    assert (reply.text, reply.reasoning) == ("PASS", "FAIL?")


def test_reply_that_was_all_reasoning_says_which_limit_cut_it() -> None:
    body = OPENAI.reply(None)
    body["choices"][0]["finish_reason"] = "length"
    body["usage"] = {
        "prompt_tokens": 9,
        "completion_tokens": 300,
        "completion_tokens_details": {"reasoning_tokens": 299},
    }
    reply, _, _ = ask(OPENAI, Play(200, body), params={"max_tokens": 300})
    assert (reply.text, reply.finish) == ("", "length")
    assert "max_tokens=300" in reply.note
    assert "299 of 300 output tokens were reasoning" in reply.note


def test_cost_that_the_service_names_is_kept() -> None:
    body = OPENAI.reply("ok")
    body["usage"]["cost"] = 0.0123
    assert ask(OPENAI, Play(200, body))[0].cost_usd == 0.0123
    assert ask(OPENAI, Play(200, OPENAI.reply("ok")))[0].cost_usd is None


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool"),
        ("refusal", "refused"),
        ("pause_turn", "other"),
        (None, "other"),
    ],
)
def test_anthropic_stop_reasons(said: str | None, finish: str) -> None:
    assert ask(ANTHROPIC, Play(200, {**ANTHROPIC.reply("x"), "stop_reason": said}))[0].finish == finish


def test_anthropic_reply_without_blocks_is_empty_not_an_error() -> None:
    reply, _, _ = ask(ANTHROPIC, Play(200, {**ANTHROPIC.reply("x"), "content": []}))
    assert (reply.text, reply.finish) == ("", "stop")


def test_anthropic_thinking_budget_leaves_room_for_the_answer() -> None:
    thinking = {"type": "enabled", "budget_tokens": 2000}
    _, seen, _ = ask(ANTHROPIC, Play(200, ANTHROPIC.reply("x")), params={"thinking": thinking})
    assert seen[0].body["max_tokens"] > 2000
    assert seen[0].body["thinking"] == thinking


@pytest.mark.parametrize(
    ("candidate", "finish"),
    [
        ({"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}, "length"),
        ({"finishReason": "SAFETY"}, "filter"),
        ({"content": {"parts": []}, "finishReason": "RECITATION"}, "filter"),
        ({"content": {"parts": [{"functionCall": {"name": "f"}}]}, "finishReason": "STOP"}, "tool"),
        ({"content": {"parts": []}, "finishReason": "OTHER"}, "other"),
    ],
)
def test_gemini_reply_without_text_says_why(candidate: Any, finish: str) -> None:
    reply, _, _ = ask(GEMINI, Play(200, {"candidates": [candidate]}))
    assert (reply.text, reply.finish) == ("", finish)


def test_gemini_knows_the_names_of_other_services() -> None:
    params = {"max_tokens": 5, "top_p": 0.9, "stop": "END", "temperature": 0, "safetySettings": []}
    _, seen, _ = ask(GEMINI, Play(200, GEMINI.reply("x")), params=params)
    assert seen[0].body["generationConfig"] == {
        "maxOutputTokens": 5,
        "topP": 0.9,
        "stopSequences": ["END"],
        "temperature": 0,
    }
    assert seen[0].body["safetySettings"] == []


def test_conversation_keeps_its_order_and_roles() -> None:
    messages = (Message("system", "S"), Message("user", "1"), Message("assistant", "2"), Message("user", "3"))
    _, seen, _ = ask(OPENAI, Play(200, OPENAI.reply("x")), messages=messages)
    assert [(m["role"], m["content"]) for m in seen[0].body["messages"]] == [
        ("system", "S"), ("user", "1"), ("assistant", "2"), ("user", "3"),
    ]  # fmt: skip
    _, seen, _ = ask(GEMINI, Play(200, GEMINI.reply("x")), messages=messages)
    assert [c["role"] for c in seen[0].body["contents"]] == ["user", "model", "user"]
    assert seen[0].body["systemInstruction"]["parts"] == [{"text": "S"}]
    _, seen, _ = ask(ANTHROPIC, Play(200, ANTHROPIC.reply("x")), messages=messages)
    assert seen[0].body["system"] == "S"


def test_azure_deployment_url_keeps_its_version() -> None:
    async def main() -> None:
        async with Service([Play(200, OPENAI.reply("ok"))]) as service:
            base = f"{service.url}/openai/deployments/prod-judge/?api-version=2024-10-21"
            provider = OPENAI.provider(base)
            await provider(Request("openai:gpt-4o", (Message("user", "x"),)))
            await provider.aclose()
            wanted = "/openai/deployments/prod-judge/chat/completions?api-version=2024-10-21"
            assert service.seen[0].path == wanted
            assert service.seen[0].body["model"] == "gpt-4o"

    asyncio.run(main())
