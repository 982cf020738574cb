"""How many calls are under way at once, and how many go out in a minute."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import msgspec

from judgekit.call.prices import estimate_tokens, output_cap
from judgekit.call.retry import Clock, Sleep
from judgekit.errors import CallFailed
from judgekit.types import Frozen, Reply, Request, Sender

MINUTE = 60.0
_TICK_S = 0.001  # a wait may be rounded to a nothing that does not move the clock
OVERLOADED = frozenset({429, 529})
"""HTTP statuses that say "you send too much", and not "something broke"."""

Positive = Annotated[int, msgspec.Meta(ge=1)]


class Limits(Frozen, frozen=True):
    """The most that one provider is asked for.

    in_flight    calls under way at once, at most; fewer while the provider says that it is too much
    per_minute   requests that begin within any 60 s; None = no limit
    tokens_per_minute   estimated tokens of the requests that begin within any 60 s; None = no limit. A request that
                 is larger than the whole limit goes out alone.
    """

    in_flight: Positive = 64
    per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None


@dataclass(slots=True)
class _Begun:
    """A request that began within the last minute: when, and the tokens that it is taken to cost."""

    at: float
    tokens: float
    past: bool = False


class Limited:
    """A sender that never has more of `inner` under way than it may, and backs off when told to.

    Additive increase, multiplicative decrease (Chiu & Jain 1989): the allowed number is halved at the first 429 or
    529 and not again until a request that began after that is turned away too; each reply then adds 1/allowed, so
    it grows by one for every round of replies. A wait that a server asks for holds up every call until it is over.
    Calls begin in the order in which they came; only the first in line waits for room, so nothing polls.

    pause_cap_s   a server that asks for a longer wait than this holds up only the call that was told so
    tokens_of     estimated tokens of a request and its reply; corrected by what the provider then counts
    """

    def __init__(
        self,
        inner: Sender,
        limits: Limits,
        *,
        clock: Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        pause_cap_s: float = 60.0,
        tokens_of: Callable[[Request], int] | None = None,
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._pause_cap_s = pause_cap_s
        self._tokens_of = tokens_of or _tokens_of
        self._door = asyncio.Lock()
        self._room: asyncio.Future[None] | None = None
        self._allowed = float(limits.in_flight)
        self._active = 0
        self._number = 0
        self._cut_at = 0
        self._closed_until = float("-inf")
        self._begun: deque[_Begun] = deque()
        self._recent = 0.0
        self._estimated = 0.0
        self._counted = 0.0

    @property
    def allowed(self) -> int:
        """How many calls may be under way now."""
        return int(self._allowed)

    @property
    def active(self) -> int:
        """How many calls are under way now."""
        return self._active

    async def __call__(self, request: Request) -> Reply:
        """The reply of the wrapped sender, once there is room for the call."""
        begun, estimate = await self._enter(request)
        self._number += 1
        number = self._number
        try:
            reply = await self._inner(request)
        except CallFailed as failed:
            self._turned_away(failed, number)
            raise
        else:
            self._answered(reply, begun, estimate)
            return reply
        finally:
            self._active -= 1
            self._make_room()

    async def _enter(self, request: Request) -> tuple[_Begun | None, float]:
        """Wait for the request's turn, then count it as under way."""
        limits = self._limits
        estimate = 0.0 if limits.tokens_per_minute is None else float(self._tokens_of(request))
        async with self._door:
            while True:
                if self._active >= int(self._allowed):
                    self._room = asyncio.get_running_loop().create_future()
                    await self._room
                    continue
                now = self._clock()
                wait = max(self._closed_until - now, self._rate_wait(now, estimate))
                if wait <= 0:
                    break
                await self._sleep(max(wait, _TICK_S))
            self._active += 1
            if limits.per_minute is None and limits.tokens_per_minute is None:
                return None, estimate
            begun = _Begun(now, estimate * self._correction)
            self._begun.append(begun)
            self._recent += begun.tokens
            return begun, estimate

    @property
    def _correction(self) -> float:
        """How many times the estimate the providers have counted so far; 1 before they counted anything."""
        return self._counted / self._estimated if self._estimated else 1.0

    def _rate_wait(self, now: float, estimate: float) -> float:
        """Seconds until one more request, of `estimate` tokens, fits into the last 60 s; 0 or less = now."""
        limits, begun = self._limits, self._begun
        if limits.per_minute is None and limits.tokens_per_minute is None:
            return 0.0
        while begun and begun[0].at + MINUTE <= now:
            gone = begun.popleft()
            gone.past = True
            self._recent -= gone.tokens
        wait = 0.0
        if limits.per_minute is not None and len(begun) >= limits.per_minute:
            wait = begun[len(begun) - limits.per_minute].at + MINUTE - now
        if limits.tokens_per_minute is not None:
            over = self._recent + estimate * self._correction - limits.tokens_per_minute
            for past in begun:
                if over <= 0:
                    break
                over -= past.tokens
                wait = max(wait, past.at + MINUTE - now)
        return wait

    def _turned_away(self, failed: CallFailed, number: int) -> None:
        if failed.status in OVERLOADED and number > self._cut_at:
            self._allowed = max(1.0, self._allowed / 2)
            self._cut_at = self._number
        if failed.after_s is not None and failed.retryable and failed.after_s <= self._pause_cap_s:
            self._closed_until = max(self._closed_until, self._clock() + failed.after_s)

    def _answered(self, reply: Reply, begun: _Begun | None, estimate: float) -> None:
        self._allowed = min(float(self._limits.in_flight), self._allowed + 1.0 / self._allowed)
        usage = reply.usage
        if begun is None or usage.input_tokens is None or usage.output_tokens is None or not estimate:
            return
        counted = usage.input_tokens + usage.output_tokens
        if not begun.past:
            self._recent += counted - begun.tokens
            begun.tokens = float(counted)
        self._estimated += estimate
        self._counted += counted

    def _make_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)


def _tokens_of(request: Request) -> int:
    """Tokens of a request and its reply, before anybody counted."""
    return estimate_tokens(request.messages) + output_cap(request, default=0)
