"""How `judgekit check` shows what a suite holds."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.report.numbers import plural
from judgekit.run.check import Checked

MOST = 12


def print_checked(checked: Checked, console: Console) -> None:
    """Print counts, what nothing grades, and coverage against traffic."""
    console.print(Text(f"{checked.suite}: everything loads. {plural(checked.cases, 'case')}.", style="bold"))
    share = "" if checked.negative_share is None else f" ({checked.negative_share:.0%})"
    _line(console, "must pass", str(checked.must_pass))
    _line(console, "negatives", f"{checked.negatives}{share}: the right answer is to give none")
    if checked.holdout:
        _line(console, "holdout", f"{checked.holdout}: they run only with --holdout")
    _counts(console, "tags", {t: n for t, n in checked.tags.items() if not t.startswith(("category:", "intent:"))})
    _counts(console, "categories", checked.categories)
    _counts(console, "intents", checked.intents)
    _counts(console, "severity", checked.severities)
    _counts(console, "code checks", checked.checks)
    _counts(console, "judged by", checked.rubrics)
    _line(console, "variants", ", ".join(checked.variants) or "none")
    if checked.references:
        _line(console, "references", f"{checked.references} pass their own checks: those cases can be solved")
    if checked.ungraded:
        shown = ", ".join(checked.ungraded[:MOST]) + (", ..." if len(checked.ungraded) > MOST else "")
        what = f"Nothing grades {plural(len(checked.ungraded), 'case')}: {shown}"
        console.print(Text(what, style="yellow"))
    for notice in checked.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    if checked.coverage:
        _coverage(checked, console)
    if checked.locked:
        console.print(f"Wrote {checked.locked}. Commit it.", markup=False)


def _line(console: Console, name: str, value: str) -> None:
    console.print(Text(f"  {name:12} {value}"))


def _counts(console: Console, name: str, counts: Mapping[str, int]) -> None:
    if not counts:
        return
    most = sorted(counts.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{key} {n}" for key, n in most[:MOST])
    _line(console, name, shown + (f", and {len(most) - MOST} more" if len(most) > MOST else ""))


def _coverage(checked: Checked, console: Console) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("intent")
    for name in ("cases", "of cases", "of traffic", "gap"):
        table.add_column(name, justify="right")
    for gap in checked.coverage:
        style = "red" if gap.intent in checked.uncovered else ""
        shares = (f"{gap.case_share:.1%}", f"{gap.traffic_share:.1%}", f"{gap.gap:+.1%}")
        table.add_row(Text(gap.intent, style=style), str(gap.cases), *shares)
    console.print()
    console.print(table)
    if checked.uncovered:
        console.print(Text(f"Uncovered: {', '.join(checked.uncovered)} has traffic and no case.", style="red"))
    if checked.without_intent:
        console.print(f"{plural(checked.without_intent, 'case')} without an intent, in no share.")
