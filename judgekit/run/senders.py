"""The way to the world for one command: providers, cache, budget, retries and limits, put together once."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from judgekit.call.budget import Budget as CallBudget
from judgekit.call.budget import Ledger, expected_usage
from judgekit.call.chain import Chain, chain, key_of
from judgekit.call.counters import Counters
from judgekit.call.key import Provider
from judgekit.call.limits import Limits
from judgekit.call.prices import Price, Prices, estimate_tokens
from judgekit.call.record import Recorder
from judgekit.call.retry import RetryPolicy
from judgekit.call.store import Store
from judgekit.providers.replay import Recording, Replay
from judgekit.suite import Pace
from judgekit.types import Reply, Request

OFFLINE = ("replay", "local", "python")
"""Providers that send nothing, and so are not asked about: what a function of the user's sends, only they know."""

CACHE = Path(".judgekit") / "cache.sqlite"
"""The cache of a suite, relative to its folder."""

NO_BUDGET = CallBudget()
UNHURRIED = Pace()


@dataclass(frozen=True)
class Way:
    """How calls go out.

    env          the environment that keys and base URLs are read from
    recordings   what `replay:` answers with; with `replay_all`, every model is answered from them
    folder       the suite's folder, where a `python:` model is looked for
    cache        the cache file; None = nothing is looked up or kept
    record       a file that every reply is recorded to
    pace         requests and tokens per minute, and how often a call is tried
    skip         request keys to ask again although the cache has them
    """

    env: Mapping[str, str]
    recordings: tuple[Recording, ...] = ()
    replay_all: bool = False
    folder: Path | None = None
    cache: Path | None = None
    read_only: bool = False
    record: Path | None = None
    budget: CallBudget = NO_BUDGET
    prices: Mapping[str, Price] = field(default_factory=dict)
    in_flight: int = 64
    pace: Pace = UNHURRIED
    skip: Container[str] = frozenset()
    seed: int | None = None


class Senders:
    """One sender for all models of a command: each request goes down the chain of its provider."""

    def __init__(self, way: Way, *, warn: Callable[[str], None]) -> None:
        self._way = way
        self._chains: dict[tuple[str, str | None, str | None], Chain] = {}
        self._providers: dict[tuple[str, str | None, str | None], Provider] = {}
        self._ledger = Ledger(way.budget)
        self._rng = random.Random(way.seed)  # noqa: S311 - jitter, not a secret
        self._store = Store.open(way.cache, warn=warn, read_only=way.read_only) if way.cache else None
        self._recorder = Recorder(way.record) if way.record else None
        self.prices = Prices(way.prices)
        self.counters = Counters()

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`. Raises `CallFailed` or `RunStopped`."""
        at = (request.model.partition(":")[0], request.base_url, request.api_key_env)
        found = self._chains.get(at) or self._open(at, request)
        return await found(request)

    def peek(self, request: Request) -> Reply | None:
        """The reply that the cache holds, if any; nothing is sent."""
        if self._store is None:
            return None
        provider = self.provider(request)
        if not getattr(provider, "cacheable", True):
            return None
        key = key_of(provider, request)
        return None if key in self._way.skip else self._store.get(key)

    def check(self, request: Request) -> None:
        """Raise what is known to be wrong with the model of a request before anything is sent to it.

        Raises `UsageError` for a provider or URL that cannot be, `RunStopped` (code `no_key`) for a missing key.
        """
        check = getattr(self.provider(request), "check", None)
        if check is not None:
            check(request)

    def price(self, request: Request) -> float | None:
        """The expected price of a request, None when it is not known."""
        return self.prices.cost(request.model, expected_usage(request))

    @staticmethod
    def tokens(request: Request) -> int:
        """The estimated tokens of a request's messages."""
        return estimate_tokens(request.messages)

    @property
    def sent(self) -> int:
        """Requests that reached a provider."""
        return self.counters.sent

    @property
    def cached(self) -> int:
        """Replies that cost nothing."""
        return self.counters.cached

    @property
    def cost(self) -> float | None:
        """US dollars of this command, None when the price of a call is not known."""
        return None if self.counters.unpriced else self.counters.cost_usd

    def provider(self, request: Request) -> Provider:
        """The provider of a request, made when first asked for.

        Raises `FixNeeded` when there is no such provider or its key is missing.
        """
        at = (request.model.partition(":")[0], request.base_url, request.api_key_env)
        if at not in self._providers:
            self._providers[at] = self._make(*at)
        return self._providers[at]

    def _make(self, name: str, base_url: str | None, api_key_env: str | None) -> Provider:
        if name == "replay" or self._way.replay_all:
            return Replay(self._way.recordings)
        from judgekit.providers.registry import make_provider  # httpx: only where something is sent

        if name == "python" and self._way.folder is not None and str(self._way.folder) not in sys.path:
            sys.path.insert(0, str(self._way.folder))  # `python:module:function` looks beside the suite first
        return make_provider(name, env=self._way.env, base_url=base_url, api_key_env=api_key_env)

    def _open(self, at: tuple[str, str | None, str | None], request: Request) -> Chain:
        pace = self._way.pace
        self._chains[at] = chain(
            self.provider(request),
            ledger=self._ledger,
            prices=self.prices,
            counters=self.counters,
            rng=self._rng,
            store=self._store,
            skip=self._way.skip,
            recorder=self._recorder,
            limits=Limits(self._way.in_flight, pace.requests_per_minute, pace.tokens_per_minute),
            retry=RetryPolicy(retries=pace.retries, cap_s=pace.wait_s, deadline_s=pace.deadline_s),
        )
        return self._chains[at]

    async def aclose(self) -> None:
        """Close every provider, the cache and the recorder."""
        for one in self._chains.values():
            await one.aclose()
        self.close_store()

    def close_store(self) -> None:
        """Close what is open on disk; enough where nothing was sent."""
        if self._store is not None:
            self._store.close()
        if self._recorder is not None:
            self._recorder.close()
