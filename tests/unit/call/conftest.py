"""Senders that answer from a script, and an event loop whose time passes only while it has nothing to do."""

import asyncio
import random
from collections import Counter

import pytest

from judgekit.call.budget import Budget, Ledger
from judgekit.call.chain import chain
from judgekit.call.counters import Counters
from judgekit.call.prices import Price, Prices
from judgekit.errors import CallFailed
from judgekit.types import Message, Reply, Request, Usage


class VirtualLoop(asyncio.SelectorEventLoop):
    """Sleeping costs nothing: when nothing is ready, the clock jumps to the next timer."""

    def __init__(self):
        super().__init__()
        self.now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0]._when)
        super()._run_once()


class Scripted:
    """A provider that gives each answer of its script in turn, then the last one for ever; counts what it is asked.

    An answer is a `Reply`, text, an exception, or a function of the request that gives one of those. `takes` is how
    long (virtual) each call takes.
    """

    def __init__(self, *script, takes=0.0):
        self.script = list(script) or ["<result>PASS</result>"]
        self.takes = takes
        self.requests = []
        self.times = []
        self.active = self.most_active = 0
        self.closed = False

    def wire(self, request):
        body = {
            "model": request.model.partition(":")[2],
            "messages": [[m.role, m.content] for m in request.messages],
            "params": request.params,
            "schema": request.schema,
        }
        return {"provider": "openai", "url": request.base_url or "https://api.openai.com/v1", "body": body}

    async def __call__(self, request):
        self.requests.append(request)
        self.times.append(asyncio.get_running_loop().time())
        answer = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await asyncio.sleep(self.takes)
        finally:
            self.active -= 1
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            answer = Reply(answer, usage=Usage(100, 20))
        return answer

    async def aclose(self):
        self.closed = True

    @property
    def sent(self):
        return len(self.requests)

    @property
    def asked(self):
        return Counter(r.messages[-1].content for r in self.requests)


def ask(text="question", **more):
    more.setdefault("model", "openai:judge")
    return Request(messages=(Message("system", "be fair"), Message("user", text)), **more)


def status(code, **more):
    more.setdefault("retryable", code in (408, 429, 500, 502, 503, 504, 529))
    return CallFailed(f"the server answered {code}", code=f"status_{code}", status=code, **more)


def build(provider, **more):
    """A chain around `provider` with everything that a command would share."""
    more.setdefault("ledger", Ledger(more.pop("budget", Budget())))
    more.setdefault("prices", Prices({"judge": Price(input=1.0, output=10.0)}))
    more.setdefault("counters", Counters())
    more.setdefault("rng", random.Random(7))
    return chain(provider, clock=lambda: asyncio.get_running_loop().time(), **more)


def run(main):
    """Run a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


async def gathered(sender, requests):
    """Every reply, or the exception in its place."""
    return await asyncio.gather(*(sender(r) for r in requests), return_exceptions=True)


@pytest.fixture
def kit():
    """The helpers above, by name."""

    class Kit:
        pass

    kit = Kit()
    kit.Scripted, kit.ask, kit.status, kit.build, kit.run, kit.gathered = Scripted, ask, status, build, run, gathered
    return kit
