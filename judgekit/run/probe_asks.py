"""Every judging that a probing asks for, as values; nothing is sent here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from judgekit.graders.judge import Instrument, judge_steps
from judgekit.graders.pairwise import PairInstrument, PairSteps, pair_steps
from judgekit.probes.attacks import attacked, best_label, share_of
from judgekit.probes.dressing import dressed
from judgekit.probes.finding import Probe
from judgekit.probes.mismatch import Unit, Written, exchanged
from judgekit.probes.padding import padded
from judgekit.probes.prose import prose
from judgekit.probes.seen import Arm
from judgekit.run.probe_plan import ProbePlan
from judgekit.types import Case, Output, Request, Steps, Verdict, text_of

Outputs = Mapping[tuple[str, str, int], Output]
"""By variant, case and trial."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One judging of one text in one arm."""

    arm: Arm
    judge: Instrument
    case: Case
    output: Output
    attack: str = ""

    @property
    def steps(self) -> Steps:
        """The judge at work. It sees the text as it would see any output: nothing tells it of a probe."""
        return judge_steps(self.judge, self.case, self.output)

    def request(self, request: Request) -> Request:
        """A request of this judging. The second look is a further vote to the cache: a question of its own."""
        if self.arm != "again":
            return request
        return msgspec.structs.replace(request, vote=request.vote + self.judge.config.votes)


@dataclass(frozen=True, slots=True)
class PairAsk:
    """One pair of outputs for the judge of pairs, in both orders."""

    judge: PairInstrument
    case: Case
    a: Output
    b: Output
    names: tuple[str, str]

    @property
    def steps(self) -> PairSteps:
        """The judge of pairs at work."""
        return pair_steps(self.judge, self.case, self.a, self.b, names=self.names)


def asks(plan: ProbePlan, outputs: Outputs) -> tuple[list[Ask], dict[tuple[Probe, str], int]]:
    """Everything that can be asked before any verdict is known; and the outputs that a probe cannot be applied to."""
    found: list[Ask] = []
    skipped: dict[tuple[Probe, str], int] = {}
    foreign = _foreign(plan, outputs)
    for case, trial in plan.plan.units():
        output = outputs.get((plan.plan.name, case.id, trial))
        if output is None or output.fault is not None:
            continue
        for judge in plan.judges_of(case):
            name = judge.name
            if plan.does(name, "stability", "verbosity", "formatting", "injection"):
                found.append(Ask("base", judge, case, output))
            if plan.does(name, "stability", "injection"):
                found.append(Ask("again", judge, case, output))
            for probe, arm, text in _changed(output, foreign.get((case.id, trial))):
                if not plan.does(name, probe):
                    continue
                if text is None:
                    skipped[probe, name] = skipped.get((probe, name), 0) + 1
                else:
                    found.append(Ask(arm, judge, case, msgspec.structs.replace(output, output=text)))
    return [*found, *_labelled(plan, found)], skipped


def _changed(output: Output, foreign: str | None) -> Iterator[tuple[Probe, Arm, str | None]]:
    """The texts that are shown instead of an output; None where there is no such text."""
    text = prose(output.output)
    yield "verbosity", "padded", None if text is None else padded(text)
    yield "formatting", "dressed", None if text is None else dressed(text)
    yield "leniency", "foreign", foreign


def _foreign(plan: ProbePlan, outputs: Outputs) -> dict[Unit, str]:
    """For each unit, the text of another case."""
    written: dict[Unit, Written] = {}
    for case, trial in plan.plan.units():
        output = outputs.get((plan.plan.name, case.id, trial))
        text = None if output is None or output.fault is not None else prose(output.output)
        if text is not None:
            written[case.id, trial] = Written(text_of(msgspec.to_builtins(case.input)), text)
    return {unit: written[other].answered for unit, other in exchanged(written).items()}


def _labelled(plan: ProbePlan, already: list[Ask]) -> Iterator[Ask]:
    """The labelled outputs, but for those that the base arm asks about anyway."""
    known = {(a.judge.name, a.case.id, a.output.trial, a.output.sha256) for a in already if a.arm == "base"}
    for name, tasks in plan.tasks.items():
        if not plan.does(name, "self-preference"):
            continue
        for task in tasks:
            if (name, task.case.id, task.output.trial, task.output.sha256) not in known:
                yield Ask("labelled", task.judge, task.case, task.output)


def attack_asks(
    plan: ProbePlan, outputs: Outputs, verdicts: Mapping[tuple[str, str, int], Verdict | None] | None
) -> tuple[list[Ask], dict[tuple[Probe, str], int]]:
    """The attacks on the outputs that were judged FAIL; and how many of those hold no running text.

    verdicts   (dimension, case, trial) -> first verdict; None = not known yet, every output is taken to be a FAIL
    """
    found: list[Ask] = []
    skipped: dict[tuple[Probe, str], int] = {}
    turn: dict[str, int] = {}
    for case, trial in plan.plan.units():
        output = outputs.get((plan.plan.name, case.id, trial))
        if output is None or output.fault is not None:
            continue
        text = prose(output.output)
        for judge in plan.judges_of(case):
            name = judge.name
            failed = verdicts is None or verdicts.get((name, case.id, trial)) == "FAIL"
            if not plan.does(name, "injection") or not failed:
                continue
            if text is None:
                skipped["injection", name] = skipped.get(("injection", name), 0) + 1
                continue
            for attack in share_of(plan.attacks, turn.get(name, 0), plan.each):
                new = attacked(text, attack, good=best_label(judge.dimension))
                found.append(Ask("attacked", judge, case, msgspec.structs.replace(output, output=new), attack.id))
            turn[name] = turn.get(name, 0) + 1
    return found, skipped


def pair_asks(plan: ProbePlan, outputs: Outputs) -> list[PairAsk]:
    """Every pair for the judge of pairs."""
    pairs = plan.pairs
    if pairs is None:
        return []
    found = []
    for case, trial in pairs.units():
        for a, b in pairs.duels:
            sides = outputs.get((a, case.id, trial)), outputs.get((b, case.id, trial))
            if sides[0] is None or sides[1] is None:
                continue
            found += [PairAsk(judge, case, sides[0], sides[1], (a, b)) for judge in pairs.instruments]
    return found
