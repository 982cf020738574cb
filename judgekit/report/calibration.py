"""What a calibration found, for a terminal. Nothing of the test split but the decision."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.calibration.found import Calibrated, Found
from judgekit.calibration.measure import LABELS, Measured, Seen
from judgekit.calibration.plan import HOPELESS, Chance
from judgekit.calibration.rejudged import Rejudged
from judgekit.calibration.standing import Standing
from judgekit.report.numbers import money, plural, rate, short
from judgekit.report.preference.calibration import print_pair_disagreements, print_pairs_measured

STYLES = {"certified": "bold green", "refused": "bold red", "inconclusive": "bold yellow"}
MOST_SHOWN = 20


def print_calibrated(result: Calibrated, console: Console, *, every: bool = False) -> None:
    """Print a calibration. `every` shows all disagreements of the dev split, not the first 20 of a dimension."""
    for notice in result.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    for found in result.found:
        console.print()
        labelled = plural(found.labels, f"labelled {found.unit}")
        console.print(Text(f"{found.name} · {found.judge} · {labelled}", style="bold"))
        _found(found, console, every=every)
    console.print()
    console.print(Text(_foot(result)))
    if result.calls_sent or result.calls_cached:
        cost = money(result.cost_usd)
        console.print(f"Calls: {result.calls_sent:,} sent, {result.calls_cached:,} from the cache, {cost}.")


def _found(found: Found, console: Console, *, every: bool) -> None:
    if found.held:
        console.print(Text(f"holds {found.held} for these labels already: no attempt was made", style="green"))
        return
    if found.too_few:
        console.print(Text("not looked at: " + "; ".join(found.too_few), style="yellow"))
        return
    if found.ruling is not None:
        head = Text(found.ruling.result.upper(), style=STYLES[found.ruling.result])
        head.append(f": {'; '.join(found.ruling.reasons)}", style="none")
        console.print(head)
        if found.more:
            console.print(Text(_more(found.more)))
    elif found.measured is None and found.pairs is None:
        console.print(Text(f"no labelled {found.unit} of this dimension is in the dev split", style="yellow"))
        return
    if found.measured is not None:
        _measured(found.measured, console)
    if found.pairs is not None:
        print_pairs_measured(found.pairs, console)
    if found.file:
        console.print(Text(f"Wrote {found.file}. Commit it."))
    if found.pairs_seen:
        print_pair_disagreements(found.pairs_seen, console, most=None if every else MOST_SHOWN)
    if found.seen:
        _disagreements(found.disagreements, console, every=every)


def _measured(m: Measured, console: Console) -> None:
    """One sentence, the table, then what carries a decision."""
    console.print(Text(_sentence(m)))
    used = [i for i, _ in enumerate(LABELS) if any(m.table[i]) or any(row[i] for row in m.table)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("people \\ judge")
    for i in used:
        table.add_column(LABELS[i], justify="right")
    for i in used:
        table.add_row(LABELS[i], *(str(m.table[i][j]) for j in used))
    console.print(table)
    lines = [
        ("kappa", rate(m.kappa)),
        ("finds human FAILs", f"{rate(m.fail_recall)} (90% interval: its lower end is what counts)"),
        ("finds human PASSes", f"{rate(m.pass_recall)}"),
        ("its FAILs are right", rate(m.fail_precision)),
        ("decided", f"{m.coverage:.0%} of {plural(m.judged, 'output')}, {m.missing} without a verdict"),
    ]
    if m.range.low is not None and m.range.high is not None:
        lines.append(
            ("stands", f"from {m.range.low:.0%} to {m.range.high:.0%} PASS; these labels have {m.range.at:.0%}")
        )
    if m.ceiling.difference.value is not None:
        people = f"people with each other {rate(m.ceiling.people)}; difference {rate(m.ceiling.difference)}"
        lines.append(("with each person", f"kappa {rate(m.ceiling.judge)}; {people}"))
    if m.disputed:
        lines.append(("disputed", f"{plural(m.disputed, 'output')} without a majority of people, left out"))
    if m.kappa_worst_case.value is not None and m.coverage < 1:
        lines.append(("undecided as wrong", f"kappa {rate(m.kappa_worst_case)} if all it did not decide were errors"))
    if m.chosen:
        lines.append(("chosen", "by verdict: the table counts the labelled outputs, all else stands for every output"))
    for name, text in lines:
        console.print(Text(f"  {name:20} {text}"))


def _sentence(m: Measured) -> str:
    if m.kappa.value is None:
        return f"Agreement cannot be told: {m.kappa.undefined}."
    missed, alarms = m.table[1][0], m.table[0][1]
    fails = m.table[1][0] + m.table[1][1]
    told = f"it let {missed} of {plural(fails, 'human FAIL')} pass"
    return f"Kappa {rate(m.kappa)} over {plural(m.n, 'output')}: {told}, and failed {alarms} that people passed."


def _disagreements(seen: Sequence[Seen], console: Console, *, every: bool) -> None:
    if not seen:
        console.print("No disagreement in the dev split.")
        return
    console.print()
    console.print(f"{plural(len(seen), 'disagreement')}, dev split:")
    for one in seen[: None if every else MOST_SHOWN]:
        said = one.verdict or f"no verdict ({one.fault.code if one.fault else ''})"
        item = one.item
        trial = f", trial {item.trial}" if item.trial else ""
        variant = f", {item.variant}" if item.variant else ""
        console.print(Text(f"  {item.case}{variant}{trial}: people {item.label}, judge {said}", style="bold"))
        reason = one.reason if one.verdict is not None or one.fault is None else one.fault.why
        console.print(Text(f"    {short(reason, 400)}"))
    if not every and len(seen) > MOST_SHOWN:
        console.print(f"  and {len(seen) - MOST_SHOWN} more (--rows shows them)")


def _more(more: dict[int, float]) -> str:
    told = ", ".join(f"{chance:.0%} with {n} more" for n, chance in sorted(more.items()))
    last = more[max(more)]
    advice = " Labels will hardly help: mend the criterion." if last < HOPELESS else ""
    return f"Chance of a certificate at the next attempt: about {told} labelled outputs.{advice}"


def _foot(result: Calibrated) -> str:
    if result.attempt:
        left = f"{plural(result.left, 'attempt')} left on these labels"
        if result.spent:
            left = "these labels are used up and are dev from now on; new labelled cases start a new set"
        return f"Attempt {result.attempt}, decided at level {result.level:.4g}; {left}."
    if result.spent:
        return "These labels are used up: label new cases."
    if any(found.too_few or found.held for found in result.found):
        left = f"{plural(result.left, 'attempt')} left"
        return f"The test labels were not looked at, and no attempt is counted: {left} on these labels."
    return f"Dev split: costs no attempt. --certify opens the test split, {plural(result.left, 'attempt')} left."


# ── how many labels, and which certificates there are ────────────────────────────────────────────────────


def print_how_many(chances: Sequence[Chance], console: Console, *, kappa: float, pass_rate: float, bar: float) -> None:
    """How many labels a judge of this kappa needs at this pass rate."""
    console.print(
        f"A judge of kappa {kappa:.2f} where people pass {pass_rate:.0%}; the bar is a lower bound of {bar:.2f}. "
        "Chance of a certificate at the first attempt:"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("labelled outputs", "a quarter kept as dev", "with --all"):
        table.add_column(name, justify="right")
    for chance in chances:
        table.add_row(str(chance.labels), f"{chance.split:.0%}", f"{chance.every:.0%}")
    console.print(table)


def print_standings(standings: Sequence[Standing], unused: Sequence[str], console: Console) -> None:
    """Which judges may decide, and why the others may not."""
    for one in standings:
        line = Text(one.name, style="bold")
        line.append(
            " gating" if one.gating else f" advisory: {one.advisory}", style="green" if one.gating else "yellow"
        )
        console.print(line)
        if one.file:
            console.print(Text(f"  {one.file}"))
        if one.why:
            console.print(Text(f"  {one.why}\n  {one.fix}"))
    for told in unused:
        console.print(Text(told))


def print_checked(checked: Sequence[Rejudged], console: Console) -> None:
    """How steady the judges are that hold a certificate."""
    for one in checked:
        console.print(Text(f"{one.name}: {plural(one.n, 'test output')} judged again", style="bold"))
        console.print(
            Text(f"  same verdict {rate(one.same)}; {one.ups} went up to PASS, {one.downs} down to FAIL{_p(one.p)}")
        )
        if one.missing:
            console.print(Text(f"  {one.missing} without a verdict in one of the two"))
        for warning in one.warnings:
            console.print(Text(f"  warning: {warning}", style="yellow"))


def _p(p: float | None) -> str:
    return "" if p is None else f" (exact McNemar p = {p:.3g})"
