"""Requests fit the official SDKs' own types, and replies that those SDKs build are read: an oracle nobody here wrote."""

from __future__ import annotations

from typing import Any

import pytest
from service_shapes import ANTHROPIC, GEMINI, OPENAI

from judgekit.providers.dialect import NO_FIXES
from judgekit.types import Message, Request

SCHEMA = {
    "type": "object",
    "properties": {"reasoning": {"type": "string"}, "verdict": {"enum": ["PASS", "FAIL", "UNKNOWN"]}},
    "required": ["reasoning", "verdict"],
    "additionalProperties": False,
}
CHAT = (Message("system", "S"), Message("user", "a"), Message("assistant", "b"), Message("user", "c"))


def requests(name: str, **params: Any) -> list[Request]:
    return [
        Request(f"{name}:m", (Message("user", "a"),)),
        Request(f"{name}:m", CHAT, params=params, schema=SCHEMA),
    ]


def check(typed_dict: Any, body: dict[str, Any]) -> Any:
    """Validate strictly: a key that the SDK does not know is an error."""
    pydantic = pytest.importorskip("pydantic")
    unknown = (
        set(body)
        - set(typed_dict.__annotations__)
        - {k for b in typed_dict.__mro__ for k in getattr(b, "__annotations__", {})}
    )
    assert not unknown, f"the SDK knows no {unknown}"
    return pydantic.TypeAdapter(typed_dict).validate_python(body)


def test_openai_requests_fit_the_sdk() -> None:
    sdk = pytest.importorskip("openai.types.chat.completion_create_params", reason="the dev extra brings openai")
    params = {"temperature": 0, "max_tokens": 5, "seed": 1, "stop": ["x"], "reasoning_effort": "low"}
    for request in requests("openai", **params):
        body = OPENAI.dialect.body(request, "m", NO_FIXES)
        kind = sdk.CompletionCreateParamsNonStreaming
        known = set(kind.__annotations__)
        assert set(body) <= known
        check(kind, body)
    assert body["response_format"]["json_schema"]["strict"] is True


def test_anthropic_requests_fit_the_sdk() -> None:
    sdk = pytest.importorskip("anthropic.types.message_create_params", reason="the dev extra brings anthropic")
    params = {"max_tokens": 3000, "stop": "x", "thinking": {"type": "enabled", "budget_tokens": 1024}}
    for request in requests("anthropic", **params):
        body = ANTHROPIC.dialect.body(request, "m", NO_FIXES)
        assert set(body) <= set(sdk.MessageCreateParamsNonStreaming.__annotations__)
        check(sdk.MessageCreateParamsNonStreaming, body)
    assert body["stop_sequences"] == ["x"]


def test_gemini_requests_fit_the_sdk() -> None:
    types = pytest.importorskip("google.genai.types", reason="the dev extra brings google-genai")
    params = {
        "temperature": 0, "max_tokens": 5, "top_p": 0.5, "top_k": 3, "seed": 1, "stop": ["x"],
        "thinking_config": {"thinkingBudget": 0}, "presence_penalty": 0.1, "frequency_penalty": 0.1,
    }  # fmt: skip
    for request in requests("gemini", **params):
        body = GEMINI.dialect.body(request, "m", NO_FIXES)
        assert set(body) <= {"contents", "systemInstruction", "generationConfig"}
        contents = [types.Content.model_validate(c) for c in body["contents"]]
        assert [c.role for c in contents] == ["user", "model", "user"][: len(contents)]
        if "systemInstruction" in body:
            types.Content.model_validate(body["systemInstruction"])
        # GenerationConfig is what this object is on the wire; it forbids keys that it does not know
        types.GenerationConfig.model_validate(
            {k: v for k, v in body.get("generationConfig", {}).items() if k != "thinkingConfig"}
        )
        if "generationConfig" in body:
            types.ThinkingConfig.model_validate(body["generationConfig"]["thinkingConfig"])


