"""A run that is killed again and again, against a judge server that nobody here wrote, pays for no reply twice.

The server is `fake_judge_server.py`: latency, 429, 500, and replies that are cut or say nothing. A small wrapper writes
down every request as it arrives, and lets a prompt that was answered get the same answer when it is asked again, so that
what was interrupted can be held against what was not.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judgekit.call.key import request_key
from judgekit.types import Request

KILLS = 20
CASES = 110
IN_FLIGHT = 8
WAIT_S = 120.0
FAULTS = ["--latency-ms", "25", "--jitter-ms", "15", "--error-rate", "0.2", "--retry-after", "0.05"]
FAULTS += ["--malformed-rate", "0.12", "--seed", "7"]

WRAPPER = """
import json, sys
sys.path.insert(0, sys.argv.pop(1))
log = open(sys.argv.pop(1), "ab", buffering=0)
import fake_judge_server as fake
plain = fake.build

def build(path, body):
    delay, status, response = plain(path, body)
    try:
        whole = status == 200 and bool(json.loads(response.partition(b"\\r\\n\\r\\n")[2]))
    except ValueError:
        whole = False
    request = json.loads(body)
    if whole:  # the next one who asks gets this answer too
        raw = fake.prompt_text(request).encode()
        fake.ST.seen[fake.blake2b(raw, digest_size=16, key=fake.CFG.seed).digest()] -= 1
    log.write(json.dumps({"body": request, "status": status, "whole": whole}).encode() + b"\\n")
    return delay, status, response

