"""A user's function, called so that nothing it does can end, hold up or confuse the run."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from threading import Thread
from typing import Any

from judgekit.graders.target import is_async, said


def importable(folder: Path) -> None:
    """Let modules beside the suite be found, before all others."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def named(function: Callable[..., Any], *names: str) -> set[str]:
    """Which of `names` are parameters of a function."""
    try:
        return set(inspect.signature(function).parameters) & set(names)
    except (ValueError, TypeError):  # a function written in C may not say
        return set()


async def called(function: Callable[[], Any]) -> tuple[Any, str]:
    """What a function returns (and, if it can be waited for, what that gives), and what it raised instead, in words.

    A sync function runs in a thread of its own. Raises only `CancelledError`, when the caller is cancelled.
    """
    try:
        value, error = (function(), "") if is_async(_inner(function)) else await _in_thread(function)
        if not error and inspect.isawaitable(value):
            value = await value
    except asyncio.CancelledError as cancelled:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return None, said(cancelled)  # the function cancelled itself
    except (Exception, SystemExit) as raised:  # noqa: BLE001 - a user's code may raise anything
        return None, said(raised)
    return value, error


def _inner(function: Callable[..., Any]) -> Any:
    """The function under its given arguments."""
    return getattr(function, "func", function)


async def _in_thread(function: Callable[[], Any]) -> tuple[Any, str]:
    """Call in a thread that ends with the process: one that hangs holds up neither the others nor the end."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[tuple[Any, str]] = loop.create_future()

    def tell(value: Any, error: str) -> None:
        if not ended.done():
            ended.set_result((value, error))

    def work() -> None:
        value, error = None, ""
        try:
            value = function()
        except BaseException as raised:  # noqa: BLE001 - nor may it leave its thread, whatever it is
            error = said(raised)
        try:
            loop.call_soon_threadsafe(tell, value, error)
        except RuntimeError:
            return  # the loop has closed: nobody waits any more

    Thread(target=copy_context().run, args=(work,), daemon=True).start()
    return await ended
