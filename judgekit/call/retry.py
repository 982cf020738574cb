"""Trying a call again when that may help, and not one time more."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec

from judgekit.errors import CallFailed
from judgekit.types import Frozen, Reply, Request, Sender

Seconds = Annotated[float, msgspec.Meta(ge=0)]
Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]
BeforeRetry = Callable[[Request, CallFailed], None]


class RetryPolicy(Frozen, frozen=True):
    """How often and how long one call may be tried.

    retries      tries after the first one; 3 means at most 4 requests
    base_s       longest wait before the first retry, doubled before each further one
    cap_s        longest single wait, also of one that the server asks for
    deadline_s   no try begins later than this after the first one began
    """

    retries: Annotated[int, msgspec.Meta(ge=0)] = 3
    base_s: Seconds = 0.5
    cap_s: Seconds = 60.0
    deadline_s: Seconds = 300.0


class Retried:
    """A sender that tries a call of `inner` again after a failure that may heal.

    A wait that the server asked for is kept to the fraction of a second, and never cut short; up to a tenth more
    (at most one second) keeps calls that were turned away together from coming back together. Without one, the wait
    is drawn evenly from [0, base_s * 2^(try - 1)] (full jitter; Brooker 2015, "Exponential backoff and jitter").

    before   called before each retry with what failed; whatever it raises ends the call
    """

    def __init__(
        self,
        inner: Sender,
        policy: RetryPolicy,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random,
        before: BeforeRetry | None = None,
    ) -> None:
        self._inner = inner
        self._policy = policy
        self._clock = clock
        self._sleep = sleep
        self._rng = rng
        self._before = before

    async def __call__(self, request: Request) -> Reply:
        """The first reply. Raises the last `CallFailed`, saying how many tries there were."""
        began = self._clock()
        tries = 0
        while True:
            tries += 1
            try:
                return await self._inner(request)
            except CallFailed as failed:
                wait = self._wait(failed, tries)
                given_up = self._given_up(failed, tries, wait, self._clock() - began)
                if given_up is not None:
                    raise given_up from failed
                if self._before is not None:
                    self._before(request, failed)
            await self._sleep(wait)

    def _wait(self, failed: CallFailed, tries: int) -> float:
        """Seconds to wait after `tries` tries."""
        policy = self._policy
        if failed.after_s is not None:
            told = max(0.0, failed.after_s)
            return told + self._rng.uniform(0.0, min(1.0, told / 10))
        return self._rng.uniform(0.0, min(policy.cap_s, policy.base_s * 2.0 ** min(tries - 1, 60)))

    def _given_up(self, failed: CallFailed, tries: int, wait: float, spent: float) -> CallFailed | None:
        """The error to end with, or None when the call is to be tried again."""
        policy = self._policy
        if not failed.retryable:
            return failed if tries == 1 else _told(failed, f"after {tries} tries")
        asked = failed.after_s or 0.0
        if asked > policy.cap_s:
            limit = f"longer than the {policy.cap_s:g} s that a call may wait"
            return _told(failed, f"after {_tries(tries)}; the server asks to wait {_span(asked)}, {limit}")
        if tries > policy.retries:
            return _told(failed, f"after {_tries(tries)}")
        if spent + max(wait, asked) > policy.deadline_s:
            return _told(
                failed, f"after {_tries(tries)}; another would begin over {policy.deadline_s:g} s after the first"
            )
        return None


def _tries(count: int) -> str:
    return "1 try" if count == 1 else f"{count} tries"


def _span(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds:,.0f} s ({seconds / 3600:.1f} h)"
    return f"{seconds:,.0f} s" if seconds >= 60 else f"{seconds:g} s"


def _told(failed: CallFailed, more: str) -> CallFailed:
    return CallFailed(
        f"{failed.why.rstrip('.')} ({more})",
        code=failed.code,
        retryable=failed.retryable,
        after_s=failed.after_s,
        status=failed.status,
    )
