"""How many calls a pairwise run would send, counted before it sends any."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from judgekit.graders.pairwise import PairInstrument, pair_steps
from judgekit.run.calls import CallPlan, Peek, Price, Tally, output_of
from judgekit.run.pairs.plan import PairPlan
from judgekit.types import Case, Output, Request


def count_pair_calls(plan: PairPlan, *, peek: Peek, price: Price, tokens: Callable[[Request], int]) -> CallPlan:
    """Go through the whole plan without sending anything; pairs of outputs that are equal are no call."""
    tally = Tally(peek, price, tokens)
    exact, judged = True, 0
    for case, trial in plan.units():
        outputs = {name: output_of(own, case, trial, tally) for name, own in plan.plans.items()}
        exact = exact and all(known for _, known in outputs.values())
        for a, b in plan.duels:
            for judge in plan.instruments:
                for request in _requests(judge, case, outputs[a], outputs[b], plan.repeats):
                    tally.add(request, "judge")
                    judged += 1
    return CallPlan(models=tally.models, exact=exact, reask=judged * plan.judge.reask)


def _requests(
    judge: PairInstrument, case: Case, a: tuple[Output, bool], b: tuple[Output, bool], repeats: int
) -> Iterator[Request]:
    """The first round of each repeat; outputs that do not exist yet are taken to differ."""
    sides = [output if known else _stand_in(output, mark) for (output, known), mark in ((a, "first"), (b, "second"))]
    for repeat in range(1, repeats + 1):
        try:
            yield from next(pair_steps(judge, case, sides[0], sides[1], names=("a", "b"), repeat=repeat))
        except StopIteration:
            return


def _stand_in(output: Output, text: str) -> Output:
    return Output(id=output.id, output=f"an answer that is not there yet, {text}", trial=output.trial)
