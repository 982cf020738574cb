"""What judges said of one pair -> the pair as statistics count it; a panel decides by its strict majority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from judgekit.graders.pairwise import Look, PairGrade
from judgekit.stats.preference import Outcome, Pair, Pick


def pair_of(grade: PairGrade) -> Pair:
    """The pair of a grade: a tie for identical outputs, missing where nothing could be asked."""
    if grade.identical:
        return Pair(grade.case, "TIE", "TIE", identical=True)
    votes = votes_of(grade)
    if not votes:
        return Pair(grade.case)
    return votes[0] if len(votes) == 1 else join(grade.case, votes)


def votes_of(grade: PairGrade) -> list[Pair]:
    """Each judge's (and sample's) own pair: its picks in both orders."""
    picks: dict[tuple[str, int], dict[bool, Look]] = {}
    for look in grade.looks:
        picks.setdefault((look.judge, look.vote), {})[look.swapped] = look
    return [Pair(grade.case, _pick(orders.get(False)), _pick(orders.get(True))) for orders in picks.values()]


def join(case: str, votes: Sequence[Pair]) -> Pair:
    """One pair from a panel: what more than half of its judges came to, each over both orders.

    Votes without a verdict are not evidence: when filling them in could change the result, the pair has none.
    Without a strict majority the panel abstains (UNKNOWN).
    """
    outcomes: Counter[Outcome] = Counter(vote.outcome for vote in votes)
    missing = outcomes.pop("MISSING", 0)
    top, n = outcomes.most_common(1)[0] if outcomes else ("UNKNOWN", 0)
    if 2 * n > len(votes):
        return _agreed(case, top, votes)
    most = max((outcomes[o] for o in outcomes if o != "UNKNOWN"), default=0)
    if missing and 2 * (most + missing) > len(votes):
        return Pair(case)
    return Pair(case, "UNKNOWN", "UNKNOWN")


def _agreed(case: str, outcome: Outcome, votes: Sequence[Pair]) -> Pair:
    if outcome == "INCONSISTENT":
        lean = sum(vote.flip for vote in votes)
        if lean == 0:
            return Pair(case, undirected=True)
        return Pair(case, "A", "B") if lean > 0 else Pair(case, "B", "A")
    assert outcome != "MISSING"
    return Pair(case, outcome, outcome)


def _pick(look: Look | None) -> Pick | None:
    return look.pick if look is not None else None
