"""Agreement as one JSON document: the shape that `agreement --json` prints and that others rely on."""

from __future__ import annotations

import msgspec

from judgekit.report.agreement.meaning import sentence, warnings
from judgekit.report.agreement.value import Agreement, Group, People, flipped
from judgekit.report.summary import estimate_json
from judgekit.stats.rates import WithError
from judgekit.types import Estimate, Json


def agreement_document(a: Agreement) -> dict[str, Json]:
    """The whole agreement for a program: no NaN; an undefined number is null with the reason."""
    return {
        "meaning": sentence(a),
        "warnings": list(warnings(a)),
        "notices": list(a.notices),
        "source": a.source,
        "human": list(a.human),
        "judge": a.judge,
        "rows": a.rows,
        "n": a.n,
        "cases": a.cases,
        "missing": a.rows - a.n,
        "missing_by": {
            "human": a.missing.human,
            "judge": a.missing.judge,
            "disputed": a.missing.disputed,
            "strays": a.missing.strays,
        },
        "labels": list(a.labels),
        "table": [list(row) for row in a.table],
        "no_verdict": list(a.no_verdict),
        "agreement": stat(a.agreement),
        "chance_agreement": a.chance_agreement,
        "kappa": stat(a.kappa),
        "kappa_asymptotic": stat(a.kappa_asymptotic),
        "kappa_weighted": {**stat(a.kappa_weighted), "weights": a.weights},
        "kappa_all_labels": stat(a.kappa_all_labels),
        "kappa_worst_case": stat(a.kappa_worst_case),
        "ac1": stat(a.ac1),
        "alpha": stat(a.alpha),
        "alpha_ordinal": stat(a.alpha_ordinal),
        "alpha_interval": stat(a.alpha_interval),
        "mcc": stat(a.mcc),
        "sensitivity": stat(a.sensitivity),
        "specificity": stat(a.specificity),
        "missed_fails": stat(flipped(a.specificity)),
        "false_alarms": stat(flipped(a.sensitivity)),
        "recalls": {label: stat(e) for label, e in a.recalls.items()},
        "predictive_values": {label: stat(e) for label, e in a.predictive.items()},
        "coverage": stat(a.coverage),
        "prevalence": _prevalence(a),
        "by": {name: _group(group) for name, group in a.by.items()},
        "annotators": {name: _group(group) for name, group in a.annotators.items()},
        "people": _people(a.people) if a.people else None,
    }


def stat(estimate: Estimate) -> dict[str, Json]:
    """One statistic: value, low, high, n, missing, method; `se` where the method has one; or null and why."""
    document = estimate_json(estimate)
    if isinstance(estimate, WithError) and estimate.value is not None:
        document["se"] = estimate.se
    return document


def _prevalence(a: Agreement) -> Json:
    return msgspec.to_builtins(a.prevalence) if a.prevalence else None


def _group(group: Group) -> dict[str, Json]:
    return {
        name: stat(value) if isinstance(value, Estimate) else value
        for name, value in ((field, getattr(group, field)) for field in group.__struct_fields__)
    }


def _people(people: People) -> dict[str, Json]:
    test = people.alternative
    return {
        "pairs": {name: stat(e) for name, e in people.pairs.items()},
        "fleiss": stat(people.fleiss),
        "alpha": stat(people.alpha),
        "ceiling": {
            "judge": stat(people.ceiling.judge),
            "people": stat(people.ceiling.people),
            "difference": stat(people.ceiling.difference),
            "left_out": list(people.ceiling.left_out),
        },
        "alternative_annotator_test": {
            "advantage": stat(test.advantage),
            "winning_rate": test.winning_rate,
            "epsilon": test.epsilon,
            "p": test.p,
        },
    }
