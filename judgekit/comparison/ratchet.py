"""When a new baseline replaces the committed one: always by order, or only when nothing got worse."""

from __future__ import annotations

from judgekit.comparison.comparable import differences
from judgekit.comparison.pairs import Comparison, change_of, lost_passes
from judgekit.comparison.rules import told
from judgekit.comparison.side import Side
from judgekit.report.numbers import plural
from judgekit.types import Frozen


class Ratchet(Frozen, frozen=True):
    """Whether the new side may replace the base, and why (or why not)."""

    turns: bool
    why: str


def ratchet(comparison: Comparison) -> Ratchet:
    """Better is: no shared case passes fewer trials, none is unclear, none is gone, and something was gained.

    Gained is a case that passes more trials, or a new case. The bar then only ever goes up, lucky runs included: a
    case that passed five of five by luck will be asked for five of five from then on.
    """
    worse = [pair for pair in comparison.changed("regression") if lost_passes(pair)]
    if worse:
        return Ratchet(turns=False, why=f"{plural(len(worse), 'case')} with fewer passes: {told(worse)}")
    unclear = comparison.changed("unclear")
    if unclear:
        return Ratchet(turns=False, why=f"{plural(len(unclear), 'case')} without enough verdicts: {told(unclear)}")
    gone = [case.id for case in comparison.only_in_base]
    if gone:
        return Ratchet(turns=False, why=f"{plural(len(gone), 'case')} of the baseline not in the run: {_few(gone)}")
    better = comparison.changed("fixed", "better")
    added = [case.id for case in comparison.only_in_new]
    if not better and not added:
        return Ratchet(turns=False, why="nothing passes more often")
    gains = [f"{plural(len(better), 'case')} with more passes: {told(better)}"] if better else []
    gains += [f"{plural(len(added), 'new case')}: {_few(added)}"] if added else []
    return Ratchet(turns=True, why="; ".join(gains))


def _few(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")


def lowered(base: Side, new: Side) -> tuple[str, ...]:
    """What replacing `base` by `new` gives up, one line each: cases with fewer passes, or gone; other conditions."""
    ours = new.by_id
    lines = [
        f"{case.id} {case.passed}/{case.trials} -> {now.passed}/{now.trials}"
        for case in base.cases
        if (now := ours.get(case.id)) is not None and change_of(case, now) in ("regression", "unclear")
    ]
    lines += [f"{case.id} is gone" for case in base.cases if case.id not in ours]
    lines += [f"{difference.kind}: {difference.what}" for difference in differences(base, new)]
    return tuple(lines)
