"""Any other service, through the package litellm: `litellm:bedrock/...`, `litellm:vertex_ai/...`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

import msgspec

from judgekit.errors import CallFailed, MissingExtra
from judgekit.providers.base import Setup, split_model
from judgekit.providers.dialect import NO_FIXES, applied, why_cut
from judgekit.providers.faults import Place, of_status
from judgekit.providers.keys import Key, find_key
from judgekit.providers.learn import LESSONS, Memory, lesson
from judgekit.providers.openai import ChatCompletions, read_completion
from judgekit.providers.said import Said, one_line
from judgekit.providers.urls import shown_url
from judgekit.types import Json, Reply, Request

_DIALECT = ChatCompletions(name="litellm", base_url="", base_envs=(), key_envs=())


class LiteLLM:
    """A provider that leaves the way to the service to litellm, and its retries and prices aside. See `Provider`."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._module: Any = None
        self._memory = Memory()

    def wire(self, request: Request) -> dict[str, Json]:
        """What `request` means to litellm, without sending."""
        _, name = split_model(request.model)
        url = shown_url(self._setup.base_url or "")
        return {"provider": "litellm", "url": url, "body": _DIALECT.body(request, name, NO_FIXES)}

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`. Raises `CallFailed`, `RunStopped` or `MissingExtra`."""
        if self._module is None:
            self._module = await asyncio.to_thread(_load)  # takes seconds
        _, name = split_model(request.model)
        key = self._key(name)
        url = shown_url(self._setup.base_url or "") or f"litellm ({name})"
        place = Place(request.model, url, key.source, sum(len(m.content) for m in request.messages))
        began = self._setup.clock()
        fixes = self._memory.fixes(name)
        for _ in range(LESSONS + 1):
            body = _DIALECT.body(request, name, fixes)
            data, status, headers = await self._ask(body, key, place)
            if status == 200:
                break
            said = Said(text=one_line(key.hide(str(data))))
            fix = lesson(said, request, fixes) if status in (400, 404, 422, 500) else None
            if fix is None:
                proven = self._memory.is_one_call(name, status, said, request)
                return of_status(status, headers, {}, said, place, proven=proven, now=self._setup.now())
            fixes = self._memory.learn(name, fixes | {fix})
        else:
            raise CallFailed(f"{place.model}: refuses one parameter after another", code="bad_request")
        reply = read_completion(data)
        self._memory.note_answer(name)
        note = why_cut(reply, _DIALECT.limit(body)) if reply.finish == "length" else reply.note
        return msgspec.structs.replace(
            reply, note=note, latency_s=self._setup.clock() - began, dropped=applied(request, fixes)
        )

    async def aclose(self) -> None:
        """Litellm keeps its own connections."""

    async def _ask(self, body: dict[str, Json], key: Key, place: Place) -> tuple[Any, int, Mapping[str, str]]:
        """The completion as plain data with 200, or the text of an error with its status and headers."""
        extra: dict[str, Json] = {"num_retries": 0, "max_retries": 0, "timeout": self._setup.timeout_s}
        if self._setup.base_url:
            extra["api_base"] = self._setup.base_url
        if key:
            extra["api_key"] = key.reveal()
        try:
            answer = await self._module.acompletion(**body, **extra)
            return answer.model_dump(), 200, {}
        except (TypeError, AttributeError, NameError):
            raise
        except Exception as error:  # noqa: BLE001 - its errors share no base that is its own
            status = getattr(error, "status_code", None)
            text = f"{type(error).__name__}: {error}"
            if type(error).__name__ == "ContentPolicyViolationError":
                text = f"content_policy {text}"
            if "Missing credentials" in text:
                status = 401
            if not isinstance(status, int):
                why = one_line(key.hide(text), 120)
                raise CallFailed(f"{place.model}: {why}; run again", code="connection", retryable=True) from None
            response = getattr(error, "response", None)
            headers = getattr(response, "headers", None) or {}
            return text, status, {str(k).lower(): str(v) for k, v in headers.items()}

    def _key(self, name: str) -> Key:
        """The key by `api_key_env`, else by the usual name (`GROQ_API_KEY` for groq/...); litellm finds the rest."""
        own = self._setup.api_key_env
        usual = f"{name.partition('/')[0].upper()}_API_KEY"
        return find_key(self._setup.env, [own or usual], where=f"litellm:{name}", optional=not own)


def _load() -> Any:
    """litellm, told to fetch nothing and to print nothing. Raises `MissingExtra`."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it calls a web site
    try:
        import litellm
    except ImportError:
        raise MissingExtra("litellm:", "litellm") from None
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    return litellm


def connect(setup: Setup) -> LiteLLM:
    """Whatever litellm reaches."""
    return LiteLLM(setup)
