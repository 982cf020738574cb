"""A run as one JSON document: the shape that `run --json` prints and that others rely on."""

from __future__ import annotations

import msgspec

from judgekit.report.passrates import pass_rates, rates_document
from judgekit.report.summary import Summary, estimate_json
from judgekit.types import Decision, Grade, Json, TrialResult


def run_document(summary: Summary, decision: Decision) -> dict[str, Json]:
    """The whole of a run for a program: no NaN, undefined numbers are null with the reason."""
    info = summary.info
    return {
        "run": info.run,
        "folder": info.folder,
        "suite": info.suite,
        "variant": info.variant,
        "trials": info.trials,
        "selected": info.selected,
        "cases": summary.cases,
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "missing": summary.missing,
        "units": {"planned": summary.units, "graded": summary.graded, **summary.trials},
        "verdicts": summary.verdicts,
        "pass_rate": estimate_json(summary.pass_rate),
        "corrected_pass_rate": corrected_document(summary),
        "by_tag": {tag: estimate_json(e) for tag, e in summary.by_tag.items()},
        "trial_rates": rates_document(pass_rates(summary)),
        "graders": {
            g.name: {
                "kind": g.kind,
                "gating": g.gating,
                "advisory": g.advisory or None,
                "counts": g.counts,
                "share_of_pass": estimate_json(g.rate),
                **_standing(summary, g.name),
            }
            for g in summary.graders
        },
        "decision": decision.outcome,
        "reasons": list(decision.reasons),
        "warnings": list(decision.warnings),
        "not_evaluated": list(decision.not_evaluated),
        "notices": list(info.notices),
        "causes": [msgspec.to_builtins(c) for c in summary.causes],
        "judges": list(info.judges),
        "cost": info.cost_usd,
        "calls": {"sent": info.calls_sent, "cached": info.calls_cached},
        "interrupted": info.interrupted,
        "results": [result_document(r) for r in summary.results],
    }


def corrected_document(summary: Summary) -> dict[str, Json]:
    """The run's pass rate with the judge's errors taken out, over outputs; null with the reason."""
    found = summary.trust.corrected
    if found is None:
        return {"value": None, "undefined": "no judge with a certificate decides in this run"}
    return {**estimate_json(found.rate), "assumes": found.assumes or None}


def _standing(summary: Summary, name: str) -> dict[str, Json]:
    """What there is to say of a judge's certificate; nothing for a code check."""
    found = next((s for s in summary.trust.standings if s.name == name), None)
    if found is None:
        return {}
    return {
        "certificate": found.file or None,
        "why_advisory": found.why or None,
        "fix": found.fix or None,
        "corrected": {**estimate_json(found.corrected), "assumes": found.assumes or None} if found.corrected else None,
    }


def result_document(result: TrialResult) -> dict[str, Json]:
    """One output's grades."""
    return {
        "id": result.case,
        "trial": result.trial,
        "outcome": result.outcome,
        "why": result.why,
        "grades": [grade_document(g) for g in result.grades],
    }


def grade_document(grade: Grade) -> dict[str, Json]:
    """One grade: a verdict with its reason, or an error and no verdict."""
    fault = grade.fault
    return {
        "grader": grade.grader,
        "dimension": grade.dimension or None,
        "verdict": grade.verdict,
        "level": grade.level,
        "error": {"kind": fault.kind, "code": fault.code, "why": fault.why} if fault else None,
        "reason": grade.reason,
        "gating": grade.gating,
        "advisory": grade.advisory or None,
        "votes": [msgspec.to_builtins(v) for v in grade.votes],
    }
