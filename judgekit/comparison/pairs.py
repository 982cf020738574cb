"""Two sides, case by case and as a whole: what passes less often, what passes more often, and what that says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judgekit.calibration.enforce import Corrected
from judgekit.comparison.baseline import Baseline, side_of_baseline
from judgekit.comparison.comparable import Difference, check_comparable
from judgekit.comparison.corrected import Graded, People, corrected_difference
from judgekit.comparison.evidence import Evidence, evidence_of
from judgekit.comparison.side import CaseSide, Marked, Side, side_of_run
from judgekit.errors import UsageError
from judgekit.report.summary import Summary
from judgekit.stats.paired import (
    ExactTest,
    holm,
    minimum_detectable,
    on_cases_like_these,
    on_these_cases,
    sign_test,
)
from judgekit.stats.rates import WithError, t_mean
from judgekit.types import Estimate, Frozen, Outcome, Output

Change = Literal["regression", "fixed", "better", "unclear", "same"]
TrialCounts = list[tuple[int, int]]


class Pair(Frozen, frozen=True):
    """One case on both sides.

    change     regression   it passes fewer trials, whatever the undecided ones would have been
               fixed        it passes more, and now as often as it must
               better       it passes more, but not yet as often as it must
               unclear      trials without a verdict could make it any of these
               same         neither
    reason     why the new side does not pass, or why the base did not; "" when a file does not say
    evidence   an output that failed, for a regression of a run
    """

    base: CaseSide
    new: CaseSide
    change: Change
    reason: str = ""
    evidence: Evidence | None = None

    @property
    def id(self) -> str:
        """The case's id."""
        return self.new.id

    @property
    def must_pass(self) -> bool:
        """Whether it has to pass, as the new side says."""
        return self.new.must_pass

    @property
    def tags(self) -> tuple[str, ...]:
        """Tags of either side: taking a tag off does not take a case out of a rule."""
        return tuple(dict.fromkeys((*self.new.tags, *self.base.tags)))

    @property
    def difference(self) -> float | None:
        """Share of passes among decided trials, new - base, in [-1, 1]; None when a side decided none."""
        if not self.base.decided or not self.new.decided:
            return None
        return self.new.passed / self.new.decided - self.base.passed / self.base.decided


