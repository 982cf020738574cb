"""A judge of pairs at work: each pair in both orders and in one round, so that a habit cannot pass for a preference."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from judgekit.errors import CallFailed
from judgekit.graders.judge import ask_again, call_of, fault_of, schema_of
from judgekit.graders.pairrubric import PairDimension, PairRubric
from judgekit.parse import Read, read_reply
from judgekit.render import Template, pair_misses, render_pair
from judgekit.suite import JudgeConfig
from judgekit.types import Answer, Call, Case, Fault, Frozen, Output, Prompt, Request

Pick: TypeAlias = Literal["A", "B", "TIE", "UNKNOWN"]


@dataclass(frozen=True, slots=True)
class PairInstrument:
    """Everything that makes one dimension's judge of pairs: who judges, by what criterion, asked how."""

    rubric: PairRubric
    dimension: PairDimension
    template: Template
    config: JudgeConfig

    @property
    def name(self) -> str:
        """`pairwise.overall`."""
        return f"{self.rubric.id}.{self.dimension.id}"


class Look(Frozen, frozen=True):
    """One judge's verdict on a pair in one order; exactly one of `pick` and `fault` is set.

    first, second   the variants in the order in which this call showed them
    label           what the judge wrote: FIRST, SECOND, TIE or UNKNOWN
    pick            the same by answer: A or B whatever the order was
    """

    judge: str
    first: str
    second: str
    swapped: bool
    vote: int = 1
    label: str | None = None
    pick: Pick | None = None
    fault: Fault | None = None
    reason: str = ""


class PairGrade(Frozen, frozen=True):
    """One pair of outputs on one dimension, as every judge saw it in both orders.

    a, b        the variants; `looks` are empty for identical outputs, which are a tie without a call, and where
                `fault` says why nothing was asked
    repeat      from 1; the same judge asked again
    length_a, length_b   characters of the outputs, None where there is none
    advisory    why this judge may not decide, e.g. `uncertified`; "" with a certificate
    """

    case: str
    trial: int
    a: str
    b: str
    rubric: str
    dimension: str
    repeat: int = 1
    identical: bool = False
    looks: tuple[Look, ...] = ()
    fault: Fault | None = None
    length_a: int | None = None
    length_b: int | None = None
    advisory: str = "uncertified"
    calls: tuple[Call, ...] = ()


PairSteps: TypeAlias = Generator[tuple[Request, ...], tuple[Answer, ...], PairGrade]


@dataclass(frozen=True, slots=True)
class _Ask:
    """One request with the order that it shows and the form of reply that it asks for."""

    request: Request
    prompt: Prompt
    swapped: bool


def pair_steps(
    judge: PairInstrument, case: Case, a: Output, b: Output, *, names: tuple[str, str], repeat: int = 1
) -> PairSteps:
    """Judge one pair on one dimension. Sends nothing for identical outputs, or where there is nothing to compare.

    names   what A and B are called in the record; no request carries them
    """
    fault = _not_judgeable(judge, case, a, b, names)
    if fault is not None or a.text == b.text:
        return _grade(judge, case, a, b, names, repeat, fault=fault)
    asks = _asks(judge, case, a, b, repeat)
    if isinstance(asks, Fault):
        return _grade(judge, case, a, b, names, repeat, fault=asks)
    answers = yield tuple(ask.request for ask in asks)
    calls = [call_of(ask.request, answer) for ask, answer in zip(asks, answers, strict=True)]
    looks = [_look(ask, answer, names) for ask, answer in zip(asks, answers, strict=True)]
    for number in range(2, 2 + judge.config.reask):
        again = [i for i, look in enumerate(looks) if look.fault is not None and look.fault.kind == "unreadable"]
        if not again:
            break
        requests = tuple(ask_again(asks[i].request, asks[i].prompt, number) for i in again)
        answers = yield requests
        calls += [call_of(*pair) for pair in zip(requests, answers, strict=True)]
        for i, answer in zip(again, answers, strict=True):
            looks[i] = _look(asks[i], answer, names)
    return _grade(judge, case, a, b, names, repeat, looks=tuple(looks), calls=tuple(calls))


