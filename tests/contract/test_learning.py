"""What a model refuses is left out, once learned; everything else that it refuses is an error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from loopback_service import Play, Seen, Service
from service_shapes import ANTHROPIC, GEMINI, OPENAI, Shape

from judgekit.errors import CallFailed, RunStopped
from judgekit.types import Message, Reply

NO_MAX = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
NO_TEMPERATURE = {
    "error": {
        "message": "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        "type": "invalid_request_error",
        "param": "temperature",
        "code": "unsupported_value",
    }
}
NO_SYSTEM = {
    "error": {
        "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "type": "invalid_request_error",
        "param": "messages[0].role",
        "code": "unsupported_value",
    }
}


def play(
    shape: Shape, script: Callable[[Seen], Play], *, calls: int = 3, **more: Any
) -> tuple[list[Reply], list[Seen]]:
    async def main() -> tuple[list[Reply], list[Seen]]:
        async with Service(script) as service:
            provider = shape.provider(service.url)
            replies = [await provider(shape.request(f"question {n}", **more)) for n in range(calls)]
            await provider.aclose()
            return replies, service.seen

    return asyncio.run(main())


def test_three_refusals_cost_three_requests_once_and_then_none() -> None:
    def script(seen: Seen) -> Play:
        body = seen.body
        if "max_tokens" in body:
            return Play(400, NO_MAX)
        if "temperature" in body:
            return Play(400, NO_TEMPERATURE)
        if any(m["role"] == "system" for m in body["messages"]):
            return Play(400, NO_SYSTEM)
        return Play(200, OPENAI.reply("fine"))

    replies, seen = play(OPENAI, script, params={"temperature": 0, "max_tokens": 50})
    assert len(seen) == 3 + 3
    assert seen[-1].body["max_completion_tokens"] == 50
    assert seen[-1].body["messages"] == [{"role": "user", "content": "You judge.\n\nquestion 2"}]
    wanted = ("max_tokens->max_completion_tokens", "system->user", "temperature")
    assert [r.dropped for r in replies] == [wanted] * 3


def test_what_was_learned_does_not_change_the_cache_key() -> None:
    async def main() -> None:
        script = lambda seen: Play(400, NO_TEMPERATURE) if "temperature" in seen.body else Play(200, OPENAI.reply("x"))  # noqa: E731
        async with Service(script) as service:
            provider = OPENAI.provider(service.url)
            request = OPENAI.request(params={"temperature": 0})
            before = provider.wire(request)
            await provider(request)
            assert provider.wire(request) == before
            await provider.aclose()

    asyncio.run(main())


def test_plain_server_still_gets_max_tokens() -> None:
    replies, seen = play(OPENAI, lambda _: Play(200, OPENAI.reply("x")), params={"max_tokens": 7}, calls=1)
    assert seen[0].body["max_tokens"] == 7
    assert replies[0].dropped == ()


def test_lesson_of_one_model_is_not_applied_to_another() -> None:
    async def main() -> list[Any]:
        def script(seen: Seen) -> Play:
            refuse = seen.body["model"] == "judge-1" and "temperature" in seen.body
            return Play(400, NO_TEMPERATURE) if refuse else Play(200, OPENAI.reply("x"))

        async with Service(script) as service:
            provider = OPENAI.provider(service.url)
            first = await provider(OPENAI.request(params={"temperature": 0}))
            import msgspec

            other = msgspec.structs.replace(OPENAI.request(params={"temperature": 0}), model="openai:judge-2")
            second = await provider(other)
            await provider.aclose()
            assert service.seen[-1].body["temperature"] == 0
            return [first.dropped, second.dropped]

    assert asyncio.run(main()) == [("temperature",), ()]


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (ANTHROPIC, ANTHROPIC.error(400, "`temperature` is deprecated for this model.", "invalid_request_error")),
        (ANTHROPIC, ANTHROPIC.error(400, "`temperature` may only be set to 1 when thinking is enabled.", "")),
        (GEMINI, GEMINI.error(400, "temperature is not supported by this model", "INVALID_ARGUMENT")),
        (
            OPENAI,
            {
                "error": {
                    "message": "Unsupported parameter: 'temperature' is not supported with this model.",
                    "code": None,
                }
            },
        ),
        (OPENAI, {"object": "error", "message": "temperature is not supported", "code": 400}),
        (OPENAI, {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted", "type": "x"}]}),
    ],
)
def test_refused_temperature_is_understood_in_every_wording(shape: Shape, body: dict[str, Any]) -> None:
    def script(seen: Seen) -> Play:
        return Play(400, body) if b'"temperature"' in seen.raw else Play(200, shape.reply("fine"))

    replies, seen = play(shape, script, params={"temperature": 0}, calls=2)
    assert [r.dropped for r in replies] == [("temperature",)] * 2
    assert len(seen) == 3


def test_gemma_takes_instructions_in_the_user_message() -> None:
    body = GEMINI.error(400, "Developer instruction is not enabled for models/gemma-3-27b-it", "INVALID_ARGUMENT")

    def script(seen: Seen) -> Play:
        return Play(400, body) if "systemInstruction" in seen.body else Play(200, GEMINI.reply("fine"))

    replies, seen = play(GEMINI, script, calls=1)
    assert replies[0].dropped == ("system->user",)
    assert seen[-1].body["contents"][0]["parts"][0]["text"] == "You judge.\n\nquestion 0"


def test_schema_that_a_server_does_not_know_is_left_out_and_recorded() -> None:
    body = {
        "error": {"message": "Unsupported parameter: 'response_format' of type json_schema", "param": "response_format"}
    }

    def script(seen: Seen) -> Play:
        return Play(400, body) if "response_format" in seen.body else Play(200, OPENAI.reply("{}"))

    replies, _ = play(OPENAI, script, schema={"type": "object"}, calls=1)
    assert replies[0].dropped == ("schema",)


@pytest.mark.parametrize(
    "body",
    [
        {
            "error": {
                "message": "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
                "param": "reasoning_effort",
            }
        },
        {
            "error": {
                "message": "Unsupported value: 'temperature' is not supported with this model.",
                "param": "temperature",
            }
        },
    ],
    ids=["not ours to drop", "nobody set it"],
)
def test_other_refusals_are_one_request_and_an_error_that_names_the_parameter(body: dict[str, Any]) -> None:
    async def main() -> RunStopped | CallFailed:
        async with Service(lambda _: Play(400, body)) as service:
            provider = OPENAI.provider(service.url)
            with pytest.raises((RunStopped, CallFailed)) as caught:
                await provider(OPENAI.request(params={"reasoning_effort": "high"}))
            await provider.aclose()
            assert len(service.seen) == 1
            return caught.value

    stopped = asyncio.run(main())
    assert f"parameter {body['error']['param']!r}" in stopped.why


def test_server_that_refuses_for_ever_is_asked_no_more_than_it_can_teach() -> None:
    async def main() -> int:
        async with Service(lambda _: Play(400, NO_TEMPERATURE)) as service:
            provider = OPENAI.provider(service.url)
            with pytest.raises((RunStopped, CallFailed)):
                await provider(OPENAI.request(params={"temperature": 0}))
            await provider.aclose()
            return len(service.seen)

    assert asyncio.run(main()) == 2


def test_calls_in_flight_at_once_all_heal() -> None:
    async def main() -> list[Reply]:
        def script(seen: Seen) -> Play:
            return Play(400, NO_TEMPERATURE) if "temperature" in seen.body else Play(200, OPENAI.reply("fine"))

        async with Service(script) as service:
            provider = OPENAI.provider(service.url)
            requests = [OPENAI.request(f"q{n}", params={"temperature": 0}) for n in range(20)]
            replies = await asyncio.gather(*(provider(r) for r in requests))
            await provider.aclose()
            return list(replies)

    assert {r.dropped for r in asyncio.run(main())} == {("temperature",)}


def test_request_without_a_system_message_is_not_blamed_on_it() -> None:
    async def main() -> None:
        async with Service(lambda _: Play(400, NO_SYSTEM)) as service:
            provider = OPENAI.provider(service.url)
            with pytest.raises(CallFailed):
                await provider(OPENAI.request(messages=(Message("user", "x"),)))
            await provider.aclose()
            assert len(service.seen) == 1

    asyncio.run(main())
