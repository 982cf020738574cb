import asyncio
import sqlite3

import msgspec
import pytest

from judgekit.call.chain import key_of
from judgekit.call.counters import Counters
from judgekit.call.store import APPLICATION_ID, SCHEMA, Store
from judgekit.call.upkeep import prune, stats, verify
from judgekit.errors import CallFailed, InputError, RunStopped
from judgekit.providers.replay import Recording, Replay
from judgekit.types import Reply, Usage


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache.sqlite"


@pytest.fixture
def warned():
    return []


@pytest.fixture
def go(kit, path, warned):
    """One run of requests against a provider over the cache at `path`: replies (or errors), and what was counted."""

    def go(provider, *requests, at=path, **more):
        counters = Counters()

        async def main():
            with Store.open(at, warn=warned.append, clock=lambda: 1000.0) as store:
                return await kit.gathered(kit.build(provider, store=store, counters=counters, **more), requests)

        return kit.run(main()), counters

    return go


# ── what is served ───────────────────────────────────────────────────────────────────────────────────────


def test_a_second_run_sends_nothing_and_says_what_it_saved(kit, go):
    provider = kit.Scripted(Reply("fine", usage=Usage(1000, 50), model="judge-1", reasoning="hm", dropped=("top_p",)))
    (first,), counted = go(provider, kit.ask())
    assert (first.cached, counted.sent, counted.cached) == (False, 1, 0)
    assert first.cost_usd == pytest.approx(0.0015)
    (second,), counted = go(provider, kit.ask())
    assert provider.sent == 1
    assert (counted.sent, counted.cached, counted.cost_usd, counted.input_tokens) == (0, 1, 0.0, 0)
    assert second == msgspec.structs.replace(first, cached=True, cost_usd=0.0)


def test_trials_are_kept_apart_and_come_back_in_order(kit, go):
    verdicts = ["PASS", "FAIL", "PASS", "PASS", "FAIL"]
    provider = kit.Scripted(*(Reply(v) for v in verdicts), RunStopped("asked too often", code="test"))
    trials = [kit.ask(trial=n) for n in range(1, 6)]
    first, _ = go(provider, *trials)
    second, counted = go(provider, *trials)
    assert [r.text for r in first] == [r.text for r in second] == verdicts
    assert (provider.sent, counted.sent) == (5, 0)


def test_another_judge_is_asked_itself(kit, go):
    provider = kit.Scripted(lambda r: Reply(f"by {r.model}"))
    go(provider, kit.ask(model="openai:a"))
    (b,), _ = go(provider, kit.ask(model="openai:b"))
    assert b.text == "by openai:b"


def test_unreadable_replies_are_kept_and_can_be_asked_for_again(kit, go):
    provider = kit.Scripted(Reply("no tag at all"), Reply("<result>PASS</result>"))
    request = kit.ask()
    go(provider, request)
    (kept,), _ = go(provider, request)
    assert kept.text == "no tag at all"
    skip = {key_of(provider, request)}
    (asked,), counted = go(provider, request, skip=skip)
    assert (asked.text, asked.cached, counted.sent) == ("<result>PASS</result>", False, 1)
    (replaced,), _ = go(provider, request)
    assert (replaced.text, replaced.cached) == ("<result>PASS</result>", True)


def test_a_key_to_skip_is_asked_once_not_for_every_equal_request(kit, go, path, warned):
    provider = kit.Scripted("one", "two", "three")
    skip = {key_of(provider, kit.ask())}
    go(provider, kit.ask())

    async def main(store):
        chain = kit.build(provider, store=store, skip=skip)
        return [(await chain(kit.ask())).text for _ in range(3)]

    with Store.open(path, warn=warned.append) as store:
        assert kit.run(main(store)) == ["two", "two", "two"]


@pytest.mark.parametrize(
    "bad",
    [
        Reply("<result>PASS</result> but cut", finish="length"),
        Reply("I cannot help with that", finish="refused"),
        Reply("blocked", finish="filter"),
        Reply("", finish="stop"),
        Reply(" \n", finish="stop"),
        Reply("calling", finish="tool"),
        CallFailed("provider returned an error inside a 200", code="provider", status=200),
        CallFailed("no answer", code="timeout"),
    ],
)
def test_errors_and_incomplete_replies_are_never_kept(kit, go, path, bad):
    provider = kit.Scripted(bad, "<result>PASS</result>")
    (first,), _ = go(provider, kit.ask())
    assert first == bad or msgspec.structs.replace(first, key="", cost_usd=None) == bad
    assert stats(path).replies == 0
    (second,), counted = go(provider, kit.ask())
    assert (second.text, counted.sent) == ("<result>PASS</result>", 1)


def test_an_incomplete_reply_that_is_in_the_file_all_the_same_is_not_served(kit, go, path, warned):
    provider = kit.Scripted()
    with Store.open(path, warn=warned.append) as store:
        kit.run(store.put(key_of(provider, kit.ask()), "openai:judge", Reply("half a", finish="length")))
    (reply,), _ = go(provider, kit.ask())
    assert (provider.sent, reply.cached) == (1, False)


