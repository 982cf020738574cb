import asyncio

import pytest

from judgekit.call.limits import Limited, Limits
from judgekit.types import Reply, Usage


@pytest.fixture
def limited(kit):
    """Send `n` requests at once through limits; gives the sender, the limiter and the virtual second it ended at."""

    def limited(sender, n, *, tokens_of=None, first=(), **limits):
        async def main():
            loop = asyncio.get_running_loop()
            limiter = Limited(sender, Limits(**limits), clock=loop.time, tokens_of=tokens_of)
            for request in first:
                await kit.gathered(limiter, [request])
            ends = await kit.gathered(limiter, [kit.ask(str(i)) for i in range(n)])
            return ends, limiter, loop.time()

        return kit.run(main())

    return limited


def test_never_more_in_flight_than_allowed_and_never_fewer_than_there_is_work_for(kit, limited):
    sender = kit.Scripted(takes=0.5)
    ends, limiter, at = limited(sender, 200, in_flight=10)
    assert sender.most_active == 10
    assert at == pytest.approx(200 / 10 * 0.5)
    assert all(isinstance(end, Reply) for end in ends)
    assert limiter.active == 0


def test_calls_begin_in_the_order_in_which_they_came(kit, limited):
    sender = kit.Scripted(takes=1.0)
    limited(sender, 20, in_flight=3)
    assert [r.messages[-1].content for r in sender.requests] == [str(i) for i in range(20)]


@pytest.mark.parametrize("code", [429, 529])
def test_one_round_of_refusals_halves_once(kit, limited, code):
    sender = kit.Scripted(*[kit.status(code)] * 16, "fine", takes=1.0)
    _, limiter, _ = limited(sender, 16, in_flight=16)
    assert limiter.allowed == 8


def test_a_refusal_of_a_call_that_began_after_the_cut_halves_again_down_to_one(kit, limited):
    sender = kit.Scripted(kit.status(429), takes=1.0)
    _, limiter, _ = limited(sender, 200, in_flight=16)
    assert limiter.allowed == 1


def test_other_failures_do_not_slow_the_run_down(kit, limited):
    sender = kit.Scripted(*[kit.status(500)] * 16, "fine")
    _, limiter, _ = limited(sender, 16, in_flight=16)
    assert limiter.allowed == 16


def test_room_comes_back_by_one_for_each_round_of_replies_and_never_beyond_the_limit(kit, limited):
    sender = kit.Scripted(*[kit.status(429)] * 8, "fine", takes=1.0)
    first = [kit.ask(f"first {i}") for i in range(8)]
    _, limiter, _ = limited(sender, 0, in_flight=8, first=first[:1])
    assert limiter.allowed == 4
    sender = kit.Scripted(kit.status(429), "fine", takes=1.0)
    _, limiter, _ = limited(sender, 4 + 5, in_flight=8, first=first[:1])
    assert limiter.allowed in (5, 6)  # 4 + about 4/4 + 5/5
    _, limiter, _ = limited(kit.Scripted(kit.status(429), "fine"), 500, in_flight=8, first=first[:1])
    assert limiter.allowed == 8


def test_a_pause_that_one_call_is_told_of_holds_for_all(kit, limited):
    sender = kit.Scripted(kit.status(429, after_s=7.5), "fine", takes=0.1)
    limited(sender, 20, in_flight=1)
    assert sender.times[1] >= 0.1 + 7.5
    assert sender.times[2] < sender.times[1] + 1


def test_a_pause_of_a_day_holds_up_nobody_else(kit, limited):
    sender = kit.Scripted(kit.status(429, after_s=86400.0), "fine", takes=0.1)
    _, _, at = limited(sender, 20, in_flight=1)
    assert at < 5


def test_requests_per_minute_hold_in_every_minute(kit, limited):
    sender = kit.Scripted(takes=0.01)
    _, _, at = limited(sender, 35, in_flight=64, per_minute=10)
    assert all(late - early >= 60 for early, late in zip(sender.times, sender.times[10:], strict=False))
    assert at < 181  # and no slower than they have to be: 10 at 0, 60, 120 s and 5 at 180 s


def test_tokens_per_minute_hold_and_a_giant_goes_out_alone(kit, limited):
    sizes = {str(i): 40 for i in range(6)} | {"3": 500}
    sender = kit.Scripted(Reply("fine"))
    limited(sender, 6, tokens_per_minute=100, tokens_of=lambda r: sizes[r.messages[-1].content])
    assert sender.times[:2] == [0.0, 0.0]  # 40 + 40
    assert sender.times[2] >= 60  # another 40 would pass 100
    assert sender.times[3] >= sender.times[2] + 60  # the giant waits until it is alone
    assert sender.times[4] >= sender.times[3] + 60


def test_what_the_provider_counts_corrects_the_estimates(kit, limited):
    sender = kit.Scripted(Reply("fine", usage=Usage(90, 10)))
    limited(sender, 4, tokens_per_minute=100, tokens_of=lambda r: 20, first=[kit.ask("first")])
    # the first one took 100 where 20 were expected, so each later one is taken for 100
    assert all(b - a >= 60 for a, b in zip(sender.times, sender.times[1:], strict=False))


def test_replies_that_turn_out_small_make_room_in_the_same_minute(kit, limited):
    sender = kit.Scripted(Reply("fine", usage=Usage(8, 2)))
    limited(sender, 15, tokens_per_minute=100, tokens_of=lambda r: 100, first=[kit.ask("first")])
    # each takes 10 where 100 were expected: ten fit into the first minute, six into the next
    assert sum(at < 60 for at in sender.times) == 10
    assert all(at < 120 for at in sender.times)


def test_a_call_that_is_given_up_while_it_waits_leaves_no_hole(kit):
    async def main():
        sender = kit.Scripted(takes=1.0)
        limiter = Limited(sender, Limits(in_flight=1), clock=asyncio.get_running_loop().time)
        tasks = [asyncio.create_task(limiter(kit.ask(str(i)))) for i in range(5)]
        await asyncio.sleep(0.5)
        tasks[1].cancel()  # first in line
        tasks[0].cancel()  # under way
        await asyncio.gather(*tasks, return_exceptions=True)
        return sender.sent, limiter.active

    assert kit.run(main()) == (4, 0)
