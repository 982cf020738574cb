"""A comparison as one JSON document: the shape that `compare --json` prints and that others rely on."""

from __future__ import annotations

from judgekit.comparison.evidence import Evidence, Reasoning, Said
from judgekit.comparison.pairs import Comparison, Pair, TagLine
from judgekit.comparison.side import Side
from judgekit.report.summary import estimate_json
from judgekit.stats.paired import ExactTest
from judgekit.types import Decision, Json


def comparison_document(comparison: Comparison, decision: Decision) -> dict[str, Json]:
    """The whole of a comparison for a program: no NaN, undefined numbers are null with the reason."""
    c = comparison
    return {
        "base": _side(c.base),
        "new": _side(c.new),
        "cases": len(c.pairs),
        "only_in_base": [case.id for case in c.only_in_base],
        "only_in_new": [case.id for case in c.only_in_new],
        "passed": list(c.passed),
        "regressions": [_pair(p) for p in c.changed("regression")],
        "fixed": [_pair(p) for p in c.changed("fixed")],
        "better": [_pair(p) for p in c.changed("better")],
        "unclear": [_pair(p) for p in c.changed("unclear")],
        "same": len(c.changed("same")),
        "difference": {
            **estimate_json(c.on_like),
            "on_these_cases": estimate_json(c.on_these),
            "on_cases_like_these": estimate_json(c.on_like),
            "t": {**estimate_json(c.t), "se": c.t.se},
            "minimum_detectable": c.detectable,
        },
        "corrected_difference": {**estimate_json(c.corrected.rate), "assumes": c.corrected.assumes or None},
        "sign_test": _test(c.sign),
        "by_tag": {tag: _tag(line) for tag, line in c.by_tag.items()},
        "allowed": [{"kind": d.kind, "what": d.what} for d in c.allowed],
        "notices": list(c.notices),
        "decision": decision.outcome,
        "reasons": list(decision.reasons),
        "warnings": list(decision.warnings),
        "not_evaluated": list(decision.not_evaluated),
    }


def _side(side: Side) -> dict[str, Json]:
    return {
        "name": side.name,
        "kind": "baseline" if side.from_file else "run",
        "suite": side.suite,
        "variant": side.variant,
        "run": side.run,
        "trials": side.trials,
        "cases": len(side.cases),
        "judge": side.prints.judged_by or None,
    }


def _pair(pair: Pair) -> dict[str, Json]:
    base, new = pair.base, pair.new
    return {
        "id": pair.id,
        "before": base.passed,
        "after": new.passed,
        "trials": [base.trials, new.trials],
        "undecided": [base.undecided, new.undecided],
        "outcome": [base.outcome, new.outcome],
        "must_pass": pair.must_pass,
        "severity": new.severity,
        "tags": list(new.tags),
        "reason": pair.reason,
        "evidence": _evidence(pair.evidence),
    }


def _evidence(evidence: Evidence | None) -> Json:
    if evidence is None:
        return None
    return {
        "trial": evidence.trial,
        "outcome": evidence.outcome,
        "why": evidence.why,
        "output": evidence.output,
        "judges": [_reasoning(r) for r in evidence.reasonings],
    }


def _reasoning(reasoning: Reasoning) -> dict[str, Json]:
    return {
        "grader": reasoning.grader,
        "gating": reasoning.deciding,
        "before": _said(reasoning.before),
        "after": _said(reasoning.after),
    }


def _said(said: Said | None) -> Json:
    return None if said is None else {"trial": said.trial, "verdict": said.verdict, "reason": said.reason}


def _test(test: ExactTest) -> dict[str, Json]:
    p = {"p": test.p} if test.p is not None else {"p": None, "undefined": test.undefined}
    return {**p, "up": test.ups, "down": test.downs, "same": test.same}


def _tag(line: TagLine) -> dict[str, Json]:
    return {
        "cases": line.cases,
        "passed": list(line.passed),
        "difference": estimate_json(line.difference),
        "sign_test": {**_test(line.test), "p_holm": line.p_holm},
    }
