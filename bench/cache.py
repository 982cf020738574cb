"""What the reply cache costs beside a plain dict and bare SQLite, in one run on one machine.

    python bench/cache.py [--n 20000] [--in-flight 64]

Each row is a kept reply of about 900 bytes. "chain" is the whole way of a call (key, look-up, budget, limits, cache
write) around a provider that answers at once; "dict" and "sqlite" are the store alone, under the same keys.
"""

import argparse
import asyncio
import random
import sqlite3
import tempfile
import time
from pathlib import Path

import msgspec

from judgekit.call.budget import Budget, Ledger
from judgekit.call.chain import chain, key_of
from judgekit.call.counters import Counters
from judgekit.call.prices import Price, Prices
from judgekit.call.store import Store
from judgekit.types import Message, Reply, Request, Usage

TEXT = "The reply names the problem, says what comes next and by when, and promises nothing beyond the facts. " * 8
PROMPT = "Judge the answer below by the criterion and give your reasons before the verdict. " * 25


class AtOnce:
    def wire(self, request):
        return {"provider": "openai", "url": "https://api.openai.com/v1", "body": msgspec.to_builtins(request.messages)}

    async def __call__(self, _request):
        await asyncio.sleep(0)
        return Reply(f"{TEXT}<result>PASS</result>", usage=Usage(600, 150))


def requests(n):
    return [Request("openai:judge", (Message("system", PROMPT), Message("user", f"case {i}"))) for i in range(n)]


def timed(name, n, work):
    begun = time.perf_counter()
    work()
    took = time.perf_counter() - begun
    print(f"{name:<34} {n / took:>12,.0f} a second {took / n * 1e6:>9.1f} us each", flush=True)


async def drive(sender, todo, in_flight):
    left = iter(todo)

    async def work():
        for request in left:
            await sender(request)

    await asyncio.gather(*(work() for _ in range(in_flight)))


async def put_all(store, rows, in_flight):
    left = iter(rows)

    async def work():
        for key, reply in left:
            await store.put(key, "openai:judge", reply)

    await asyncio.gather(*(work() for _ in range(in_flight)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--in-flight", type=int, default=64)
    options = parser.parse_args()
    n, in_flight = options.n, options.in_flight
    provider = AtOnce()
    todo = requests(n)
    reply = Reply(f"{TEXT}<result>PASS</result>", usage=Usage(600, 150))
    keys = []
    timed("key", n, lambda: keys.extend(key_of(provider, request) for request in todo))
    order = random.Random(1).sample(keys, n)

    plain = {}
    timed("dict: write", n, lambda: plain.update((key, reply) for key in keys))
    timed("dict: read", n, lambda: [plain[key] for key in order])

    with tempfile.TemporaryDirectory() as folder:
        body = msgspec.json.encode(reply)
        bare = sqlite3.connect(Path(folder) / "bare.sqlite", isolation_level=None)
        bare.execute("pragma journal_mode = wal")
        bare.execute("pragma synchronous = normal")
        bare.execute("create table reply (key text primary key, body blob)")

        def write(size):
            for at in range(0, n, size):
                bare.execute("begin immediate")
                rows = [(key, body) for key in keys[at : at + size]]
                bare.executemany("insert or replace into reply values (?, ?)", rows)
                bare.execute("commit")

        timed("sqlite: write, 64 a transaction", n, lambda: write(64))
        find = "select body from reply where key = ?"
        timed("sqlite: read", n, lambda: [bare.execute(find, (key,)).fetchone() for key in order])
        bare.close()

        with Store.open(Path(folder) / "store.sqlite", warn=print) as store:
            rows = [(key, reply) for key in keys]
            timed("store: write, committed", n, lambda: asyncio.run(put_all(store, rows, in_flight)))
            timed("store: read, checked and decoded", n, lambda: [store.get(key) for key in order])

        with Store.open(Path(folder) / "chain.sqlite", warn=print) as store:

            def around(store):
                return chain(
                    provider,
                    ledger=Ledger(Budget()),
                    prices=Prices({"judge": Price(input=1.0, output=1.0)}),
                    counters=Counters(),
                    rng=random.Random(1),
                    store=store,
                )

            timed("chain: no cache", n, lambda: asyncio.run(drive(around(None), todo, in_flight)))
            timed("chain: every call sent and kept", n, lambda: asyncio.run(drive(around(store), todo, in_flight)))
            timed("chain: every call from the cache", n, lambda: asyncio.run(drive(around(store), todo, in_flight)))


if __name__ == "__main__":
    main()
