"""What a calibration found as one JSON document. Nothing of the test split but the decision."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.calibration.found import Calibrated, Found
from judgekit.calibration.measure import LABELS, Measured, Seen
from judgekit.calibration.rejudged import Rejudged
from judgekit.calibration.standing import Standing
from judgekit.report.preference.calibration import pairs_measured_document, pairs_seen_document
from judgekit.report.summary import estimate_json
from judgekit.types import Estimate, Json


def calibrated_document(result: Calibrated) -> dict[str, Json]:
    """The whole as JSON; a number that may not be shown is not in it."""
    return {
        "labels": result.labels,
        "split": "test" if result.attempt or result.result else "dev",
        "attempt": result.attempt or None,
        "attempts_left": result.left,
        "level": result.level or None,
        "spent": result.spent,
        "all_labels": result.every_label,
        "decision": result.result,
        "dimensions": {found.name: _found_document(found) for found in result.found},
        "notices": list(result.notices),
        "calls": {"sent": result.calls_sent, "cached": result.calls_cached},
        "cost": result.cost_usd,
    }


def _found_document(found: Found) -> dict[str, Json]:
    ruling = found.ruling
    document: dict[str, Json] = {
        "judge": found.judge,
        "labelled": found.labels,
        "decision": ruling.result
        if ruling
        else "certified"
        if found.held
        else "inconclusive"
        if found.too_few
        else None,
        "reasons": list(ruling.reasons if ruling else found.too_few),
        "chance_with_more": {str(n): chance for n, chance in sorted(found.more.items())} or None,
        "certificate": found.file or found.held or None,
        "fingerprint": found.certificate.fingerprint if found.certificate else None,
    }
    if found.measured is not None:
        document |= measured_document(found.measured)
    if found.pairs is not None:
        document |= pairs_measured_document(found.pairs)
    if found.pairs_seen:
        document["disagreements"] = pairs_seen_document(found.pairs_seen)
    if found.seen:
        document["disagreements"] = [_seen_document(one) for one in found.disagreements]
    return document


def measured_document(m: Measured) -> dict[str, Json]:
    """Every number of a measurement, under the names that `agreement --json` uses where it has them."""
    ceiling = m.ceiling
    numbers: dict[str, Estimate] = {
        "agreement": m.agreement,
        "kappa": m.kappa,
        "kappa_asymptotic": m.kappa_asymptotic,
        "kappa_all_labels": m.kappa_all_labels,
        "kappa_worst_case": m.kappa_worst_case,
        "ac1": m.ac1,
        "pass_recall": m.pass_recall,
        "fail_recall": m.fail_recall,
        "pass_precision": m.pass_precision,
        "fail_precision": m.fail_precision,
    }
    return {
        "n": m.n,
        "cases": m.cases,
        "judged": m.judged,
        "missing": m.missing,
        "disputed": m.disputed,
        "human": m.human,
        "labels": list(LABELS),
        "table": [list(row) for row in m.table],
        "chosen_by_verdict": m.chosen,
        "coverage": m.coverage,
        "bar": m.bar,
        "chance_below_bar": m.below,
        **{name: estimate_json(value) for name, value in numbers.items()},
        "ceiling": {
            "judge": estimate_json(ceiling.judge),
            "people": estimate_json(ceiling.people),
            "difference": estimate_json(ceiling.difference),
        },
        "pass_rates": {"low": m.range.low, "high": m.range.high, "at": m.range.at},
    }


def _seen_document(one: Seen) -> dict[str, Json]:
    return {
        "id": one.item.case,
        "variant": one.item.variant,
        "trial": one.item.trial,
        "human": one.item.label,
        "labels": dict(one.item.labels),
        "judge": one.verdict,
        "error": one.fault.code if one.fault else None,
        "reason": one.reason,
    }


def checked_document(checked: Sequence[Rejudged]) -> dict[str, Json]:
    """The same as JSON."""
    return {
        one.name: {
            "n": one.n,
            "missing": one.missing,
            "same": estimate_json(one.same),
            "up": one.ups,
            "down": one.downs,
            "p": one.p,
            "models": {"certified": list(one.models_then), "now": list(one.models_now)},
            "warnings": list(one.warnings),
            "certificate": one.file,
        }
        for one in checked
    }


def standings_document(standings: Sequence[Standing]) -> dict[str, Json]:
    """Which judges may decide, as JSON."""
    return {
        one.name: {
            "gating": one.gating,
            "advisory": one.advisory or None,
            "why": one.why or None,
            "fix": one.fix or None,
            "certificate": one.file or None,
            "fingerprint": one.fingerprint,
        }
        for one in standings
    }
