"""Chat completions as OpenAI defined them, for every service that speaks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from judgekit.providers import dialect as d
from judgekit.providers.base import Setup, check_params
from judgekit.providers.http import HttpProvider
from judgekit.providers.urls import chat_url, is_azure
from judgekit.types import Finish, Json, Reply, Request, Usage

FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "filter",
    "tool_calls": "tool",
    "function_call": "tool",
    "refusal": "refused",
}


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """One service that speaks chat completions."""

    name: str = "openai"
    base_url: str = "https://api.openai.com/v1"
    base_envs: tuple[str, ...] = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
    key_envs: tuple[str, ...] = ("OPENAI_API_KEY",)

    def url(self, base: str, model: str) -> str:  # noqa: ARG002 - part of a dialect's shape
        """Chat completions below `base`; the model stands in the body."""
        return chat_url(base)

    def headers(self, key: str, host: str) -> dict[str, str]:
        """The key as a bearer token, or in Azure's own header."""
        if not key:
            return {}
        return {"api-key": key} if is_azure(host) else {"authorization": f"Bearer {key}"}

    def body(self, request: Request, model: str, fixes: d.Fixes) -> dict[str, Json]:
        """The request in this form; parameters go in as they are."""
        check_params(request.params)
        if d.SYSTEM_AS_USER in fixes:
            _, messages = d.turns(request.messages, fixes)
        else:
            messages = list(request.messages)
        body: dict[str, Json] = {
            "model": model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
        }
        params = request.params
        if params:
            body |= {k: v for k, v in params.items() if k not in fixes} if fixes else params
            _rename(body, fixes)
        if request.schema is not None and d.SCHEMA not in fixes:
            strict = is_strict(request.schema)
            form = {"name": "reply", "schema": request.schema, "strict": strict}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body

    def limit(self, body: dict[str, Json]) -> int | None:
        """`max_tokens`, under either name."""
        return d.count(body.get("max_completion_tokens", body.get("max_tokens")))

    def reply(self, data: dict[str, Json]) -> Reply:
        """The first choice."""
        return read_completion(data)


def _rename(body: dict[str, Json], fixes: d.Fixes) -> None:
    for fix in (d.OTHER_LIMIT, d.OLD_LIMIT):
        old, new = fix.split("->")
        if fix in fixes and old in body:
            body[new] = body.pop(old)


def read_completion(data: dict[str, Json]) -> Reply:
    """The reply in a chat completion. Raises `CallFailed` when it holds none."""
    choices = data.get("choices")
    choice = d.record(choices[0]) if isinstance(choices, list) and choices else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise d.no_reply(data, "choices")
    text, thoughts = read_content(message.get("content"))
    thoughts = d.text_at(message.get("reasoning_content")) or d.text_at(message.get("reasoning")) or thoughts
    refusal = d.text_at(message.get("refusal"))
    said = choice.get("finish_reason")
    finish: Finish = FINISHES.get(said.lower(), "other") if isinstance(said, str) else "other"
    note = "" if finish != "other" else f"finish reason {said!r}" if said else "the service gave no finish reason"
    if refusal and finish != "filter":
        finish, note = "refused", refusal
    elif not text and finish == "stop" and (message.get("tool_calls") or message.get("function_call")):
        finish = "tool"
    if finish == "filter":
        note = "the service's content filter stopped the reply"
    elif finish == "tool":
        note = "the model called a tool instead of answering"
    usage = d.record(data.get("usage"))
    cost = usage.get("cost")
    return Reply(
        text=text,
        finish=finish,
        reasoning=thoughts,
        model=d.text_at(data.get("model")) or None,
        usage=_usage(usage),
        cost_usd=float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) and cost >= 0 else None,
        note=note,
    )


def _usage(usage: dict[str, Json]) -> Usage:
    spent, read = d.record(usage.get("completion_tokens_details")), d.record(usage.get("prompt_tokens_details"))
    return Usage(
        input_tokens=d.count(usage.get("prompt_tokens")),
        output_tokens=d.count(usage.get("completion_tokens")),
        reasoning_tokens=d.count(spent.get("reasoning_tokens")),
        cached_tokens=d.count(read.get("cached_tokens")),
    )


def read_content(content: Json) -> tuple[str, str]:
    """Visible text and thoughts of a message's content: text, null, or a list of parts."""
    if isinstance(content, str):
        return content, ""
    text: list[str] = []
    thoughts: list[str] = []
    for item in content if isinstance(content, list) else ():
        if isinstance(item, str):
            text.append(item)
            continue
        part = d.record(item)
        kind = d.text_at(part.get("type"))
        if kind in ("text", "output_text"):
            text.append(d.text_at(part.get("text")))
        elif kind in ("thinking", "reasoning"):
            inner = part.get("thinking", part.get("text"))
            thoughts.append(inner if isinstance(inner, str) else read_content(inner)[0])
    return "".join(text), "".join(thoughts)


def is_strict(schema: dict[str, Any]) -> bool:
    """Whether a JSON Schema keeps the rules of strict mode: each object closed, each of its properties required."""
    if schema.keys() & {"oneOf", "allOf", "not", "if", "patternProperties"}:
        return False
    properties = schema.get("properties", {})
    if "properties" in schema or schema.get("type") == "object":
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(properties):
            return False
    parts = [*properties.values(), *schema.get("$defs", {}).values(), *schema.get("anyOf", ()), schema.get("items")]
    return all(is_strict(part) for part in parts if isinstance(part, dict))


SERVICES: dict[str, ChatCompletions] = {
    service.name: service
    for service in (
        ChatCompletions(),
        ChatCompletions("azure", "", ("AZURE_OPENAI_ENDPOINT",), ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY")),
        ChatCompletions(
            "openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_BASE_URL",), ("OPENROUTER_API_KEY",)
        ),
        ChatCompletions("mistral", "https://api.mistral.ai/v1", ("MISTRAL_BASE_URL",), ("MISTRAL_API_KEY",)),
        ChatCompletions("groq", "https://api.groq.com/openai/v1", ("GROQ_BASE_URL",), ("GROQ_API_KEY",)),
        ChatCompletions("deepseek", "https://api.deepseek.com/v1", ("DEEPSEEK_BASE_URL",), ("DEEPSEEK_API_KEY",)),
        ChatCompletions("together", "https://api.together.xyz/v1", ("TOGETHER_BASE_URL",), ("TOGETHER_API_KEY",)),
        ChatCompletions("xai", "https://api.x.ai/v1", ("XAI_BASE_URL",), ("XAI_API_KEY",)),
        ChatCompletions("ollama", "http://127.0.0.1:11434/v1", ("OLLAMA_BASE_URL",), ("OLLAMA_API_KEY",)),
        ChatCompletions("vllm", "http://127.0.0.1:8000/v1", ("VLLM_BASE_URL",), ("VLLM_API_KEY",)),
        ChatCompletions("llamacpp", "http://127.0.0.1:8080/v1", ("LLAMACPP_BASE_URL",), ("LLAMACPP_API_KEY",)),
    )
}
"""Services that speak chat completions, by the word before the colon."""


def connect(setup: Setup) -> HttpProvider:
    """OpenAI itself, or whatever `base_url` or OPENAI_BASE_URL names."""
    return HttpProvider(SERVICES["openai"], setup)