def test_openai_replies_of_the_sdk_are_read() -> None:
    chat = pytest.importorskip("openai.types.chat.chat_completion", reason="the dev extra brings openai")
    usage = pytest.importorskip("openai.types.completion_usage")
    message = chat.ChatCompletionMessage(role="assistant", content="<result>PASS</result>")
    completion = chat.ChatCompletion(
        id="x",
        object="chat.completion",
        created=1,
        model="gpt-x-2026",
        choices=[chat.Choice(index=0, finish_reason="stop", message=message)],
        usage=usage.CompletionUsage(
            prompt_tokens=10,
            completion_tokens=5,
            total_tokens=15,
            completion_tokens_details=usage.CompletionTokensDetails(reasoning_tokens=2),
            prompt_tokens_details=usage.PromptTokensDetails(cached_tokens=1),
        ),
    )
    reply = OPENAI.dialect.reply(completion.model_dump(mode="json"))
    assert (reply.text, reply.finish, reply.model) == ("<result>PASS</result>", "stop", "gpt-x-2026")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 5)
    assert (reply.usage.reasoning_tokens, reply.usage.cached_tokens) == (2, 1)


def test_every_openai_finish_reason_of_the_sdk_is_known() -> None:
    chat = pytest.importorskip("openai.types.chat.chat_completion", reason="the dev extra brings openai")
    from typing import get_args

    from judgekit.providers.openai import FINISHES

    assert set(get_args(chat.Choice.model_fields["finish_reason"].annotation)) <= set(FINISHES)


def test_anthropic_replies_of_the_sdk_are_read() -> None:
    types = pytest.importorskip("anthropic.types", reason="the dev extra brings anthropic")
    message = types.Message(
        id="m",
        type="message",
        role="assistant",
        model="claude-x",
        content=[
            types.ThinkingBlock(type="thinking", thinking="Hm.", signature="s"),
            types.RedactedThinkingBlock(type="redacted_thinking", data="abc"),
            types.TextBlock(type="text", text="<result>FAIL</result>"),
        ],
        stop_reason="end_turn",
        usage=types.Usage(input_tokens=10, output_tokens=5, cache_read_input_tokens=3),
    )
    reply = ANTHROPIC.dialect.reply(message.model_dump(mode="json"))
    assert (reply.text, reply.reasoning, reply.finish) == ("<result>FAIL</result>", "Hm.", "stop")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (13, 5, 3)


def test_every_anthropic_stop_reason_of_the_sdk_is_known() -> None:
    sdk = pytest.importorskip("anthropic.types.stop_reason", reason="the dev extra brings anthropic")
    from typing import get_args

    from judgekit.providers.anthropic import FINISHES

    assert set(get_args(sdk.StopReason)) - set(FINISHES) == {"pause_turn"}  # only a server tool pauses a turn


def test_gemini_replies_of_the_sdk_are_read() -> None:
    types = pytest.importorskip("google.genai.types", reason="the dev extra brings google-genai")
    response = types.GenerateContentResponse(
        candidates=[
            types.Candidate(
                content=types.Content(
                    role="model", parts=[types.Part(text="Hm.", thought=True), types.Part(text="<result>PASS</result>")]
                ),
                finish_reason=types.FinishReason.STOP,
            )
        ],
        usage_metadata=types.GenerateContentResponseUsageMetadata(
            prompt_token_count=10, candidates_token_count=5, thoughts_token_count=2
        ),
        model_version="gemini-x",
    )
    data = response.model_dump(mode="json", by_alias=True, exclude_none=True)
    reply = GEMINI.dialect.reply(data)
    assert (reply.text, reply.reasoning, reply.finish, reply.model) == (
        "<result>PASS</result>",
        "Hm.",
        "stop",
        "gemini-x",
    )
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.reasoning_tokens) == (10, 7, 2)


def test_blocked_prompt_of_the_gemini_sdk_is_a_block() -> None:
    types = pytest.importorskip("google.genai.types", reason="the dev extra brings google-genai")
    feedback = types.GenerateContentResponsePromptFeedback(block_reason=types.BlockedReason.PROHIBITED_CONTENT)
    data = types.GenerateContentResponse(prompt_feedback=feedback).model_dump(
        mode="json", by_alias=True, exclude_none=True
    )
    assert GEMINI.dialect.reply(data).finish == "filter"
