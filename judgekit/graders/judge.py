"""A judge at work on one dimension: one isolated request per vote, one re-ask if unreadable, one grade."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from judgekit.errors import CallFailed
from judgekit.graders.panel import join_votes
from judgekit.parse import Read, read_reply
from judgekit.render import Template, missing_needs, render
from judgekit.rubric import Dimension, Rubric
from judgekit.suite import JudgeConfig
from judgekit.types import Answer, Call, Case, Fault, Grade, Json, Message, Output, Prompt, Reply, Request, Steps, Vote

REMINDER = (
    "\n\nA reply without a verdict cannot be used. Give your reasoning first, then end with exactly one of: {forms}."
)


@dataclass(frozen=True, slots=True)
class Instrument:
    """Everything that makes one dimension's judge: who judges, by what criterion, asked how."""

    rubric: Rubric
    dimension: Dimension
    template: Template
    config: JudgeConfig

    @property
    def name(self) -> str:
        """`support-reply.polite`."""
        return f"{self.rubric.id}.{self.dimension.id}"


def judge_steps(judge: Instrument, case: Case, output: Output) -> Steps:
    """Grade one output on one dimension. Sends nothing when there is nothing that could be judged."""
    fault = _not_judgeable(judge, case, output)
    if fault is not None:
        return _grade(judge, case, output, fault=fault)
    prompt = render(judge.template, judge.rubric, judge.dimension, case, output, structured=judge.config.structured)
    if isinstance(prompt, Fault):
        return _grade(judge, case, output, fault=prompt)
    first = requests_of(judge, case, output, prompt)
    answers = yield first
    calls = [call_of(*pair) for pair in zip(first, answers, strict=True)]
    votes = [_vote(judge, prompt, *pair) for pair in zip(first, answers, strict=True)]
    for ask in range(2, 2 + judge.config.reask):
        again = [i for i, vote in enumerate(votes) if vote.fault is not None and vote.fault.kind == "unreadable"]
        if not again:
            break
        requests = tuple(ask_again(first[i], prompt, ask) for i in again)
        answers = yield requests
        calls += [call_of(*pair) for pair in zip(requests, answers, strict=True)]
        for i, request, answer in zip(again, requests, answers, strict=True):
            votes[i] = _vote(judge, prompt, request, answer)
    return _grade(judge, case, output, votes=tuple(votes), calls=tuple(calls))


def requests_of(judge: Instrument, case: Case, output: Output, prompt: Prompt) -> tuple[Request, ...]:
    """The first round of requests: one for each model of the panel and each vote."""
    config = judge.config
    return tuple(
        Request(
            model=model,
            messages=prompt.messages,
            params=config.params,
            schema=schema_of(prompt) if prompt.form.form == "json" else None,
            trial=output.trial,
            vote=vote,
            base_url=config.base_url,
            api_key_env=config.api_key_env,
            label=f"{case.id}, trial {output.trial}, {judge.name}",
        )
        for model in config.models
        for vote in range(1, config.votes + 1)
    )


def _not_judgeable(judge: Instrument, case: Case, output: Output) -> Fault | None:
    if output.fault is not None:
        return Fault("failed", "no_output", f"there is no output to judge: {output.fault.why}")
    missing = missing_needs(judge.dimension, case, output)
    return (
        Fault("not_applicable", f"no_{missing}", f"{judge.name} needs a {missing}, and this one has none")
        if (missing)
        else None
    )


def ask_again(request: Request, prompt: Prompt, ask: int) -> Request:
    """The same request with a reminder of the agreed form; the first, unreadable reply is not shown again."""
    form = prompt.form
    forms = (
        ", ".join(f"<{form.tag}>{label}</{form.tag}>" for label in form.labels)
        if form.form == "tag"
        else "a JSON object with `reasoning`, then `verdict`: " + ", ".join(form.labels)
    )
    *before, last = request.messages
    reminded = Message(last.role, last.content + REMINDER.format(forms=forms))
    return msgspec.structs.replace(request, messages=(*before, reminded), ask=ask)


def call_of(request: Request, answer: Answer) -> Call:
    """A request with what came of it, for the record."""
    if isinstance(answer, Reply):
        return Call(request=request, reply=answer)
    return Call(request=request, fault=fault_of(answer))


def fault_of(error: CallFailed) -> Fault:
    """Why a failed call gives no verdict."""
    return Fault("refused" if error.code in ("refused", "content_filter") else "failed", error.code, error.why)


def _vote(judge: Instrument, prompt: Prompt, request: Request, answer: Answer) -> Vote:
    if isinstance(answer, CallFailed):
        return Vote(judge=request.model, vote=request.vote, fault=fault_of(answer))
    read = read_reply(answer, prompt.form)
    if isinstance(read, Read):
        verdict = judge.dimension.verdict(read.label)
        return Vote(judge=request.model, vote=request.vote, label=read.label, verdict=verdict, reason=read.reason)
    return Vote(judge=request.model, vote=request.vote, fault=read, reason=answer.text)


def _grade(
    judge: Instrument,
    case: Case,
    output: Output,
    *,
    fault: Fault | None = None,
    votes: tuple[Vote, ...] = (),
    calls: tuple[Call, ...] = (),
) -> Grade:
    joined = join_votes(votes) if votes else None
    label = joined.label if joined else None
    ordinal = judge.dimension.scale != "binary"
    return Grade(
        case=case.id,
        trial=output.trial,
        grader=judge.rubric.id,
        kind="judge",
        dimension=judge.dimension.id,
        verdict=joined.verdict if joined else None,
        fault=joined.fault if joined else fault,
        level=int(label) if ordinal and label not in (None, "UNKNOWN") else None,
        reason=joined.reason if joined else "",
        severity=judge.dimension.severity,
        advisory="uncertified",
        votes=votes if len(votes) > 1 else (),
        calls=calls,
    )


def schema_of(prompt: Prompt) -> dict[str, Json]:
    """The JSON Schema of the reply that a prompt asks for."""
    return {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "verdict": {"type": "string", "enum": list(prompt.form.labels)},
        },
        "required": ["reasoning", "verdict"],
        "additionalProperties": False,
    }
