"""Pass rates over trials: of each case, of the suite and its parts; the noise of the feature apart from the judge's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations

from judgekit.report.summary import CaseLine, Summary, estimate_json
from judgekit.stats.counts import wilson
from judgekit.stats.rates import (
    WithError,
    case_mean,
    clustered_rate,
    pass_at_k,
    pass_hat_k,
    suite_pass_at_k,
    suite_pass_hat_k,
    suite_rate,
)
from judgekit.types import SEVERITIES, Estimate, Frozen, Grade, Json

FEW_TRIALS = 5
STEPS = (1, 2, 3, 5, 10, 20, 50, 100)
Readings = dict[str, list[float]]


class CaseRates(Frozen, frozen=True):
    """One case over its trials: planned = passed + failed + undecided + missing.

    decided     passed + failed
    undecided   graded, but by nothing that decides: UNKNOWN, no verdict, advisory judges only
    missing     planned, and never graded: the run was stopped
    share       of passes among the decided trials, Wilson
    at, hat     k -> pass@k, pass^k; undefined with the reason where fewer than k trials were decided
    """

    case: str
    passed: int
    decided: int
    undecided: int
    missing: int
    share: Estimate
    at: dict[int, Estimate]
    hat: dict[int, Estimate]


class GroupRates(Frozen, frozen=True):
    """Some cases over their trials.

    mean        of the cases' shares of passes, with the case posterior: every case counts once
    clustered   share of all decided trials with the standard error clustered by case, for comparison with other tools
    """

    cases: int
    passed: int
    decided: int
    undecided: int
    mean: Estimate
    clustered: WithError


class Noise(Frozen, frozen=True):
    """How often two looks at the same thing differ, as chances in [0, 1], averaged over cases.

    between_trials   two trials of one case get different verdicts: the feature's noise, with the judge's in it
    between_looks    two votes of one judge on one output differ, or its verdicts on two trials with the same text:
                     the judge's noise alone
    """

    between_trials: Estimate
    between_looks: Estimate


class PassRates(Frozen, frozen=True):
    """A run's pass rates. `noise` holds the outcome under "", then each judge by name."""

    trials: int
    whole: GroupRates
    at: dict[int, Estimate]
    hat: dict[int, Estimate]
    cases: tuple[CaseRates, ...]
    by_tag: dict[str, GroupRates]
    by_category: dict[str, GroupRates]
    by_severity: dict[str, GroupRates]
    noise: dict[str, Noise]


def pass_rates(summary: Summary) -> PassRates:
    """Every rate over trials of a run."""
    lines = summary.lines
    ks = steps(summary.info.trials)
    pairs = [_pair(line) for line in lines]
    tagged: dict[str, list[CaseLine]] = {}
    graded: dict[str | None, list[CaseLine]] = {}
    for line in lines:
        graded.setdefault(line.severity, []).append(line)
        for tag in line.tags:
            tagged.setdefault(tag, []).append(line)
    by_tag = {tag: _group(group) for tag, group in sorted(tagged.items())}
    return PassRates(
        trials=summary.info.trials,
        whole=_group(lines),
        at={k: suite_pass_at_k(pairs, k) for k in ks},
        hat={k: suite_pass_hat_k(pairs, k) for k in ks},
        cases=_cases(summary, ks),
        by_tag=by_tag,
        by_category={tag.partition(":")[2]: group for tag, group in by_tag.items() if tag.startswith("category:")},
        by_severity={severity: _group(graded[severity]) for severity in SEVERITIES if severity in graded},
        noise=_noise(summary),
    )


def steps(trials: int) -> tuple[int, ...]:
    """The k of pass@k and pass^k that are worth a number: all up to 5, then fewer, and always the last."""
    if trials <= FEW_TRIALS:
        return tuple(range(1, trials + 1))
    return (*(k for k in STEPS if k < trials), trials)


def _pair(line: CaseLine) -> tuple[int, int]:
    return line.passed, line.passed + line.failed


def _group(lines: Sequence[CaseLine]) -> GroupRates:
    pairs = [_pair(line) for line in lines]
    return GroupRates(
        cases=len(lines),
        passed=sum(passed for passed, _ in pairs),
        decided=sum(decided for _, decided in pairs),
        undecided=sum(line.undecided for line in lines),
        mean=suite_rate(pairs),
        clustered=clustered_rate(pairs),
    )


def _cases(summary: Summary, ks: Sequence[int]) -> tuple[CaseRates, ...]:
    @cache  # few pairs of counts are shared by many cases
    def rates(passed: int, decided: int) -> tuple[Estimate, dict[int, Estimate], dict[int, Estimate]]:
        at = {k: pass_at_k(passed, decided, k) for k in ks}
        return wilson(passed, decided), at, {k: pass_hat_k(passed, decided, k) for k in ks}

    graded = Counter(result.case for result in summary.results)
    return tuple(
        CaseRates(
            line.case,
            line.passed,
            line.passed + line.failed,
            line.undecided - (missing := max(0, summary.info.trials - graded[line.case])),
            missing,
            *rates(*_pair(line)),
        )
        for line in summary.lines
    )


