"""Many graders at once outside a run: so many under way, and what their calls tell of the models that answered."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from typing import TypeVar

from judgekit.run.engine import drive
from judgekit.run.perform import Watcher
from judgekit.types import Answer, Call, Request, Sender

T = TypeVar("T")


async def drive_all(
    graders: Sequence[Generator[tuple[Request, ...], tuple[Answer, ...], T]],
    send: Sender,
    *,
    in_flight: int,
    watcher: Watcher | None = None,
) -> list[T]:
    """The grades of all graders, in order, at most `in_flight` graders at once. Raises `RunStopped` as `drive`."""
    gate = asyncio.Semaphore(in_flight)
    if watcher is not None:
        watcher.start(len(graders), 0)

    async def one(grader: Generator[tuple[Request, ...], tuple[Answer, ...], T]) -> T:
        async with gate:
            grade = await drive(grader, send)
        if watcher is not None:
            watcher.step()
        return grade

    running = [asyncio.create_task(one(grader)) for grader in graders]
    try:
        return await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()


def answered_by(calls: Iterable[Call]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the models that providers returned, and the parameters that they refused, each sorted."""
    replies = [call.reply for call in calls if call.reply is not None]
    models = {reply.model for reply in replies if reply.model}
    dropped = {name for reply in replies for name in reply.dropped}
    return tuple(sorted(models)), tuple(sorted(dropped))
