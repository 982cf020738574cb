"""How many calls a run would send, counted before it sends any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from judgekit.graders.judge import Instrument, judge_steps, requests_of
from judgekit.render import render
from judgekit.run.answers import output_of_reply, recorded
from judgekit.run.plan import Plan
from judgekit.types import Case, Fault, Frozen, Output, Prompt, Reply, ReplyForm, Request

Peek = Callable[[Request], Reply | None]
"""The reply that the cache already holds, if any; sends nothing."""

Price = Callable[[Request], float | None]
"""The expected price of a request in US dollars; None = unknown."""


class ModelCalls(Frozen, frozen=True):
    """The calls to one model for one purpose.

    calls          how many requests the run makes, before any re-ask
    cached         how many of them the cache answers
    input_tokens   estimated over those that are sent; outputs that do not exist yet count as their reference, if any
    usd            estimated price of those that are sent; None when a price is not known
    """

    model: str
    purpose: str
    calls: int
    cached: int
    input_tokens: int
    usd: float | None


class CallPlan(Frozen, frozen=True):
    """Every call of a run.

    exact   whether the judge calls were counted on real outputs; else they assume that every output arrives
    reask   the most that may come on top: one for every reply that cannot be read
    """

    models: tuple[ModelCalls, ...]
    exact: bool
    reask: int

    @property
    def sent(self) -> int:
        """How many requests would be sent."""
        return sum(m.calls - m.cached for m in self.models)

    @property
    def usd(self) -> float | None:
        """The estimated price, None when one is not known."""
        known = [m.usd for m in self.models]
        return None if any(u is None for u in known) else sum(u for u in known if u is not None)


class Tally:
    """Calls by model and purpose, with what the cache answers and what the rest would cost."""

    def __init__(self, peek: Peek, price: Price, tokens: Callable[[Request], int]) -> None:
        self._peek, self._price, self._tokens = peek, price, tokens
        self.rows: dict[tuple[str, str], list[int | float | None]] = {}

    def add(self, request: Request, purpose: str) -> Reply | None:
        """Count one request; the reply that is there already, if any."""
        row = self.rows.setdefault((request.model, purpose), [0, 0, 0, 0.0])
        kept = self._peek(request)
        row[0] = (row[0] or 0) + 1
        if kept is not None:
            row[1] = (row[1] or 0) + 1
            return kept
        row[2] = (row[2] or 0) + self._tokens(request)
        price = self._price(request)
        row[3] = None if row[3] is None or price is None else row[3] + price
        return None

    @property
    def models(self) -> tuple[ModelCalls, ...]:
        """What was counted, by model and purpose."""
        return tuple(
            ModelCalls(model, purpose, int(r[0] or 0), int(r[1] or 0), int(r[2] or 0), r[3])
            for (model, purpose), r in self.rows.items()
        )


def count_calls(plan: Plan, *, peek: Peek, price: Price, tokens: Callable[[Request], int]) -> CallPlan:
    """Go through the whole plan without sending anything."""
    tally = Tally(peek, price, tokens)
    exact, judged = True, 0
    for case, trial in plan.units():
        output, known = output_of(plan, case, trial, tally)
        exact = exact and known
        for judge in plan.instruments(case):
            for request in _judge_requests(judge, case, output, known=known):
                tally.add(request, "judge")
                judged += 1
    reask = judged * plan.judge.reask if plan.judge else 0
    return CallPlan(models=tally.models, exact=exact, reask=reask)


def count_requests(
    requests: Iterable[Request], *, reask: int, peek: Peek, price: Price, tokens: Callable[[Request], int]
) -> CallPlan:
    """The calls that these judge requests are, each of which may be asked again `reask` times."""
    tally = Tally(peek, price, tokens)
    judged = 0
    for request in requests:
        tally.add(request, "judge")
        judged += 1
    return CallPlan(models=tally.models, exact=True, reask=judged * reask)


def output_of(plan: Plan, case: Case, trial: int, tally: Tally) -> tuple[Output, bool]:
    """The output of a unit, and whether it is the real one."""
    if plan.variant.kind == "recorded":
        return recorded(plan.outputs, case, trial, name=plan.name), True
    stand_in = Output(id=case.id, output=case.reference or "", variant=plan.name, trial=trial, model=plan.variant.model)
    if plan.prompt is None:
        return stand_in, False
    reply = tally.add(plan.prompt.request(case, trial), "answer")
    if reply is None:
        return stand_in, False
    return output_of_reply(reply, stand_in, plan.variant), True


def _judge_requests(judge: Instrument, case: Case, output: Output, *, known: bool) -> Iterator[Request]:
    """The first round of a judge: on a real output what it would send, else what it would send on a usual one."""
    if known:
        try:
            yield from next(judge_steps(judge, case, output))
        except StopIteration:
            return
        return
    have = {"context": case.context, "reference": case.reference, "rubric": case.rubric or None}
    if any(need in have and have[need] is None for need in judge.dimension.needs):
        return  # a variant that retrieves would bring its own context; without one there is nothing to judge
    prompt = render(judge.template, judge.rubric, judge.dimension, case, output, structured=judge.config.structured)
    if isinstance(prompt, Fault):  # a template that needs what only a real output has
        prompt = Prompt(messages=(), form=ReplyForm(labels=judge.dimension.labels))
    yield from requests_of(judge, case, output, prompt)
