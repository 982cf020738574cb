"""The one place that knows in which order the wrappers stand around a provider."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Container

from judgekit.call.budget import Budgeted, Ledger
from judgekit.call.cache import Cached
from judgekit.call.counters import Counters
from judgekit.call.key import Keyed, Provider, request_key
from judgekit.call.limits import Limited, Limits
from judgekit.call.prices import Prices
from judgekit.call.record import Recorded, Recorder
from judgekit.call.retry import Clock, Retried, RetryPolicy, Sleep
from judgekit.call.store import Store
from judgekit.errors import CallFailed
from judgekit.providers.replay import Replay
from judgekit.types import Reply, Request, Sender

RETRY = RetryPolicy()
LIMITS = Limits()


class Chain:
    """A provider with everything around it: a sender that can be closed."""

    def __init__(self, provider: Provider, sender: Sender, counters: Counters) -> None:
        self._provider = provider
        self._sender = sender
        self.counters = counters

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`, with its key and cost. Raises `CallFailed` or `RunStopped`."""
        return await self._sender(request)

    async def aclose(self) -> None:
        """Close the provider. What several chains share (store, ledger, recorder) belongs to who opened it."""
        close = getattr(self._provider, "aclose", None)
        if close is not None:
            await close()


def chain(
    provider: Provider,
    *,
    ledger: Ledger,
    prices: Prices,
    counters: Counters,
    rng: random.Random,
    store: Store | None = None,
    skip: Container[str] = frozenset(),
    recorder: Recorder | None = None,
    retry: RetryPolicy = RETRY,
    limits: Limits = LIMITS,
    clock: Clock = time.monotonic,
    sleep: Sleep = asyncio.sleep,
) -> Chain:
    """`Recorded(Cached(Budgeted(Retried(Limited(provider)))))`, for one provider.

    store, ledger, prices, counters, recorder   shared by the chains of one command
    store    None = nothing is looked up or kept. Recordings are never cached: editing the file must count.
    skip     request keys to ask for again, once each
    """

    async def sent(request: Request) -> Reply:
        counters.sent += 1
        return await provider(request)

    def before_retry(request: Request, failed: CallFailed) -> None:
        budgeted.again(request, failed)
        counters.retries += 1

    replays = isinstance(provider, Replay)
    limited = Limited(sent, limits, clock=clock, sleep=sleep, pause_cap_s=retry.cap_s)
    retried = Retried(limited, retry, clock=clock, sleep=sleep, rng=rng, before=before_retry)
    budgeted = Budgeted(retried, ledger, prices, counters, _urls(provider), free=replays)
    sender: Sender = budgeted
    if store is None or not getattr(provider, "cacheable", True):
        sender = Keyed(sender, lambda request: key_of(provider, request))
    else:
        sender = Cached(sender, store, lambda request: key_of(provider, request), counters, skip=skip)
    if recorder is not None:
        sender = Recorded(sender, recorder)
    return Chain(provider, sender, counters)


def key_of(provider: Provider, request: Request) -> str:
    """The cache key of a request to `provider`; nothing is sent."""
    return request_key(provider.wire(request), request)


def _urls(provider: Provider) -> Callable[[Request], str | None]:
    """The URL that a request goes to, asked of the provider once for each model and base URL."""
    known: dict[tuple[str, str | None], str | None] = {}

    def url_of(request: Request) -> str | None:
        at = (request.model, request.base_url)
        if at not in known:
            known[at] = str(provider.wire(request)["url"]) or None
        return known[at]

    return url_of
