"""A pairwise run from its plan to its result: outputs of all variants, each pair in both orders, everything kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from judgekit.calibration.standing import UNCERTIFIED
from judgekit.errors import RunStopped
from judgekit.graders.pairwise import PairGrade, PairInstrument, calls_without_verdict, pair_steps
from judgekit.report.preference.contest import Contest, contest_of
from judgekit.report.preference.rule import prefer_decision
from judgekit.report.summary import CaseMark
from judgekit.run.answers import Answerer
from judgekit.run.engine import all_ended, drive
from judgekit.run.lock import FolderLock
from judgekit.run.pairs.folder import (
    OutputKey,
    PairFolder,
    PairKey,
    PairManifest,
    pair_folders,
    read_pair_manifest,
    read_pairs,
)
from judgekit.run.pairs.plan import PairPlan
from judgekit.run.pairs.trust import settled
from judgekit.run.perform import Counts, Options, Watcher, answerer
from judgekit.run.store import versions
from judgekit.suite import GatePolicy
from judgekit.types import Case, Output, RunInfo, Sender

T = TypeVar("T")

Sink = Callable[[Output | PairGrade], None]


@dataclass(frozen=True)
class PairsFinished:
    """A pairwise run that has ended, by itself or not.

    stopped       why no further call could succeed, if that ended it
    interrupted   whether somebody stopped it
    """

    contest: Contest
    folder: Path | None
    stopped: RunStopped | None = None
    interrupted: bool = False
    notes: tuple[str, ...] = ()


@dataclass
class PairExecution:
    """A pairwise run under way: its pairs so far.

    outputs, done   what an earlier, interrupted start of the same run has already
    """

    plan: PairPlan
    answers: Mapping[str, Answerer]
    send: Sender
    sink: Sink
    outputs: Mapping[OutputKey, Output] = field(default_factory=dict)
    done: Mapping[PairKey, PairGrade] = field(default_factory=dict)
    on_unit: Callable[[], None] = lambda: None
    grades: dict[PairKey, PairGrade] = field(default_factory=dict)
    dropped: dict[str, frozenset[str]] = field(default_factory=dict)
    units: int = 0
    stopped: RunStopped | None = None

    async def run(self, workers: int) -> None:
        """Judge every unit with at most `workers` under way; returns early when the run has to stop."""
        units = self.plan.units()
        tasks = [asyncio.create_task(self._work(units)) for _ in range(max(1, min(workers, self.plan.total)))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, units: Iterator[tuple[Case, int]]) -> None:
        for case, trial in units:
            if self.stopped is not None:
                return
            try:
                await self._unit(case, trial)
            except RunStopped as stop:
                self.stopped = self.stopped or stop
                return
            self.units += 1
            self.on_unit()

    async def _unit(self, case: Case, trial: int) -> None:
        given = await all_ended([self._output(name, case, trial) for name in self.answers])
        outputs = dict(zip(self.answers, given, strict=True))
        jobs = [
            self._pair(judge, case, outputs[a], outputs[b], (a, b), repeat)
            for a, b in self.plan.duels
            for judge in self.plan.instruments
            for repeat in range(1, self.plan.repeats + 1)
        ]
        await all_ended(jobs)

    async def _output(self, name: str, case: Case, trial: int) -> Output:
        kept = self.outputs.get((name, case.id, trial))
        if kept is not None and kept.fault is None:
            return kept
        output = await self.answers[name](case, trial)
        self.sink(output)
        return output

    async def _pair(
        self, judge: PairInstrument, case: Case, a: Output, b: Output, names: tuple[str, str], repeat: int
    ) -> None:
        key = (case.id, a.trial, *names, judge.dimension.id, repeat)
        grade = self.done.get(key)
        if grade is None:
            judged = await drive(pair_steps(judge, case, a, b, names=names, repeat=repeat), self.send)
            grade = msgspec.structs.replace(judged, advisory=self.plan.standings.get(judge.dimension.id, UNCERTIFIED))
            self._note_dropped(grade)
            self.sink(grade)
        self.grades[key] = msgspec.structs.replace(grade, calls=()) if grade.calls else grade

    def _note_dropped(self, grade: PairGrade) -> None:
        replies = [call.reply for call in grade.calls if call.reply is not None]
        if replies:
            before = self.dropped.get(grade.dimension, frozenset())
            self.dropped[grade.dimension] = before.union(*(reply.dropped for reply in replies))


async def perform_pairs(
    plan: PairPlan,
    *,
    send: Sender,
    counts: Counts,
    options: Options,
    now: Callable[[], datetime],
    token: str,
    watcher: Watcher | None = None,
) -> PairsFinished:
    """Run a plan. Everything that is judged is on disk before this returns, however it ends."""
    manifest = PairManifest(
        run=_info(plan, now()),
        fingerprint=plan.fingerprint,
        parts=plan.parts,
        duels=plan.duels,
        rubric=plan.instruments[0].rubric.id,
        dimensions=tuple(i.dimension.id for i in plan.instruments),
        repeats=plan.repeats,
        cases=tuple(CaseMark(c.id, c.tags, c.must, c.severity) for c in plan.cases),
        units=plan.total,
        standings=dict(plan.standings),
        versions=versions(),
    )
    answers = {name: answerer(own, send) for name, own in plan.plans.items()}
    if options.root is None:
        execution = PairExecution(plan, answers, send, lambda _row: None)
        interrupted = await _execute(execution, options, watcher)
        return _finish(execution, manifest, counts, now=now, interrupted=interrupted, store=None, notes=())
    store, outputs, done, notes, lock = _open(options, manifest, now=now(), token=token)
    with lock, store:
        execution = PairExecution(plan, answers, send, store.add, outputs, done)
        interrupted = await _execute(execution, options, watcher)
        return _finish(execution, store.manifest, counts, now=now, interrupted=interrupted, store=store, notes=notes)


async def _execute(execution: PairExecution, options: Options, watcher: Watcher | None) -> bool:
    """Execute; True when it was cancelled, which is how Ctrl-C arrives here."""
    if watcher is not None:
        watcher.start(execution.plan.total, 0)
        execution.on_unit = watcher.step
    try:
        await execution.run(options.in_flight)
    except asyncio.CancelledError:
        return True
    return False


def _open(
    options: Options, manifest: PairManifest, *, now: datetime, token: str
) -> tuple[PairFolder, Mapping[OutputKey, Output], Mapping[PairKey, PairGrade], tuple[str, ...], FolderLock]:
    """The newest unfinished run of the same plan, to go on with, or a new one."""
    assert options.root is not None
    found = None if options.fresh else _unfinished(options.root, manifest, retry=options.retry_missing)
    if found is None:
        store, lock = PairFolder.create(options.root, manifest, now=now, token=token)
        return store, {}, {}, (), lock
    folder, lock = found
    stored = read_pairs(folder, repair=True, calls=options.retry_missing)
    kept = {}
    for key, grade in stored.grades.items():
        if worth_judging_again(grade, missing=options.retry_missing):
            again = calls_without_verdict(grade)
            options.skip.update(call.reply.key for call in again if call.reply and call.reply.key)
        else:
            kept[key] = msgspec.structs.replace(grade, calls=())
    said = f"going on with {folder.name}: {len(stored.outputs)} outputs and {len(kept)} pairs are there already"
    now_told = manifest.run.notices
    info = msgspec.structs.replace(stored.manifest.run, interrupted=False, finished=None, notices=now_told)
    store = PairFolder(folder, msgspec.structs.replace(stored.manifest, run=info))
    return store, stored.outputs, kept, (said, *stored.notes), lock


def _unfinished(root: Path, manifest: PairManifest, *, retry: bool) -> tuple[Path, FolderLock] | None:
    for folder in pair_folders(root):
        stored = read_pair_manifest(folder)
        if stored.fingerprint != manifest.fingerprint:
            continue
        if stored.run.finished is not None and not retry:
            return None
        lock = FolderLock(folder)
        if lock.take():
            return folder, lock
    return None


def worth_judging_again(grade: PairGrade, *, missing: bool = False) -> bool:
    """Whether a stored pair is judged again when its run goes on: a call failed, so not all was paid for.

    missing   any pair without a verdict in some order, paid for or not (`--retry-missing`)
    """
    faults = [grade.fault, *(look.fault for look in grade.looks)]
    return any(fault is not None and (missing or fault.kind == "failed") for fault in faults)


def reread_pairs(folder: Path, gate: GatePolicy | None) -> Contest:
    """A stored pairwise run, from its files alone. Raises `InputError` when the folder is none."""
    stored = read_pairs(folder)
    manifest = stored.manifest
    place = {mark.id: i for i, mark in enumerate(manifest.cases)}
    per_unit = len(manifest.duels) * len(manifest.dimensions) * manifest.repeats
    found = Counter((grade.case, grade.trial) for grade in stored.grades.values())
    info = msgspec.structs.replace(manifest.run, folder=str(folder))
    contest = contest_of(
        info,
        sorted(stored.grades.values(), key=lambda g: (place[g.case], g.trial, g.repeat)),
        duels=manifest.duels,
        dimensions=manifest.dimensions,
        marks=manifest.cases,
        repeats=manifest.repeats,
        units=manifest.units,
        judged=sum(n == per_unit for n in found.values()),
        advisory=manifest.standings,
    )
    return msgspec.structs.replace(contest, decision=prefer_decision(contest, gate))


def _finish(
    execution: PairExecution,
    manifest: PairManifest,
    counts: Counts,
    *,
    now: Callable[[], datetime],
    interrupted: bool,
    store: PairFolder | None,
    notes: tuple[str, ...],
) -> PairsFinished:
    plan = execution.plan
    whole = execution.units == plan.total
    info = msgspec.structs.replace(
        manifest.run,
        calls_sent=counts.sent,
        calls_cached=counts.cached,
        cost_usd=counts.cost,
        finished=now().isoformat(timespec="seconds") if whole else None,
        interrupted=not whole,
    )
    standings = settled(plan.standings, plan.dropped, execution.dropped)
    if store is not None:
        store.save(msgspec.structs.replace(manifest, run=info, standings=standings))
    place = {case.id: i for i, case in enumerate(plan.cases)}
    grades = sorted(execution.grades.values(), key=lambda g: (place[g.case], g.trial, g.repeat))
    contest = contest_of(
        info,
        grades,
        duels=plan.duels,
        dimensions=manifest.dimensions,
        marks=manifest.cases,
        repeats=plan.repeats,
        units=plan.total,
        judged=execution.units,
        advisory=standings,
    )
    decided = msgspec.structs.replace(contest, decision=prefer_decision(contest, plan.suite.file.gate))
    return PairsFinished(decided, store.folder if store else None, execution.stopped, interrupted, notes)


def _info(plan: PairPlan, now: datetime) -> RunInfo:
    return RunInfo(
        run="",
        suite=plan.suite.file.suite,
        variant=plan.name,
        trials=plan.trials,
        judges=plan.judge.models,
        votes=plan.judge.votes,
        selected=plan.selected,
        notices=plan.notices,
        started=now.isoformat(timespec="seconds"),
    )
