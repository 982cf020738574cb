"""Stopping before money or calls pass a cap, with everything that is done kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated

import msgspec

from judgekit.call.counters import Counters
from judgekit.call.prices import Prices, estimate_tokens, output_cap
from judgekit.errors import CallFailed, RunStopped
from judgekit.types import Frozen, Reply, Request, Sender, Usage

OUTPUT_TOKENS = 1000
"""Tokens that a reply is taken to have when neither the request nor earlier replies say more."""

_ROUNDING = 1e-9  # US dollars: what adding up a million small sums may be off by


class Budget(Frozen, frozen=True):
    """The most that one command may send or spend; None = no cap.

    calls   requests, retries included
    usd     US dollars
    """

    calls: Annotated[int, msgspec.Meta(ge=0)] | None = None
    usd: Annotated[float, msgspec.Meta(ge=0)] | None = None


class Ledger:
    """What one command has spent and what its calls under way are expected to cost; shared by all its senders.

    calls   requests taken from the budget, those under way and retries included
    spent   US dollars of finished calls. A call that may have been billed without a reply counts as expected.
    held    US dollars that the calls under way are expected to cost
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.calls = 0
        self.spent = 0.0
        self.held = 0.0
        self._under_way = 0
        self._settled: asyncio.Future[None] | None = None

    async def reserve(self, usd: float) -> None:
        """Take one call and `usd` dollars, waiting for calls under way to settle if only they stand in the way.

        Raises `RunStopped` (code `budget`) when the cap would be passed.
        """
        while not self._fits(usd):
            if not self._under_way or self._out_of_calls():
                raise self.stopped()
            if self._settled is None or self._settled.done():
                self._settled = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._settled)
        self._take_call()
        self.held += usd
        self._under_way += 1

    def again(self, billed: float) -> None:
        """Take one call more for a reserved call that failed; `billed` US dollars may have been charged for it.

        Raises `RunStopped` (code `budget`) when the cap would be passed.
        """
        self.spent += billed
        if billed and not self._fits(0.0):
            raise self.stopped()
        self._take_call()

    def settle(self, usd: float, cost: float) -> None:
        """A reserved call is over: let go of the `usd` dollars that it held, and book what it cost."""
        self._under_way -= 1
        self.held = self.held - usd if self._under_way else 0.0
        self.spent += cost
        if self._settled is not None and not self._settled.done():
            self._settled.set_result(None)

    def stopped(self) -> RunStopped:
        """The error that says what was spent and how to go on."""
        spent = []
        if self.budget.calls is not None:
            spent.append(f"{self.calls:,} of {self.budget.calls:,} calls")
        if self.budget.usd is not None:
            held = f" (with about ${self.held:.4f} more for the calls under way)" if self._under_way else ""
            spent.append(f"${self.spent:.4f} of ${self.budget.usd:.4f}{held}")
        return RunStopped(
            f"the budget is used up: {' and '.join(spent)}; the next call would pass it. What is done is kept: "
            "raise --max-calls or --max-cost (or `budget:` in the suite) and give the same command again to go on",
            code="budget",
        )

    def _fits(self, usd: float) -> bool:
        cap = self.budget.usd
        return cap is None or self.spent + self.held + usd <= cap + _ROUNDING

    def _out_of_calls(self) -> bool:
        return self.budget.calls is not None and self.calls >= self.budget.calls

    def _take_call(self) -> None:
        if self._out_of_calls():
            raise self.stopped()
        self.calls += 1


class Budgeted:
    """A sender that takes each call from a ledger before it sends it, and writes the cost on the reply.

    A call is expected to cost its estimated prompt and the reply that its parameters allow (1,000 tokens if they say
    nothing), times the highest ratio of true to expected cost seen so far for its model; so the cap on money is never
    passed when no call costs more than expected, and otherwise by no more than what the calls under way do.

    free   the calls cost nothing, whatever price their models have: they are replayed
    """

    def __init__(
        self,
        inner: Sender,
        ledger: Ledger,
        prices: Prices,
        counters: Counters,
        url_of: Callable[[Request], str | None],
        *,
        free: bool = False,
    ) -> None:
        self._inner = inner
        self._ledger = ledger
        self._prices = prices
        self._counters = counters
        self._url_of = url_of
        self._free = free
        self._caps_money = ledger.budget.usd is not None and not free
        self._ratio: dict[str, float] = {}

    async def __call__(self, request: Request) -> Reply:
        """The reply with its cost. Raises `RunStopped` when the budget does not allow the call."""
        url = self._url_of(request)
        looking = None if self._free else self._prices.begin(request.model, url)
        held = 0.0
        if self._caps_money:
            if looking is not None:
                await asyncio.shield(looking)
            held = self._expected(request, url)
        await self._ledger.reserve(held)
        cost = held  # a call that is broken off in the middle may still be billed
        try:
            reply = await self._inner(request)
            if looking is not None:
                await asyncio.shield(looking)
            reply = self._priced(request, reply, url)
            cost = held if reply.cost_usd is None else reply.cost_usd
        except CallFailed as failed:
            cost = held if may_be_billed(failed) else 0.0
            self._counters.failed += 1
            raise
        except RunStopped:
            cost = 0.0
            raise
        finally:
            self._ledger.settle(held, cost)
        self._counters.answered(reply)
        return reply

    def again(self, request: Request, failed: CallFailed) -> None:
        """Take one call more, for a retry. Raises `RunStopped` when the budget does not allow it."""
        billed = may_be_billed(failed) and self._caps_money
        self._ledger.again(self._expected(request, self._url_of(request)) if billed else 0.0)

    def _expected(self, request: Request, url: str | None) -> float:
        cost = self._prices.cost(request.model, expected_usage(request), url)
        if cost is None:
            raise RunStopped(
                f"the price of {request.model!r} is not known, so a budget in money cannot be kept: give it under "
                f"`prices:` in the suite ({request.model!r}: {{input: ..., output: ...}}, US dollars per million "
                "tokens), or cap the number of calls instead",
                code="no_price",
            )
        return cost * self._ratio.get(request.model, 1.0)

    def _priced(self, request: Request, reply: Reply, url: str | None) -> Reply:
        """The reply with its cost, which also teaches what such a call may cost."""
        if reply.cost_usd is None:
            cost = 0.0 if self._free else self._prices.cost(request.model, reply.usage, url)
            if cost is None:
                return reply
            reply = msgspec.structs.replace(reply, cost_usd=cost)
        if self._caps_money and reply.cost_usd:
            expected = self._prices.cost(request.model, expected_usage(request), url)
            if expected:
                seen = self._ratio.get(request.model, 1.0)
                self._ratio[request.model] = max(seen, reply.cost_usd / expected)
        return reply


def expected_usage(request: Request) -> Usage:
    """Tokens that a call is taken to need before anybody counted: its prompt, and the longest reply it allows."""
    return Usage(
        input_tokens=estimate_tokens(request.messages),
        output_tokens=output_cap(request, default=OUTPUT_TOKENS),
    )


def may_be_billed(failed: CallFailed) -> bool:
    """Whether a provider may charge for a call that failed: it answered, or its answer may have been lost."""
    return failed.status == 200 or failed.code == "timeout"
