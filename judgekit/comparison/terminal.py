"""A comparison for a terminal (or a log): what changed case by case, what that says as a whole, and the gate."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.comparison.evidence import Evidence, Reasoning, Said
from judgekit.comparison.pairs import Change, Comparison, Pair
from judgekit.comparison.rules import share
from judgekit.comparison.side import CaseSide, Side
from judgekit.report.numbers import plural, short
from judgekit.report.terminal import print_decision
from judgekit.types import Decision, Estimate

STYLES: dict[Change, str] = {
    "regression": "red",
    "fixed": "green",
    "better": "green",
    "unclear": "yellow",
    "same": "dim",
}
MOST_SHOWN = 10
"""So many regressions are shown with an output; of more, `--json` has all."""


def print_comparison(comparison: Comparison, decision: Decision, console: Console, *, every_case: bool = False) -> None:
    """Print a comparison; `every_case` lists the cases that did not change, too."""
    c = comparison
    console.print(Text(f"{_called(c.base)} -> {_called(c.new)} · {plural(len(c.pairs), 'shared case')}", style="bold"))
    for difference in c.allowed:
        console.print(Text(f"Allowed to differ, {difference.kind}: {difference.what}", style="yellow"))
    for notice in c.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    for side, cases in ((c.base, c.only_in_base), (c.new, c.only_in_new)):
        if cases:
            console.print(Text(f"Only in {side.name}, not compared: {_ids(cases)}"), soft_wrap=True)
    _cases(c, console, every_case=every_case)
    _evidence(c, console)
    _whole(c, console)
    _tags(c, console)
    print_decision(decision, console)


def _called(side: Side) -> str:
    words = [side.name]
    if side.from_file or side.name != side.variant:
        words.append(f"(variant {side.variant})")
    return " ".join(words)


def _ids(cases: tuple[CaseSide, ...], most: int = 20) -> str:
    named = [case.id + (" (must pass)" if case.must_pass else "") for case in cases[:most]]
    more = len(cases) - most
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _cases(c: Comparison, console: Console, *, every_case: bool) -> None:
    order: tuple[Change, ...] = ("regression", "unclear", "fixed", "better")
    pairs = [pair for change in order for pair in c.changed(change)]
    if every_case:
        pairs += c.changed("same")
    console.print()
    if not pairs:
        console.print("No case changed.")
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    tags = any(pair.new.tags for pair in pairs)
    for column in ("case", "before", "after", "what happened", *(["tags"] if tags else [])):
        table.add_column(column, overflow="fold")
    for pair in pairs:
        name = Text(pair.id)
        if pair.must_pass:
            name.append(" (must pass)", style="bold")
        said = Text(pair.change, style=STYLES[pair.change])
        if pair.reason:
            said.append(f": {short(pair.reason, 160)}", style="default")
        row: list[str | Text] = [name, share(pair, 0), share(pair, 1), said]
        table.add_row(*row, *([Text(", ".join(pair.new.tags))] if tags else []))
    console.print(table)
    if not every_case and (same := len(c.changed("same"))):
        console.print(f"({plural(same, 'case')} unchanged; --all lists every case)")


def _evidence(c: Comparison, console: Console) -> None:
    """One output of each regression, and what the judges say of it and of one from before."""
    worse = [pair for pair in c.changed("regression", "unclear") if pair.evidence is not None]
    for pair in worse[:MOST_SHOWN]:
        assert pair.evidence is not None
        console.print()
        _one(pair, pair.evidence, console, counts_only=c.base.from_file)
    if len(worse) > MOST_SHOWN:
        console.print(f"({len(worse) - MOST_SHOWN} more with their outputs in --json)")


def _one(pair: Pair, evidence: Evidence, console: Console, *, counts_only: bool) -> None:
    word = "failed" if evidence.outcome == "fail" else "was undecided"
    console.print(Text(f"{pair.id}, trial {evidence.trial} {word}: {short(evidence.why, 300)}", style="bold"))
    if evidence.output:
        console.print(Text(f"  output: {short(evidence.output, 600)}"))
    speaking = [r for r in evidence.reasonings if r.speaks]
    for reasoning in speaking:
        _judge(reasoning, console, counts_only=counts_only)
    silent = len(evidence.reasonings) - len(speaking)
    if silent:
        console.print(Text(f"  {plural(silent, 'judge dimension')} passed it", style="dim"))


def _judge(reasoning: Reasoning, console: Console, *, counts_only: bool) -> None:
    advisory = "" if reasoning.deciding else " (advisory)"
    console.print(Text(f"  {reasoning.grader}{advisory}"))
    before = "not kept: a baseline file holds counts" if counts_only else _said(reasoning.before)
    console.print(Text(f"    before: {before}"))
    console.print(Text(f"    after:  {_said(reasoning.after)}"))


def _said(said: Said | None) -> str:
    if said is None:
        return "not judged"
    return f"{said.verdict or 'no verdict'}: {short(said.reason, 300)}" if said.reason else said.verdict or "no verdict"


def _whole(c: Comparison, console: Console) -> None:
    n = len(c.pairs)
    worse, fixed = len(c.changed("regression")), len(c.changed("fixed"))
    more = [f"{len(c.changed(k))} {k}" for k in ("better", "unclear") if c.changed(k)]
    counts = ", ".join([plural(worse, "regression"), f"{fixed} fixed", *more])
    console.print()
    console.print(f"Cases passed: {c.passed[0]}/{n} -> {c.passed[1]}/{n}; {counts}.")
    console.print(f"Mean difference of the share of trials passed, {plural(c.on_like.n, 'case')}:")
    console.print(f"  on these cases        {_interval(c.on_these)}")
    console.print(f"  on cases like these   {_interval(c.on_like)}")
    if c.detectable is not None:
        what = "no difference at all" if c.detectable > 1 else f"a difference of {c.detectable:.2f}"
        console.print(f"  so many cases show {what} four times out of five")
    _corrected(c, console)
    test = c.sign
    p = f"p = {test.p:.3f}" if test.p is not None else f"undefined: {test.undefined}"
    console.print(f"Sign test, {test.ups} up and {test.downs} down: {p}.")


def _corrected(c: Comparison, console: Console) -> None:
    """The difference as people would have seen it, wherever a judge decides."""
    if not (c.base.deciding or c.new.deciding):
        return
    found = c.corrected
    by = f" ({found.rate.method})" if found.rate.method and found.rate.value is not None else ""
    assumes = f" Assumes {found.assumes}." if found.assumes else ""
    console.print(Text(f"Corrected for the judge's errors: {_interval(found.rate)}{by}.{assumes}"))


def _interval(e: Estimate) -> str:
    if e.value is None or e.low is None or e.high is None:
        return f"undefined: {e.undefined}"
    left_out = f" ({plural(e.missing, 'case')} left out: not decided on both sides)" if e.missing else ""
    return f"{e.value:+.3f} [{e.low:+.3f}, {e.high:+.3f}]{left_out}"


def _tags(c: Comparison, console: Console) -> None:
    lines = {tag: line for tag, line in c.by_tag.items() if line.cases > 1}
    if not lines:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("tag", overflow="fold")
    for name in ("cases", "passed", "difference on cases like these", "p (Holm)"):
        table.add_column(name, justify="right")
    for tag, line in lines.items():
        p = f"{line.p_holm:.3f}" if line.p_holm is not None else "-"
        passed = f"{line.passed[0]} -> {line.passed[1]}"
        table.add_row(Text(tag), str(line.cases), passed, _interval(line.difference), p)
    console.print()
    console.print(table)
    if alone := len(c.by_tag) - len(lines):
        console.print(f"({plural(alone, 'tag')} with a single case: see --json)")
