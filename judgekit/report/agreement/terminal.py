"""Agreement for a terminal: the sentence, kappa, the table, the misses; with `full`, every coefficient."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.report.agreement.meaning import rate, sentence, warnings
from judgekit.report.agreement.told import FAIL, PASS
from judgekit.report.agreement.value import BAR, Agreement, Group, flipped
from judgekit.report.escapes import visible
from judgekit.report.numbers import plural
from judgekit.types import Estimate

WIDEST = 12
"""A table of more labels is not drawn; `--json` has it."""

MOST_GROUPS = 60


def print_agreement(a: Agreement, console: Console, *, full: bool = False) -> None:
    """Print an agreement. Nothing undefined is left out: its reason stands in its place."""
    console.print(_plain(sentence(a), "bold"))
    for warning in warnings(a):
        console.print(_plain(f"Warning: {warning}.", "yellow"))
    for notice in a.notices:
        console.print(_plain(f"Note: {notice}."))
    console.print()
    _table(a, console)
    console.print()
    _lines(a, console, full=full)
    if full:
        console.print()
        _every(a, console)
    if a.people:
        console.print()
        _annotators(a, console)
        _people(a, console, full=full)
    if a.by:
        console.print()
        _groups(a, console)


def _plain(text: str, style: str = "") -> Text:
    """One line of text that may hold what others wrote: no markup, no control characters."""
    return Text(" ".join(visible(text).split()), style=style)


def _grid(*columns: str, numbers: int = 0) -> Table:
    """A plain table; the last `numbers` columns are right-aligned."""
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, name in enumerate(columns):
        right = at >= len(columns) - numbers
        grid.add_column(_plain(name), justify="right" if right else "left", overflow="fold")
    return grid


def _table(a: Agreement, console: Console) -> None:
    if not a.labels:
        return
    if len(a.labels) > WIDEST:
        console.print(f"The table of {len(a.labels)} labels is in --json.")
        return
    gaps = any(a.no_verdict)
    grid = _grid(
        "people \\ judge", *a.labels, *(["no verdict"] if gaps else []), "all", numbers=len(a.labels) + 1 + gaps
    )
    for at, label in enumerate(a.labels):
        row = a.table[at]
        cells = [Text(f"{n:,}", style="bold" if at == j else "") for j, n in enumerate(row)]
        lost = [f"{a.no_verdict[at]:,}"] if gaps else []
        grid.add_row(_plain(label), *cells, *lost, f"{sum(row) + a.no_verdict[at]:,}")
    console.print(grid)


def _lines(a: Agreement, console: Console, *, full: bool) -> None:
    rows: list[tuple[str, str]] = []
    unit = f"{plural(a.kappa.n, 'pair')} of {plural(a.cases, 'case')}" if a.by_case else plural(a.kappa.n, "pair")
    if a.weights:
        rows.append((f"kappa, {a.weights} weights", f"{rate(a.kappa_weighted)} over {unit}"))
    rows.append(("kappa", f"{rate(a.kappa)} over {unit}" if a.kappa.value is not None else rate(a.kappa)))
    chance = "" if a.chance_agreement is None else f"; chance alone would give {a.chance_agreement:.2f}"
    rows.append(("same label", rate(a.agreement) + chance))
    if a.pass_fail:
        rows.append(("missed FAILs", _missed(a, FAIL, PASS, a.specificity)))
        rows.append(("false alarms", _missed(a, PASS, FAIL, a.sensitivity)))
    elif not full:
        rows += [(f"{label!r} found", _found(a, label)) for label in a.decided if len(a.decided) <= WIDEST]
    if a.coverage.value is not None and a.coverage.value < 1:
        rows.append(("decided by the judge", f"{rate(a.coverage)} of {plural(a.coverage.n, 'row')}"))
    if gone := _missing(a):
        rows.append(("left out", gone))
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for name, text in rows:
        grid.add_row(_plain(name), _plain(text))
    console.print(grid)


def _missed(a: Agreement, human: str, verdict: str, found: Estimate) -> str:
    if found.value is None:
        return rate(found)
    return f"{a.count(human, verdict):,} of {a.human_count(human):,}: {rate(flipped(found))}"


def _found(a: Agreement, label: str) -> str:
    found = a.recalls[label]
    return (
        rate(found) if found.value is None else f"{a.count(label, label):,} of {a.human_count(label):,}: {rate(found)}"
    )


def _missing(a: Agreement) -> str:
    parts = []
    if a.missing.human:
        disputed = f" ({a.missing.disputed:,} disputed)" if a.missing.disputed else ""
        parts.append(f"{plural(a.missing.human, 'row')} without a human label{disputed}")
    if a.missing.judge:
        parts.append(f"{plural(a.missing.judge, 'row')} without a verdict")
    if undecided := a.n - a.kappa.n:
        parts.append(f"{plural(undecided, 'row')} with {a.unknown} on a side")
    return "; ".join(parts)


def _every(a: Agreement, console: Console) -> None:
    grid = _grid("coefficient", "value and 95% interval", "n", "method", numbers=0)
    for name, estimate in _coefficients(a):
        grid.add_row(Text(visible(name)), Text(rate(estimate)), f"{estimate.n:,}", Text(estimate.method))
    console.print(grid)
    if a.prevalence and a.prevalence.at is not None:
        at = f"{a.prevalence.at:.0%} of these labels are PASS"
        if a.prevalence.low is None or a.prevalence.high is None:
            text = f"{at}; at no pass rate would this judge's kappa reach {BAR:.2f}."
        else:
            text = (
                f"{at}; with these recalls kappa stays at {BAR:.2f} or more between pass rates of "
                f"{a.prevalence.low:.1%} and {a.prevalence.high:.1%}."
            )
        console.print(Text(text))


def _coefficients(a: Agreement) -> Iterator[tuple[str, Estimate]]:
    yield "Cohen's kappa", a.kappa
    yield (
        "  the same, asymptotic" + (f" (se {a.kappa_asymptotic.se:.3f})" if a.kappa_asymptotic.se is not None else ""),
        (a.kappa_asymptotic),
    )
    yield "weighted kappa", a.kappa_weighted
    if a.unknown in a.labels:
        yield f"kappa, {a.unknown} being a label", a.kappa_all_labels
    yield "kappa, no verdict being wrong", a.kappa_worst_case
    yield "Gwet's AC1", a.ac1
    yield "Krippendorff's alpha", a.alpha
    if a.values is not None and len(a.values) > 2:
        yield "  the same, ordinal", a.alpha_ordinal
        yield "  the same, interval", a.alpha_interval
    yield "Matthews' correlation", a.mcc
    yield "same label", a.agreement
    if a.pass_fail:
        yield "sensitivity (PASS found)", a.sensitivity
        yield "specificity (FAIL found)", a.specificity
    else:
        for label, estimate in a.recalls.items():
            yield f"{label!r} found", estimate
    for label, estimate in a.predictive.items():
        yield f"right when it says {label if a.pass_fail else repr(label)}", estimate
    yield "coverage", a.coverage


def _annotators(a: Agreement, console: Console) -> None:
    grid = _grid("annotator", "kappa with the judge", "same label", "pairs", numbers=3)
    for name, group in a.annotators.items():
        grid.add_row(_plain(name), Text(rate(_kappa(a, group))), Text(rate(group.agreement)), f"{group.n:,}")
    console.print(grid)


def _people(a: Agreement, console: Console, *, full: bool) -> None:
    if a.people is None:
        return
    people = a.people
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for name, estimate in people.pairs.items():
        grid.add_row(_plain(f"kappa of {name}"), Text(rate(estimate)))
    grid.add_row(Text("alpha of all people"), Text(rate(people.alpha)))
    grid.add_row(Text("mean kappa of the judge with people, minus people's own"), Text(rate(people.ceiling.difference)))
    if full:
        grid.add_row(Text("Fleiss' kappa of all people"), Text(rate(people.fleiss)))
        grid.add_row(Text("mean kappa of the judge with people"), Text(rate(people.ceiling.judge)))
        grid.add_row(Text("mean kappa of two people"), Text(rate(people.ceiling.people)))
        test = people.alternative
        grid.add_row(Text("alternative-annotator test: advantage"), Text(rate(test.advantage)))
        if test.winning_rate is not None:
            won = f"{test.winning_rate:.2f} of them (epsilon {test.epsilon:g})"
            grid.add_row(Text("people whom the judge could replace"), Text(won))
    console.print()
    console.print(grid)
    for reason in people.ceiling.left_out:
        console.print(_plain(f"Not compared: {reason}."))


def _groups(a: Agreement, console: Console) -> None:
    misses = ["missed FAILs", "false alarms"] if a.pass_fail else []
    grid = _grid(a.by_name, "kappa", "same label", *misses, "pairs", "left out", numbers=4 + len(misses))
    shown = list(a.by.items())[:MOST_GROUPS]
    for name, group in shown:
        numbers = [_kappa(a, group), group.agreement]
        if misses:
            numbers += [flipped(group.specificity), flipped(group.sensitivity)]
        cells = [Text("-" if number.value is None else rate(number)) for number in numbers]
        grid.add_row(_plain(name), *cells, f"{group.n:,}", f"{group.missing:,}")
    console.print(grid)
    reasons: dict[str, list[str]] = {}
    for name, group in shown:
        if why := _kappa(a, group).undefined:
            reasons.setdefault(why, []).append(name)
    for why, names in reasons.items():
        console.print(_plain(f"No kappa for {', '.join(names)}: {why}."))
    if len(a.by) > MOST_GROUPS:
        console.print(f"({len(a.by) - MOST_GROUPS} more groups are in --json)")


def _kappa(a: Agreement, group: Group) -> Estimate:
    return group.kappa_weighted if a.weights else group.kappa
