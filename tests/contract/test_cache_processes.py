"""Two real processes on one cache file, and one of them killed in the middle."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit.call.store import Store
from judgekit.call.upkeep import verify
from judgekit.types import Reply

WORKER = """
import asyncio, random, sys
from judgekit.call.budget import Budget, Ledger
from judgekit.call.chain import chain, key_of
from judgekit.call.counters import Counters
from judgekit.call.prices import Prices
from judgekit.call.store import Store
from judgekit.types import Message, Reply, Request
from pathlib import Path

path, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])


class Echo:
    def wire(self, request):
        return {"provider": "echo", "url": "", "body": request.messages[0].content}

    async def __call__(self, request):
        await asyncio.sleep(0)
        return Reply("reply to " + request.messages[0].content + " " + "x" * 900)


async def main():
    numbers = iter(range(first, last))
    counters = Counters()
    with Store.open(path, warn=lambda line: print("warning", line, flush=True)) as store:
        sender = chain(Echo(), ledger=Ledger(Budget()), prices=Prices(), counters=counters,
                       rng=random.Random(1), store=store)

        async def work():
            for n in numbers:
                reply = await sender(Request(model="local:echo", messages=(Message("user", str(n)),)))
                print(n, reply.key, flush=True)  # acknowledged

        await asyncio.gather(*(work() for _ in range(16)))
    print("done", counters.sent, counters.cached, flush=True)


asyncio.run(main())
"""


def start(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, str(path), str(first), str(last)], stdout=subprocess.PIPE, text=True
    )


def acknowledged(lines: list[str]) -> dict[str, str]:
    """Number -> key of each reply that a worker said it had."""
    return dict(line.split() for line in lines if line.endswith("\n") and line[0].isdigit())


def kept(path: Path, keys: dict[str, str]) -> list[Reply | None]:
    with Store.open(path, warn=pytest.fail) as store:
        return [store.get(key) for key in keys.values()]


def test_two_runs_at_once_both_finish_and_every_entry_is_whole(tmp_path):
    path = tmp_path / "cache.sqlite"
    workers = [start(path, 0, 200), start(path, 100, 300)]  # half of each are the same requests
    outs = [worker.communicate(timeout=60)[0].splitlines(keepends=True) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert all(out[-1].startswith("done") and "warning" not in "".join(out) for out in outs)
    found = verify(path)
    assert (found.replies, found.clean) == (300, True)
    keys = acknowledged(outs[0]) | acknowledged(outs[1])
    assert [r.text.split()[2] for r in kept(path, keys)] == list(keys)


def test_kill_9_of_one_loses_no_acknowledged_reply_and_does_not_disturb_the_other(tmp_path):
    path = tmp_path / "cache.sqlite"
    killed, other = start(path, 0, 100_000), start(path, 200_000, 200_200)
    lines = []
    for line in killed.stdout:
        lines.append(line)
        if len(lines) == 200:
            os.kill(killed.pid, signal.SIGKILL)
            break
    lines += killed.stdout.readlines()
    killed.stdout.close()
    assert killed.wait(timeout=60) == -signal.SIGKILL
    out = other.communicate(timeout=60)[0]
    assert other.returncode == 0
    assert out.splitlines()[-1] == "done 200 0"
    assert "warning" not in out
    found = verify(path)
    assert found.clean
    keys = acknowledged(lines)
    assert len(keys) >= 200
    assert [r is not None and r.text.split()[2] for r in kept(path, keys)] == list(keys)
    again = start(path, 0, 200)  # the killed run, started again, sends only what it had not got
    said = again.communicate(timeout=60)[0].splitlines()[-1].split()
    assert again.returncode == 0
    assert int(said[1]) <= sum(str(n) not in keys for n in range(200))