def test_recordings_are_not_cached_so_that_editing_the_file_counts(kit, go):
    for text in ("old", "new"):
        (reply,), _ = go(Replay([Recording(reply=text)]), kit.ask(model="replay:judge"))
        assert reply.text == text


# ── requests in flight ───────────────────────────────────────────────────────────────────────────────────


def test_equal_requests_in_flight_are_one_call_and_one_cost(kit, go):
    provider = kit.Scripted(takes=1.0)
    replies, counted = go(provider, *[kit.ask(label=f"case {i}") for i in range(9)])
    assert (provider.sent, counted.sent, counted.cached) == (1, 1, 8)
    assert sum(r.cost_usd for r in replies) == replies[0].cost_usd > 0
    assert [r.cached for r in replies] == [False] + [True] * 8


def test_a_failure_is_shared_by_the_equal_requests_in_flight(kit, go):
    provider = kit.Scripted(kit.status(400), takes=1.0)
    ends, _ = go(provider, kit.ask(), kit.ask())
    assert provider.sent == 1
    assert [end.status for end in ends] == [400, 400]


def test_giving_one_of_two_equal_requests_up_does_not_take_the_other_with_it(kit, path, warned):
    async def main(giving_up):
        provider = kit.Scripted(takes=1.0)
        with Store.open(path.with_name(f"{giving_up}.sqlite"), warn=warned.append) as store:
            chain = kit.build(provider, store=store)
            tasks = [asyncio.create_task(chain(kit.ask())) for _ in range(2)]
            await asyncio.sleep(0.5)
            tasks[giving_up].cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        return ends[1 - giving_up].text, type(ends[giving_up]), provider.sent

    assert kit.run(main(1)) == ("<result>PASS</result>", asyncio.CancelledError, 1)
    assert kit.run(main(0)) == ("<result>PASS</result>", asyncio.CancelledError, 2)


# ── damage ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("damage", [b"", b'{"text":"cut', b"\xff\xfe", b'{"text":"changed"}', None, "text", 7])
def test_a_damaged_entry_is_a_miss_with_one_warning_and_is_replaced(kit, go, path, warned, damage):
    provider = kit.Scripted()
    requests = [kit.ask(str(i)) for i in range(3)]
    go(provider, *requests)
    with sqlite3.connect(path) as raw:
        raw.execute("pragma ignore_check_constraints = on")
        if damage is None:
            raw.execute("update reply set sum = sum + 1")
        else:
            raw.execute("update reply set body = ?", (damage,))
    raw.close()
    assert len(verify(path).damaged) == 3
    replies, counted = go(provider, *requests)
    assert [r.text for r in replies] == ["<result>PASS</result>"] * 3
    assert counted.sent == 3
    assert len(warned) == 1
    assert "damaged" in warned[0]
    assert verify(path).clean
    _, counted = go(provider, *requests)
    assert counted.sent == 0


def test_a_reply_under_another_requests_key_is_not_served(kit, go, path, warned):
    provider = kit.Scripted(lambda r: Reply(f"about {r.messages[-1].content}"))
    go(provider, kit.ask("a"), kit.ask("b"))
    raw = sqlite3.connect(path)
    (a, b) = (key_of(provider, kit.ask(t)) for t in "ab")
    with raw:
        raw.execute("delete from reply where key = ?", (b,))
        raw.execute("update reply set key = ? where key = ?", (b, a))
    raw.close()
    (reply,), _ = go(provider, kit.ask("b"))
    assert reply.text == "about b"
    assert len(warned) == 1


def test_an_empty_file_is_an_empty_cache(kit, go, path, warned):
    path.write_bytes(b"")
    go(kit.Scripted(), kit.ask())
    assert (stats(path).replies, warned) == (1, [])


@pytest.mark.parametrize("content", [b"id,input\n1,hello\n" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_cache_is_named_and_left_alone(path, warned, content):
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"cache\.sqlite: is damaged or no cache .*name another place"):
        Store.open(path, warn=warned.append)
    assert path.read_bytes() == content


def test_somebody_elses_database_is_left_alone(path, warned):
    raw = sqlite3.connect(path)
    raw.execute("create table mine (x)")
    raw.commit()
    raw.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="no cache of judgekit"):
        Store.open(path, warn=warned.append)
    assert path.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(kit, go, path, warned):
    go(kit.Scripted(), kit.ask())
    raw = sqlite3.connect(path)
    assert raw.execute("pragma application_id").fetchone() == (APPLICATION_ID,)
    raw.execute(f"pragma user_version = {SCHEMA + 1}")
    raw.close()
    with pytest.raises(InputError, match="newer judgekit"):
        Store.open(path, warn=warned.append)


# ── places that cannot be written ────────────────────────────────────────────────────────────────────────


def test_a_place_that_cannot_be_written_is_one_warning_and_the_run_goes_on(kit, go, tmp_path, warned):
    (tmp_path / "file").write_text("in the way")
    (reply,), counted = go(kit.Scripted(), kit.ask(), at=tmp_path / "file" / "cache.sqlite")
    assert (reply.text, counted.sent) == ("<result>PASS</result>", 1)
    assert len(warned) == 1
    assert "the run goes on without it" in warned[0]


