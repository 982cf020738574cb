"""Laws of the wrappers, over any order of replies, failures and waits, in virtual time."""

import asyncio
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.call.budget import Budget, Budgeted, Ledger, expected_usage
from judgekit.call.counters import Counters
from judgekit.call.key import normal_url, request_key
from judgekit.call.limits import Limited, Limits
from judgekit.call.prices import Price, Prices
from judgekit.call.retry import Retried, RetryPolicy
from judgekit.errors import CallFailed, RunStopped
from judgekit.types import Message, Reply, Request, Usage


class VirtualLoop(asyncio.SelectorEventLoop):
    now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0]._when)
        super()._run_once()


def run(main):
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


class World:
    """Answers call number i with step i: how long it takes, and how it ends."""

    def __init__(self, steps):
        self.steps = steps
        self.begun = []
        self.active = self.most_active = 0
        self.billed = 0.0

    async def __call__(self, request):
        takes, end = self.steps[len(self.begun) % len(self.steps)]
        self.begun.append(asyncio.get_running_loop().time())
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        await asyncio.sleep(takes)
        self.active -= 1
        return self.end(request, end)

    def end(self, request, end):
        if isinstance(end, CallFailed):
            raise CallFailed(end.why, code=end.code, retryable=end.retryable, after_s=end.after_s, status=end.status)
        return Reply("fine")


failures = st.builds(
    lambda code, retryable, after_s: CallFailed(
        f"status {code}", code=f"status_{code}", status=code, retryable=retryable, after_s=after_s
    ),
    st.sampled_from([400, 429, 500, 503, 529]),
    st.booleans(),
    st.none() | st.floats(0, 100),
)
steps = st.lists(st.tuples(st.floats(0, 20), st.none() | failures), min_size=1, max_size=12)
PRICE = Price(input=2.0, output=8.0)


def request(n=0, cap=50):
    return Request(model="openai:judge", messages=(Message("user", f"question {n:>6}"),), params={"max_tokens": cap})


class Billing(World):
    """Bills each finished call at a share of its expected cost; a lost answer is billed whole."""

    def end(self, request, end):
        expected = expected_usage(request)
        full = (expected.input_tokens * PRICE.input + expected.output_tokens * PRICE.output) / 1e6
        if end == "lost":
            self.billed += full
            raise CallFailed("no answer", code="timeout", retryable=True)
        if end == "busy":
            raise CallFailed("busy", code="status_503", status=503, retryable=True)
        tokens = round(expected.output_tokens * end)
        self.billed += (expected.input_tokens * PRICE.input + tokens * PRICE.output) / 1e6
        return Reply("fine", usage=Usage(expected.input_tokens, tokens))


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.floats(0, 5), st.sampled_from(["lost", "busy"]) | st.floats(0, 1)), min_size=1, max_size=10),
    st.integers(1, 30),
    st.none() | st.integers(0, 40),
    st.none() | st.floats(0, 0.01),
    st.integers(0, 3),
)
def test_no_interleaving_passes_the_budget(world_steps, n, calls, usd, retries):
    world = Billing(world_steps)
    ledger = Ledger(Budget(calls=calls, usd=usd))
    counters = Counters()

    async def main():
        loop = asyncio.get_running_loop()
        retried = Retried(
            world,
            RetryPolicy(retries=retries),
            clock=loop.time,
            rng=random.Random(1),
            before=lambda *retry: budgeted.again(*retry),  # noqa: PLW0108 (made below)
        )
        budgeted = Budgeted(retried, ledger, Prices({"judge": PRICE}), counters, lambda r: None)
        return await asyncio.gather(*(budgeted(request(i)) for i in range(n)), return_exceptions=True)

    ends = run(main())
    assert all(isinstance(end, Reply | CallFailed | RunStopped) for end in ends)
    assert calls is None or len(world.begun) <= calls
    assert ledger.calls == len(world.begun)
    assert usd is None or world.billed <= usd + 1e-9
    assert abs(ledger.held) < 1e-12
    if usd is not None:
        assert abs(ledger.spent - world.billed) < 1e-9


