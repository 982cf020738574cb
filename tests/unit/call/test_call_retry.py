import asyncio
import random

import pytest

from judgekit.call.retry import Retried, RetryPolicy
from judgekit.errors import CallFailed, RunStopped


@pytest.fixture
def tried(kit):
    """Run one request through retries; gives the reply or error, the sender, and the virtual second it ended at."""

    def tried(*script, takes=0.0, before=None, **policy):
        sender = kit.Scripted(*script, takes=takes)

        async def main():
            loop = asyncio.get_running_loop()
            retried = Retried(sender, RetryPolicy(**policy), clock=loop.time, rng=random.Random(3), before=before)
            (end,) = await kit.gathered(retried, [kit.ask()])
            return end, sender, loop.time()

        return kit.run(main())

    return tried


def test_overload_that_passes_is_answered(kit, tried):
    end, sender, _ = tried(kit.status(529), kit.status(529), "fine")
    assert end.text == "fine"
    assert sender.sent == 3


def test_overload_that_stays_ends_with_its_status_after_the_set_number_of_tries(kit, tried):
    end, sender, _ = tried(kit.status(529), retries=3)
    assert isinstance(end, CallFailed)
    assert (end.status, end.code, sender.sent) == (529, "status_529", 4)
    assert str(end) == "the server answered 529 (after 4 tries)"


@pytest.mark.parametrize("code", [400, 401, 403, 404, 413])
def test_what_cannot_heal_is_sent_once_and_its_message_is_left_alone(kit, tried, code):
    end, sender, at = tried(kit.status(code))
    assert (sender.sent, at) == (1, 0.0)
    assert str(end) == f"the server answered {code}"


def test_no_retries_means_one_request(kit, tried):
    end, sender, _ = tried(kit.status(503), retries=0)
    assert sender.sent == 1
    assert str(end).endswith("(after 1 try)")


def test_a_stopped_run_is_not_retried(tried):
    end, sender, _ = tried(RunStopped("the quota is used up", code="quota"))
    assert isinstance(end, RunStopped)
    assert sender.sent == 1


@pytest.mark.parametrize("told", [2.0, 2.4, 3.0, 59.8])
def test_the_servers_wait_replaces_ours_and_is_not_rounded_down(kit, tried, told):
    end, sender, _ = tried(kit.status(429, after_s=told), "fine", base_s=0.001)
    assert end.text == "fine"
    waited = sender.times[1] - sender.times[0]
    assert told <= waited <= told + min(1.0, told / 10)


def test_a_wait_that_is_over_already_is_no_wait(kit, tried):
    _, sender, _ = tried(kit.status(429, after_s=-5.0), "fine")
    assert sender.times == [0.0, 0.0]


def test_a_day_of_waiting_ends_the_call_and_names_the_wait(kit, tried):
    end, sender, at = tried(kit.status(429, after_s=86400.0), "fine")
    assert (sender.sent, at) == (1, 0.0)
    assert "86,400 s (24.0 h)" in str(end)
    assert "60 s that a call may wait" in str(end)
    assert end.after_s == 86400.0


def test_the_longest_wait_itself_is_still_waited(kit, tried):
    end, _, _ = tried(kit.status(429, after_s=60.0), "fine", cap_s=60.0)
    assert end.text == "fine"


def test_our_own_waits_are_drawn_below_a_bound_that_doubles_up_to_the_cap(kit, tried):
    _, sender, _ = tried(kit.status(500), retries=9, base_s=0.5, cap_s=4.0, deadline_s=1e9)
    gaps = [b - a for a, b in zip(sender.times, sender.times[1:], strict=False)]
    bounds = [0.5, 1, 2, 4, 4, 4, 4, 4, 4]
    assert all(0 <= gap <= bound for gap, bound in zip(gaps, bounds, strict=True))
    assert len(set(gaps)) == 9  # drawn, not fixed


def test_two_calls_that_fail_together_do_not_come_back_together(kit):
    async def main():
        sender = kit.Scripted(kit.status(429, after_s=10.0), kit.status(429, after_s=10.0), "fine")
        retried = Retried(sender, RetryPolicy(), clock=asyncio.get_running_loop().time, rng=random.Random(3))
        await kit.gathered(retried, [kit.ask("a"), kit.ask("b")])
        return sender.times

    times = kit.run(main())
    assert times[2] != times[3]


def test_the_whole_call_is_bounded_in_time(kit, tried):
    end, sender, at = tried(kit.status(503), takes=10.0, retries=1000, base_s=1.0, deadline_s=45.0)
    assert isinstance(end, CallFailed)
    assert max(sender.times) <= 45.0
    assert at <= 45.0 + 10.0
    assert f"after {sender.sent} tries" in str(end)
    assert "over 45 s after the first" in str(end)


def test_a_wait_past_the_deadline_is_not_begun(kit, tried):
    _, sender, at = tried(kit.status(429, after_s=50.0), "fine", deadline_s=40.0)
    assert (sender.sent, at) == (1, 0.0)


def test_healing_then_failing_for_good_says_how_many_tries_there_were(kit, tried):
    end, sender, _ = tried(kit.status(503), kit.status(400))
    assert sender.sent == 2
    assert str(end) == "the server answered 400 (after 2 tries)"


def test_what_is_asked_before_a_retry_can_forbid_it(kit, tried):
    def no(request, failed):
        raise RunStopped(f"no more after {failed.status}", code="budget")

    end, sender, _ = tried(kit.status(503), "fine", before=no)
    assert isinstance(end, RunStopped)
    assert sender.sent == 1
