from __future__ import annotations

import asyncio
import sys
import types
from typing import Any

import pytest

from judgekit.errors import CallFailed, MissingExtra, RunStopped
from judgekit.providers.base import Setup
from judgekit.providers.litellm import LiteLLM
from judgekit.types import Message, Reply, Request

ANSWER = {
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "fine"}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 3},
    "model": "m",
}
CANARY = "canary-key-4711"


class Answer:
    def model_dump(self) -> dict[str, Any]:
        return ANSWER


class ServiceError(Exception):
    def __init__(self, message: str, status: int | None, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        if status is not None:
            self.status_code = status
        self.response = types.SimpleNamespace(headers=headers or {})


class ContentPolicyViolationError(ServiceError):
    pass


def ask(monkeypatch: pytest.MonkeyPatch, script: list[Any], **more: Any) -> tuple[Reply, list[dict[str, Any]]]:
    asked: list[dict[str, Any]] = []

    async def acompletion(**body: Any) -> Answer:
        asked.append(body)
        now = script[min(len(asked), len(script)) - 1]
        if isinstance(now, Exception):
            raise now
        return Answer()

    monkeypatch.setitem(sys.modules, "litellm", types.SimpleNamespace(acompletion=acompletion))  # type: ignore[arg-type]

    async def main() -> Reply:
        provider = LiteLLM(Setup(env={"GROQ_API_KEY": f"{CANARY}\n"}))
        reply = await provider(Request("litellm:groq/m", (Message("user", "x"),), **more))
        await provider.aclose()
        return reply

    return asyncio.run(main()), asked


def test_call_goes_out_once_with_the_key_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    reply, asked = ask(monkeypatch, [None], params={"temperature": 0})
    assert (reply.text, reply.usage.input_tokens) == ("fine", 5)
    assert asked[0]["model"] == "groq/m"
    assert asked[0]["api_key"] == CANARY
    assert (asked[0]["num_retries"], asked[0]["max_retries"]) == (0, 0)


@pytest.mark.parametrize(
    ("error", "kind", "code", "retryable"),
    [
        (ServiceError(f"bad key {CANARY}", 401), RunStopped, "bad_key", None),
        (ServiceError("Missing credentials. Set X", 500), RunStopped, "bad_key", None),
        (ServiceError("no such model", 404), RunStopped, "not_found", None),
        (ServiceError("slow down", 429, {"Retry-After": "3"}), CallFailed, "status_429", True),
        (ServiceError("maximum context length", 400), CallFailed, "too_long", False),
        (ServiceError("boom", 500), CallFailed, "status_500", True),
        (ServiceError("no route", None), CallFailed, "connection", True),
    ],
)
def test_errors_are_sorted(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: Any, code: str, retryable: Any
) -> None:
    with pytest.raises(kind) as caught:
        ask(monkeypatch, [error])
    assert caught.value.code == code
    assert getattr(caught.value, "retryable", None) is retryable
    if code == "status_429":
        assert caught.value.after_s == 3.0
    assert CANARY not in f"{caught.value} {caught.value!r}"


def test_blocked_prompt_is_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    reply, _ = ask(monkeypatch, [ContentPolicyViolationError("blocked", 400)])
    assert reply.finish == "filter"


def test_refused_temperature_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ServiceError("UnsupportedParamsError: m does not support parameters: ['temperature']", 400)
    reply, asked = ask(monkeypatch, [refused, None], params={"temperature": 0})
    assert reply.dropped == ("temperature",)
    assert "temperature" not in asked[1]


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(MissingExtra, match=r"\.\[litellm\]"):
        asyncio.run(LiteLLM(Setup(env={}))(Request("litellm:m", (Message("user", "x"),))))
