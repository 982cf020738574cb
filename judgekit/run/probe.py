"""A probing from its plan to its findings: outputs, everything the judge is asked about them, what it adds up to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from judgekit.calibration.attempts import Look
from judgekit.calibration.fingerprint import fingerprint_of, judge_words
from judgekit.errors import RunStopped
from judgekit.graders.judge import Instrument
from judgekit.identity import compare
from judgekit.probes.battery import Battery, Heard, battery
from judgekit.probes.finding import Probe
from judgekit.probes.kinship import Kin
from judgekit.probes.seen import Seen
from judgekit.report.preference.panel import pair_of
from judgekit.run.answers import Answerer
from judgekit.run.engine import drive
from judgekit.run.labelled import Task
from judgekit.run.perform import Watcher, answerer
from judgekit.run.plan import Plan
from judgekit.run.probe_asks import Ask, PairAsk, asks, attack_asks, pair_asks
from judgekit.run.probe_plan import ProbePlan
from judgekit.stats.preference import Pair
from judgekit.types import Case, Fault, Output, Reply, Request, Sender, Verdict

T = TypeVar("T")


@dataclass(frozen=True)
class Probed:
    """A probing that has ended.

    stopped   why no further call could succeed, if that ended it: then lines may lack what was not reached
    faults    why verdicts are missing -> how often, with the place of the first
    """

    battery: Battery
    stopped: RunStopped | None = None
    faults: dict[str, tuple[int, str]] = field(default_factory=dict)
    missing_outputs: int = 0


@dataclass
class _Probing:
    """A probing under way."""

    plan: ProbePlan
    send: Sender
    in_flight: int
    step: Callable[[], None]
    outputs: dict[tuple[str, str, int], Output] = field(default_factory=dict)
    looks: dict[str, list[Seen]] = field(default_factory=dict)
    pairs: dict[str, list[Pair]] = field(default_factory=dict)
    judged: dict[tuple[str, str, int, str], Verdict | None] = field(default_factory=dict)
    faults: dict[str, tuple[int, str]] = field(default_factory=dict)
    stopped: RunStopped | None = None

    async def all(self, jobs: Iterable[T], do: Callable[[T], Awaitable[None]]) -> None:
        """Do every job, at most `in_flight` at once; none is begun after the run had to stop."""
        left = iter(jobs)
        tasks = [asyncio.create_task(self._work(left, do)) for _ in range(max(1, self.in_flight))]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _work(self, left: Iterator[T], do: Callable[[T], Awaitable[None]]) -> None:
        for job in left:
            if self.stopped is not None:
                return
            try:
                await do(job)
            except RunStopped as stop:
                self.stopped = self.stopped or stop
                return

    async def answer(self, job: tuple[Plan, Answerer, Case, int]) -> None:
        own, answer, case, trial = job
        self.outputs[own.name, case.id, trial] = await answer(case, trial)

    async def judge(self, ask: Ask) -> None:
        async def sent(request: Request) -> Reply:
            return await self.send(ask.request(request))

        grade = await drive(ask.steps, sent)
        name, output = ask.judge.name, ask.output
        self._fault(grade.fault, f"{ask.case.id}, trial {output.trial}, {name}")
        if ask.arm != "labelled":
            seen = Seen(ask.case.id, output.trial, ask.arm, grade.verdict, ask.attack)
            self.looks.setdefault(name, []).append(seen)
        if ask.arm in ("base", "labelled"):
            self.judged[name, ask.case.id, output.trial, output.sha256] = grade.verdict
        self.step()

    async def compare(self, ask: PairAsk) -> None:
        grade = await drive(ask.steps, self.send)
        for fault in (grade.fault, *(look.fault for look in grade.looks)):
            self._fault(fault, f"{ask.case.id}, trial {grade.trial}, {ask.judge.name}")
        self.pairs.setdefault(ask.judge.name, []).append(pair_of(grade))
        self.step()

    def _fault(self, fault: Fault | None, where: str) -> None:
        if fault is not None:
            n, first = self.faults.get(f"{fault.kind} ({fault.code})", (0, f"{where}: {fault.why}"))
            self.faults[f"{fault.kind} ({fault.code})"] = (n + 1, first)


async def perform_probe(
    plan: ProbePlan,
    *,
    send: Sender,
    now: Callable[[], datetime],
    token: str,
    in_flight: int = 64,
    watcher: Watcher | None = None,
) -> Probed:
    """Do everything that is planned. What was paid for is in the cache, however this ends.

    token   tells this look at the labels from others
    """
    probing = _Probing(plan, send, in_flight, watcher.step if watcher else lambda: None)
    answers = [(own, answerer(own, send)) for own in plan.plans]
    await probing.all(((own, a, case, trial) for own, a in answers for case, trial in own.units()), probing.answer)
    first, skipped = asks(plan, probing.outputs)
    pairs = pair_asks(plan, probing.outputs)
    if watcher is not None:
        may_fail = sum(ask.arm == "base" and plan.does(ask.judge.name, "injection") for ask in first)
        watcher.start(len(first) + len(pairs) + may_fail * min(plan.each, len(plan.attacks)), 0)
    await probing.all(first, probing.judge)
    await probing.all(pairs, probing.compare)
    verdicts = {
        (name, one.case, one.trial): one.verdict
        for name, seen in probing.looks.items()
        for one in seen
        if one.arm == "base"
    }
    attacks, unfit = attack_asks(plan, probing.outputs, verdicts)
    await probing.all(attacks, probing.judge)
    found = battery(_heard(probing, {**skipped, **unfit}), plan.probes, bands=plan.bands)
    if plan.looks is not None and any(plan.does(name, "self-preference") for name in plan.tasks):
        plan.looks.add(_look(plan, now(), token))
    missing = sum(output.fault is not None for output in probing.outputs.values())
    return Probed(found, probing.stopped, probing.faults, missing)


def _look(plan: ProbePlan, now: datetime, token: str) -> Look:
    """Labels of the dev split were looked at: they can no longer be part of a certificate with every label."""
    judges: dict[str, Instrument] = {name: own[0].judge for name, own in plan.tasks.items() if own}
    prints = {name: fingerprint_of(judge).hash for name, judge in judges.items()}
    words = next((judge_words(judge) for judge in judges.values()), "")
    return Look("shown", token, now.isoformat(timespec="seconds"), words, prints)


def _heard(probing: _Probing, skipped: dict[tuple[Probe, str], int]) -> Heard:
    plan = probing.plan
    kin, strangers = {}, {}
    for name, tasks in plan.tasks.items():
        seen, kin[name], strangers[name] = _kin(tasks, probing)
        probing.looks.setdefault(name, []).extend(seen)
    # the order in which calls end is chance; the order of a report is not
    order = {(case.id, trial): at for at, (case, trial) in enumerate(plan.plan.units())}
    looks = {
        name: sorted(own, key=lambda one: (order.get(one.unit, len(order)), one.case, one.arm, one.attack))
        for name, own in probing.looks.items()
    }
    return Heard(
        dimensions=tuple(plan.judges),
        looks=looks,
        pairs={name: sorted(own, key=lambda pair: pair.case) for name, own in probing.pairs.items()},
        kin=kin,
        strangers=strangers,
        skipped=skipped,
        absent=plan.absent,
        attacks=plan.attacks,
    )


def _kin(tasks: tuple[Task, ...], probing: _Probing) -> tuple[list[Seen], list[Kin], int]:
    """What was said of labelled outputs; those that people and the judge decided; and how many have no known author."""
    seen, found, strangers = [], [], 0
    for task in tasks:
        key = (task.judge.name, task.case.id, task.output.trial, task.output.sha256)
        if key not in probing.judged:
            continue  # the run was stopped before
        verdict, human = probing.judged[key], task.item.label
        seen.append(Seen(task.case.id, task.output.trial, "labelled", verdict))
        if verdict not in ("PASS", "FAIL") or human not in ("PASS", "FAIL"):
            continue
        own = _own(task.judge, task.output.model)
        if own is None:
            strangers += 1
        else:
            found.append(Kin(task.case.id, own, human, verdict == "PASS"))
    return seen, found, strangers


def _own(judge: Instrument, author: str | None) -> bool | None:
    """Whether an output is of the family of any model of the panel; None where that cannot be told."""
    config = judge.config
    same_as = config.same_as if len(config.models) == 1 else None
    kinds = {compare(model, author, judge_same_as=same_as).kind for model in config.models}
    if kinds & {"same", "family"}:
        return True
    return None if "unknown" in kinds else False
