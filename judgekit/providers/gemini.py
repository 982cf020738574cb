"""Gemini's generateContent."""

from __future__ import annotations

from dataclasses import dataclass

from judgekit.providers import dialect as d
from judgekit.providers.base import Setup, check_params
from judgekit.providers.http import HttpProvider
from judgekit.providers.urls import gemini_url
from judgekit.types import Finish, Json, Reply, Request, Usage

FINISHES: dict[str, Finish] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "filter",
    "RECITATION": "filter",
    "BLOCKLIST": "filter",
    "PROHIBITED_CONTENT": "filter",
    "SPII": "filter",
    "MALFORMED_FUNCTION_CALL": "tool",
    "UNEXPECTED_TOOL_CALL": "tool",
}

_NAMES = {
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
    "max_output_tokens": "maxOutputTokens",
    "top_p": "topP",
    "top_k": "topK",
    "stop": "stopSequences",
    "stop_sequences": "stopSequences",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "thinking_config": "thinkingConfig",
}
"""The names of other services, as this one spells them inside `generationConfig`."""

_OUTSIDE = frozenset({"safetySettings", "tools", "toolConfig", "cachedContent", "labels", "serviceTier"})
"""Parameters that stand beside `generationConfig`, not in it."""


@dataclass(frozen=True, slots=True)
class GenerateContent:
    """The generateContent method of the Gemini API."""

    name: str = "gemini"
    base_url: str = "https://generativelanguage.googleapis.com/v1beta"
    base_envs: tuple[str, ...] = ("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
    key_envs: tuple[str, ...] = ("GEMINI_API_KEY", "GOOGLE_API_KEY")

    def url(self, base: str, model: str) -> str:
        """The method of `model` below `base`."""
        return gemini_url(base, model)

    def headers(self, key: str, host: str) -> dict[str, str]:  # noqa: ARG002 - part of a dialect's shape
        """The key in its header, never in the URL."""
        return {"x-goog-api-key": key} if key else {}

    def body(self, request: Request, model: str, fixes: d.Fixes) -> dict[str, Json]:  # noqa: ARG002 - part of a dialect's shape
        """The request in this form; other services' names of common parameters are understood."""
        check_params(request.params)
        system, rest = d.turns(request.messages, fixes)
        body: dict[str, Json] = {
            "contents": [
                {"role": "model" if m.role == "assistant" else "user", "parts": [{"text": m.content}]} for m in rest
            ]
        }
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        config: dict[str, Json] = {}
        for name, value in request.params.items():
            if name in fixes:
                continue
            if name in _OUTSIDE:
                body[name] = value
            elif name in ("generationConfig", "generation_config"):
                config |= d.record(value)
            else:
                own = _NAMES.get(name, name)
                config[own] = [value] if own == "stopSequences" and isinstance(value, str) else value
        if request.schema is not None and d.SCHEMA not in fixes:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = request.schema
        if config:
            body["generationConfig"] = config
        return body

    def limit(self, body: dict[str, Json]) -> int | None:
        """`maxOutputTokens`."""
        return d.count(d.record(body.get("generationConfig")).get("maxOutputTokens"))

    def reply(self, data: dict[str, Json]) -> Reply:
        """The first candidate; a prompt that was blocked has none, and is `filter`."""
        usage = _usage(d.record(data.get("usageMetadata")))
        model = d.text_at(data.get("modelVersion")) or None
        blocked = d.text_at(d.record(data.get("promptFeedback")).get("blockReason"))
        candidates = data.get("candidates")
        if not (isinstance(candidates, list) and candidates):
            if blocked:
                return Reply(text="", finish="filter", model=model, usage=usage, note=f"prompt blocked: {blocked}")
            raise d.no_reply(data, "candidates")
        candidate = d.record(candidates[0])
        parts = d.record(candidate.get("content")).get("parts")
        found = [d.record(part) for part in parts] if isinstance(parts, list) else []
        said = d.text_at(candidate.get("finishReason"))
        finish: Finish = FINISHES.get(said, "other")
        note = ""
        if finish == "filter":
            note = f"reply blocked: {said}"
        elif finish in ("other", "tool"):
            note = f"finish reason {said}" if said else "the service gave no finish reason"
        elif finish == "stop" and any("functionCall" in part for part in found):
            finish, note = "tool", "the model called a tool instead of answering"
        return Reply(
            text="".join(d.text_at(part.get("text")) for part in found if not part.get("thought")),
            finish=finish,
            reasoning="".join(d.text_at(part.get("text")) for part in found if part.get("thought")),
            model=model,
            usage=usage,
            note=note,
        )


def _usage(usage: dict[str, Json]) -> Usage:
    """Thoughts are paid for as output, and counted apart by the service."""
    thoughts = d.count(usage.get("thoughtsTokenCount"))
    return Usage(
        input_tokens=d.count(usage.get("promptTokenCount")),
        output_tokens=d.total(d.count(usage.get("candidatesTokenCount")), thoughts),
        reasoning_tokens=thoughts,
        cached_tokens=d.count(usage.get("cachedContentTokenCount")),
    )


def connect(setup: Setup) -> HttpProvider:
    """Gemini."""
    return HttpProvider(GenerateContent(), setup)
