"""What a call costs, from the user's own prices or the price list of genai-prices; unknown stays unknown."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias

from judgekit.types import Frozen, Message, Request, Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

FREE = frozenset({"replay", "local"})
"""Providers that answer from this machine: their calls cost 0, and that is known."""

_LISTED_AS = {"gemini": "google"}
_PER_MILLION = 1e-6
_Rates: TypeAlias = tuple[float, float, float]


class Price(Frozen, frozen=True):
    """US dollars per million tokens."""

    input: float
    output: float


class _Rate(Protocol):
    free: bool

    def cost(self, usage: Usage) -> float | None: ...


class _Own:
    """A price that the user gave."""

    def __init__(self, price: Price) -> None:
        self._price = price
        self.free = not (price.input or price.output)

    def cost(self, usage: Usage) -> float:
        tokens_in, tokens_out = usage.input_tokens or 0, usage.output_tokens or 0
        return (tokens_in * self._price.input + tokens_out * self._price.output) * _PER_MILLION


class _Listed:
    """A price from the list: knows tiers, times of day, and the rebate for cached input."""

    free = False  # a listed price of nothing still needs counted tokens

    def __init__(self, provider: Provider, model: ModelInfo) -> None:
        self._provider = provider
        self._model = model
        self._plain, self._below = self._plain_rates()

    def cost(self, usage: Usage) -> float | None:
        tokens = usage.input_tokens or 0
        if self._plain is not None and tokens < self._below:
            return _dot(self._plain, tokens, usage.cached_tokens or 0, usage.output_tokens or 0)
        return self._exact(usage)

    def _exact(self, usage: Usage) -> float | None:
        from genai_prices import Usage as Counted

        tokens = usage.input_tokens or 0
        cached = min(usage.cached_tokens or 0, tokens) or None
        counted = Counted(input_tokens=tokens, output_tokens=usage.output_tokens or 0, cache_read_tokens=cached)
        try:
            return float(self._model.calc_price(counted, self._provider).total_price)
        except (ValueError, ArithmeticError, LookupError):  # counts that the list cannot price: unknown
            return None

    def _plain_rates(self) -> tuple[_Rates | None, float]:
        """US dollars per input, cached input and output token, and the input from which they no longer hold.

        The list takes 0.1 ms a call, these take none of it; they are used only if they give what the list gives.
        """
        from genai_prices.types import ModelPrice, TieredPrices

        prices = self._model.prices
        if not isinstance(prices, ModelPrice):
            return None, 0
        listed = (prices.input_mtok, prices.cache_read_mtok or prices.input_mtok, prices.output_mtok)
        starts = [tier.start for p in listed if isinstance(p, TieredPrices) for tier in p.tiers]
        first, cached, last = (
            float((p.base if isinstance(p, TieredPrices) else p) or 0) * _PER_MILLION for p in listed
        )
        rates = (first, cached, last)
        probe = Usage(input_tokens=1009, output_tokens=503, cached_tokens=211)
        exact = self._exact(probe)
        if exact is None or abs(exact - _dot(rates, 1009, 211, 503)) > 1e-12:
            return None, 0
        return rates, min(starts, default=math.inf)


def _dot(rates: _Rates, tokens: int, cached: int, output: int) -> float:
    cached = min(cached, tokens)
    return (tokens - cached) * rates[0] + cached * rates[1] + output * rates[2]


class Prices:
    """The price of each model, looked up once.

    own   prices by model, as the user wrote it (`openai:gpt-5-mini`) or without the provider; they win

    A model is looked up under the provider that its URL belongs to, if the list knows that URL (so that a router's
    price is the router's), else under the provider that it names. Nothing is fetched: the list is the snapshot that
    came with the installed genai-prices. Importing it takes about 0.2 s, so `begin` does it in a thread, while the
    first calls are under way, and only for a model that has no price yet.
    """

    def __init__(self, own: Mapping[str, Price] | None = None) -> None:
        self._own = dict(own or {})
        self._rates: dict[tuple[str, str | None], _Rate | None] = {}
        self._looking: dict[tuple[str, str | None], asyncio.Task[None]] = {}

    def cost(self, model: str, usage: Usage, url: str | None = None) -> float | None:
        """US dollars of one call; None when the model's price is not known, or its tokens were not counted.

        model   `provider:name`
        usage   `output_tokens` holds all that is billed as output, thoughts included; `input_tokens` holds cached ones
        """
        rate = self._rate(model, url)
        if rate is None or ((usage.input_tokens is None or usage.output_tokens is None) and not rate.free):
            return None
        return rate.cost(usage)

    def knows(self, model: str, url: str | None = None) -> bool:
        """Whether the price of `model` is known."""
        return self._rate(model, url) is not None

    def unknown(self, models: Iterable[str]) -> tuple[str, ...]:
        """Those of `models` whose price is not known, in order, each once."""
        return tuple(model for model in dict.fromkeys(models) if not self.knows(model))

    def begin(self, model: str, url: str | None = None) -> asyncio.Task[None] | None:
        """Start looking a model up in a thread; None when it is known already whether it has a price."""
        at = (model, url)
        if at in self._rates:
            return None
        if self._quick(model) is not None:
            self._rate(model, url)
            return None
        if at not in self._looking:
            self._looking[at] = asyncio.create_task(self._look_up(model, url))
        return self._looking[at]

    async def _look_up(self, model: str, url: str | None) -> None:
        try:
            await asyncio.to_thread(self._rate, model, url)
        finally:
            self._looking.pop((model, url), None)

    def _rate(self, model: str, url: str | None) -> _Rate | None:
        at = (model, url)
        if at not in self._rates:
            self._rates[at] = self._quick(model) or _listed(model, url)
        return self._rates[at]

    def _quick(self, model: str) -> _Rate | None:
        """The rate of a model that needs no list."""
        provider, _, name = model.partition(":")
        price = self._own.get(model) or self._own.get(name)
        if price is not None:
            return _Own(price)
        return _Own(Price(0.0, 0.0)) if provider in FREE else None


def _listed(model: str, url: str | None) -> _Rate | None:
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import ModelPrice

    provider, _, name = model.partition(":")
    if provider == "litellm" and "/" in name:
        provider, _, name = name.partition("/")
    listed_as = _LISTED_AS.get(provider, provider)
    snapshot = get_snapshot()
    for place in ({"provider_id": None, "provider_api_url": url}, {"provider_id": listed_as, "provider_api_url": None}):
        if not any(place.values()):
            continue
        try:
            found, listed = snapshot.find_provider_model(name, None, **place)
        except LookupError:
            continue
        if isinstance(listed.prices, ModelPrice) and listed.prices.input_mtok is listed.prices.output_mtok is None:
            continue  # listed, but with no price of tokens
        return _Listed(found, listed)
    return None


def estimate_tokens(messages: Iterable[Message]) -> int:
    """Tokens of a prompt, roughly: a quarter of its UTF-8 bytes, and 4 for each message.

    English text has some 4 bytes a token; other scripts have more bytes and more tokens to a letter, so counting
    bytes holds for them too where counting letters would be off by a factor.
    """
    return sum(4 + (len(m.content.encode("utf-8", "surrogatepass")) + 3) // 4 for m in messages)


def output_cap(request: Request, *, default: int) -> int:
    """The most tokens that the reply may have: what the request says, else `default`."""
    for name in ("max_completion_tokens", "max_output_tokens", "max_tokens", "maxOutputTokens"):
        value = request.params.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return default
