"""A run's summary for a terminal (or a log): what passed, what did not and why, what nobody could say, and the gate."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from judgekit.report.beside import beside, by_case
from judgekit.report.numbers import money, plural, rate, rate_with_n, short
from judgekit.report.summary import NO_VERDICT, CaseLine, GraderLine, Summary
from judgekit.types import Decision

STYLES = {"pass": "green", "fail": "red", "undecided": "yellow"}
MOST_CASES = 40
"""Above this many cases, only those that did not pass are listed."""


def print_summary(summary: Summary, decision: Decision, console: Console, *, every_case: bool = False) -> None:
    """Print a run. Wide tables fold their text; nothing is cut without a sign."""
    info = summary.info
    trials = f" x {plural(info.trials, 'trial')}" if info.trials > 1 else ""
    console.print(Text(f"{info.suite} · {info.variant} · {plural(summary.cases, 'case')}{trials}", style="bold"))
    if info.selected:
        console.print(f"Selected: {escape(info.selected)}")
    for notice in info.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    _cases(summary, console, every_case=every_case)
    _graders(summary, console)
    _tags(summary, console)
    _trial_rates(summary, console)
    _causes(summary, console)
    _totals(summary, console)
    print_decision(decision, console)
    if info.folder:
        console.print(f"\nEverything is in {escape(info.folder)}", soft_wrap=True)


def _table(*columns: str, numbers: int = 0) -> Table:
    """A plain table; the last `numbers` columns are right-aligned."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, name in enumerate(columns):
        table.add_column(name, justify="right" if index >= len(columns) - numbers else "left", overflow="fold")
    return table


def _cases(summary: Summary, console: Console, *, every_case: bool) -> None:
    everything = every_case or summary.cases <= MOST_CASES
    lines = [x for x in summary.lines if everything or x.outcome != "pass"]
    if not lines:
        return
    many = summary.info.trials > 1
    groups = by_case(summary.results)
    said = {line.case: beside(groups.get(line.case, [])) for line in lines}
    judged = ["advisory judges"] if any(said.values()) else []
    table = _table("case", *(["trials"] if many else []), "outcome", "why", *judged)
    for line in lines[: None if every_case else MOST_CASES]:
        name = Text(line.case)
        if line.must_pass:
            name.append(" (must pass)", style="bold")
        row: list[str | Text] = [name, *([_trials(line)] if many else [])]
        row += [Text(line.outcome, style=STYLES[line.outcome]), Text(short(line.why, 160))]
        table.add_row(*row, *([Text(said[line.case])] if judged else []))
    console.print()
    console.print(table)
    hidden = summary.cases - len(lines[: None if every_case else MOST_CASES])
    if hidden:
        console.print(f"({plural(hidden, 'other case')} not listed; --all lists every case)")


def _trials(line: CaseLine) -> str:
    text = f"{line.passed}/{line.passed + line.failed + line.undecided}"
    return f"{text} ({line.undecided} undecided)" if line.undecided else text


def _graders(summary: Summary, console: Console) -> None:
    if not summary.graders:
        return
    table = _table("grader", "PASS", "FAIL", "UNKNOWN", "no verdict", "share of PASS [95%]", "cases", numbers=6)
    for line in summary.graders:
        name = Text(line.name)
        if line.kind == "judge" and not line.gating:
            name.append(" advisory", style="yellow")
        gone = sum(line.counts[k] for k in NO_VERDICT)
        counts = [str(line.counts[k]) for k in ("PASS", "FAIL", "UNKNOWN")]
        share = rate(line.rate) if line.rate.value is not None else "-"
        table.add_row(name, *counts, str(gone), share, str(line.rate.n))
    console.print()
    console.print(table)
    advisory = [line for line in summary.graders if line.kind == "judge" and not line.gating]
    if advisory:
        console.print(_advisory(advisory, summary))