class TagLine(Frozen, frozen=True):
    """The cases with one tag.

    p, p_holm   sign test, and the same corrected for the number of tags tested; None where it is undefined
    """

    cases: int
    passed: tuple[int, int]
    difference: Estimate
    test: ExactTest
    p_holm: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two sides compared on the cases that they share; the others are listed.

    passed       cases that pass, base and new
    on_these     mean difference where only the trials are random: on these cases
    on_like      mean difference where the cases are a sample too: on cases like these
    t            the same with Student's t, for comparison with other tools
    corrected    difference of the pass rates that people would have given; it decides nothing
    detectable   the mean difference that so many cases would show in 4 of 5 comparisons
    allowed      what differs between the sides although it should not, and was allowed
    notices      what else a reader has to know
    """

    base: Side
    new: Side
    pairs: tuple[Pair, ...]
    only_in_base: tuple[CaseSide, ...]
    only_in_new: tuple[CaseSide, ...]
    passed: tuple[int, int]
    on_these: Estimate
    on_like: Estimate
    t: WithError
    sign: ExactTest
    corrected: Corrected
    detectable: float | None
    by_tag: dict[str, TagLine]
    allowed: tuple[Difference, ...] = ()
    notices: tuple[str, ...] = ()

    def changed(self, *kinds: Change) -> tuple[Pair, ...]:
        """The pairs of some kinds of change, must-pass cases first."""
        found = [pair for pair in self.pairs if pair.change in kinds]
        return tuple(sorted(found, key=lambda pair: not pair.must_pass))


def compare(base: Side, new: Side, *, allow: Iterable[str] = ()) -> Comparison:
    """Compare two sides on the cases they share.

    allow    kinds of `judgekit.comparison.comparable.KINDS` that may differ; what did is kept in the result

    Raises `UsageError` when no case is shared, or when the sides are not comparable.
    """
    theirs, ours = base.by_id, new.by_id
    shared = [(theirs[id_], ours[id_]) for id_ in ours if id_ in theirs]
    if not shared:
        raise UsageError(f"{base.name} and {new.name} have no case in common: {_ids(base)} against {_ids(new)}")
    allowed = check_comparable(base, new, allow)
    pairs = tuple(_pair(one, other, base, new) for one, other in shared)
    changes = [pair.difference for pair in pairs if pair.difference is not None]
    return Comparison(
        base=base,
        new=new,
        pairs=pairs,
        only_in_base=tuple(case for id_, case in theirs.items() if id_ not in ours),
        only_in_new=tuple(case for id_, case in ours.items() if id_ not in theirs),
        passed=_passed(pairs),
        on_these=on_these_cases(*repeated(pairs)),
        on_like=on_cases_like_these(*counts(pairs)),
        t=t_mean(changes, missing=len(pairs) - len(changes)),
        sign=sign_test(changes),
        corrected=corrected_difference(_graded(base, pairs), _graded(new, pairs)),
        detectable=minimum_detectable(len(changes), changes),
        by_tag=_tags(pairs),
        allowed=allowed,
        notices=tuple(_notices(base, new, pairs, allowed)),
    )


def compare_with_baseline(
    summary: Summary,
    manifest: Marked,
    baseline: Baseline,
    *,
    name: str = "baseline",
    outputs: Mapping[tuple[str, int], Output] | None = None,
    allow: Iterable[str] = (),
) -> Comparison:
    """A run that has just ended against the committed baseline.

    name      what to call the baseline, e.g. its file's name
    outputs   of the run, so that a regression is shown with the text that failed

    Raises as `compare`.
    """
    return compare(side_of_baseline(baseline, name=name), side_of_run(summary, manifest, outputs=outputs), allow=allow)


def change_of(base: CaseSide, new: CaseSide) -> Change:
    """What happened to a case; trials without a verdict are filled in every way, and all ways must agree."""
    if (base.passed, base.failed, base.undecided) == (new.passed, new.failed, new.undecided):
        return "same"
    # shares of all trials, over the common denominator, as the two may have different numbers of trials
    least_before, most_before = base.passed * new.trials, (base.passed + base.undecided) * new.trials
    least_after, most_after = new.passed * base.trials, (new.passed + new.undecided) * base.trials
    if most_after < least_before:
        return "regression"
    if least_after > most_before:
        return "fixed" if new.outcome == "pass" else "better"
    return "unclear" if base.undecided or new.undecided else "same"


def lost_passes(pair: Pair) -> int:
    """Trials that passed before and for certain do not now; 0 unless the case is a regression.

    With different numbers of trials, as if the new side had as many as the base, rounded up.
    """
    if pair.change != "regression":
        return 0
    most = pair.new.passed + pair.new.undecided
    return pair.base.passed - (most * pair.base.trials) // pair.new.trials


def possible_loss(pair: Pair) -> int:
    """As `lost_passes`, if every trial without a verdict were the worst that it could be for the new side."""
    if pair.change != "unclear":
        return lost_passes(pair)
    most = pair.base.passed + pair.base.undecided
    return max(0, most - (pair.new.passed * pair.base.trials) // pair.new.trials)


def _graded(side: Side, pairs: Sequence[Pair]) -> Graded:
    """A side's results on the shared cases, with what people said of them."""
    if side.from_file:
        return Graded(side.name, (), People(why="a baseline file holds counts, and no outputs that labels could join"))
    shared = {pair.id for pair in pairs}
    results = [result for result in side.results if result.case in shared]
    people = side.people or People(why="its labels were not read" if side.deciding else "")
    return Graded(side.name, results, people)


