"""What the results of a run add up to: counts that are kept apart, and rates that carry their n and interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from judgekit.calibration.enforce import Settled
from judgekit.graders.outcome import case_outcome, rubric_total
from judgekit.rubric import Rubric, Total
from judgekit.stats.counts import case_rate
from judgekit.types import Estimate, Fault, Frozen, Grade, Json, Outcome, RunInfo, Severity, TrialResult

NO_VERDICT = ("unreadable", "refused", "failed", "not_applicable")
KINDS = ("PASS", "FAIL", "UNKNOWN", *NO_VERDICT)


class CaseMark(Frozen, frozen=True):
    """What a report needs to know of a case: kept in the manifest, so that a run explains itself.

    fingerprint   short hashes of what the case asks, checks and allows; "" when nobody compares
    rubrics       ids of the rubrics that judge it
    file, line    where it stands, as seen from the suite's folder; "" and 0 when it came from memory
    graders       how many grades an output of it gets: with fewer, its grading was interrupted
    """

    id: str
    tags: tuple[str, ...] = ()
    must_pass: bool = False
    severity: Severity | None = None
    pass_when: Json = None
    fingerprint: str = ""
    rubrics: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    graders: int = 0


class CaseLine(Frozen, frozen=True):
    """One case over its trials.

    passed, failed, undecided   counts of trials
    why                         the reason of the first trial that did not pass
    """

    case: str
    outcome: Outcome
    passed: int
    failed: int
    undecided: int
    must_pass: bool = False
    tags: tuple[str, ...] = ()
    severity: Severity | None = None
    why: str = ""


class GraderLine(Frozen, frozen=True):
    """One grader over all outputs.

    counts     grades by `KINDS`: the verdicts, then the reasons for having none
    rate       share of PASS among PASS and FAIL, averaged over cases; `missing` counts cases with neither
    """

    name: str
    kind: str
    gating: bool
    advisory: str
    counts: dict[str, int]
    rate: Estimate


class Cause(Frozen, frozen=True):
    """One reason for having no verdict, how often, and what the first one said."""

    kind: str
    code: str
    n: int
    first: str


class Summary(Frozen, frozen=True):
    """A run's results. `cases` = passed + failed + undecided; `missing` counts grades without a verdict.

    units        outputs that were to be graded; `graded` is how many were
    pass_rate    over cases that were decided; the undecided ones are its `missing`
    trust        which judges decide, why the others do not, and the pass rate corrected for the judges' errors
    texts        case -> trial -> hash of its output, in a run of several trials: equal ones were judged twice
    """

    info: RunInfo
    cases: int
    passed: int
    failed: int
    undecided: int
    missing: int
    pass_rate: Estimate
    units: int
    graded: int
    trials: dict[str, int]
    verdicts: dict[str, int]
    lines: tuple[CaseLine, ...]
    graders: tuple[GraderLine, ...]
    causes: tuple[Cause, ...]
    results: tuple[TrialResult, ...]
    by_tag: dict[str, Estimate] = {}
    trust: Settled = Settled()
    texts: dict[str, dict[int, str]] = {}


def summarize(
    info: RunInfo,
    marks: Sequence[CaseMark],
    results: Sequence[TrialResult],
    *,
    units: int,
    totals: Mapping[str, Rubric] | None = None,
    trust: Settled | None = None,
    texts: Mapping[tuple[str, int], str] | None = None,
) -> Summary:
    """Count results. A case that was never reached counts as undecided, never as anything else.

    totals   rubrics that pass by a total of levels: each gets a line of its own among the graders
    """
    by_case: dict[str, list[TrialResult]] = {mark.id: [] for mark in marks}
    for result in results:
        by_case[result.case].append(result)
    lines = tuple(_line(mark, by_case[mark.id], info) for mark in marks)
    outcomes = Counter(line.outcome for line in lines)
    grades = [g for r in results for g in r.grades]
    verdicts = Counter(map(_kind, grades))
    return Summary(
        info=info,
        cases=len(lines),
        passed=outcomes["pass"],
        failed=outcomes["fail"],
        undecided=outcomes["undecided"],
        missing=sum(verdicts[k] for k in NO_VERDICT),
        pass_rate=_rate(lines),
        units=units,
        graded=len(results),
        trials={name: sum(r.outcome == name for r in results) for name in ("pass", "fail", "undecided")},
        verdicts={k: verdicts[k] for k in KINDS},
        lines=lines,
        graders=(*_graders(grades), *_totals(results, totals or {})),
        causes=_causes(results),
        results=tuple(results),
        by_tag={tag: _rate([x for x in lines if tag in x.tags]) for tag in _tags(lines)},
        trust=trust or Settled(),
        texts=_by_trial(texts or {}),
    )


def _by_trial(texts: Mapping[tuple[str, int], str]) -> dict[str, dict[int, str]]:
    """The same by case, then trial: a summary goes through JSON, whose keys are no pairs."""
    found: dict[str, dict[int, str]] = {}
    for (case, trial), text in texts.items():
        found.setdefault(case, {})[trial] = text
    return found


def _rate(lines: Sequence[CaseLine]) -> Estimate:
    passed = sum(line.outcome == "pass" for line in lines)
    undecided = sum(line.outcome == "undecided" for line in lines)
    return case_rate(passed, len(lines) - undecided, missing=undecided)


def _tags(lines: Iterable[CaseLine]) -> list[str]:
    return sorted({tag for line in lines for tag in line.tags})


def _line(mark: CaseMark, results: Sequence[TrialResult], info: RunInfo) -> CaseLine:
    outcomes: list[Outcome] = [r.outcome for r in results]
    outcomes += ["undecided"] * (info.trials - len(outcomes))
    why = next((r.why for r in results if r.outcome == "fail"), None)
    if why is None:
        why = next((r.why for r in results if r.outcome == "undecided"), "" if results else "not reached")
    return CaseLine(
        case=mark.id,
        outcome=case_outcome(outcomes, mark.pass_when or info.pass_when),
        passed=outcomes.count("pass"),
        failed=outcomes.count("fail"),
        undecided=outcomes.count("undecided"),
        must_pass=mark.must_pass,
        tags=mark.tags,
        severity=mark.severity,
        why=why,
    )


def _kind(grade: Grade) -> str:
    return grade.verdict or _fault(grade).kind


def _fault(grade: Grade) -> Fault:
    assert grade.fault is not None
    return grade.fault


def _graders(grades: Iterable[Grade]) -> tuple[GraderLine, ...]:
    groups: dict[str, list[Grade]] = {}
    for grade in grades:
        groups.setdefault(grade.name, []).append(grade)
    return tuple(_grader(name, group) for name, group in groups.items())


def _grader(name: str, grades: Sequence[Grade]) -> GraderLine:
    counts = Counter(map(_kind, grades))
    return GraderLine(
        name=name,
        kind=grades[0].kind,
        gating=all(g.gating for g in grades),
        advisory=grades[0].advisory,
        counts={k: counts[k] for k in KINDS},
        rate=share_of_pass(grades),
    )


def _totals(results: Sequence[TrialResult], totals: Mapping[str, Rubric]) -> Iterable[GraderLine]:
    """One line for each rubric with a pass rule over its total. A gap that could decide counts as what it is."""
    for name, rubric in totals.items():
        assert isinstance(rubric.pass_when, Total)
        counts: Counter[str] = Counter()
        decided: dict[str, list[float]] = {}
        gating, advisory = True, ""
        for result in results:
            own = [g for g in result.grades if g.kind == "judge" and g.grader == name]
            if not own:
                continue
            outcome, _ = rubric_total(own, rubric.pass_when, rubric.dimensions)
            gap = next((g.fault.kind for g in own if g.fault is not None), "UNKNOWN")
            counts[{"pass": "PASS", "fail": "FAIL", "undecided": gap}[outcome]] += 1
            values = decided.setdefault(result.case, [])
            if outcome != "undecided":
                values.append(float(outcome == "pass"))
            gating = gating and all(g.gating for g in own)
            advisory = advisory or next((g.advisory for g in own if g.advisory), "")
        if counts:
            yield GraderLine(
                name=f"{name} (total)",
                kind="judge",
                gating=gating,
                advisory=advisory,
                counts={k: counts[k] for k in KINDS},
                rate=_mean_share(decided),
            )


def share_of_pass(grades: Iterable[Grade]) -> Estimate:
    """Share of PASS among PASS and FAIL within each case, averaged over cases, with the case posterior."""
    decided: dict[str, list[float]] = {}
    for grade in grades:
        values = decided.setdefault(grade.case, [])
        if grade.verdict in ("PASS", "FAIL"):
            values.append(float(grade.verdict == "PASS"))
    return _mean_share(decided)


def _mean_share(by_case: Mapping[str, Sequence[float]]) -> Estimate:
    shares = [sum(v) / len(v) for v in by_case.values() if v]
    missing = len(by_case) - len(shares)
    if all(share in (0, 1) for share in shares):
        return case_rate(int(sum(shares)), len(shares), missing=missing)
    from judgekit.stats.rates import case_mean  # needs draws, and so numpy

    return case_mean(shares, missing=missing)


def _causes(results: Sequence[TrialResult]) -> tuple[Cause, ...]:
    """Why verdicts are missing, most frequent first, each with the words of its first occurrence."""
    first: dict[tuple[str, str], str] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for result in results:
        for grade in result.grades:
            if grade.fault is not None:
                key = (grade.fault.kind, grade.fault.code)
                counts[key] += 1
                first.setdefault(key, f"{grade.case}, trial {grade.trial}, {grade.name}: {grade.fault.why}")
    return tuple(Cause(kind, code, n, first[kind, code]) for (kind, code), n in counts.most_common())


def estimate_json(estimate: Estimate) -> dict[str, Json]:
    """An estimate as JSON: value, low, high, n, method; or null with the reason. Never NaN."""
    if estimate.value is None:
        return {"value": None, "undefined": estimate.undefined, "n": estimate.n, "missing": estimate.missing}
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "missing": estimate.missing,
        "method": estimate.method,
    }
