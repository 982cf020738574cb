"""A preference for a terminal (or a log): the sentence, what to beware of, the counts, and every rate with its n."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.report.numbers import plural, rate, rate_with_n
from judgekit.report.preference.value import Block, Recording
from judgekit.report.preference.words import percent, percent_with_range, sentence, warnings
from judgekit.stats.gold import Against, Gold
from judgekit.stats.lengths import LengthEffect
from judgekit.stats.paired import ExactTest


def print_recording(recording: Recording, console: Console) -> None:
    """Print a file of recorded verdicts, and a line for each group."""
    for notice in recording.notices:
        console.print(Text(f"Note: {notice}", style="yellow"))
    print_block(recording.whole, recording.names, console)
    if recording.groups:
        console.print()
        console.print(groups_table(recording.groups, recording.names, "group"))


def print_block(block: Block, names: tuple[str, str], console: Console) -> None:
    """Print one set of pairs, the answer first."""
    console.print(Text(sentence(block, names), style="bold"))
    for warning in warnings(block, names):
        console.print(Text(f"Beware: {warning}.", style="yellow"))
    console.print()
    console.print(counts_table({"": block}, names))
    console.print()
    console.print(_rates(block, names))
    console.print(Text("Brackets hold 95% intervals; cases are the unit.", style="dim"))
    if block.gold is not None:
        console.print()
        console.print(_gold(block.gold))


def plain_table(*columns: str, numbers: int = 0) -> Table:
    """A plain table; the last `numbers` columns are right-aligned."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, name in enumerate(columns):
        table.add_column(name, justify="right" if index >= len(columns) - numbers else "left", overflow="fold")
    return table


def counts_table(blocks: dict[str, Block], names: tuple[str, str], what: str = "") -> Table:
    """Pairs by what they came to, one line a block; ties that lean are a part of the ties."""
    a, b = names
    columns = [f"{b} wins", f"{a} wins", "ties", "(leaning)", "inconsistent", "unknown", "no verdict", "pairs"]
    table = plain_table(what, *columns, numbers=8) if what else plain_table(*columns, numbers=8)
    for name, block in blocks.items():
        s = block.stats
        counted = [s.counts[k] for k in ("B", "A", "TIE")]
        counted += [s.leaning, *(s.counts[k] for k in ("INCONSISTENT", "UNKNOWN", "MISSING")), s.pairs]
        table.add_row(*([Text(name)] if what else []), *(f"{n:,}" for n in counted))
    return table


def groups_table(blocks: dict[str, Block], names: tuple[str, str], what: str) -> Table:
    """One line a group: the win rate, and how the judge behaved."""
    gold = any(block.gold is not None for block in blocks.values())
    columns = [f"{names[1]} wins", "cases", "inconsistent", "flips first:second"]
    columns += ["right by order", "kappa by order"] if gold else []
    table = plain_table(what, *columns, numbers=len(columns))
    table.columns[0].no_wrap = True
    for name, block in blocks.items():
        s = block.stats
        flipped = percent(s.inconsistent.value) if s.inconsistent.value is not None else "-"
        way = "not known" if s.undirected else f"{s.first}:{s.second}"
        won = percent_with_range(s.win_rate) if s.win_rate.value is not None else "-"
        row: list[str | Text] = [Text(name), won, str(s.win_rate.n), flipped, way]
        if block.gold is not None:
            sides = (block.gold.original, block.gold.swapped)
            row += [" / ".join(_right(side) for side in sides), " / ".join(_kappa(side) for side in sides)]
        table.add_row(*row)
    return table


def _rates(block: Block, names: tuple[str, str]) -> Table:
    s = block.stats
    a, b = names
    table = plain_table("", "", "")
    rows = [
        (f"{b} wins, both orders averaged", percent_with_range(s.win_rate), _over(s.win_rate.n)),
        (f"{b} wins, decided pairs only", percent_with_range(s.win_rate_decided), _left_out(block)),
        (f"  with {a} shown first only", percent_with_range(s.original), ""),
        (f"  with {b} shown first only", percent_with_range(s.swapped), ""),
        (f"cases for {b} against cases for {a}", _test(s.sign_test), "sign test"),
        ("same answer in both orders", percent_with_range(s.consistency), ""),
        ("calls that went to the first answer", percent_with_range(s.first_position), "50% = no lean"),
        ("flips to the first against the second", _test(s.bias_test), "position bias, by cases"),
        ("agreement of the two orders, kappa", rate(block.orders.kappa), ""),
    ]
    if block.length is not None:
        rows += _lengths(block.length, names)
    for what, value, remark in rows:
        table.add_row(Text(what), Text(value), Text(remark, style="dim"))
    return table


def _lengths(length: LengthEffect, names: tuple[str, str]) -> list[tuple[str, str, str]]:
    if length.mean_a is None or length.mean_b is None:
        return []
    means = f"{names[0]} {length.mean_a:.0f}, {names[1]} {length.mean_b:.0f} characters on average"
    share = ("the longer answer wins", percent_with_range(length.longer_wins), means)
    if length.odds_per_doubling.value is None:
        return [share, ("  and at equal length", "not told", length.odds_per_doubling.undefined)]
    return [
        share,
        ("odds of an answer twice as long", rate(length.odds_per_doubling), "1 = length plays no part"),
        (f"{names[1]} wins at equal length", percent_with_range(length.at_equal_length), ""),
    ]


def _gold(gold: Gold) -> Table:
    table = plain_table(f"against gold ({plural(gold.pairs, 'pair')})", "right", "kappa")
    for what, side in (
        ("original order", gold.original),
        ("swapped order", gold.swapped),
        ("both orders, inconsistent left out", gold.decided),
        ("both orders, inconsistent as a tie", gold.as_tie),
    ):
        table.add_row(what, f"{side.right} of {side.n}", rate_with_n(side.kappa, "pair"))
    return table


def _over(n: int) -> str:
    return f"over {plural(n, 'case')}" if n else ""


def _left_out(block: Block) -> str:
    share = block.stats.left_out
    return f"leaves out {percent(share)} of the pairs" if share else ""


def _test(test: ExactTest) -> str:
    if test.p is None:
        return f"{test.ups} to {test.downs}; {test.undefined}"
    return f"{test.ups} to {test.downs}, {'p < 0.001' if test.p < 0.001 else f'p = {test.p:.3f}'}"


def _right(side: Against) -> str:
    return percent(side.right / side.n) if side.n else "-"


def _kappa(side: Against) -> str:
    return f"{side.kappa.value:.2f}" if side.kappa.value is not None else "-"
