"""`judgekit cache`: looking at the cache, checking it, and making it smaller."""

import asyncio

import pytest

from judgekit.call.store import Store
from judgekit.types import Reply


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".judgekit").mkdir()

    async def fill():
        now = 1_000_000.0
        path = tmp_path / ".judgekit" / "cache.sqlite"
        for at, key, model in ((now, "a", "openai:m"), (now + 86400, "b", "openai:m"), (now + 2 * 86400, "c", "x:n")):
            with Store.open(path, warn=print, clock=lambda at=at: at) as store:
                await store.put(key, model, Reply(f"reply {key}"))

    asyncio.run(fill())
    return tmp_path


def test_stats_tell_models_and_counts(folder, cli):
    found = cli("cache", "stats", folder, "--json").json
    assert (found["replies"], found["models"]) == (3, {"openai:m": 2, "x:n": 1})
    assert "openai:m" in cli("cache", "stats", folder).err


def test_a_whole_cache_verifies_and_a_damaged_one_exits_1(folder, cli):
    import sqlite3

    assert cli("cache", "verify", folder).code == 0
    with sqlite3.connect(folder / ".judgekit" / "cache.sqlite") as db:
        db.execute("update reply set body = x'00' where key = 'b'")
    db.close()
    ran = cli("cache", "verify", folder, "--json")
    assert (ran.code, ran.json["damaged"]) == (1, ["b"])


def test_prune_removes_what_is_older(folder, cli):
    done = cli("cache", "prune", folder, "--older-than", "1h", "--json")
    assert (done.code, done.json["removed"], done.json["kept"]) == (0, 3, 0)


@pytest.mark.parametrize(
    ("options", "said"),
    [([], "say what may go"), (["--older-than", "soon"], "30d"), (["--max-size", "5 parsec"], "200MB")],
)
def test_prune_says_what_it_wants(folder, cli, options, said):
    ran = cli("cache", "prune", folder, *options)
    assert ran.code == 2
    assert said in ran.err


def test_no_cache_is_one_clear_error(tmp_path, cli):
    ran = cli("cache", "stats", tmp_path)
    assert ran.code == 2
    assert "cache.sqlite" in ran.err
