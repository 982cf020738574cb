"""How each service writes a good reply, a cut one, a refusal, a block, an error: the same tests run over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from judgekit.providers.anthropic import Messages
from judgekit.providers.base import Setup
from judgekit.providers.gemini import GenerateContent
from judgekit.providers.http import HttpProvider
from judgekit.providers.openai import ChatCompletions
from judgekit.providers.transport import open_transport
from judgekit.types import Message, Request

KEY = "canary-key-4711"
NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@dataclass(frozen=True)
class Shape:
    """One service: its dialect, and bodies of status 200 (`reply`, `cut`, ...) and of errors (`error`)."""

    name: str
    dialect: Any
    path: str
    key_header: tuple[str, str]
    reply: Callable[[str], dict[str, Any]]
    cut: dict[str, Any]
    refusal: dict[str, Any]
    blocked: dict[str, Any]
    no_usage: dict[str, Any]
    error: Callable[[int, str, str], dict[str, Any]]

    def provider(self, url: str, *, fast: bool = True, **options: Any) -> HttpProvider:
        env = {self.dialect.key_envs[0]: KEY, **options.pop("env", {})}
        options = {"base_url": url, "now": lambda: NOW, **options}
        transport: httpx.AsyncBaseTransport | None = None if fast else open_transport(url, {}, fast=False)
        return HttpProvider(self.dialect, Setup(env=env, **options), transport=transport)

    def request(self, text: str = "Is it good?", **more: Any) -> Request:
        messages = (Message("system", "You judge."), Message("user", text))
        return Request(f"{self.name}:judge-1", more.pop("messages", messages), **more)


def _openai(content: Any, finish: str = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    usage = usage or {
        "prompt_tokens": 12,
        "completion_tokens": 7,
        "total_tokens": 19,
        "completion_tokens_details": {"reasoning_tokens": 3},
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "judge-1-2025",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
        ],
        "usage": usage,
    }


def _without(body: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in body.items() if k != key}


OPENAI = Shape(
    name="openai",
    dialect=ChatCompletions(),
    path="/v1/chat/completions",
    key_header=("authorization", f"Bearer {KEY}"),
    reply=_openai,
    cut=_openai("The reply covers the refund rule and", "length"),
    refusal=_openai(None, "stop", refusal="I can't help with that."),
    blocked=_openai(None, "content_filter"),
    no_usage=_without(_openai("ok"), "usage"),
    error=lambda status, message, code: {
        "error": {"message": message, "type": "x", "param": None, "code": code or None}
    },
)


def _anthropic(text: str | None, stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "judge-1-2025",
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text", "text": text}]
        if text
        else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 8,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 0,
            "output_tokens": 7,
        },
    }


ANTHROPIC = Shape(
    name="anthropic",
    dialect=Messages(),
    path="/v1/messages",
    key_header=("x-api-key", KEY),
    reply=_anthropic,
    cut=_anthropic("The reply covers the refund rule and", "max_tokens"),
    refusal=_anthropic(None, "refusal"),
    blocked=_anthropic(None, "refusal"),
    no_usage=_without(_anthropic("ok"), "usage"),
    error=lambda status, message, code: {"type": "error", "error": {"type": code or "api_error", "message": message}},
)


def _gemini(text: str | None, finish: str = "STOP") -> dict[str, Any]:
    content: dict[str, Any] = {"role": "model"}
    if text is not None:
        content["parts"] = [{"text": "Hm.", "thought": True}, {"text": text}]
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": 12,
            "candidatesTokenCount": 4,
            "thoughtsTokenCount": 3,
            "cachedContentTokenCount": 4,
            "totalTokenCount": 19,
        },
        "modelVersion": "judge-1-2025",
    }


GEMINI = Shape(
    name="gemini",
    dialect=GenerateContent(),
    path="/v1beta/models/judge-1:generateContent",
    key_header=("x-goog-api-key", KEY),
    reply=_gemini,
    cut=_gemini("The reply covers the refund rule and", "MAX_TOKENS"),
    refusal=_gemini(None, "SAFETY"),
    blocked={"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 12}},
    no_usage=_without(_gemini("ok"), "usageMetadata"),
    error=lambda status, message, code: {"error": {"code": status, "message": message, "status": code or "INTERNAL"}},
)

SHAPES = (OPENAI, ANTHROPIC, GEMINI)
