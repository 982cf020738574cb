"""Whatever a server sends, a call ends as a reply or as one of two named failures: never as another exception."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.anthropic import Messages
from judgekit.providers.base import Setup
from judgekit.providers.gemini import GenerateContent
from judgekit.providers.http import HttpProvider
from judgekit.providers.openai import ChatCompletions
from judgekit.types import Message, Reply, Request

DIALECTS = [ChatCompletions(), Messages(), GenerateContent()]

KEYS = st.sampled_from(
    [
        "error",
        "message",
        "code",
        "status",
        "type",
        "param",
        "details",
        "detail",
        "metadata",
        "raw",
        "innererror",
        "violations",
        "quotaId",
        "reason",
        "retryDelay",
        "choices",
        "content",
        "text",
        "finish_reason",
        "refusal",
        "tool_calls",
        "reasoning",
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "cost",
        "model",
        "completion_tokens_details",
        "candidates",
        "parts",
        "thought",
        "finishReason",
        "promptFeedback",
        "blockReason",
        "usageMetadata",
        "stop_reason",
        "stop_details",
        "thinking",
        "input_tokens",
        "output_tokens",
        "object",
        "loc",
        "msg",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-1, 600) | st.floats(allow_nan=False) | st.text(max_size=8) | KEYS
BODIES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
STATUSES = st.sampled_from([200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 422, 429, 500, 529, 599])


def play(dialect: Any, status: int, raw: bytes, headers: dict[str, str] | None = None) -> Reply | Exception:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=raw, headers=headers))
    setup = Setup(env=dict.fromkeys(dialect.key_envs[:1], "k"), base_url="http://127.0.0.1:1")

    async def main() -> Reply:
        provider = HttpProvider(dialect, setup, transport=transport)
        params = {"temperature": 0, "max_tokens": 5}
        messages = (Message("system", "s"), Message("user", "u"))
        return await provider(Request(f"{dialect.name}:m", messages, params=params, schema={"type": "object"}))

    try:
        return asyncio.run(main())
    except (CallFailed, RunStopped) as error:
        return error


def is_sound(got: Reply | Exception) -> None:
    if isinstance(got, Reply):
        assert isinstance(got.text, str)
        assert got.finish in ("stop", "length", "refused", "filter", "tool", "other")
        json.dumps(got.note)
    else:
        assert isinstance(got, (CallFailed, RunStopped))
        assert got.why.startswith(("openai:m: ", "anthropic:m: ", "gemini:m: "))
        assert len(got.why.splitlines()) == 1


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
@given(status=STATUSES, body=BODIES)
@settings(max_examples=60, deadline=None)
def test_any_json(dialect: Any, status: int, body: Any) -> None:
    is_sound(play(dialect, status, json.dumps(body).encode()))


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
@given(
    body=st.fixed_dictionaries({"message": BODIES, "finish_reason": BODIES, "content": BODIES, "finishReason": BODIES})
)
@settings(max_examples=50, deadline=None)
def test_any_choice(dialect: Any, body: Any) -> None:
    around = {
        "choices": [body],
        "candidates": [body],
        "content": [body["content"]],
        "stop_reason": body["finish_reason"],
    }
    is_sound(play(dialect, 200, json.dumps(around).encode()))


@given(
    status=STATUSES, raw=st.binary(max_size=60), kind=st.sampled_from(["application/json", "text/html", "\u00e4", ""])
)
@settings(max_examples=60, deadline=None)
def test_any_bytes(status: int, raw: bytes, kind: str) -> None:
    is_sound(play(DIALECTS[0], status, raw, {"content-type": kind.encode("latin-1").decode("latin-1")}))


@given(header=st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_retry_after(header: str) -> None:
    got = play(DIALECTS[0], 429, b"{}", {"retry-after": header})
    assert isinstance(got, CallFailed)
    assert got.after_s is None or got.after_s >= 0