def _advisory(lines: list[GraderLine], summary: Summary) -> Text:
    """Why judges decide nothing, and what would change it: one line for each reason."""
    judge = ", ".join(summary.info.judges)
    reasons = ", ".join(sorted({line.advisory or "uncertified" for line in lines}))
    dimensions = plural(len(lines), "dimension")
    text = Text(
        f"The judge {judge} is advisory on {dimensions} ({reasons}): its verdicts are shown and decide nothing "
        "until people's labels have shown that it can be trusted.",
        style="yellow",
    )
    named = {line.name for line in lines}
    for standing in summary.trust.standings:
        if standing.name in named and standing.why:
            text.append(f"\n  {standing.name}: {standing.why}.\n    {standing.fix}")
    return text


def _tags(summary: Summary, console: Console) -> None:
    """Pass rates by tag, where more than one tag has decided cases."""
    decided = {tag: e for tag, e in summary.by_tag.items() if e.value is not None}
    if len(decided) < 2 or len(decided) > 25:
        return
    table = _table("tag", "pass rate [95%]", "cases", numbers=2)
    for tag, estimate in decided.items():
        table.add_row(Text(tag), rate(estimate), str(estimate.n))
    console.print()
    console.print(table)


def _trial_rates(summary: Summary, console: Console) -> None:
    """What several trials of each case say: pass@k, pass^k, and whose noise it is."""
    trials = summary.info.trials
    if trials < 2:
        return
    from judgekit.report.passrates import pass_rates  # needs draws, and so numpy

    rates = pass_rates(summary)
    whole = rates.whole
    console.print()
    undecided = f", {whole.undecided} undecided" if whole.undecided else ""
    console.print(f"Trials: {whole.passed} of {whole.decided} passed{undecided}.")
    console.print(f"  mean over cases   {rate_with_n(whole.mean)}")
    console.print(f"  any of {trials} passes   {rate_with_n(rates.at[trials])} (pass@{trials})")
    console.print(f"  all of {trials} pass     {rate_with_n(rates.hat[trials])} (pass^{trials})")
    console.print(f"  two trials of a case differ with chance {rate_with_n(rates.noise[''].between_trials)}")
    looked = [(name, n.between_looks) for name, n in rates.noise.items() if n.between_looks.value is not None]
    for name, noise in looked:
        console.print(Text(f"  two looks of {name} at one output differ with chance {rate_with_n(noise)}"))


def _causes(summary: Summary, console: Console) -> None:
    if not summary.causes:
        return
    console.print()
    console.print(f"{plural(summary.missing, 'grade')} without a verdict (not evidence about the outputs):")
    for cause in summary.causes:
        console.print(Text(f"  {cause.n} {cause.kind} ({cause.code}), first: {short(cause.first, 220)}"))


def _totals(summary: Summary, console: Console) -> None:
    told = f"{summary.passed} passed, {summary.failed} failed, {summary.undecided} undecided"
    console.print()
    console.print(f"Cases: {told} of {summary.cases}. Pass rate {rate_with_n(summary.pass_rate)}.")
    _corrected(summary, console)
    if summary.graded < summary.units:
        console.print(Text(f"Interrupted: {summary.graded} of {summary.units} outputs were graded.", style="yellow"))
    info = summary.info
    if info.calls_sent or info.calls_cached:
        cost = money(info.cost_usd)
        console.print(f"Calls: {info.calls_sent:,} sent, {info.calls_cached:,} from the cache, {cost}.")


def _corrected(summary: Summary, console: Console) -> None:
    """The pass rate as people would have given it, beside the raw one."""
    found = summary.trust.corrected
    if found is not None:
        assumes = f" Assumes {found.assumes}." if found.assumes else ""
        by = f" ({found.rate.method})" if found.rate.method else ""
        console.print(Text(f"Corrected for the judge's errors: {rate(found.rate)}{by}.{assumes}"))


def print_decision(decision: Decision, console: Console) -> None:
    """Print what the gate says, and why."""
    console.print()
    head = Text("Gate: ")
    head.append(decision.outcome.upper(), style=f"bold {STYLES[decision.outcome]}")
    if decision.outcome == "pass" and decision.warnings:
        head.append(f" with {plural(len(decision.warnings), 'warning')}", style="yellow")
    console.print(head)
    for reason in decision.reasons:
        console.print(Text(f"  {reason}"))
    for warning in decision.warnings:
        console.print(Text(f"  warning: {warning}", style="yellow"))
    for rule in decision.not_evaluated:
        console.print(Text(f"  not evaluated: {rule}"))
