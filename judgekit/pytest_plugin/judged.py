"""A graded case as a test sees it, and the words in which a test fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judgekit.report.beside import advisory_grades, beside
from judgekit.report.escapes import visible
from judgekit.report.numbers import plural, short
from judgekit.report.summary import CaseLine
from judgekit.types import Case, Grade, Outcome, Output, TrialResult

SHOWN = 300
"""So many characters of an output are shown when its test fails."""
TRIALS = 5
"""So many trials of a case are told."""


@dataclass(frozen=True)
class Judged:
    """A case with its outputs and everything that graded them.

    results   one a trial, in order; those that were not reached are absent
    place     file and line of the case, e.g. `cases.csv:8`; "" when not known
    stopped   why the run could not go on, "" if it ended by itself
    """

    case: Case
    line: CaseLine
    results: tuple[TrialResult, ...]
    outputs: tuple[Output, ...]
    place: str = ""
    stopped: str = ""

    @property
    def outcome(self) -> Outcome:
        """`pass`, `fail` or `undecided`, over all trials."""
        return self.line.outcome

    @property
    def why(self) -> str:
        """The reason of the first trial that did not pass, "" if all did."""
        return self.line.why

    @property
    def output(self) -> str:
        """The text of the first trial's output, "" if there is none."""
        first = next(iter(self.outputs), None)
        return "" if first is None or first.fault is not None else first.text

    @property
    def grades(self) -> tuple[Grade, ...]:
        """Every grade of every trial."""
        return tuple(grade for result in self.results for grade in result.grades)

    @property
    def only_advisory(self) -> bool:
        """Whether there are grades, and none of them may decide."""
        return bool(self.grades) and not any(grade.gating for grade in self.grades)

    @property
    def advisory(self) -> str:
        """What advisory judges said, when they said anything but PASS."""
        said = beside(self.results)
        return "" if said == "PASS" else said

    @property
    def against(self) -> str:
        """What advisory judges have against this case, with the first reason; "" without a FAIL."""
        found = [grade for grade in advisory_grades(self.results) if grade.verdict == "FAIL"]
        if not found:
            return ""
        reason = f": {short(found[0].reason, 200)}" if found[0].reason else ""
        return visible(f"{self.advisory} ({found[0].advisory or 'uncertified'}){reason}")

    def told(self) -> str:
        """Why this case did not pass: the first trials that did not, each with its reason and output."""
        return visible("\n".join(self._lines()))

    def _lines(self) -> Iterator[str]:
        trials = self.line.passed + self.line.failed + self.line.undecided
        counts = f", {self.line.passed} of {trials} trials passed" if trials > 1 else ""
        where = f"  ({self.place})" if self.place else ""
        yield f"{self.case.id}: {self.outcome}{counts}{where}"
        by_trial = {output.trial: output for output in self.outputs}
        others = [result for result in self.results if result.outcome != "pass"]
        for result in others[:TRIALS]:
            before = f"trial {result.trial}, {result.outcome}: " if trials > 1 else ""
            yield f"  {before}{result.why}"
            output = by_trial.get(result.trial)
            if output is not None and output.fault is None:
                yield f"  output: {short(output.text, SHOWN)}"
        if len(others) > TRIALS:
            yield f"  and {plural(len(others) - TRIALS, 'more trial')}"
        if len(self.results) < trials:
            yield f"  not reached: {trials - len(self.results)} of {trials}"
        if self.stopped:
            yield f"  the run was stopped: {self.stopped}"
        if self.advisory:
            yield f"  advisory, decides nothing: {self.advisory}"
