"""What a regression looks like: one output that failed, and what the judges said of it and of one from before."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.comparison.side import Side
from judgekit.types import Frozen, Grade, Outcome, TrialResult, Verdict


class Said(Frozen, frozen=True):
    """What one judge said of one output: a verdict with its reasoning, or why there is none."""

    trial: int
    verdict: Verdict | None
    reason: str


class Reasoning(Frozen, frozen=True):
    """What a judge says of the output from before and of the one that failed; None where it did not judge."""

    grader: str
    deciding: bool
    before: Said | None
    after: Said | None

    @property
    def speaks(self) -> bool:
        """Whether it has something to do with the failure: the new verdict is no PASS, or differs."""
        after = self.after.verdict if self.after else None
        return after != "PASS" or (self.before is not None and self.before.verdict != after)


class Evidence(Frozen, frozen=True):
    """One output of the new side that did not pass.

    why          what its graders say
    output       its text; "" when it is not at hand
    reasonings   of the judges, about an output of the base that passed (if one did) and about this one
    """

    trial: int
    outcome: Outcome
    why: str
    output: str
    reasonings: tuple[Reasoning, ...] = ()


def evidence_of(case: str, base: Side, new: Side) -> Evidence | None:
    """The first output of a case that failed, else the first without a verdict; None for a side that holds counts."""
    shown = _first(new, case, ("fail", "undecided"))
    if shown is None:
        return None
    before = _first(base, case, ("pass", "undecided", "fail"))
    output = new.outputs.get((case, shown.trial))
    text = "" if output is None or output.fault is not None else output.text
    return Evidence(shown.trial, shown.outcome, shown.why, text, tuple(_reasonings(before, shown)))


def _first(side: Side, case: str, wanted: Sequence[Outcome]) -> TrialResult | None:
    """The first trial of a case with the first of the wanted outcomes that it has."""
    own = side.trials_of.get(case, [])
    return next((result for outcome in wanted for result in own if result.outcome == outcome), None)


def _reasonings(before: TrialResult | None, after: TrialResult) -> list[Reasoning]:
    old = {grade.name: grade for grade in before.grades if grade.kind == "judge"} if before else {}
    new = {grade.name: grade for grade in after.grades if grade.kind == "judge"}
    return [
        Reasoning(
            grader=name,
            deciding=name in new and new[name].gating,
            before=_said(old[name]) if name in old else None,
            after=_said(new[name]) if name in new else None,
        )
        for name in dict.fromkeys((*new, *old))
    ]


def _said(grade: Grade) -> Said:
    return Said(grade.trial, grade.verdict, grade.fault.why if grade.fault else grade.reason)
