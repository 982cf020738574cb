"""The difference of two pass rates with the judge's errors taken out, from what people said of the outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from judgekit.calibration.enforce import ENOUGH, Corrected, Unit, decides_alone, judged_on, judged_whole, shares_of
from judgekit.types import Estimate, TrialResult

if TYPE_CHECKING:  # the statistics load where labels give them something to do
    from judgekit.stats.correction import Judged
    from judgekit.stats.tables import Table

_TOO_FEW = f"too few outputs of each version are labelled ({ENOUGH} at least, of every verdict)"


@dataclass(frozen=True)
class Measured:
    """A judge that decides, as its certificate has it.

    fingerprint   of the judge
    human         (case, trial) of this run -> 1 where people say PASS of this very output, 0 where FAIL
    recalls       2 x 2 table of the certificate's labels, PASS first; None where they were chosen by verdict
    """

    fingerprint: str
    human: Mapping[Unit, float]
    recalls: Table | None


@dataclass(frozen=True)
class People:
    """What people's labels say of one run.

    judges   the judges that decide, by `rubric.dimension`
    hashes   (case, trial) -> hash of the text
    why      why nothing is known; "" where `judges` holds every judge that decides
    """

    judges: Mapping[str, Measured] = field(default_factory=dict)
    hashes: Mapping[Unit, str] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Graded:
    """One version: how it is called, its results on the shared cases, and what people said of them."""

    name: str
    results: Sequence[TrialResult]
    people: People


def corrected_difference(base: Graded, new: Graded) -> Corrected:
    """Difference of the pass rates that people would have given, new - base, in [-1, 1].

    With 20 labels or more of each version's own outputs, which leave at most 5% of its outputs in a stratum without
    a label, it is double sampling. The strata are the verdicts, and within them whether the other version gave the
    same text: labels that were made for one version join the other where nothing changed, and say nothing of what did.
    Else, where one judge decides alone, Rogan-Gladen with the certificate's recalls: it assumes equal error rates.

    undefined   a side of counts only, or whose labels cannot be read; other judge dimensions on the two sides; outcomes
                that rest on totals; too few labels where several graders decide together, where the judge is another
                or its recalls were measured on chosen labels; recalls that can correct nothing
    """
    from judgekit.stats.correction import double_sampling_difference

    if why := _why_not(base, new):
        return _none(why)
    both = (base, new)
    names = [name for name in _deciding(new) if all(decides_alone(name, side.results) for side in both)]
    alone = names[0] if names else None
    before, after = _judged(base, new, alone), _judged(new, base, alone)
    if min(_labelled(before), _labelled(after)) >= ENOUGH:
        direct = double_sampling_difference(before, after)
        if direct.gates:
            return Corrected(direct.rate, direct.assumes)
    if alone is None:
        return _none(f"several graders decide together, and {_TOO_FEW} for all of them")
    return _by_recalls(base, new, alone)


def _why_not(base: Graded, new: Graded) -> str:
    """Why labels can say nothing of two versions; "" where they may."""
    for side in (base, new):
        if side.people.why:
            return f"{side.name}: {side.people.why}"
        if not _deciding(side):
            return f"{side.name}: no judge with a certificate decides"
    if _deciding(base) != _deciding(new):
        return "the sides are decided by different judge dimensions"
    if not all(_follows(result) for side in (base, new) for result in side.results):
        return "outcomes rest on totals of levels, and labels say PASS or FAIL"
    return ""


def _by_recalls(base: Graded, new: Graded, name: str) -> Corrected:
    """The difference from the recalls of the certificate, over cases that both sides decided."""
    from judgekit.stats.correction import rogan_gladen_difference

    before, after = base.people.judges[name], new.people.judges[name]
    if before.fingerprint != after.fingerprint:
        return _none(f"different judges judged the sides, so error rates are not equal, and {_TOO_FEW}")
    if after.recalls is None:
        return _none(f"the certificate's labels were chosen by verdict, and {_TOO_FEW}")
    theirs, shares = shares_of(base.results, name), shares_of(new.results, name)
    pairs = [(theirs.get(case), share) for case, share in shares.items()]
    changes = [new_ - old for old, new_ in pairs if old is not None and new_ is not None]
    found = rogan_gladen_difference(changes, after.recalls)
    return Corrected(msgspec.structs.replace(found.rate, missing=len(pairs) - len(changes)), found.assumes)


def _judged(side: Graded, other: Graded, alone: str | None) -> Judged:
    """The verdicts of a side beside its labels, in strata of what is new in it and what both sides say."""
    if alone is None:
        human = {name: judge.human for name, judge in side.people.judges.items()}
        judged = judged_whole(side.results, human)
        units = [(r.case, r.trial) for r in side.results]
    else:
        judged = judged_on(side.results, alone, side.people.judges[alone].human)
        units = [(r.case, r.trial) for r in side.results if any(g.name == alone for g in r.grades)]
    theirs = {(case, sha) for (case, _), sha in other.people.hashes.items()}
    same = [(case, side.people.hashes.get((case, trial))) in theirs for case, trial in units]
    return replace(judged, tags=["same text" if one else "other text" for one in same])


def _deciding(side: Graded) -> set[str]:
    """The judges that decide any of a side's outputs."""
    return {grade.name for r in side.results for grade in r.grades if grade.kind == "judge" and grade.gating}


def _labelled(judged: Judged) -> int:
    return sum(label is not None for label in judged.human)


def _follows(result: TrialResult) -> bool:
    """Whether an outcome is what its deciding verdicts make of it, with no total between them."""
    verdicts = {grade.verdict for grade in result.grades if grade.gating}
    if "FAIL" in verdicts:
        return result.outcome == "fail"
    return result.outcome == ("pass" if verdicts == {"PASS"} else "undecided")


def _none(why: str) -> Corrected:
    return Corrected(Estimate(undefined=why))
