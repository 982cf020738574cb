"""`python:module:function`: a model that is a function of the user's own."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from judgekit.errors import CallFailed, RunStopped
from judgekit.located import near
from judgekit.providers.base import Setup
from judgekit.types import Json, Reply, Request, Usage


class PythonFunction:
    """A sender that calls `f(messages)`, or `f(messages, request)` where it names it; sync ones run in a thread.

    messages   a list of `{"role", "content"}` dicts
    returns    text, a dict with `text` and any of finish, reasoning, model, usage, cost_usd, a `judgekit` reply, or the
               reply object of an SDK

    What it costs is not known unless it says so. Its replies are never cached: its code may change.
    """

    cacheable = False

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._functions: dict[str, Callable[..., Any]] = {}

    def wire(self, request: Request) -> dict[str, Json]:
        """What identifies a request to this provider."""
        messages = [[m.role, m.content] for m in request.messages]
        body = {"model": request.model, "messages": messages, "params": request.params, "schema": request.schema}
        return {"provider": "python", "url": "", "body": body}

    async def __call__(self, request: Request) -> Reply:
        """What the function returned. Raises `CallFailed` for what it raised, `RunStopped` when it cannot be loaded."""
        target = request.model.partition(":")[2]
        function = self._functions.get(target) or self._functions.setdefault(target, load_function(target))
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        extra = {"request": request} if "request" in inspect.signature(function).parameters else {}
        try:
            async with asyncio.timeout(self._setup.timeout_s):
                if inspect.iscoroutinefunction(function):
                    value = await function(messages, **extra)
                else:
                    value = await asyncio.to_thread(function, messages, **extra)
                    if inspect.isawaitable(value):
                        value = await value
        except TimeoutError:
            raise CallFailed(f"{target} took longer than {self._setup.timeout_s:g} s", code="timeout") from None
        except (CallFailed, RunStopped):
            raise
        except Exception as error:  # noqa: BLE001 - whatever the function raises
            raise CallFailed(f"{target} raised {type(error).__name__}: {error}", code="exception") from None
        return _reply(value, target)

    def check(self, request: Request) -> None:
        """Load the function. Raises `RunStopped` when it cannot be."""
        load_function(request.model.partition(":")[2])

    async def aclose(self) -> None:
        """Nothing is open."""


def connect(setup: Setup) -> PythonFunction:
    """The provider."""
    return PythonFunction(setup)


def load_function(target: str) -> Callable[..., Any]:
    """The function of `module:function`. Raises `RunStopped`: no call can succeed without it."""
    module, _, name = target.partition(":")
    if not module or not name:
        raise RunStopped(f"python:{target} is no function; write python:module:function", code="no_function")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise RunStopped(f"python:{target}: cannot import {module!r}: {error}", code="no_function") from None
    function = getattr(found, name, None)
    if not callable(function):
        hint = near(name, [n for n in dir(found) if not n.startswith("_")])
        raise RunStopped(f"python:{target}: {module!r} has no function {name!r}.{hint}", code="no_function")
    return function  # type: ignore[no-any-return]


def _reply(value: Any, target: str) -> Reply:
    if isinstance(value, Reply):
        return value
    if isinstance(value, str):
        return Reply(text=value)
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        try:
            reply = msgspec.convert(dict(value), Reply)
        except msgspec.ValidationError as error:
            raise CallFailed(f"{target} returned a dict that is no reply: {error}", code="not_a_reply") from None
        return reply
    text = sdk_text(value)
    if text is None:
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        raise CallFailed(f"{target} returned a {kind}; return text or a dict with 'text'", code="not_a_reply")
    return Reply(text=text, usage=Usage())


def sdk_text(value: Any) -> str | None:
    """The text in a reply object of the usual SDKs, None when it is not one."""
    text = getattr(value, "output_text", None)
    if isinstance(text, str):
        return text
    choices = getattr(value, "choices", None)
    if isinstance(choices, (list, tuple)) and choices:
        content = getattr(getattr(choices[0], "message", None), "content", None)
        return content if isinstance(content, str) else None
    content = getattr(value, "content", None)
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        parts = [part.text for part in content if isinstance(getattr(part, "text", None), str)]
        return "".join(parts) if parts else None
    return None