# ── noise ────────────────────────────────────────────────────────────────────────────────────────────────


def _noise(summary: Summary) -> dict[str, Noise]:
    none = Estimate(undefined="an outcome is no reading of a judge")
    outcomes = {line.case: _disagree(["pass"] * line.passed + ["fail"] * line.failed) for line in summary.lines}
    found = {"": Noise(_mean(outcomes, "no case has two decided trials"), none)}
    judged: dict[str, list[Grade]] = {}
    for result in summary.results:
        for grade in result.grades:
            if grade.kind == "judge":
                judged.setdefault(grade.name, []).append(grade)
    for name, grades in judged.items():
        trials = _by_case(grades, lambda group: _disagree([g.verdict for g in group if g.verdict]))
        looks = _by_case(grades, lambda group: [*_votes(group), *_repeats(group, summary.texts)])
        why = "no output was read twice by the same judge: ask for it with `votes: 2` or more under `judge:`"
        found[name] = Noise(_mean(trials, "no case has two trials with a verdict"), _mean(looks, why))
    return found


def _by_case(grades: Iterable[Grade], measure: Callable[[list[Grade]], list[float]]) -> Readings:
    groups: dict[str, list[Grade]] = {}
    for grade in grades:
        groups.setdefault(grade.case, []).append(grade)
    return {case: measure(group) for case, group in groups.items()}


def _disagree(verdicts: Sequence[str]) -> list[float]:
    """The share of pairs that differ, as a list of one; empty for fewer than two."""
    n = len(verdicts)
    if n < 2:
        return []
    same = sum(count * (count - 1) for count in Counter(verdicts).values())
    return [1 - same / (n * (n - 1))]


def _votes(grades: Iterable[Grade]) -> list[float]:
    """How the votes of one judge on one output differ, for each judge of each grade with several."""
    found = []
    for grade in grades:
        own: dict[str, list[str]] = {}
        for vote in grade.votes:
            if vote.verdict is not None:
                own.setdefault(vote.judge, []).append(vote.verdict)
        found += [share for verdicts in own.values() for share in _disagree(verdicts)]
    return found


def _repeats(grades: Sequence[Grade], texts: Mapping[str, Mapping[int, str]]) -> list[float]:
    """Pairs of trials with the same text: 1 where the verdicts differ."""
    read = [
        (texts[grade.case][grade.trial], grade.verdict)
        for grade in grades
        if grade.verdict is not None and grade.trial in texts.get(grade.case, {})
    ]
    return [float(one[1] != other[1]) for one, other in combinations(read, 2) if one[0] == other[0]]


def _mean(by_case: Readings, why: str) -> Estimate:
    values = [sum(found) / len(found) for found in by_case.values() if found]
    if not values:
        return Estimate(missing=len(by_case), undefined=why)
    return case_mean(values, missing=len(by_case) - len(values))


# ── as JSON ──────────────────────────────────────────────────────────────────────────────────────────────


def rates_document(rates: PassRates) -> dict[str, Json]:
    """Pass rates for a program; cases one by one only where there are several trials."""
    return {
        "trials": rates.trials,
        **_group_document(rates.whole),
        "pass_at_k": {str(k): estimate_json(e) for k, e in rates.at.items()},
        "pass_hat_k": {str(k): estimate_json(e) for k, e in rates.hat.items()},
        "by_tag": {name: _group_document(group) for name, group in rates.by_tag.items()},
        "by_category": {name: _group_document(group) for name, group in rates.by_category.items()},
        "by_severity": {name: _group_document(group) for name, group in rates.by_severity.items()},
        "noise": {
            name or "outcome": {
                "between_trials": estimate_json(noise.between_trials),
                "between_looks": estimate_json(noise.between_looks),
            }
            for name, noise in rates.noise.items()
        },
        "cases": [_case_document(case) for case in rates.cases] if rates.trials > 1 else None,
    }


def _group_document(group: GroupRates) -> dict[str, Json]:
    return {
        "n": group.cases,
        "passed": group.passed,
        "decided": group.decided,
        "undecided": group.undecided,
        "mean": estimate_json(group.mean),
        "clustered": {**estimate_json(group.clustered), "se": group.clustered.se},
    }


def _case_document(case: CaseRates) -> dict[str, Json]:
    return {
        "id": case.case,
        "passed": case.passed,
        "decided": case.decided,
        "undecided": case.undecided,
        "missing": case.missing,
        "share": estimate_json(case.share),
        "pass_at_k": {str(k): estimate_json(e) for k, e in case.at.items()},
        "pass_hat_k": {str(k): estimate_json(e) for k, e in case.hat.items()},
    }
