"""Anthropic's messages."""

from __future__ import annotations

from dataclasses import dataclass

from judgekit.providers import dialect as d
from judgekit.providers.base import Setup, check_params
from judgekit.providers.http import HttpProvider
from judgekit.providers.urls import messages_url
from judgekit.types import Finish, Json, Reply, Request, Usage

VERSION = "2023-06-01"

ROOM = 4096
"""Tokens for the answer when the user set no limit: this API asks for one. Thoughts come on top of it."""

FINISHES: dict[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool",
    "refusal": "refused",
}

_NAMES = {"stop": "stop_sequences", "max_completion_tokens": "max_tokens", "max_output_tokens": "max_tokens"}


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages API."""

    name: str = "anthropic"
    base_url: str = "https://api.anthropic.com"
    base_envs: tuple[str, ...] = ("ANTHROPIC_BASE_URL",)
    key_envs: tuple[str, ...] = ("ANTHROPIC_API_KEY",)

    def url(self, base: str, model: str) -> str:  # noqa: ARG002 - part of a dialect's shape
        """Messages below `base`; the model stands in the body."""
        return messages_url(base)

    def headers(self, key: str, host: str) -> dict[str, str]:  # noqa: ARG002 - part of a dialect's shape
        """The key, and the version of the API."""
        version = {"anthropic-version": VERSION}
        return {"x-api-key": key, **version} if key else version

    def body(self, request: Request, model: str, fixes: d.Fixes) -> dict[str, Json]:
        """The request in this form. `stop` and the other names of the limit are understood."""
        check_params(request.params)
        system, rest = d.turns(request.messages, fixes)
        body: dict[str, Json] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in rest],
        }
        if system:
            body["system"] = system
        for name, value in request.params.items():
            if name not in fixes:
                own = _NAMES.get(name, name)
                body[own] = [value] if own == "stop_sequences" and isinstance(value, str) else value
        if "max_tokens" not in body:
            body["max_tokens"] = ROOM + (d.count(d.record(body.get("thinking")).get("budget_tokens")) or 0)
        if request.schema is not None and d.SCHEMA not in fixes:
            form = {"type": "json_schema", "schema": request.schema}
            body["output_config"] = {**d.record(body.get("output_config")), "format": form}
        return body

    def limit(self, body: dict[str, Json]) -> int | None:
        """`max_tokens`, ours or the user's."""
        return d.count(body.get("max_tokens"))

    def reply(self, data: dict[str, Json]) -> Reply:
        """All text blocks, joined; thinking blocks apart."""
        content = data.get("content")
        if not isinstance(content, list):
            raise d.no_reply(data, "content")
        blocks = [d.record(block) for block in content]
        said = data.get("stop_reason")
        finish: Finish = FINISHES.get(said, "other") if isinstance(said, str) else "other"
        note = "" if finish != "other" else f"stop reason {said!r}" if said else "the service gave no stop reason"
        if finish == "refused":
            details = d.record(data.get("stop_details"))
            note = d.text_at(details.get("explanation")) or "the model refused to answer"
        elif finish == "tool":
            note = "the model called a tool instead of answering"
        return Reply(
            text="".join(d.text_at(b.get("text")) for b in blocks if b.get("type") == "text"),
            finish=finish,
            reasoning="".join(d.text_at(b.get("thinking")) for b in blocks if b.get("type") == "thinking"),
            model=d.text_at(data.get("model")) or None,
            usage=_usage(d.record(data.get("usage"))),
            note=note,
        )


def _usage(usage: dict[str, Json]) -> Usage:
    """Tokens read include those written to and read from the service's prompt cache, which it counts apart."""
    fresh, read = d.count(usage.get("input_tokens")), d.count(usage.get("cache_read_input_tokens"))
    written = d.count(usage.get("cache_creation_input_tokens"))
    details = d.record(usage.get("output_tokens_details"))
    return Usage(
        input_tokens=None if fresh is None else d.total(fresh, read, written),
        output_tokens=d.count(usage.get("output_tokens")),
        reasoning_tokens=d.count(details.get("thinking_tokens")),
        cached_tokens=read,
    )


def connect(setup: Setup) -> HttpProvider:
    """Anthropic, or a service that speaks its messages."""
    return HttpProvider(Messages(), setup)
