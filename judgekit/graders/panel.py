"""Several votes, one verdict: a strict majority of all votes asked for, else UNKNOWN; every vote is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judgekit.types import Fault, Frozen, Verdict, Vote


class Joined(Frozen, frozen=True):
    """What votes add up to; exactly one of `verdict` and `fault` is set."""

    verdict: Verdict | None = None
    fault: Fault | None = None
    label: str | None = None
    reason: str = ""


def join_votes(votes: Sequence[Vote]) -> Joined:
    """One verdict from one or more votes.

    A verdict needs more than half of the votes that were asked for. Votes without a verdict are not evidence:
    when filling them in could change the result, there is no verdict; when it could not, they do not matter.
    Without a strict majority the panel abstains (UNKNOWN).
    """
    if len(votes) == 1:
        (vote,) = votes
        return Joined(verdict=vote.verdict, fault=vote.fault, label=vote.label, reason=vote.reason)
    counts = Counter(v.verdict for v in votes if v.verdict is not None)
    missing = len(votes) - sum(counts.values())
    told = ", ".join([f"{counts[v]} {v}" for v in ("PASS", "FAIL", "UNKNOWN") if counts[v]])
    told += f"{', ' if told else ''}{missing} without a verdict" if missing else ""
    top = max(counts.values(), default=0)
    if 2 * top > len(votes):
        verdict = next(v for v, n in counts.items() if n == top)
        reason = next(v.reason for v in votes if v.verdict == verdict)
        return Joined(verdict=verdict, label=_majority_label(votes), reason=f"{told} of {len(votes)} votes. {reason}")
    if missing and 2 * (max(counts["PASS"], counts["FAIL"]) + missing) > len(votes):
        fault = next(v.fault for v in votes if v.fault is not None)
        why = f"{told} of {len(votes)} votes: the missing ones could decide. {fault.why}"
        return Joined(fault=Fault(fault.kind, fault.code, why))
    return Joined(verdict="UNKNOWN", reason=f"no strict majority: {told} of {len(votes)} votes")


def _majority_label(votes: Sequence[Vote]) -> str | None:
    """The label (a level, on an ordinal scale) that more than half of the votes gave, if any."""
    label, n = Counter(v.label for v in votes if v.label is not None).most_common(1)[0]
    return label if 2 * n > len(votes) else None