@settings(deadline=None, max_examples=150)
@given(steps, st.integers(0, 4), st.integers(0, 2**32))
def test_no_retry_is_earlier_than_told_nor_one_too_many(world_steps, retries, seed):
    world = World(world_steps)
    policy = RetryPolicy(retries=retries, cap_s=60, deadline_s=200)
    ended = []

    async def one(req):
        try:
            return await world(req)
        finally:
            ended.append(asyncio.get_running_loop().time())

    async def main():
        retried = Retried(one, policy, clock=asyncio.get_running_loop().time, rng=random.Random(seed))
        return (await asyncio.gather(retried(request()), return_exceptions=True))[0]

    end = run(main())
    tries = len(world.begun)
    assert 1 <= tries <= retries + 1
    for i in range(tries - 1):
        failed = world_steps[i % len(world_steps)][1]
        assert failed is not None
        assert failed.retryable
        assert failed.after_s is None or failed.after_s <= policy.cap_s
        assert world.begun[i + 1] >= ended[i] + (failed.after_s or 0)
    assert all(at <= policy.deadline_s + 1e-6 for at in world.begun)
    last = world_steps[(tries - 1) % len(world_steps)][1]
    assert isinstance(end, Reply) == (last is None)
    if last is not None and tries > 1:
        assert f"after {tries} tries" in str(end)


@settings(deadline=None, max_examples=150)
@given(steps, st.integers(1, 60), st.integers(1, 9), st.none() | st.integers(1, 7))
def test_the_limiter_is_never_over_its_cap_and_never_stuck(world_steps, n, in_flight, per_minute):
    world = World(world_steps)
    limits = Limits(in_flight=in_flight, per_minute=per_minute)

    async def main():
        limiter = Limited(world, limits, clock=asyncio.get_running_loop().time)
        ends = await asyncio.gather(*(limiter(request(i)) for i in range(n)), return_exceptions=True)
        return ends, limiter

    ends, limiter = run(main())
    assert len(ends) == len(world.begun) == n
    assert world.most_active <= in_flight
    assert 1 <= limiter.allowed <= in_flight
    assert limiter.active == 0
    if per_minute is not None:
        assert all(
            late - early >= 60 - 1e-6 for early, late in zip(world.begun, world.begun[per_minute:], strict=False)
        )


@settings(deadline=None, max_examples=60)
@given(steps, st.integers(2, 40), st.integers(1, 4))
def test_nothing_begins_during_a_pause_that_anyone_was_told_of(world_steps, n, in_flight):
    world = World(world_steps)
    pauses = []

    async def watched(req):
        try:
            return await world(req)
        except CallFailed as failed:
            if failed.retryable and failed.after_s is not None and failed.after_s <= 60:
                at = asyncio.get_running_loop().time()
                pauses.append((at, at + failed.after_s))
            raise

    async def main():
        limiter = Limited(watched, Limits(in_flight=in_flight), clock=asyncio.get_running_loop().time)
        await asyncio.gather(*(limiter(request(i)) for i in range(n)), return_exceptions=True)

    run(main())
    assert not [(b, p) for b in world.begun for p in pauses if p[0] < b < p[1]]


texts = st.text(st.characters(exclude_categories=[]), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
wires = st.fixed_dictionaries({"provider": texts, "url": st.just("http://h/v1"), "body": json_values})


def same(a, b):
    """Equal as JSON, where `true` is not 1."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


@given(wires, wires, st.integers(1, 3), st.integers(1, 3))
def test_two_requests_share_a_key_exactly_when_every_part_is_equal(a, b, trial, other):
    keys = request_key(a, Request("m", (), trial=trial)), request_key(b, Request("m", (), trial=other))
    assert (keys[0] == keys[1]) == (same(a, b) and trial == other)


@given(
    st.sampled_from(["http", "https"]), st.from_regex(r"[a-zA-Z0-9.]{1,9}", fullmatch=True), st.text("/v1a", max_size=6)
)
def test_a_normal_url_is_normal(scheme, host, path):
    once = normal_url(f"{scheme}://{host}/{path}")
    assert normal_url(once) == once
