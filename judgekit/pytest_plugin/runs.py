"""One run for all tests of a suite: by this process, or by whichever of several workers comes first."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.errors import JudgekitError
from judgekit.pytest_plugin.engine import Live, LoopThread, execute, models_of, open_senders
from judgekit.pytest_plugin.judged import Judged
from judgekit.report.beside import by_case
from judgekit.report.summary import Summary
from judgekit.run.loaded import shown_path
from judgekit.run.lock import FolderLock
from judgekit.run.perform import Finished
from judgekit.run.plan import Plan
from judgekit.run.store import read_run
from judgekit.types import Frozen, Output

DONE = "done.json"
EVERY_S = 0.05


class End(Frozen, frozen=True):
    """How the run ended, for the workers that waited for it.

    summary   of what was graded; None when the run could not begin, and `error` says why
    stopped   why no further call could succeed
    """

    summary: Summary | None = None
    stopped: str = ""
    error: str = ""


@dataclass(frozen=True)
class Graded:
    """The cases of a run by id; `error` is set when there are none, and says what is wrong."""

    cases: Mapping[str, Judged]
    notices: tuple[str, ...] = ()
    error: str = ""


def graded(plan: Plan, root: Path, *, live: Live, loop: LoopThread, shared: bool) -> Graded:
    """Run `plan` under `root`, or wait for the worker that does.

    shared   whether other processes of this session may do the same at the same time
    """
    root.mkdir(parents=True, exist_ok=True)
    end = _once(plan, root, live, loop) if shared else _run(plan, root, live, loop)
    summary = end.summary
    if summary is None:
        return Graded({}, error=end.error)
    results = by_case(summary.results)
    outputs: dict[str, list[Output]] = {}
    for output in read_run(Path(summary.info.folder)).outputs.values():
        outputs.setdefault(output.id, []).append(output)
    cases = {case.id: case for case in plan.cases}
    found = {}
    for line in summary.lines:
        file, number = plan.suite.cases.place(line.case)
        found[line.case] = Judged(
            case=cases[line.case],
            line=line,
            results=tuple(results.get(line.case, ())),
            outputs=tuple(sorted(outputs.get(line.case, ()), key=lambda output: output.trial)),
            place=f"{shown_path(plan.suite.folder / file)}:{number}" if number else "",
            stopped=end.stopped if line.outcome == "undecided" else "",
        )
    return Graded(found, summary.info.notices)


def _once(plan: Plan, root: Path, live: Live, loop: LoopThread) -> End:
    """The end of the one run under `root`: the first process that gets the lock does it, the others wait."""
    import msgspec

    try:
        import fcntl  # noqa: F401
    except ImportError:  # no such lock on Windows: each worker runs the suite for itself
        return _run(plan, root, live, loop)
    done = root / DONE
    while not done.is_file():
        lock = FolderLock(root)
        if not lock.take():
            time.sleep(EVERY_S)
            continue
        with lock:
            if not done.is_file():
                end = _run(plan, root, live, loop)
                new = root / f"{DONE}.new"
                new.write_bytes(msgspec.json.encode(end))
                new.replace(done)
    return msgspec.json.decode(done.read_bytes(), type=End)


def _run(plan: Plan, root: Path, live: Live, loop: LoopThread) -> End:
    async def go() -> Finished:
        senders = open_senders(live.way(plan.suite, models_of(plan)))
        try:
            return await execute(plan, senders, root)
        finally:
            await senders.aclose()

    try:
        finished = loop.run(go())
    except JudgekitError as error:
        return End(error=str(error))
    return End(finished.summary, finished.stopped.why if finished.stopped else "")
