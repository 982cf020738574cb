"""A pairwise run for a terminal (or a log): the answer in a sentence, then the tables, then what it cost."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from judgekit.report.numbers import money, plural, rate, short
from judgekit.report.preference.contest import Bout, Contest
from judgekit.report.preference.terminal import counts_table, groups_table, plain_table, print_block
from judgekit.report.preference.words import percent_with_range, ranking_sentence, warnings
from judgekit.stats.steadiness import Steadiness
from judgekit.stats.strengths import Ranking
from judgekit.types import Decision

STYLES = {"pass": "green", "fail": "red", "undecided": "yellow"}
NOISE = 0.05
MOST_TAGS = 25


def print_contest(contest: Contest, console: Console) -> None:
    """Print a pairwise run; the first dimension gives the answer, the others get a line each."""
    info = contest.info
    if len(contest.main) == 1:
        _answer(contest.main[0], console)
        if len(contest.bouts) > 1:
            console.print()
            blocks = {bout.dimension: bout.block for bout in contest.bouts}
            console.print(groups_table(blocks, contest.main[0].names, "dimension"))
    else:
        _several(contest, console)
    _causes(contest, console)
    console.print()
    for notice in info.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    if info.selected:
        console.print(f"Selected: {escape(info.selected)}")
    if contest.judged < contest.units:
        told = f"Interrupted: {contest.judged} of {plural(contest.units, 'output')} were compared."
        console.print(Text(told, style="yellow"))
    console.print(_advisory(contest))
    sent = f"Calls: {info.calls_sent:,} sent, {info.calls_cached:,} from the cache, {money(info.cost_usd)}."
    console.print(sent)
    _decision(contest.decision, console)
    if info.folder:
        console.print(f"\nEverything is in {escape(info.folder)}", soft_wrap=True)


def _answer(bout: Bout, console: Console) -> None:
    """Two variants on the dimension that gives the answer."""
    print_block(bout.block, bout.names, console)
    if same := bout.block.stats.identical:
        console.print(f"{plural(same, 'pair')} of equal outputs: a tie without a call, counted among the ties.")
    _tags(bout, console)
    if bout.steady is not None:
        _steady(bout.steady, console)


def _several(contest: Contest, console: Console) -> None:
    """Three or more variants: who is the strongest, and every comparison in a line."""
    for number, (dimension, ranking) in enumerate(contest.rankings.items()):
        if number:
            console.print()
        console.print(Text(f"{dimension}: {ranking_sentence(ranking)}", style="bold"))
        _ranking(ranking, console)
    sides = ("the first", "the second")
    blocks = {f"{b.a}, {b.b}: {b.dimension}": b.block for b in contest.bouts}
    for table in (groups_table(blocks, sides, "compared"), counts_table(blocks, sides, "compared")):
        console.print()
        console.print(table)
    for bout in contest.main:
        for warning in warnings(bout.block, bout.names):
            console.print(Text(f"Beware: {bout.a}, {bout.b}: {warning}.", style="yellow"))


def _tags(bout: Bout, console: Console) -> None:
    if not bout.by_tag or len(bout.by_tag) > MOST_TAGS:
        return
    table = plain_table("tag", f"{bout.b} wins", "cases", f"{bout.b}:{bout.a}", "ties", "inconsistent", numbers=5)
    for tag, p in bout.by_tag.items():
        sides = f"{p.counts['B']}:{p.counts['A']}"
        won = percent_with_range(p.win_rate) if p.win_rate.value is not None else "-"
        row = [won, str(p.win_rate.n), sides, str(p.counts["TIE"]), str(p.counts["INCONSISTENT"])]
        table.add_row(Text(tag), *row)
    console.print()
    console.print(table)


def _steady(steady: Steadiness, console: Console) -> None:
    """Noise or position: what repeats tell them apart by."""
    table = plain_table("asked again", "", "")
    for what, value, remark in (
        ("same answer to the same request", percent_with_range(steady.repetition), "100% = no noise"),
        ("same answer in the other order", percent_with_range(steady.position), "100% = the order is no matter"),
        ("lean to the first answer", rate(steady.fairness), "-1 always the second, 1 always the first"),
        ("changed by the order alone", rate(steady.drift), "0 = noise explains all"),
    ):
        table.add_row(what, Text(value), Text(remark, style="dim"))
    console.print()
    console.print(table)
    if steady.drift.low is not None and steady.drift.low > 0:
        told = "The flips are more than noise: the order itself changes this judge's answers."
    elif steady.repetition.value is not None and steady.repetition.value < 1 - NOISE:
        told = "The judge is noisy, and no more inconsistent across orders than it is when asked the same again."
    else:
        return
    console.print(Text(told, style="yellow"))


def _ranking(ranking: Ranking, console: Console) -> None:
    if ranking.undefined:
        return
    table = plain_table("variant", "log-odds", "pairs", numbers=2)
    for s in ranking.strengths:
        table.add_row(Text(s.name), rate(s.strength), f"{s.pairs:,}")
    console.print(table)
    for c in ranking.contrasts:
        told = f"{c.better} beats {c.worse} in {percent_with_range(c.chance)}"
        open_ = "" if c.resolved else ": not resolved, it may be the other way round"
        console.print(Text(f"  {told}{open_}", style="" if c.resolved else "yellow"))


def _causes(contest: Contest, console: Console) -> None:
    if not contest.causes:
        return
    console.print()
    console.print("Without a verdict (not evidence about the outputs):")
    for cause in contest.causes:
        console.print(Text(f"  {cause.n} {cause.kind} ({cause.code}), first: {short(cause.first, 220)}"))


def _advisory(contest: Contest) -> Text:
    judge = ", ".join(contest.info.judges)
    reasons = sorted({why for why in contest.advisory.values() if why})
    if not reasons:
        return Text(f"The judge {judge} has a certificate for pairs on every dimension.")
    never = reasons == ["uncertified"]
    why = "it has not been held against people's choices" if never else "its answer decides nothing"
    told = f"The judge {judge} is advisory on pairs ({', '.join(reasons)}): {why}."
    return Text(told, style="yellow")


def _decision(decision: Decision | None, console: Console) -> None:
    if decision is None:
        return
    console.print()
    head = Text("Gate: ")
    head.append(decision.outcome.upper(), style=f"bold {STYLES[decision.outcome]}")
    console.print(head)
    for reason in decision.reasons:
        console.print(Text(f"  {reason}"))
    for warning in decision.warnings:
        console.print(Text(f"  warning: {warning}", style="yellow"))
