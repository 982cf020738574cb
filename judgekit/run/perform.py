"""One run from its plan to its summary: find or make its folder, execute, keep everything, count."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from judgekit.calibration.enforce import enforced
from judgekit.comparison.prints import Prints, case_print, prints_of
from judgekit.errors import RunStopped
from judgekit.gate import decide
from judgekit.graders.code import checks_of
from judgekit.graders.target import load_target
from judgekit.report.summary import CaseMark, Summary, summarize
from judgekit.run.answers import (
    Answerer,
    answer_by_command,
    answer_by_model,
    answer_by_python,
    answer_by_record,
    load_function,
)
from judgekit.run.certificates import Trust, settle, trust_of
from judgekit.run.engine import Done, Execution, ordered, worth_asking_again
from judgekit.run.lock import FolderLock
from judgekit.run.plan import Plan
from judgekit.run.store import (
    Manifest,
    RunStore,
    StoredRun,
    read_manifest,
    read_run,
    run_folders,
    versions,
)
from judgekit.suite import GatePolicy
from judgekit.types import Case, Decision, Grade, Output, RunInfo, Sender

if TYPE_CHECKING:
    from judgekit.comparison.baseline import Baseline
    from judgekit.comparison.pairs import Comparison


class Counts(Protocol):
    """What a run needs to know of its calls."""

    @property
    def sent(self) -> int:
        """Requests that reached a provider."""

    @property
    def cached(self) -> int:
        """Replies that cost nothing."""

    @property
    def cost(self) -> float | None:
        """US dollars, None when the price of a call is not known."""


@dataclass(frozen=True)
class Finished:
    """A run that has ended, by itself or not.

    stopped       why no further call could succeed, if that ended it
    interrupted   whether somebody stopped it
    """

    summary: Summary
    decision: Decision
    folder: Path | None
    stopped: RunStopped | None = None
    interrupted: bool = False
    notes: tuple[str, ...] = ()
    comparison: Comparison | None = None

    def __repr__(self) -> str:
        # asyncio prints the result of a task when its loop closes: never all the grades of a run
        return f"<Finished: {self.summary.graded} of {self.summary.units} graded>"


@dataclass(frozen=True)
class Options:
    """How a run goes about it.

    root            where run folders are made; None keeps nothing on disk
    fresh           never go on with an interrupted run
    retry_missing   ask again whatever has no verdict in the newest run of the same plan
    skip            filled with the cache keys of what is asked again, for the cache to pass over
    baseline        the committed baseline that the run is compared with, and what to call it
    """

    root: Path | None
    in_flight: int = 64
    fresh: bool = False
    retry_missing: bool = False
    skip: set[str] = field(default_factory=set)
    baseline: tuple[Baseline, str] | None = None


class Watcher(Protocol):
    """Told how a run goes, e.g. to draw progress."""

    def start(self, total: int, done: int) -> None:
        """The run begins with `total` outputs to grade, `done` of which are there already."""

    def step(self) -> None:
        """One more output is graded."""


async def perform(
    plan: Plan,
    *,
    send: Sender,
    counts: Counts,
    options: Options,
    now: Callable[[], datetime],
    token: str,
    watcher: Watcher | None = None,
) -> Finished:
    """Run a plan. Everything that is graded is on disk before this returns, however it ends."""
    manifest = Manifest(
        run=_info(plan, now()),
        fingerprint=plan.fingerprint,
        parts=plan.parts,
        cases=tuple(_mark(plan, case) for case in plan.cases),
        totals={name: rubric.model_dump(mode="json") for name, rubric in plan.totals.items()},
        units=plan.total,
        versions=versions(),
        prints=_prints(plan),
    )
    functions = _functions(plan)
    answer = answerer(plan, send)
    trust = _trust(plan, now())
    if options.root is None:
        execution = Execution(plan, answer, send, _nowhere, functions=functions, trust=trust)
        interrupted = await _execute(execution, options, watcher)
        end = _finish(execution, manifest, counts, interrupted=interrupted, now=now, store=None, notes=())
        return _compared(end, execution, manifest, options)
    store, done, notes, lock = _open(options, manifest, now=now(), token=token)
    with lock, store:
        execution = Execution(plan, answer, send, store.add, functions=functions, done=done, trust=trust)
        interrupted = await _execute(execution, options, watcher)
        end = _finish(execution, store.manifest, counts, interrupted=interrupted, now=now, store=store, notes=notes)
        return _compared(end, execution, store.manifest, options)


async def _execute(execution: Execution, options: Options, watcher: Watcher | None) -> bool:
    """Execute; True when it was cancelled, which is how Ctrl-C arrives here."""
    if watcher is not None:
        judged = {(g.case, g.trial) for g in execution.done.grades.values()}
        watcher.start(execution.plan.total, len(judged) if execution.done.outputs else 0)
        execution.on_unit = watcher.step
    try:
        await execution.run(options.in_flight)
    except asyncio.CancelledError:
        return True
    return False


def _nowhere(_row: Output | Grade) -> None:
    """Keeps nothing."""


def _open(
    options: Options, manifest: Manifest, *, now: datetime, token: str
) -> tuple[RunStore, Done, tuple[str, ...], FolderLock]:
    """The newest unfinished run of the same plan, to go on with, or a new one."""
    assert options.root is not None
    found = None if options.fresh else _unfinished(options, manifest)
    if found is not None:
        folder, lock = found
        stored = read_run(folder, repair=True, calls=options.retry_missing)
        kept = {}
        for key, grade in stored.grades.items():
            if worth_asking_again(grade, missing=options.retry_missing):
                options.skip.update(call.reply.key for call in grade.calls if call.reply and call.reply.key)
            else:
                kept[key] = msgspec.structs.replace(grade, calls=())
        said = f"going on with {folder.name}: {len(stored.outputs)} outputs and {len(kept)} grades are there already"
        store = RunStore(folder, msgspec.structs.replace(stored.manifest, run=_again(stored.manifest.run)))
        return store, Done(stored.outputs, kept, stored.dropped), (said, *stored.notes), lock
    store, lock = RunStore.create(options.root, manifest, now=now, token=token)
    return store, Done(), (), lock


def _again(info: RunInfo) -> RunInfo:
    return msgspec.structs.replace(info, interrupted=False, finished=None)


def _unfinished(options: Options, manifest: Manifest) -> tuple[Path, FolderLock] | None:
    """The newest run of the same plan that can be gone on with, locked so that no other process does the same."""
    assert options.root is not None
    for folder in run_folders(options.root, manifest.run.variant):
        stored = read_manifest(folder)
        if stored.fingerprint != manifest.fingerprint:
            continue
        if stored.run.finished is not None and not options.retry_missing:
            return None
        lock = FolderLock(folder)
        if lock.take():
            return folder, lock
    return None


def _finish(
    execution: Execution,
    manifest: Manifest,
    counts: Counts,
    *,
    interrupted: bool,
    now: Callable[[], datetime],
    store: RunStore | None,
    notes: tuple[str, ...],
) -> Finished:
    results = ordered(execution.plan, execution.results)
    whole = len(results) == execution.plan.total
    results, settled = settle(
        execution.trust,
        results,
        hashes=execution.hashes,
        dropped=execution.dropped,
        variant=execution.plan.name,
        totals=execution.plan.totals,
        suite=execution.plan.suite.shown,
    )
    info = msgspec.structs.replace(
        manifest.run,
        calls_sent=counts.sent,
        calls_cached=counts.cached,
        cost_usd=counts.cost,
        finished=now().isoformat(timespec="seconds") if whole else None,
        interrupted=not whole,
    )
    if store is not None:
        store.save(msgspec.structs.replace(manifest, run=info, settled=settled))
    totals = execution.plan.totals
    summary = summarize(
        info,
        manifest.cases,
        results,
        units=execution.plan.total,
        totals=totals,
        trust=settled,
        texts=execution.hashes if info.trials > 1 else None,
    )
    decision = decide(summary, execution.plan.suite.file.gate)
    folder = store.folder if store else None
    return Finished(summary, decision, folder, execution.stopped, interrupted, notes)


def _compared(end: Finished, execution: Execution, manifest: Manifest, options: Options) -> Finished:
    """A whole run beside the baseline, when there is one: the gate then knows both."""
    if options.baseline is None or end.summary.graded < end.summary.units:
        return end
    from judgekit.comparison.pairs import compare_with_baseline

    baseline, name = options.baseline
    outputs = read_run(end.folder).outputs if end.folder else None
    comparison = compare_with_baseline(end.summary, manifest, baseline, name=name, outputs=outputs)
    decision = decide(end.summary, execution.plan.suite.file.gate, comparison)
    return replace(end, decision=decision, comparison=comparison)


def reread(folder: Path, gate: GatePolicy | None) -> tuple[Summary, Decision]:
    """Summary and decision of a stored run, from its files alone.

    Raises `InputError` when the folder is no run.
    """
    summary = summary_of(read_run(folder))
    return summary, decide(summary, gate)


def summary_of(stored: StoredRun) -> Summary:
    """The summary of a run that was read back."""
    from judgekit.graders.outcome import trial_outcome
    from judgekit.types import TrialResult

    groups: dict[tuple[str, int], list[Grade]] = {key: [] for key in stored.outputs}
    for grade in stored.grades.values():
        groups.setdefault((grade.case, grade.trial), []).append(grade)
    totals = stored.manifest.rubrics()
    results = []
    for mark in stored.manifest.cases:
        for trial in range(1, stored.manifest.run.trials + 1):
            grades = groups.get((mark.id, trial))
            if grades is not None and len(grades) >= mark.graders:
                outcome, why = trial_outcome(grades, totals=totals)
                results.append(TrialResult(mark.id, trial, outcome, why, tuple(grades)))
    manifest = stored.manifest
    final = enforced(results, manifest.settled.standings, totals) if manifest.settled.standings else tuple(results)
    several = manifest.run.trials > 1
    texts = {unit: o.sha256 for unit, o in stored.outputs.items() if o.fault is None} if several else None
    return summarize(
        manifest.run,
        manifest.cases,
        final,
        units=manifest.units,
        totals=totals,
        trust=manifest.settled,
        texts=texts,
    )


def _info(plan: Plan, now: datetime) -> RunInfo:
    return RunInfo(
        run="",
        suite=plan.suite.file.suite,
        variant=plan.name,
        trials=plan.trials,
        pass_when=_plain(plan.suite.file.pass_when),
        model=plan.variant.model,
        judges=plan.judge.models if plan.judge and any(plan.instruments(c) for c in plan.cases) else (),
        votes=plan.judge.votes if plan.judge else 1,
        selected=plan.selected,
        notices=plan.notices,
        started=now.isoformat(timespec="seconds"),
    )


def _plain(rule: Any) -> Any:
    return rule if isinstance(rule, str) else rule.model_dump()


def _mark(plan: Plan, case: Case) -> CaseMark:
    rubrics = tuple(rubric.id for rubric in plan.suite.rubrics_of(case)) if plan.judge else ()
    file, line = plan.suite.cases.place(case.id)
    where = (file, line) if line else ("", 0)
    graders = len(checks_of(case)) + len(plan.instruments(case))
    marks = (case.tags, case.must, case.severity, case.pass_when)
    return CaseMark(case.id, *marks, case_print(case), rubrics, *where, graders)


def _prints(plan: Plan) -> Prints:
    used = {rubric.id: rubric for case in plan.cases for rubric in plan.suite.rubrics_of(case)}
    return prints_of(plan.parts["variant"], plan.judge, used.values())


def answerer(plan: Plan, send: Sender) -> Answerer:
    """How this plan's variant gives its outputs. Raises `InputError` when a function cannot be loaded."""
    variant, folder, name = plan.variant, plan.suite.folder, plan.name
    match variant.kind:
        case "recorded":
            return answer_by_record(plan.outputs, name=name)
        case "python":
            function = plan.function or load_function(str(variant.python), folder=folder, name=name)
            return answer_by_python(variant, function, name=name)
        case "command":
            return answer_by_command(variant, folder=folder, name=name)
    assert plan.prompt is not None
    return answer_by_model(plan.prompt, send, name=name)


def _trust(plan: Plan, now: datetime) -> Trust:
    judges = {judge.name: judge for case in plan.cases for judge in plan.instruments(case)}
    return trust_of(plan.suite, list(judges.values()), today=now.date())


def _functions(plan: Plan) -> Mapping[str, Callable[..., Any]]:
    """The users' own checks, loaded once. Raises `InputError` when one cannot be."""
    wanted = {c.expected.python for c in plan.cases if c.expected.python}
    if wanted and str(plan.suite.folder) not in sys.path:
        sys.path.insert(0, str(plan.suite.folder))
    return {target: load_target(target) for target in sorted(wanted)}
