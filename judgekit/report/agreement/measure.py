"""From two sides of labels to every number of their agreement."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judgekit.errors import InputError, Problem, UsageError
from judgekit.report.agreement.columns import Columns, Understood, few, understand
from judgekit.report.agreement.told import AS_WRITTEN, FAIL, PASS, Told
from judgekit.report.agreement.value import BAR, Agreement, Group, Missing, People
from judgekit.stats import agreement as of_table
from judgekit.stats.agreement import Weights
from judgekit.stats.annotators import alternative_test, ceiling, consensus
from judgekit.stats.chance import ac1, alpha, fleiss, ratings
from judgekit.stats.intervals import share
from judgekit.stats.prevalence import PrevalenceRange, prevalence_range
from judgekit.stats.tables import Table, codes, count, number
from judgekit.types import Estimate

MOST_GROUPS = 200
EPSILON = 0.2
"""How much worse than a person the judge may be in the alternative-annotator test: the value for experts."""

NOT_ASKED = "not asked for (--weights)"
NOT_TOLD = "the labels are not PASS and FAIL: say which are, with --pass and --fail, or --pass-at"
NO_ORDER = "the labels have no order: name them lowest first, with --labels"


@dataclass(frozen=True)
class _Way:
    """What stays the same for the whole file and for each part of it."""

    labels: tuple[str, ...]
    unknown: str
    weights: Weights | None
    values: tuple[float, ...] | None
    pass_fail: bool


def measure(
    columns: Columns, told: Told = AS_WRITTEN, *, weights: Weights | None = None, by_name: str = "", bar: float = BAR
) -> Agreement:
    """Every number of a judge's agreement with people.

    columns   one row per output (or several per case, see `Columns.cases`); of several people the majority counts
    weights   how much a near miss costs; the labels must be numbers or have a declared order
    bar       the kappa for which the range of pass rates is given
    Raises `InputError` for labels that do not fit, `UsageError` for weights without an order or too many groups.
    """
    read = understand(columns, told)
    way = _way(read, told, weights)
    human, disputed = _people(read)
    cases = _cases(columns)
    table = count(human, read.judge, labels=way.labels, cases=cases)
    decided = table.without(way.unknown)
    worst = of_table.worst_case(table, unknown=way.unknown)
    groups = _groups(columns, by_name)
    judged = coverage(human, read.judge, way.unknown, cases)
    part = _group(decided, judged, way)
    recalls = {label: _recall(decided, label) for label in decided.labels}
    return Agreement(
        source=columns.source,
        human=tuple(columns.humans),
        judge=columns.judge_name,
        n=table.n,
        rows=len(read.judge),
        cases=decided.cases,
        by_case=decided.stack is not None,
        missing=Missing(table.left_out, int(table.no_verdict.sum()), read.strays, disputed),
        labels=table.labels,
        unknown=way.unknown,
        table=tuple(tuple(row) for row in table.tally.tolist()),
        no_verdict=tuple(table.no_verdict.tolist()),
        values=way.values,
        weights=weights,
        pass_fail=way.pass_fail,
        agreement=part.agreement,
        chance_agreement=float(decided.human @ decided.judge / decided.counts.sum() ** 2) if decided.n else None,
        kappa=part.kappa,
        kappa_asymptotic=of_table.kappa_asymptotic(decided),
        kappa_weighted=part.kappa_weighted,
        kappa_all_labels=of_table.kappa(table) if way.unknown in table.labels else part.kappa,
        kappa_worst_case=of_table.kappa(worst) if worst.n > decided.n else part.kappa,
        ac1=ac1(decided),
        alpha=alpha(decided),
        alpha_ordinal=_ordered(decided, way, "ordinal"),
        alpha_interval=_ordered(decided, way, "interval"),
        mcc=of_table.matthews(decided),
        sensitivity=part.sensitivity,
        specificity=part.specificity,
        recalls=recalls,
        predictive={label: of_table.predictive_value(decided, label) for label in decided.labels},
        coverage=judged,
        prevalence=_prevalence(decided, way, bar),
        by={name: _part(human, read.judge, rows, cases, way) for name, rows in groups.items()},
        by_name=by_name,
        annotators=_annotators(read, cases, way),
        people=_among_people(read, way) if len(read.humans) > 1 else None,
        notices=(*read.notices, *_order_hint(way, told)),
    )


def coverage(
    human: Sequence[str | None], judge: Sequence[str | None], unknown: str, cases: Sequence[Hashable] | None = None
) -> Estimate:
    """Share of the judged rows with a decided verdict; a row is judged if either side says something about it.

    returns     fractions in [0, 1]; n = judged rows
    undefined   no row was judged
    """
    decides = [j is not None and j != unknown for j in judge]
    judged = [j is not None or h is not None for h, j in zip(human, judge, strict=True)]
    n, what = sum(judged), "no row was judged"
    if cases is None:
        yes = sum(decides)
        return share(np.array([1.0, 0.0]), np.ones(2), np.array([yes, n - yes], dtype=np.float64), what=what, n=n)
    unit = number(cases)
    whole = np.bincount(unit[np.array(judged, dtype=bool)], minlength=1)
    part = np.bincount(unit[np.array(decides, dtype=bool)], minlength=len(whole))
    shapes, times = np.unique(part * (whole.max() + 1) + whole, return_counts=True)
    parts, wholes = np.divmod(shapes, whole.max() + 1)
    columns = [np.asarray(column, dtype=np.float64) for column in (parts, wholes, times)]
    return share(columns[0], columns[1], columns[2], what=what, n=n)


# ── what belongs to the whole file ───────────────────────────────────────────────────────────────────────


def _way(read: Understood, told: Told, weights: Weights | None) -> _Way:
    values = told.values(read.decided)
    if weights is not None and values is None:
        raise UsageError(
            f"--weights needs an order, and the labels {few(set(read.decided))} are not all numbers: "
            "name them with --labels, lowest first"
        )
    pass_fail = set(read.decided) == {PASS, FAIL}
    return _Way(read.labels, read.unknown, weights, values, pass_fail)


def _people(read: Understood) -> tuple[list[str | None], int]:
    if len(read.humans) > 1:
        return consensus(read.humans)
    return next(iter(read.humans.values())), 0


def _cases(columns: Columns) -> Sequence[Hashable] | None:
    if columns.cases is None:
        return None
    if gaps := [at for at, case in enumerate(columns.cases) if case is None or not case.strip()]:
        raise InputError([columns.problem(at, "the case is missing: --case needs one in every row") for at in gaps])
    return [str(case).strip() for case in columns.cases]


def _groups(columns: Columns, by_name: str) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for at, group in enumerate(columns.groups or ()):
        rows.setdefault((group or "").strip() or "(empty)", []).append(at)
    if len(rows) > MOST_GROUPS:
        what = f"--by {by_name}: {len(rows):,} different values; a table of groups has {MOST_GROUPS} at most"
        raise InputError(Problem(columns.source, None, what))
    numeric = all(name.isdigit() for name in rows)
    return dict(sorted(rows.items(), key=lambda item: (int(item[0]), "") if numeric else (0, item[0])))


def _ordered(decided: Table, way: _Way, metric: str) -> Estimate:
    if way.values is None or len(way.values) < 3:
        why = NO_ORDER if way.values is None else "two labels only: the same as nominal alpha"
        return Estimate(n=decided.n, missing=decided.missing, method=f"alpha {metric}", undefined=why)
    return alpha(decided, "ordinal" if metric == "ordinal" else "interval", values=way.values)


def _order_hint(way: _Way, told: Told) -> tuple[str, ...]:
    if way.weights or told.binary or way.values is None or len(way.values) < 3:
        return ()
    return ("the labels have an order, but a near miss counts like a far one here: see --weights quadratic",)


def _prevalence(decided: Table, way: _Way, bar: float) -> PrevalenceRange | None:
    return prevalence_range(decided.keep([PASS, FAIL]), bar) if way.pass_fail and decided.n else None


# ── parts: groups and annotators ─────────────────────────────────────────────────────────────────────────


def _part(
    human: Sequence[str | None],
    judge: Sequence[str | None],
    rows: Sequence[int],
    cases: Sequence[Hashable] | None,
    way: _Way,
) -> Group:
    some_human, some_judge = [human[at] for at in rows], [judge[at] for at in rows]
    some_cases = None if cases is None else [cases[at] for at in rows]
    table = count(some_human, some_judge, labels=way.labels, cases=some_cases).without(way.unknown)
    return _group(table, coverage(some_human, some_judge, way.unknown, some_cases), way)


def _group(decided: Table, judged: Estimate, way: _Way) -> Group:
    return Group(
        n=decided.n,
        missing=decided.missing,
        agreement=of_table.agreement(decided),
        kappa=of_table.kappa(decided),
        kappa_weighted=_weighted(decided, way),
        sensitivity=_recall_if_told(decided, PASS, way),
        specificity=_recall_if_told(decided, FAIL, way),
        coverage=judged,
    )


def _weighted(decided: Table, way: _Way) -> Estimate:
    if way.weights is None:
        return Estimate(n=decided.n, missing=decided.missing, method="weighted", undefined=NOT_ASKED)
    return of_table.weighted_kappa(decided, way.weights, values=way.values)


def _recall_if_told(decided: Table, label: str, way: _Way) -> Estimate:
    if not way.pass_fail:
        return Estimate(n=decided.n, missing=decided.missing, method="recall", undefined=NOT_TOLD)
    return _recall(decided, label)


def _recall(decided: Table, label: str) -> Estimate:
    found, at = of_table.recall(decided, label), decided.labels.index(label)
    if found.value is None and decided.no_verdict[at]:
        why = f"the judge decided no row that people gave {label}"
        return Estimate(n=0, missing=found.missing, method=found.method, undefined=why)
    return found


def _annotators(read: Understood, cases: Sequence[Hashable] | None, way: _Way) -> dict[str, Group]:
    if len(read.humans) < 2:
        return {}
    every = range(len(read.judge))
    return {name: _part(cells, read.judge, every, cases, way) for name, cells in read.humans.items()}


def _among_people(read: Understood, way: _Way) -> People:
    decided = {
        name: [None if label == way.unknown else label for label in cells] for name, cells in read.humans.items()
    }
    judge = [None if label == way.unknown else label for label in read.judge]
    labels = read.decided
    pairs = {
        f"{a} and {b}": of_table.kappa(count(decided[a], decided[b], labels=labels))
        for a, b in combinations(decided, 2)
    }
    raters = np.stack([codes(cells, labels) for cells in decided.values()], axis=1)
    rated = ratings(raters, labels)
    return People(
        pairs=pairs,
        fleiss=fleiss(rated),
        alpha=alpha(rated),
        ceiling=ceiling(judge, decided),
        alternative=alternative_test(judge, decided, epsilon=EPSILON),
    )
