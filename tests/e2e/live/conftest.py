"""A judge behind real HTTP on 127.0.0.1, and suites that it judges."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

RUBRIC = """
id: reply
dimensions:
  - {id: kind, criterion: "The reply greets the customer."}
"""
VERDICTS = ("PASS", "FAIL", "PASS", "UNKNOWN")


@dataclass(frozen=True)
class Play:
    """One answer of the service."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived. `number` is that of the judged output: 7 for `answer number 007.`"""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    at: float

    @property
    def prompt(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"])

    @property
    def number(self) -> int:
        found = re.search(r"answer number (\d+)\.", self.prompt)
        assert found is not None
        return int(found[1])


def completion(text: str, finish: str = "stop") -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "judge-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 30, "total_tokens": 130},
    }


def judged(asked: Asked) -> Play:
    """PASS, FAIL, PASS, UNKNOWN, PASS, ... by the number of the output."""
    verdict = VERDICTS[asked.number % len(VERDICTS)]
    return Play(body=completion(f"Reasons about {asked.number}.\n<result>{verdict}</result>"))


class Service:
    """Answers each request by `answer`, which a test may replace; `seen` holds what came in."""

    Play = Play
    completion = staticmethod(completion)
    judged = staticmethod(judged)

    def __init__(self) -> None:
        self.answer: Callable[[Asked], Play] = judged
        self.seen: list[Asked] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                headers = {k.lower(): v for k, v in self.headers.items()}
                asked = Asked(json.loads(raw), headers, self.path, time.monotonic())
                service.seen.append(asked)
                play = service.answer(asked)
                body = play.body if isinstance(play.body, bytes) else json.dumps(play.body).encode()
                self.send_response(play.status)
                for name, value in {"content-type": "application/json", **play.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Quiet."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that was stopped breaks its connections; that is what some tests are about."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def numbers(self) -> list[int]:
        """Which outputs were asked about, in the order of arrival."""
        return [asked.number for asked in self.seen]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def service() -> Iterator[Service]:
    running = Service()
    yield running
    running.stop()


@pytest.fixture
def live(suite: Callable[..., Path], service: Service, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Write a suite of n recorded outputs that `openai:judge-1` judges, at the service."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def write(n: int = 6, name: str = "suite", judge: dict[str, Any] | None = None, **more: Any) -> Path:
        config = {"model": "openai:judge-1", "base_url": service.url, **(judge or {})}
        files = {k: more.pop(k) for k in list(more) if "." in k}
        lines = {
            "suite": "live",
            "cases": "cases.jsonl",
            "variants": {"v": {"outputs": "outputs.jsonl"}},
            "judge": config,
            "rubrics": ["rubric.yaml"],
            **more,
        }
        base = {
            "judgekit.yaml": "".join(f"{k}: {json.dumps(v)}\n" for k, v in lines.items()),
            "cases.jsonl": [{"id": f"c{i:03d}", "input": f"question {i}"} for i in range(n)],
            "outputs.jsonl": [
                {"id": f"c{i:03d}", "output": f"answer number {i:03d}.", "model": "claude-sonnet-4-5"} for i in range(n)
            ],
            "rubric.yaml": RUBRIC,
        }
        return suite({**base, **files}, name)

    return write