def _pair(base: CaseSide, new: CaseSide, one: Side, other: Side) -> Pair:
    change = change_of(base, new)
    if change in ("fixed", "better"):
        return Pair(base, new, change, base.why)
    if change == "same":
        return Pair(base, new, change, new.why)
    return Pair(base, new, change, new.why, evidence_of(new.id, one, other))


def counts(pairs: Sequence[Pair], *, fill: Literal["", "worst", "best"] = "") -> tuple[TrialCounts, TrialCounts]:
    """(passed, decided) of each case, base and new.

    fill   turns the undecided trials of the unclear cases into those that are worst, or best, for the new side
    """
    before, after = [], []
    for pair in pairs:
        base, new = pair.base, pair.new
        if not fill or pair.change != "unclear":
            before.append((base.passed, base.decided))
            after.append((new.passed, new.decided))
        elif fill == "worst":
            before.append((base.passed + base.undecided, base.trials))
            after.append((new.passed, new.trials))
        else:
            before.append((base.passed, base.trials))
            after.append((new.passed + new.undecided, new.trials))
    return before, after


def repeated(pairs: Sequence[Pair], *, fill: Literal["", "worst", "best"] = "") -> tuple[TrialCounts, TrialCounts]:
    """As `counts`, for a method that needs two decided trials of a case.

    Where trials were repeated and yet fewer than two were decided, the case is left out.
    """
    before, after = counts(pairs, fill=fill)
    if all(pair.base.trials < 2 or pair.new.trials < 2 for pair in pairs):
        return before, after
    whole = [min(b[1], a[1]) >= 2 for b, a in zip(before, after, strict=True)]
    out = (0, 0)
    return (
        [b if ok else out for b, ok in zip(before, whole, strict=True)],
        [a if ok else out for a, ok in zip(after, whole, strict=True)],
    )


def _passed(pairs: Sequence[Pair]) -> tuple[int, int]:
    wanted: Outcome = "pass"
    return sum(p.base.outcome == wanted for p in pairs), sum(p.new.outcome == wanted for p in pairs)


def _tags(pairs: Sequence[Pair]) -> dict[str, TagLine]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        for tag in pair.tags:
            groups.setdefault(tag, []).append(pair)
    lines = {}
    for tag, group in sorted(groups.items()):
        changes = [pair.difference for pair in group if pair.difference is not None]
        lines[tag] = TagLine(len(group), _passed(group), on_cases_like_these(*counts(group)), sign_test(changes))
    corrected = holm({tag: line.test.p for tag, line in lines.items()})
    return {
        tag: TagLine(line.cases, line.passed, line.difference, line.test, corrected[tag]) for tag, line in lines.items()
    }


def _notices(base: Side, new: Side, pairs: Sequence[Pair], allowed: Sequence[Difference]) -> Iterable[str]:
    same_variant = base.prints.variant == new.prints.variant
    if base.run == new.run and base.run and base.from_file == new.from_file:
        yield f"both sides are the run {new.run}"
    elif same_variant:
        yield "the variant is the same on both sides: a difference is noise, or comes from what is named here"
    if allowed and not same_variant:
        kinds = ", ".join(dict.fromkeys(d.kind for d in allowed))
        yield f"changed together with the variant: {kinds}. Which of them did it cannot be told; change one at a time"
    if base.suite != new.suite:
        yield f"the suites differ: {base.suite} and {new.suite}"
    if base.version != new.version and base.version and new.version:
        yield f"made by different versions of judgekit: {base.version} and {new.version}"
    dropped = [pair.id for pair in pairs if pair.base.must_pass and not pair.new.must_pass]
    if dropped:
        yield f"no longer must-pass: {', '.join(dropped)}"
    untagged = [pair.id for pair in pairs if "regression" in pair.base.tags and "regression" not in pair.new.tags]
    if untagged:
        yield f"no longer tagged regression: {', '.join(untagged)}; the gate counts the tags of both sides"


def _ids(side: Side) -> str:
    ids = [case.id for case in side.cases]
    return ", ".join(ids[:3]) + (", ..." if len(ids) > 3 else "") if ids else "no case"
