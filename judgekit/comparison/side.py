"""One side of a comparison: per-case counts of a run or of a baseline file, and what they were made with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from judgekit.comparison.corrected import People
from judgekit.comparison.prints import Prints
from judgekit.report.summary import KINDS, CaseLine, CaseMark, Summary
from judgekit.stats.counts import case_rate
from judgekit.types import Frozen, Json, Outcome, Output, RunInfo, Severity, TrialResult


class CaseSide(Frozen, frozen=True):
    """One case on one side: counts of trials, and what it was.

    pass_when     the rule that made `outcome` out of the counts
    fingerprint   as `judgekit.comparison.prints.case_print`
    rubrics       ids of the rubrics that judged it
    """

    id: str
    passed: int
    failed: int
    undecided: int
    outcome: Outcome
    pass_when: Json = "all"
    tags: tuple[str, ...] = ()
    must_pass: bool = False
    severity: Severity | None = None
    fingerprint: str = ""
    rubrics: tuple[str, ...] = ()
    why: str = ""

    @property
    def trials(self) -> int:
        """How often it was tried."""
        return self.passed + self.failed + self.undecided

    @property
    def decided(self) -> int:
        """Trials that passed or failed."""
        return self.passed + self.failed


@dataclass(frozen=True)
class Side:
    """A run, or a baseline file.

    name      as it is called in every text: the variant, or the file
    deciding  names of the judges whose verdicts decide: the others are advisory
    version   of judgekit, when it was made
    results, outputs   to show evidence with; empty for a file, which holds counts only
    people    what labels say of the outputs; None = they were not read
    """

    name: str
    suite: str
    variant: str
    run: str
    trials: int
    prints: Prints
    deciding: tuple[str, ...]
    cases: tuple[CaseSide, ...]
    version: str = ""
    from_file: bool = False
    results: Sequence[TrialResult] = ()
    outputs: Mapping[tuple[str, int], Output] = field(default_factory=dict)
    people: People | None = None

    @property
    def by_id(self) -> dict[str, CaseSide]:
        """The cases by id, in their order."""
        return {case.id: case for case in self.cases}

    @cached_property
    def trials_of(self) -> dict[str, list[TrialResult]]:
        """The results of each case."""
        found: dict[str, list[TrialResult]] = {}
        for result in self.results:
            found.setdefault(result.case, []).append(result)
        return found


class Marked(Protocol):
    """What a side needs of a run's manifest."""

    @property
    def cases(self) -> tuple[CaseMark, ...]:
        """What each case is."""

    @property
    def prints(self) -> Prints:
        """What the run was made with."""

    @property
    def versions(self) -> dict[str, str]:
        """Of judgekit, among others."""


def side_of_run(
    summary: Summary,
    manifest: Marked,
    *,
    name: str = "",
    outputs: Mapping[tuple[str, int], Output] | None = None,
    people: People | None = None,
) -> Side:
    """A run as a side. `outputs` lets a regression be shown with the text that failed, `people` corrects its rate."""
    marks = {mark.id: mark for mark in manifest.cases}
    info = summary.info
    return Side(
        name=name or info.variant,
        suite=info.suite,
        variant=info.variant,
        run=info.run,
        trials=info.trials,
        prints=manifest.prints,
        deciding=tuple(g.name for g in summary.graders if g.kind == "judge" and g.gating),
        cases=tuple(_case(line, marks[line.case], info.pass_when) for line in summary.lines),
        version=manifest.versions.get("judgekit", ""),
        results=summary.results,
        outputs=outputs or {},
        people=people,
    )


def _case(line: CaseLine, mark: CaseMark, pass_when: Json) -> CaseSide:
    return CaseSide(
        id=line.case,
        passed=line.passed,
        failed=line.failed,
        undecided=line.undecided,
        outcome=line.outcome,
        pass_when=mark.pass_when or pass_when,
        tags=line.tags,
        must_pass=line.must_pass,
        severity=line.severity,
        fingerprint=mark.fingerprint,
        rubrics=mark.rubrics,
        why=line.why,
    )


def summary_of_file(side: Side) -> Summary:
    """The summary of a baseline file: its counts, and no verdicts, as it holds none."""
    lines = tuple(
        CaseLine(
            case=case.id,
            outcome=case.outcome,
            passed=case.passed,
            failed=case.failed,
            undecided=case.undecided,
            must_pass=case.must_pass,
            tags=case.tags,
            severity=case.severity,
        )
        for case in side.cases
    )
    counts = Counter(line.outcome for line in lines)
    units = sum(case.trials for case in side.cases)
    return Summary(
        info=RunInfo(run=side.run, suite=side.suite, variant=side.variant, trials=side.trials),
        cases=len(lines),
        passed=counts["pass"],
        failed=counts["fail"],
        undecided=counts["undecided"],
        missing=0,
        pass_rate=case_rate(counts["pass"], counts["pass"] + counts["fail"], missing=counts["undecided"]),
        units=units,
        graded=units,
        trials={
            "pass": sum(line.passed for line in lines),
            "fail": sum(line.failed for line in lines),
            "undecided": sum(line.undecided for line in lines),
        },
        verdicts=dict.fromkeys(KINDS, 0),
        lines=lines,
        graders=(),
        causes=(),
        results=(),
    )
