"""Plans counted against what is sent, and a probing that was stopped going on from what is kept."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from judgekit.errors import RunStopped
from judgekit.probes.attacks import load_attacks, shipped_attacks
from judgekit.providers.replay import Replay, recording_key
from judgekit.run.loaded import load_suite
from judgekit.run.probe import perform_probe
from judgekit.run.probe_calls import count_probe_calls
from judgekit.run.probe_plan import Wanted, make_probe_plan

EXAMPLE = Path(__file__).parents[3] / "examples" / "probe"


class Kept:
    """A sender with a cache in memory that stops after so many calls."""

    def __init__(self, recordings, most=10**6):
        self.replay = Replay(recordings)
        self.replies = {}
        self.sent = []
        self.most = most

    async def __call__(self, request):
        key = recording_key(request)
        if key not in self.replies:
            if len(self.sent) >= self.most:
                raise RunStopped("the budget is used up", code="budget")
            self.sent.append(request)
            await asyncio.sleep(0)
            self.replies[key] = await self.replay(request)
        return self.replies[key]

    def peek(self, request):
        return self.replies.get(recording_key(request))


def plan_of(*probes, **more):
    suite = load_suite(EXAMPLE)
    wanted = Wanted(probes=probes, attacks=load_attacks(shipped_attacks()), **more)
    return make_probe_plan(suite, "v1", wanted), suite.recordings


def count(plan, kept):
    return count_probe_calls(plan, peek=kept.peek, price=lambda _: 0.01, tokens=lambda _: 1)


def probe(plan, kept):
    return asyncio.run(
        perform_probe(plan, send=kept, now=lambda: datetime(2026, 1, 1, tzinfo=UTC), token="t", in_flight=7)
    )


def test_once_the_first_verdicts_are_kept_the_number_of_attacks_is_exact():
    plan, recordings = plan_of("injection")
    kept = Kept(recordings)
    before = count(plan, kept)
    assert not before.settled
    assert before.calls.sent == 40 + 40 + 6 * 40
    probe(plan_of("stability")[0], kept)
    after = count(plan, kept)
    assert after.settled
    assert after.calls.sent == 6 * 16
    done = len(kept.sent)
    probe(plan, kept)
    assert len(kept.sent) - done == 6 * 16


def test_a_stopped_probing_keeps_what_it_paid_for_and_goes_on_from_there():
    plan, recordings = plan_of("stability", "verbosity", "injection")
    whole = Kept(recordings)
    full = probe(plan, whole)
    assert full.stopped is None
    kept = Kept(recordings, most=50)
    first = probe(plan, kept)
    assert first.stopped is not None
    assert len(kept.sent) == 50
    kept.most = 10**6
    second = probe(plan, kept)
    assert second.battery == full.battery
    assert len(kept.sent) == len(whole.sent)


def test_nothing_is_begun_once_no_call_can_succeed():
    plan, recordings = plan_of("stability", "injection")
    found = probe(plan, Kept(recordings, most=0))
    assert found.stopped is not None
    assert {line.result for line in found.battery.findings} == {"not probed"}


def test_the_order_in_which_calls_end_changes_no_report():
    plan, recordings = plan_of()
    one, other = Kept(recordings), Kept(recordings)
    a = asyncio.run(perform_probe(plan, send=one, now=lambda: datetime(2026, 1, 1, tzinfo=UTC), token="t", in_flight=1))
    assert msgspec.json.encode(a.battery) == msgspec.json.encode(probe(plan, other).battery)


def test_more_votes_of_a_judge_shift_the_second_look_past_all_of_them():
    plan, recordings = plan_of("stability")
    suite = load_suite(EXAMPLE)
    judge = suite.file.judge.model_copy(update={"votes": 3})
    file = suite.file.model_copy(update={"judge": judge})
    import dataclasses

    plan = make_probe_plan(dataclasses.replace(suite, file=file), "v1", Wanted(probes=("stability",)))
    kept = Kept(recordings)
    probe(plan, kept)
    votes = sorted(r.vote for r in kept.sent if "library card" in r.messages[-1].content)
    assert votes == [1, 2, 3, 4, 5, 6]
