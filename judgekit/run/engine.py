"""The engine: a pool of workers that takes each output through its graders and writes every grade as it lands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from judgekit.calibration.enforce import note_dropped, stamped
from judgekit.errors import CallFailed, RunStopped
from judgekit.graders.code import code_grades
from judgekit.graders.judge import Instrument, judge_steps
from judgekit.graders.outcome import trial_outcome
from judgekit.run.answers import Answerer
from judgekit.run.certificates import Trust
from judgekit.run.plan import Plan
from judgekit.run.store import GradeKey
from judgekit.types import Answer, Case, Fault, Grade, Output, Request, Sender, TrialResult

T = TypeVar("T")

Sink = Callable[[Output | Grade], None]
"""Where outputs and grades go the moment they are there."""


@dataclass
class Done:
    """What an earlier, interrupted start of the same run already has; never asked again."""

    outputs: Mapping[tuple[str, int], Output] = field(default_factory=dict)
    grades: Mapping[GradeKey, Grade] = field(default_factory=dict)
    dropped: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass
class Execution:
    """A run under way: its results so far, by (case, trial).

    trust     which judges may decide, as far as it is known before they have judged
    hashes    hashes of the texts, kept where a judge's labels may join them or where trials may repeat them
    dropped   per judge that was called, the parameters that its provider refused
    """

    plan: Plan
    answer: Answerer
    send: Sender
    sink: Sink
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    done: Done = field(default_factory=Done)
    trust: Trust = field(default_factory=Trust)
    on_unit: Callable[[], None] = lambda: None
    results: dict[tuple[str, int], TrialResult] = field(default_factory=dict)
    hashes: dict[tuple[str, int], str] = field(default_factory=dict)
    dropped: dict[str, frozenset[str]] = field(default_factory=dict)
    stopped: RunStopped | None = None

    def __post_init__(self) -> None:
        self.dropped.update(self.done.dropped)

    async def run(self, workers: int) -> None:
        """Grade every unit with at most `workers` units under way; returns early when the run has to stop.

        A cancelled run keeps what it has in `results`, and on disk.
        """
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
                self.results[case.id, trial] = await self._unit(case, trial)
            except RunStopped as stop:
                self.stopped = self.stopped or stop
                return
            self.on_unit()

    async def _unit(self, case: Case, trial: int) -> TrialResult:
        output = self.done.outputs.get((case.id, trial))
        if output is None or output.fault is not None:
            output = await self.answer(case, trial)
            self.sink(output)
        if output.fault is None and (self.trust.decides or self.plan.trials > 1):
            self.hashes[case.id, trial] = output.sha256
        call = self.functions.get(case.expected.python)
        grades = [self._kept(g) or self._land(g) for g in code_grades(case, output, call=call)]
        judges = self.plan.instruments(case)
        if len(judges) == 1:
            grades.append(await self._judge(judges[0], case, output))
        elif judges:
            grades += await all_ended([self._judge(j, case, output) for j in judges])
        outcome, why = trial_outcome(grades, totals=self.plan.totals)
        return TrialResult(case=case.id, trial=trial, outcome=outcome, why=why, grades=tuple(grades))

    def _kept(self, grade: Grade) -> Grade | None:
        return self.done.grades.get((grade.case, grade.trial, grade.grader, grade.dimension))

    async def _judge(self, judge: Instrument, case: Case, output: Output) -> Grade:
        kept = self.done.grades.get((case.id, output.trial, judge.rubric.id, judge.dimension.id))
        standing = self.trust.standings.get(judge.name)
        if kept is not None:
            return stamped(kept, standing)
        grade = await drive(judge_steps(judge, case, output), self.send)
        note_dropped(self.dropped, grade)
        return self._land(stamped(grade, standing))

    def _land(self, grade: Grade) -> Grade:
        """Write the grade whole; keep it without its calls, which hold the prompts."""
        self.sink(grade)
        return msgspec.structs.replace(grade, calls=()) if grade.calls else grade


async def all_ended(jobs: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """All of them end, even when one says that the run has to stop: their calls are paid for."""
    ended = await asyncio.gather(*jobs, return_exceptions=True)
    done = []
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        done.append(result)
    return done


async def drive(steps: Generator[tuple[Request, ...], tuple[Answer, ...], T], send: Sender) -> T:
    """Take a grader from its first request to its grade. Raises what `send` raises, but for `CallFailed`."""
    try:
        requests = next(steps)
        while True:
            if len(requests) == 1:
                answers: tuple[Answer, ...] = (await _ask(send, requests[0]),)
            else:
                answers = await _ask_all(send, requests)
            requests = steps.send(answers)
    except StopIteration as end:
        grade: T = end.value
        return grade


async def _ask(send: Sender, request: Request) -> Answer:
    try:
        return await send(request)
    except CallFailed as error:
        return error


async def _ask_all(send: Sender, requests: tuple[Request, ...]) -> tuple[Answer, ...]:
    """Every answer; what stops the run is raised when all have ended, so that no paid reply is thrown away."""
    ended = await asyncio.gather(*(_ask(send, request) for request in requests), return_exceptions=True)
    answers = []
    for answer in ended:
        if isinstance(answer, BaseException) and not isinstance(answer, CallFailed):
            raise answer
        answers.append(answer)
    return tuple(answers)


def ordered(plan: Plan, results: Mapping[tuple[str, int], TrialResult]) -> tuple[TrialResult, ...]:
    """The results in the order of the plan; units that were not reached are left out."""
    return tuple(results[c.id, t] for c, t in plan.units() if (c.id, t) in results)


def worth_asking_again(grade: Grade, *, missing: bool = False) -> bool:
    """Whether a stored grade is asked again when its run goes on: the call failed, so nothing was paid for.

    missing   any grade without a verdict, paid for or not (`--retry-missing`)
    """
    fault: Fault | None = grade.fault
    return grade.kind == "judge" and fault is not None and (missing or fault.kind == "failed")
