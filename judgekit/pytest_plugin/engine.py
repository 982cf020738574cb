"""How the plugin reaches the engine: an event loop in a thread of its own, and the way that calls go out."""

from __future__ import annotations

import asyncio
import os
import secrets
import warnings
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from judgekit.call.budget import Budget
from judgekit.call.prices import Price
from judgekit.errors import UsageError
from judgekit.run.environment import environment
from judgekit.run.loaded import Suite
from judgekit.run.perform import Finished, Options, perform
from judgekit.run.plan import Plan
from judgekit.run.senders import CACHE, OFFLINE, Senders, Way

T = TypeVar("T")


class LoopThread:
    """Runs coroutines one after the other, also for a test that is inside an event loop itself."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="judgekit")
        self._runner = asyncio.Runner()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`; a Ctrl-C meanwhile cancels it first."""
        future = self._pool.submit(self._go, work)
        try:
            return future.result()
        except KeyboardInterrupt:
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)
            raise

    def _go(self, work: Coroutine[Any, Any, T]) -> T:
        async def main() -> T:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            return await work

        return self._runner.run(main())

    def close(self) -> None:
        """End the loop and its thread."""
        self._pool.submit(self._runner.close).result()
        self._pool.shutdown()


@dataclass(frozen=True)
class Live:
    """Whether real models are asked, and within which limits.

    calls, usd   limits from the command line; those of the suite hold as well
    """

    live: bool
    calls: int | None = None
    usd: float | None = None

    def way(self, suite: Suite, models: list[str]) -> Way:
        """How calls go out: to the suite's recordings alone, or to the real models under a budget.

        Raises `UsageError` when calls would be paid for and nothing limits them.
        """
        file = suite.file
        budget = Budget(
            calls=_least(self.calls, file.budget.calls if file.budget else None),
            usd=_least(self.usd, file.budget.usd if file.budget else None),
        )
        pays = self.live and any(model.partition(":")[0] not in OFFLINE for model in models)
        if pays and budget.calls is None and budget.usd is None:
            raise UsageError(
                "--judgekit-live would pay for calls: set a limit with --judgekit-max-calls, --judgekit-max-cost, "
                "or `budget:` in the suite"
            )
        return Way(
            env=environment(suite.folder, os.environ),
            recordings=suite.recordings,
            folder=suite.folder,
            pace=suite.file.limits,
            replay_all=not self.live,
            cache=suite.folder / CACHE if pays else None,
            budget=budget,
            prices={name: Price(price.input, price.output) for name, price in file.prices.items()},
        )


def _least(a: float | None, b: float | None) -> Any:
    known = [x for x in (a, b) if x is not None]
    return min(known) if known else None


def models_of(plan: Plan) -> list[str]:
    """The models that a plan asks."""
    asked = [plan.variant.model] if plan.prompt and plan.variant.model else []
    if plan.judge is not None and any(plan.instruments(case) for case in plan.cases):
        asked += plan.judge.models
    return list(dict.fromkeys(asked))


def open_senders(way: Way) -> Senders:
    """The senders of one run; what they have to say is a warning of the test."""
    return Senders(way, warn=lambda text: warnings.warn(text, stacklevel=2))


async def execute(plan: Plan, senders: Senders, root: Path | None) -> Finished:
    """Run a plan into a folder of its own under `root`; None keeps nothing."""
    return await perform(
        plan,
        send=senders,
        counts=senders,
        options=Options(root, fresh=True),
        now=lambda: datetime.now().astimezone(),
        token=secrets.token_hex(3),
    )
