"""A run that is stopped from outside keeps what it has and goes on; two at once do not spoil each other."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

WAIT_S = 60.0


def start(*arguments):
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    return subprocess.Popen(
        [sys.executable, "-m", "judgekit.cli.main", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def until(true, process):
    end = time.monotonic() + WAIT_S
    while not true():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def rows(folder, name="grades.jsonl"):
    return [line for file in folder.glob(f"runs/*/{name}") for line in file.read_bytes().splitlines(keepends=True)]


@pytest.fixture
def held(service):
    """The service answers what concerns the first three outputs, and lets everything else wait."""
    gate = threading.Event()

    def answer(asked):
        if asked.number >= 3:
            gate.wait(WAIT_S)
        return service.judged(asked)

    service.answer = answer
    yield gate
    gate.set()


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_run_that_is_stopped_keeps_everything_and_goes_on(sign, cli, live, service, held):
    folder = live(8)
    process = start("run", folder, "--yes", "--json", "-j", "5")
    until(lambda: len(rows(folder)) == 3 and len(service.seen) >= 7, process)
    os.kill(process.pid, sign)
    out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, err.decode()
    assert "Traceback" not in err.decode()
    assert "Interrupted, 3 of 8. The same command goes on from here." in err.decode()
    document = json.loads(out)
    assert document["interrupted"] is True
    assert [r["id"] for r in document["results"]] == ["c000", "c001", "c002"]

    held.set()
    service.seen.clear()
    rest = cli("run", folder, "--yes", "--json")
    assert sorted(service.numbers) == [3, 4, 5, 6, 7]
    assert rest.json["run"] == document["run"]
    whole = cli("run", live(8, name="other"), "--yes", "--json")
    assert rest.json["results"] == whole.json["results"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals to one process")
def test_killed_run_goes_on_from_its_last_whole_line(cli, live, service, held):
    folder = live(8)
    process = start("run", folder, "--yes", "--json", "-j", "5")
    until(lambda: len(rows(folder)) == 3, process)
    process.kill()
    process.communicate(timeout=WAIT_S)
    (grades,) = folder.glob("runs/*/grades.jsonl")
    with grades.open("ab") as file:  # a line that was being written
        file.write(rows(folder)[0][:50])

    held.set()
    service.seen.clear()
    rest = cli("run", folder, "--yes", "--json")
    assert sorted(service.numbers) == [3, 4, 5, 6, 7]
    assert "dropped the torn last line 4" in rest.err
    whole = cli("run", live(8, name="other"), "--yes", "--json")
    assert rest.json["results"] == whole.json["results"]
    assert len([json.loads(line) for line in rows(folder)]) == 8


def test_two_runs_at_once_both_finish_with_whole_files(cli, live, service):
    n = 60
    folder = live(n)
    both = [start("run", folder, "--yes", "--json", "-j", "8") for _ in range(2)]
    ended = [process.communicate(timeout=WAIT_S) for process in both]
    assert [process.returncode for process in both] == [3, 3], ended
    first, second = (json.loads(out) for out, _ in ended)
    assert first["results"] == second["results"]
    assert len(first["results"]) == n
    assert first["run"] != second["run"]
    assert len(service.seen) <= 2 * n
    for document in (first, second):
        run = folder / "runs" / document["run"]
        assert len([json.loads(line) for line in (run / "grades.jsonl").read_bytes().splitlines()]) == n
        assert json.loads((run / "run.json").read_bytes())["run"]["finished"]
    check = cli("cache", "verify", folder, "--json")
    assert check.json["damaged"] == []
    assert check.json["replies"] == n
    service.seen.clear()
    assert cli("run", folder, "--json").json["calls"] == {"sent": 0, "cached": n}
