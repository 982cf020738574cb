"""The policy over a measured judge: certified, refused or inconclusive, each with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from judgekit.calibration.evidence import Evidence
from judgekit.suite import CalibrationPolicy
from judgekit.types import Frozen

Result = Literal["certified", "refused", "inconclusive"]
STRICT = 0.60
ONE_VERDICT = "the judge gave one verdict only"


class Ruling(Frozen, frozen=True):
    """What the policy says. The reasons name rules and labels, never a number of the judge.

    tail   the one-sided level at which it was decided
    """

    result: Result
    reasons: tuple[str, ...]
    tail: float


def bar_of(policy: CalibrationPolicy) -> float:
    """The kappa that the lower bound has to reach: `kappa_low`, and 0.60 at least with `strict`."""
    return max(policy.kappa_low, STRICT) if policy.strict else policy.kappa_low


def times(n: int) -> str:
    """`once`, `4 times`."""
    return "once" if n == 1 else f"{n} times"


def holm(chances: Mapping[str, float | None], level: float) -> dict[str, tuple[float, bool]]:
    """For each dimension the level it is decided at, and whether P(kappa < bar) clears it, so that the chance of any
    false certificate among them stays at `level`.

    chances   None = undefined, never clears
    source    Holm (1979), Scand. J. Stat. 6:65
    """
    order = sorted(chances, key=lambda name: (chances[name] is None, chances[name] or 0.0))
    found: dict[str, tuple[float, bool]] = {}
    stopped = False
    tail = level / max(1, len(order))
    for rank, name in enumerate(order):
        if not stopped:
            tail = level / (len(order) - rank)
            chance = chances[name]
            stopped = chance is None or chance > tail
        found[name] = (tail, not stopped)
    return found


def decide(measured: Evidence, policy: CalibrationPolicy, *, tail: float, clears: bool) -> Ruling:
    """Apply a policy.

    tail     the level from `holm`
    clears   whether P(kappa < bar) clears it
    returns  refused when something is shown to be bad, certified when everything is shown to be good, else
             inconclusive: too little to tell
    """
    refused = _refusals(measured, policy, tail)
    if refused:
        return Ruling("refused", tuple(refused), tail)
    lacking = _lacking(measured, policy, clears=clears)
    if lacking:
        return Ruling("inconclusive", tuple(lacking), tail)
    return Ruling(
        "certified", (f"the lower bound of kappa reaches {bar_of(policy):.2f}, and every other rule holds",), tail
    )


def _refusals(m: Evidence, policy: CalibrationPolicy, tail: float) -> list[str]:
    found = []
    if m.only is not None:
        found.append(f"{ONE_VERDICT} ({m.only}): it agrees with people by chance")
    elif m.above is not None and m.above <= tail:
        found.append(f"the whole interval of kappa lies under {bar_of(policy):.2f}")
    for name, estimate, low in m.recalls(policy):
        if m.only is None and estimate.high is not None and estimate.high < low:
            found.append(
                f"it finds too few of the human {name}s: the whole interval of that recall lies under {low:.2f}"
            )
    if m.judged and m.coverage < policy.coverage:
        found.append(
            f"it decided too few of the {m.unit}: a {m.answer} on at least {policy.coverage:.0%} is needed, the rest "
            f"was {m.rest}"
        )
    people, difference = m.ceiling.people, m.ceiling.difference
    if people.high is not None and people.high < bar_of(policy):
        found.append(f"the annotators themselves agree under {bar_of(policy):.2f}: mend the criterion, or label again")
    elif difference.high is not None and difference.high < policy.ceiling_high:
        found.append("people agree with each other clearly better than with the judge")
    return found


def _lacking(m: Evidence, policy: CalibrationPolicy, *, clears: bool) -> list[str]:
    found = []
    used = [label for label, *_ in m.recalls(policy)[::-1] if m.human.get(label)]
    if len(used) < 2:
        only = (
            f"people used one label only ({used[0]})" if used else f"there is no {m.answer.partition(' ')[2]} of people"
        )
        found.append(f"{only}: agreement beyond chance needs both")
    else:
        rare = [label for label in used if m.human[label] < policy.each_label]
        found += [f"people said {x} {times(m.human[x])}, at least {policy.each_label} are needed" for x in rare]
    if m.n < policy.n:
        found.append(f"too few {m.unit} were decided by both sides, at least {policy.n} are needed")
    if m.cases < policy.cases:
        found.append(f"these come from too few cases, at least {policy.cases} are needed")
    if len(used) == 2:
        if not clears:
            found.append(f"the lower bound of kappa does not reach {bar_of(policy):.2f} at this attempt's level")
        for name, estimate, low in m.recalls(policy):
            if estimate.low is None or estimate.low < low:
                found.append(f"the lower bound of the recall of human {name}s does not reach {low:.2f}")
    return found