def test_a_file_that_cannot_be_written_still_serves_what_it_holds(kit, go, path, warned, monkeypatch):
    provider = kit.Scripted()
    go(provider, kit.ask("kept"))

    def read_only(path):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr("judgekit.call.store.connect", read_only)
    replies, counted = go(provider, kit.ask("kept"), kit.ask("new"))
    assert [r.cached for r in replies] == [True, False]
    assert counted.sent == 1
    assert len(warned) == 1
    assert "new ones are not kept" in warned[0]


def test_reading_only_makes_no_file_and_changes_none(kit, go, path, warned):
    with Store.open(path, warn=warned.append, read_only=True) as store:
        assert store.get("0" * 64) is None
    assert list(path.parent.iterdir()) == []
    provider = kit.Scripted()
    go(provider, kit.ask())
    before = path.read_bytes()
    with Store.open(path, warn=warned.append, read_only=True) as store:
        assert store.get(key_of(provider, kit.ask())).text == "<result>PASS</result>"
        kit.run(store.put("1" * 64, "m", Reply("x")))
    assert path.read_bytes() == before


def test_a_disk_that_fills_up_in_the_middle_is_one_warning_and_no_lost_reply(kit, path, warned):
    async def main():
        with Store.open(path, warn=warned.append) as store:
            store._writer.execute("pragma max_page_count = 8")
            provider = kit.Scripted(lambda r: Reply("x" * 5000 + r.messages[-1].content))
            return await kit.gathered(kit.build(provider, store=store), [kit.ask(str(i)) for i in range(50)])

    replies = kit.run(main())
    assert all(isinstance(r, Reply) for r in replies)
    assert len(warned) == 1
    assert "full" in warned[0]
    assert verify(path).clean


def test_closing_twice_is_fine_and_leaves_one_file(kit, go, path, warned):
    store = Store.open(path, warn=warned.append)
    store.close()
    store.close()
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_run_that_is_broken_off_keeps_what_it_paid_for(kit, path, warned):
    async def main():
        with Store.open(path, warn=warned.append) as store:
            chain = kit.build(kit.Scripted(), store=store)
            task = asyncio.create_task(chain(kit.ask()))
            while not store._queue.qsize() and not task.done():  # noqa: ASYNC110
                await asyncio.sleep(0)  # until the reply is on its way to the file
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    kit.run(main())
    assert stats(path).replies == 1


# ── upkeep ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def filled(kit, path, warned):
    """Ten replies of 1,000 bytes, one an hour from hour 0."""

    async def main():
        hours = iter(range(10))
        with Store.open(path, warn=warned.append, clock=lambda: next(hours) * 3600.0) as store:
            for i in range(10):
                await store.put(f"{i:064}", "openai:a" if i < 7 else "gemini:b", Reply("x" * 1000))

    kit.run(main())
    return path


def test_stats_count_by_model(filled):
    found = stats(filled)
    assert (found.replies, found.models) == (10, {"openai:a": 7, "gemini:b": 3})
    assert (found.oldest, found.newest) == (0.0, 9 * 3600.0)
    assert found.bytes == filled.stat().st_size


def test_pruning_by_age_removes_what_is_older_and_nothing_else(filled, warned):
    done = prune(filled, now=10 * 3600.0, older_than_s=5 * 3600.0)
    assert (done.removed, done.kept) == (5, 5)  # hours 0 to 4; hour 5 is exactly 5 h old
    with Store.open(filled, warn=warned.append) as store:
        assert [store.get(f"{i:064}") is not None for i in range(10)] == [False] * 5 + [True] * 5


def test_pruning_by_size_removes_the_oldest_until_the_file_fits(kit, tmp_path, warned):
    path = tmp_path / "big.sqlite"

    async def main():
        times = iter(range(1000))
        with Store.open(path, warn=warned.append, clock=lambda: float(next(times))) as store:
            await asyncio.gather(*(store.put(f"{i:064}", "m", Reply("x" * 3000)) for i in range(300)))

    kit.run(main())
    before = path.stat().st_size
    done = prune(path, now=0.0, max_bytes=before // 2)
    assert done.bytes_after == path.stat().st_size <= before // 2
    assert done.bytes_before == before
    assert 100 < done.kept < 160
    with Store.open(path, warn=warned.append) as store:
        there = [store.get(f"{i:064}") is not None for i in range(300)]
    assert there == [False] * done.removed + [True] * done.kept
    assert verify(path).clean


def test_pruning_to_nothing_ends(filled):
    assert prune(filled, now=0.0, max_bytes=0).kept == 0


@pytest.mark.parametrize("what", [stats, verify, lambda p: prune(p, now=0.0)])
def test_upkeep_of_a_cache_that_is_not_there_says_so_and_makes_none(path, what):
    with pytest.raises(InputError, match="there is no cache here"):
        what(path)
    assert not path.exists()


def test_verify_sees_a_file_that_is_broken_underneath(filled):
    with filled.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\x55" * 4096)
    assert not verify(filled).clean