def _asks(judge: PairInstrument, case: Case, a: Output, b: Output, repeat: int) -> list[_Ask] | Fault:
    """Every request of the first round: both orders for each model and vote."""
    config, asks = judge.config, []
    for swapped, first, second in ((False, a, b), (True, b, a)):
        prompt = render_pair(
            judge.template,
            case,
            first,
            second,
            criterion=judge.dimension.criterion,
            dimension=judge.dimension.id,
            needs=judge.dimension.needs,
            labels=judge.rubric.labels,
            structured=config.structured,
        )
        if isinstance(prompt, Fault):
            return prompt
        for model in config.models:
            for vote in range(1, config.votes + 1):
                request = Request(
                    model=model,
                    messages=prompt.messages,
                    params=config.params,
                    schema=schema_of(prompt) if prompt.form.form == "json" else None,
                    trial=a.trial,
                    # repeats are further votes to the cache: each is a question of its own
                    vote=(repeat - 1) * config.votes + vote,
                    base_url=config.base_url,
                    api_key_env=config.api_key_env,
                    label=f"{case.id}, trial {a.trial}, {judge.name}, {'swapped' if swapped else 'original'} order",
                )
                asks.append(_Ask(request, prompt, swapped))
    return asks


def _look(ask: _Ask, answer: Answer, names: tuple[str, str]) -> Look:
    first, second = names[::-1] if ask.swapped else names

    def look(label: str | None, pick: Pick | None, fault: Fault | None, reason: str) -> Look:
        return Look(ask.request.model, first, second, ask.swapped, ask.request.vote, label, pick, fault, reason)

    if isinstance(answer, CallFailed):
        return look(None, None, fault_of(answer), "")
    read = read_reply(answer, ask.prompt.form)
    if isinstance(read, Read):
        return look(read.label, pick_of(read.label, swapped=ask.swapped), None, read.reason)
    return look(None, None, read, answer.text)


def calls_without_verdict(grade: PairGrade) -> tuple[Call, ...]:
    """The calls, re-asks included, of the looks that have no verdict; the other order's are none of them."""
    found = []
    for look, first in zip(grade.looks, grade.calls, strict=False):  # the re-asks come after the first round
        if look.fault is not None:
            asked = first.request
            found += [
                call
                for call in grade.calls
                if (call.request.model, call.request.vote) == (asked.model, asked.vote)
                and call.request.messages[-1].content.startswith(asked.messages[-1].content)
            ]
    return tuple(found)


def pick_of(label: str, *, swapped: bool) -> Pick:
    """The answer that a label names: in the swapped order B is shown first."""
    match label:
        case "FIRST":
            return "B" if swapped else "A"
        case "SECOND":
            return "A" if swapped else "B"
        case "TIE":
            return "TIE"
    return "UNKNOWN"


def _not_judgeable(judge: PairInstrument, case: Case, a: Output, b: Output, names: tuple[str, str]) -> Fault | None:
    for output, name in zip((a, b), names, strict=True):
        if output.fault is not None:
            return Fault("failed", "no_output", f"{name} has no output to compare: {output.fault.why}")
    missing = pair_misses(case, a, b, judge.dimension.needs)
    if missing is None:
        return None
    return Fault("not_applicable", f"no_{missing}", f"{judge.name} needs a {missing}, and this case has none")


def _grade(
    judge: PairInstrument,
    case: Case,
    a: Output,
    b: Output,
    names: tuple[str, str],
    repeat: int,
    *,
    fault: Fault | None = None,
    looks: tuple[Look, ...] = (),
    calls: tuple[Call, ...] = (),
) -> PairGrade:
    return PairGrade(
        case=case.id,
        trial=a.trial,
        a=names[0],
        b=names[1],
        rubric=judge.rubric.id,
        dimension=judge.dimension.id,
        repeat=repeat,
        identical=fault is None and not looks,
        looks=looks,
        fault=fault,
        length_a=None if a.fault else len(a.text),
        length_b=None if b.fault else len(b.text),
        calls=calls,
    )
