import json

import msgspec
import pytest

from judgekit.call.budget import Budget
from judgekit.call.chain import key_of
from judgekit.call.counters import Counters
from judgekit.call.limits import Limits
from judgekit.call.record import Recorder
from judgekit.call.store import Store
from judgekit.errors import CallFailed, InputError, RunStopped
from judgekit.providers.replay import Replay, read_recordings
from judgekit.types import Reply, Usage


def test_a_cached_reply_takes_nothing_from_the_budget_and_needs_no_room(kit, tmp_path):
    provider = kit.Scripted()
    with Store.open(tmp_path / "c.sqlite", warn=print) as store:
        kit.run(kit.gathered(kit.build(provider, store=store), [kit.ask(str(i)) for i in range(5)]))
        chain = kit.build(provider, store=store, budget=Budget(calls=1), limits=Limits(in_flight=1))
        ends = kit.run(kit.gathered(chain, [kit.ask(str(i)) for i in range(7)]))
    assert [getattr(end, "cached", None) for end in ends] == [True] * 5 + [False, None]
    assert isinstance(ends[-1], RunStopped)


def test_a_call_that_waits_for_its_retry_takes_no_room(kit):
    provider = kit.Scripted(kit.status(503, after_s=30.0), "fine", takes=1.0)
    kit.run(kit.gathered(kit.build(provider, limits=Limits(in_flight=1)), [kit.ask("a"), kit.ask("b")]))
    assert [r.messages[-1].content for r in provider.requests] == ["a", "b", "a"]


def test_counters_tell_sent_from_retried_from_cached_from_failed(kit, tmp_path):
    counters = Counters()
    provider = kit.Scripted(kit.status(503), kit.status(400), Reply("fine", usage=Usage(10, 5)))
    with Store.open(tmp_path / "c.sqlite", warn=print) as store:
        chain = kit.build(provider, store=store, counters=counters)

        async def main():
            return [(await kit.gathered(chain, [kit.ask(text)]))[0] for text in ("a", "b", "b")]

        failed, sent, cached = kit.run(main())
    assert isinstance(failed, CallFailed)
    assert (sent.cached, cached.cached) == (False, True)
    assert counters == Counters(
        sent=3, cached=1, retries=1, failed=1, cost_usd=sent.cost_usd, input_tokens=10, output_tokens=5
    )
    assert sent.cost_usd == pytest.approx(10e-6 + 50e-6)


def test_closing_the_chain_closes_the_provider(kit):
    provider = kit.Scripted()
    kit.run(kit.build(provider).aclose())
    assert provider.closed


def test_the_provider_gets_the_request_as_it_came(kit):
    request = kit.ask(params={"temperature": 0}, label="case 1, tone", api_key_env="SOME_KEY")
    provider = kit.Scripted()
    kit.run(kit.build(provider)(request))
    assert provider.requests == [request]


# ── recording ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def record(kit, tmp_path):
    path = tmp_path / "made" / "recordings.jsonl"

    def record(provider, *requests, **more):
        recorder = Recorder(path)
        try:
            return kit.run(kit.gathered(kit.build(provider, recorder=recorder, **more), requests))
        finally:
            recorder.close()

    record.path = path
    return record


def test_a_recorded_run_replays_as_it_was(kit, record):
    replies = {
        "a": Reply("first\n<result>PASS</result>", usage=Usage(10, 5, 2, 1), reasoning="because"),
        "b": Reply("cut", finish="length"),
        "c": Reply("", finish="filter"),
    }
    requests = [kit.ask(name, params={"temperature": 0}, trial=n) for n, name in enumerate("abc", 1)]
    live = record(kit.Scripted(lambda r: replies[r.messages[-1].content]), *requests)
    replay = Replay(read_recordings([record.path]))
    again = kit.run(
        kit.gathered(kit.build(replay), [msgspec.structs.replace(r, model="replay:judge") for r in requests])
    )
    for was, now in zip(live, again, strict=True):
        assert (now.text, now.finish, now.reasoning, now.usage) == (was.text, was.finish, was.reasoning, was.usage)


def test_replies_from_the_cache_are_recorded_too(kit, record, tmp_path):
    provider = kit.Scripted()
    with Store.open(tmp_path / "c.sqlite", warn=print) as store:
        kit.run(kit.build(provider, store=store)(kit.ask()))
        record(provider, kit.ask(), store=store)
    assert provider.sent == 1
    assert len(record.path.read_text().splitlines()) == 1


def test_a_request_is_recorded_once_also_by_a_later_run(kit, record):
    record(kit.Scripted(), kit.ask("a"), kit.ask("a", label="another case"))
    record(kit.Scripted(), kit.ask("a"), kit.ask("b"))
    assert len(record.path.read_text().splitlines()) == 2


def test_failed_calls_are_not_recorded(kit, record):
    record(kit.Scripted(kit.status(400)), kit.ask())
    assert record.path.read_bytes() == b""


def test_a_line_that_a_crash_cut_short_is_dropped_and_recorded_again(kit, record):
    record(kit.Scripted(), kit.ask("a"), kit.ask("b"))
    whole = record.path.read_bytes()
    record.path.write_bytes(whole[:-10])
    record(kit.Scripted(), kit.ask("b"))
    assert record.path.read_bytes() == whole


def test_a_file_of_something_else_is_not_recorded_into(kit, record):
    record.path.parent.mkdir()
    record.path.write_text('{"reply": "rule"}\n{"id": "case-1"}\n')
    with pytest.raises(InputError, match=r"recordings\.jsonl:2: is no recording"):
        record(kit.Scripted(), kit.ask())


def test_rules_in_the_file_stay_beside_the_recordings(kit, record):
    record.path.parent.mkdir()
    record.path.write_text('{"reply": "rule"}\n')
    record(kit.Scripted(), kit.ask())
    assert [bool(r.key) for r in read_recordings([record.path])] == [False, True]


def test_a_place_that_cannot_be_written_is_an_error_before_any_call(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        Recorder(tmp_path / "file" / "recordings.jsonl")


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────────────


def test_no_file_holds_more_of_a_request_than_its_hash(kit, record, tmp_path):
    canary = "canary-7f3a"
    request = kit.ask(
        f"text {canary}", api_key_env=canary, label=canary, base_url=f"https://u:{canary}@h/v1", params={"x": canary}
    )
    provider = kit.Scripted()
    store = Store.open(tmp_path / "c.sqlite", warn=print)
    record(provider, request, store=store)
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert any(p.name.endswith("-wal") for p in files)
    assert all(canary.encode() not in p.read_bytes() for p in files)
    store.close()
    assert canary.encode() not in (tmp_path / "c.sqlite").read_bytes()
    assert json.loads(record.path.read_text())["key"] != key_of(provider, request)


def test_a_recording_that_cannot_go_on_stops_the_run(kit, tmp_path, monkeypatch):
    def full(file, data):
        raise OSError(28, "No space left on device")

    recorder = Recorder(tmp_path / "recordings.jsonl")
    monkeypatch.setattr("judgekit.call.record.os.write", full)
    (end,) = kit.run(kit.gathered(kit.build(kit.Scripted(), recorder=recorder), [kit.ask()]))
    recorder.close()
    assert isinstance(end, RunStopped)
    assert "recordings.jsonl cannot be written: no space left on device" in str(end)
