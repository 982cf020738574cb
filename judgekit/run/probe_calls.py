"""How many calls a probing would send, counted before it sends any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from judgekit.probes.seen import Arm
from judgekit.run.calls import CallPlan, Peek, Price, Tally, output_of
from judgekit.run.probe_asks import Ask, PairAsk, asks, attack_asks, pair_asks
from judgekit.run.probe_plan import ProbePlan
from judgekit.types import Grade, Output, Request, Verdict


@dataclass(frozen=True)
class ProbeCalls:
    """The calls of a probing.

    calls     by model and arm
    settled   whether the verdicts that decide what is attacked are known already; else `attacked` is the most it can be
    """

    calls: CallPlan
    settled: bool


PURPOSES: dict[Arm, str] = {
    "base": "judge",
    "again": "second-look",
    "padded": "padded",
    "dressed": "Markdown",
    "foreign": "foreign-output",
    "attacked": "attack",
    "labelled": "labelled-output",
}


def count_probe_calls(plan: ProbePlan, *, peek: Peek, price: Price, tokens: Callable[[Request], int]) -> ProbeCalls:
    """Go through the whole plan without sending anything."""
    tally = Tally(peek, price, tokens)
    outputs, exact = _outputs(plan, tally)
    first, _ = asks(plan, outputs)
    verdicts: dict[tuple[str, str, int], Verdict | None] = {}
    settled, judged = True, 0
    for ask in first:
        judged += _count(ask, tally)
        if ask.arm == "base" and plan.does(ask.judge.name, "injection"):
            grade = known_grade(ask, peek)
            settled = settled and grade is not None
            verdicts[ask.judge.name, ask.case.id, ask.output.trial] = grade.verdict if grade else None
    attacks, _ = attack_asks(plan, outputs, verdicts if settled else None)
    for ask in attacks:
        judged += _count(ask, tally)
    for pair in pair_asks(plan, outputs):
        judged += _count_pair(pair, tally)
    config = plan.plan.judge
    reask = judged * config.reask if config else 0
    return ProbeCalls(CallPlan(models=tally.models, exact=exact, reask=reask), settled or not attacks)


def _outputs(plan: ProbePlan, tally: Tally) -> tuple[dict[tuple[str, str, int], Output], bool]:
    """The outputs of every variant that takes part, and whether all of them are the real ones."""
    found: dict[tuple[str, str, int], Output] = {}
    exact = True
    for own in plan.plans:
        for case, trial in own.units():
            output, known = output_of(own, case, trial, tally)
            if not known:
                # what is not there yet is taken to be running text that differs from every other
                text = f"The output of {own.name} to {case.id} that is not there yet."
                output = msgspec.structs.replace(output, output=text)
            found[own.name, case.id, trial] = output
            exact = exact and known
    return found, exact


def _count(ask: Ask, tally: Tally) -> int:
    try:
        requests = next(ask.steps)
    except StopIteration:
        return 0
    for request in requests:
        tally.add(ask.request(request), PURPOSES[ask.arm])
    return len(requests)


def _count_pair(pair: PairAsk, tally: Tally) -> int:
    try:
        requests = next(pair.steps)
    except StopIteration:
        return 0
    for request in requests:
        tally.add(request, "pair")
    return len(requests)


def known_grade(ask: Ask, peek: Peek) -> Grade | None:
    """The grade that the cache holds already, if every reply of it is there."""
    steps = ask.steps
    try:
        requests = next(steps)
        while True:
            replies = [peek(ask.request(request)) for request in requests]
            if any(reply is None for reply in replies):
                return None
            requests = steps.send(tuple(reply for reply in replies if reply is not None))
    except StopIteration as end:
        grade: Grade = end.value
        return grade