fake.build = build
sys.exit(fake.main())
"""


@dataclass(frozen=True)
class Judge:
    """The server that runs, and the file of the requests that reached it."""

    url: str
    log: Path

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_bytes().splitlines()]

    @property
    def count(self) -> int:
        return self.log.read_bytes().count(b"\n")

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/stats", timeout=10) as answer:
            return json.load(answer)

    def reset(self) -> None:
        with urllib.request.urlopen(f"{self.url}/reset", data=b"", timeout=10):
            self.log.write_bytes(b"")

    def key(self, request: dict[str, Any]) -> str:
        """The cache key of a request that arrived: the second ask is the one with the reminder."""
        body = request["body"]
        again = "A reply without a verdict cannot be used" in body["messages"][-1]["content"]
        wire = {"provider": "openai", "url": f"{self.url}/v1/chat/completions", "body": body}
        return request_key(wire, Request("openai:judge", (), ask=2 if again else 1))


@pytest.fixture
def bench_dir() -> Path:
    """The folder of the judge server: `$JUDGEKIT_BENCH`, or `bench` beside the folder of recorded data."""
    given, data = os.environ.get("JUDGEKIT_BENCH"), os.environ.get("JUDGEKIT_DATA")
    beside = Path(data).parent if data else Path(__file__).parents[3] / "shared"
    folder = Path(given) if given else beside / "bench"
    if not (folder / "fake_judge_server.py").is_file():
        pytest.skip(f"no judge server at {folder}: set JUDGEKIT_BENCH to the folder of fake_judge_server.py")
    return folder


@pytest.fixture
def judge(bench_dir: Path, tmp_path: Path) -> Iterator[Judge]:
    script, log = tmp_path / "server.py", tmp_path / "requests.jsonl"
    script.write_text(WRAPPER)
    log.touch()
    command = [sys.executable, str(script), str(bench_dir), str(log), "--port", "0", "--max-seconds", "600", *FAULTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split(b":")[-1].strip().decode()
        yield Judge(f"http://127.0.0.1:{port}", log)
        os.kill(process.pid, signal.SIGTERM)


def write_suite(folder: Path, url: str) -> Path:
    folder.mkdir()
    (folder / "judgekit.yaml").write_text(
        "suite: resume\ncases: cases.jsonl\nvariants: {v: {outputs: outputs.jsonl}}\nrubrics: [rubric.yaml]\n"
        f'judge: {{model: "openai:judge", base_url: "{url}/v1", params: {{temperature: 0}}}}\n'
    )
    (folder / "rubric.yaml").write_text(
        'id: reply\ndimensions:\n  - {id: kind, criterion: "The reply greets the customer."}\n'
    )
    ids = [f"c{i:03d}" for i in range(CASES)]
    cases = [{"id": i, "input": f"question {i}"} for i in ids]
    outputs = [{"id": i, "output": f"Good day, this is answer {i}.", "model": "claude-sonnet-4-5"} for i in ids]
    for name, rows in (("cases.jsonl", cases), ("outputs.jsonl", outputs)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def start(folder: Path, compiled: Path) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "OPENAI_BASE_URL")}
    environment |= {"OPENAI_API_KEY": "sk-test", "PYTHONPYCACHEPREFIX": str(compiled)}
    command = ["-m", "judgekit.cli.main", "run", str(folder), "--yes", "--json", "-j", str(IN_FLIGHT)]
    return subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def finish(folder: Path, compiled: Path) -> dict[str, Any]:
    out, err = (process := start(folder, compiled)).communicate(timeout=WAIT_S)
    assert process.returncode == 3, err.decode()  # all judged; nobody has certified this judge
    document: dict[str, Any] = json.loads(out)
    return document


def wait(true: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + WAIT_S
    while not true():
        if process.poll() is not None:
            pytest.fail(f"it was over before it was killed: {process.communicate()[1].decode()}")
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.002)


def kept_in(folder: Path) -> set[str]:
    """The keys of the replies that were safely kept."""
    file = folder / ".judgekit" / "cache.sqlite"
    if not file.exists():
        return set()
    connection = sqlite3.connect(file)
    try:
        there = connection.execute("select count(*) from sqlite_master where name = 'reply'").fetchone()[0]
        return {key for (key,) in connection.execute("select key from reply")} if there else set()
    finally:
        connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_run_killed_twenty_times_pays_for_nothing_twice_and_ends_as_if_never_killed(
    judge: Judge, tmp_path: Path
) -> None:
    folder, compiled, rng = write_suite(tmp_path / "killed", judge.url), tmp_path / "pyc", random.Random(20)
    lost_in_all = 0
    seen: list[tuple[int, set[str]]] = []
    for _ in range(KILLS):
        before, ahead = judge.count, rng.choice([0, 1, 2, 4, 6, 9])
        process = start(folder, compiled)
        if ahead:
            wait(lambda before=before, ahead=ahead: judge.count >= before + ahead, process)  # type: ignore[misc]
        time.sleep(rng.uniform(0, 0.06 if ahead else 0.8))  # at no request: somewhere between start and first call
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=WAIT_S)
        assert process.returncode == -signal.SIGKILL, "it was over before it was killed: there are too few cases"
        kept, arrived = kept_in(folder), judge.requests()
        lost = {judge.key(r) for r in arrived[before:] if r["whole"]} - kept
        assert len(lost) <= IN_FLIGHT
        lost_in_all += len(lost)
        seen.append((len(arrived), kept))
    assert any(kept for _, kept in seen)

    final = finish(folder, compiled)
    arrived = judge.requests()
    for position, kept in seen:
        assert not kept & {judge.key(r) for r in arrived[position:]}, "a reply that was kept was asked for again"
    whole = [judge.key(r) for r in arrived if r["whole"]]
    assert len(whole) - len(set(whole)) <= lost_in_all <= KILLS * IN_FLIGHT
    assert kept_in(folder) <= set(whole)  # the keys computed here are the real ones
    stats = judge.stats()
    assert stats["requests"] == len(arrived)
    assert stats["status"]["429"]
    assert stats["status"]["500"]
    assert stats["malformed"]
    assert len(list((folder / "runs").glob("*/run.json"))) == 1

    judge.reset()
    never = finish(write_suite(tmp_path / "never", judge.url), compiled)
    assert len(final["results"]) == CASES
    assert final["results"] == never["results"]
    assert final["verdicts"] == never["verdicts"]

    judge.reset()
    assert finish(folder, compiled)["calls"]["cached"] >= CASES - final["missing"]
    paid = [r for r in judge.requests() if judge.key(r) in set(whole)]
    assert paid == []
