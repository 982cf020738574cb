"""A probing as one JSON document: the shape that `probe --json` prints."""

from __future__ import annotations

import msgspec

from judgekit.probes.finding import Finding
from judgekit.report.probe import ProbeReport
from judgekit.report.summary import estimate_json
from judgekit.types import Json


def probe_document(report: ProbeReport) -> dict[str, Json]:
    """The whole of a probing for a program: no NaN, undefined numbers are null with the reason."""
    return {
        "suite": report.suite,
        "variant": report.variant,
        "judges": list(report.judges),
        "cases": report.cases,
        "trials": report.trials,
        "selected": report.selected,
        "flagged": [_name(one) for one in report.findings if one.result == "flagged"],
        "findings": [_finding(one) for one in report.findings],
        "attacks": {name: msgspec.to_builtins(own) for name, own in report.battery.attacks.items()},
        "missing_outputs": report.missing_outputs,
        "missing": [msgspec.to_builtins(one) for one in report.missing],
        "notices": list(report.notices),
        "calls": {"sent": report.calls_sent, "cached": report.calls_cached},
        "cost": report.cost_usd,
        "stopped": report.stopped or None,
        "exit_code": report.exit_code,
    }


def _name(one: Finding) -> dict[str, Json]:
    return {"probe": one.probe, "dimension": one.dimension, "kind": one.kind or None}


def _finding(one: Finding) -> dict[str, Json]:
    return {
        **_name(one),
        "result": one.result,
        "effect": estimate_json(one.effect),
        "band": list(one.band),
        "p": one.p,
        "p_adjusted": one.adjusted,
        "outputs": one.outputs,
        "counts": one.counts,
        "skipped": one.skipped,
        "moved": list(one.moved),
        "why": one.why or None,
    }
