"""A probing for a terminal (or a log): what is flagged, then every line with its interval, then what is missing."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from judgekit.probes.finding import Finding
from judgekit.report.numbers import money, plural, short
from judgekit.report.probe import ProbeReport, band, effect, hint, line_name, sentence

STYLES = {"flagged": "red", "clean": "green", "undecided": "yellow", "too few": "yellow", "not probed": "dim"}
UNTOLD = ("too few", "not probed")
MOST_MOVED = 3


def print_probe(report: ProbeReport, console: Console) -> None:
    """Print a probing."""
    trials = f" x {plural(report.trials, 'trial')}" if report.trials > 1 else ""
    who = ", ".join(report.judges)
    head = f"{report.suite} · {report.variant} · {plural(report.cases, 'case')}{trials} · judge {who}"
    console.print(Text(head, style="bold"))
    if report.selected:
        console.print(f"Selected: {escape(report.selected)}")
    for notice in report.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    _flagged(report, console)
    console.print()
    console.print(_table([one for one in report.findings if not one.kind]))
    _kinds(report, console)
    _why(report, console)
    _apart(report, console)
    _missing(report, console)
    _end(report, console)


def _flagged(report: ProbeReport, console: Console) -> None:
    flagged = [one for one in report.findings if one.result == "flagged"]
    if not flagged:
        return
    console.print()
    for one in flagged:
        console.print(Text(f"Flagged: {sentence(one)}.", style="red"))
        if one.moved:
            more = f" and {len(one.moved) - MOST_MOVED} more" if len(one.moved) > MOST_MOVED else ""
            console.print(Text(f"  e.g. {'; '.join(one.moved[:MOST_MOVED])}{more}", style="dim"))
        if told := hint(one):
            console.print(Text(f"  {told}.", style="dim"))


def _kinds(report: ProbeReport, console: Console) -> None:
    """The kinds of attack about which something can be said; the others are counted."""
    kinds = [one for one in report.findings if one.kind]
    told = [one for one in kinds if one.result not in UNTOLD]
    if told:
        console.print()
        console.print("By kind of attack:")
        console.print(_table(told))
    if len(told) < len(kinds):
        left = plural(len(kinds) - len(told), "line")
        console.print(f"({left} by kind of attack with too few cases; --json has them)")


def _table(findings: list[Finding]) -> Table:
    attacks = any(one.kind for one in findings)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in (
        "probe",
        "dimension",
        *(["turned"] if attacks else []),
        "effect",
        "allowed",
        "cases",
        "looks",
        "result",
    ):
        table.add_column(name, justify="right" if name in ("cases", "looks") else "left", overflow="fold")
    for one in findings:
        turned = [f"{one.counts['attacked']['PASS']} of {sum(one.counts['attacked'].values())}"] if attacks else []
        table.add_row(
            Text(line_name(one)),
            Text(one.dimension or "-"),
            *turned,
            effect(one),
            band(one),
            str(one.effect.n),
            str(one.outputs),
            Text(one.result, style=STYLES[one.result]),
        )
    return table


def _why(report: ProbeReport, console: Console) -> None:
    """What there is to say of lines that came to nothing."""
    said = [one for one in report.findings if one.why and not (one.kind and one.result in UNTOLD)]
    if said:
        console.print()
    for one in said:
        where = f" on {one.dimension}" if one.dimension else ""
        console.print(Text(f"{line_name(one)}{where}: {one.result}: {one.why}."))


def _apart(report: ProbeReport, console: Console) -> None:
    """Verdicts that are neither PASS nor FAIL, and outputs that a probe does not fit; none of them is in an effect."""
    lines = []
    for one in report.findings:
        if one.kind:
            continue
        parts = []
        for arm, counts in one.counts.items():
            words = [f"{counts[word]} {word}" for word in ("UNKNOWN", "no verdict", "MISSING") if counts.get(word)]
            if words:
                parts.append(f"{arm}: {', '.join(words)}")
        if one.skipped:
            what = "pairs of equal outputs" if one.probe == "position" else "outputs that it does not fit"
            parts.append(f"{one.skipped} {what}")
        if parts:
            lines.append(f"  {one.probe} on {one.dimension}: {'; '.join(parts)}")
    if lines:
        console.print()
        console.print("Counted apart, and in no effect:")
        for line in lines:
            console.print(Text(line))


def _missing(report: ProbeReport, console: Console) -> None:
    if report.missing or report.missing_outputs:
        console.print()
    if report.missing_outputs:
        console.print(f"{plural(report.missing_outputs, 'output')} missing: nothing was asked about them.")
    for one in report.missing:
        console.print(Text(f"No verdict {one.n} times, {one.cause}, first: {short(one.first, 200)}"))


def _end(report: ProbeReport, console: Console) -> None:
    console.print()
    counts: Counter[str] = Counter(one.result for one in report.findings)
    told = ", ".join(f"{counts[word]} {word}" for word in STYLES if counts[word])
    console.print(f"{plural(len(report.findings), 'line')}: {told}.")
    if counts["undecided"] or counts["too few"]:
        console.print("Undecided and too few are not clean: more cases would tell.")
    cost = money(report.cost_usd)
    console.print(f"Calls: {report.calls_sent:,} sent, {report.calls_cached:,} from the cache, {cost}.")
    if report.stopped:
        console.print(Text(f"Stopped: {report.stopped}", style="red"), soft_wrap=True)
        console.print("What is done is in the cache; the same command goes on from there.")
