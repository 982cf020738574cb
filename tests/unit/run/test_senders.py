"""The way to the world of one command: the pace that the suite sets is the pace that calls go out at."""

import asyncio

import pytest

from judgekit.errors import CallFailed
from judgekit.run import senders as module
from judgekit.run.senders import Senders, Way
from judgekit.suite import Pace
from judgekit.types import Message, Reply, Request

ASKED = Request("fake:m", (Message("user", "hi"),))


class Fake:
    """A provider that fails `times` in a way that may heal, then answers."""

    def __init__(self, times: int) -> None:
        self.left, self.calls = times, 0

    def wire(self, request):
        return {"provider": "fake", "url": "", "body": {}}

    async def __call__(self, request):
        self.calls += 1
        if self.calls <= self.left:
            raise CallFailed("busy", code="status_503", status=503, retryable=True, after_s=0.0)
        return Reply("ok")

    async def aclose(self):
        pass


def ask(pace: Pace, provider: Fake):
    async def go():
        senders = Senders(Way(env={}, pace=pace), warn=print)
        senders.provider = lambda _request: provider
        try:
            return await senders(ASKED)
        finally:
            await senders.aclose()

    return asyncio.run(go())


def test_the_suites_retries_are_those_of_a_call():
    patient = Fake(2)
    assert ask(Pace(retries=2), patient).text == "ok"
    assert patient.calls == 3
    hasty = Fake(2)
    with pytest.raises(CallFailed):
        ask(Pace(retries=1), hasty)
    assert hasty.calls == 2


def test_the_suites_pace_reaches_the_limiter(monkeypatch):
    seen = []
    real = module.chain

    def spy(provider, **options):
        seen.append((options["limits"], options["retry"]))
        return real(provider, **options)

    monkeypatch.setattr(module, "chain", spy)
    pace = Pace(requests_per_minute=30, tokens_per_minute=900, wait_s=7, deadline_s=9)
    ask(pace, Fake(0))
    ((limits, retry),) = seen
    assert (limits.per_minute, limits.tokens_per_minute) == (30, 900)
    assert (retry.cap_s, retry.deadline_s) == (7, 9)
