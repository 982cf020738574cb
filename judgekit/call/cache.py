"""Never paying twice for the same call."""

from __future__ import annotations

import asyncio
from collections.abc import Container

import msgspec

from judgekit.call.counters import Counters
from judgekit.call.key import KeyOf
from judgekit.call.store import Store
from judgekit.types import Reply, Request, Sender

COMPLETE = frozenset({"stop", "other"})
"""How a reply must have ended to be kept; the others were cut, declined, blocked, or wait for a tool."""


def is_complete(reply: Reply) -> bool:
    """Whether a reply may be kept and served again: it ended by itself and says something, readable or not."""
    return reply.finish in COMPLETE and bool(reply.text.strip())


class Cached:
    """A sender that asks `inner` only for what the store does not hold, and for equal requests in flight only once.

    A reply that was not sent for says `cached` and costs 0; its token counts stay those of the call that was paid.
    Failed calls and incomplete replies are never kept, and never served. Shared in flight they are: requests that
    are equal in every part get the same answer, whatever it is.

    skip   keys to ask for again, once, whatever is kept for them; the new reply replaces the old one
    """

    def __init__(
        self, inner: Sender, store: Store, key_of: KeyOf, counters: Counters, *, skip: Container[str] = frozenset()
    ) -> None:
        self._inner = inner
        self._store = store
        self._key_of = key_of
        self._counters = counters
        self._skip = skip
        self._asked: set[str] = set()
        self._flights: dict[str, asyncio.Future[Reply]] = {}

    async def __call__(self, request: Request) -> Reply:
        """The kept reply, that of an equal request in flight, or a new one once it is safely kept."""
        key = self._key_of(request)
        while (flight := self._flights.get(key)) is not None:
            try:
                return self._free(await asyncio.shield(flight), key)
            except asyncio.CancelledError:
                if not flight.cancelled():
                    raise  # this request was given up, not the one in flight
        if key not in self._skip or key in self._asked:
            kept = self._store.get(key)
            if kept is not None and is_complete(kept):
                return self._free(kept, key)
        return await self._send(key, request)

    async def _send(self, key: str, request: Request) -> Reply:
        flight: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._flights[key] = flight
        reply: Reply | None = None
        try:
            reply = msgspec.structs.replace(await self._inner(request), key=key)
            if is_complete(reply):
                await self._store.put(key, request.model, reply)
            if key in self._skip:
                self._asked.add(key)
        except asyncio.CancelledError:
            if reply is None:
                flight.cancel()
            else:  # it is paid and on its way to the file
                flight.set_result(reply)
            raise
        except BaseException as error:
            flight.set_exception(error)
            flight.exception()  # nobody may be waiting for it
            raise
        else:
            flight.set_result(reply)
            return reply
        finally:
            del self._flights[key]

    def _free(self, reply: Reply, key: str) -> Reply:
        self._counters.cached += 1
        return msgspec.structs.replace(reply, cached=True, cost_usd=0.0, key=key)
