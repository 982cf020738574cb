"""A judge of pairs against people, for a terminal and as JSON: the part that differs from a judge of single outputs."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from judgekit.calibration.pair_measure import PairSeen, PairsMeasured
from judgekit.report.numbers import plural, rate, short
from judgekit.report.summary import estimate_json
from judgekit.stats.gold import LABELS
from judgekit.types import Json


def print_pairs_measured(m: PairsMeasured, console: Console) -> None:
    """One sentence, the table, then what carries a decision."""
    if m.kappa.value is None:
        console.print(Text(f"Agreement cannot be told: {m.kappa.undefined}."))
    else:
        right = sum(m.table[i][i] for i in range(len(LABELS)))
        console.print(
            Text(f"Kappa {rate(m.kappa)}: the same preference as people on {right} of {plural(m.n, 'pair')}.")
        )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("people \\ judge")
    for label in LABELS:
        table.add_column(label, justify="right")
    for label, row in zip(LABELS, m.table, strict=True):
        table.add_row(label, *map(str, row))
    console.print(table)
    left = [f"{n} {name.lower()}" for name, n in m.outcomes.items() if name not in LABELS]
    lines = [
        ("kappa", rate(m.kappa)),
        ("finds human As", f"{rate(m.a_recall)} (90% interval: its lower end is what counts)"),
        ("finds human Bs", rate(m.b_recall)),
        ("decided", f"{m.coverage:.0%} of {plural(m.judged, 'pair')}{', else ' * bool(left)}{', '.join(left)}"),
    ]
    if m.ceiling.difference.value is not None:
        people = f"people with each other {rate(m.ceiling.people)}; difference {rate(m.ceiling.difference)}"
        lines.append(("with each person", f"kappa {rate(m.ceiling.judge)}; {people}"))
    if m.disputed:
        lines.append(("disputed", f"{plural(m.disputed, 'pair')} without a majority of people, left out"))
    for name, text in lines:
        console.print(Text(f"  {name:20} {text}"))


def print_pair_disagreements(seen: Sequence[PairSeen], console: Console, *, most: int | None) -> None:
    """Where people agreed and the judge came to something else, with its reasoning in each order; dev split only."""
    wrong = [one for one in seen if one.disagrees]
    if not wrong:
        console.print("No disagreement in the dev split.")
        return
    console.print(f"\n{plural(len(wrong), 'disagreement')}, dev split:")
    for one in wrong[:most]:
        trial = f", trial {one.item.first.trial}" if one.item.first.trial else ""
        told = f"  {one.item.case}{trial}: people {one.item.label}, judge {one.outcome}"
        console.print(Text(told, style="bold"))
        for call, reason in one.reasons:
            console.print(Text(f"    {call}: {short(reason, 300)}"))
    if most is not None and len(wrong) > most:
        console.print(f"  and {len(wrong) - most} more (--json has them)")


def pairs_measured_document(m: PairsMeasured) -> dict[str, Json]:
    """Every number, under the names that `calibrate --json` uses where it has them."""
    return {
        "n": m.n,
        "cases": m.cases,
        "judged": m.judged,
        "human": dict(m.human),
        "outcomes": dict(m.outcomes),
        "disputed": m.disputed,
        "coverage": m.coverage,
        "labels": list(LABELS),
        "table": [list(row) for row in m.table],
        "bar": m.bar,
        "chance_below_bar": m.below,
        "agreement": estimate_json(m.agreement),
        "kappa": estimate_json(m.kappa),
        "a_recall": estimate_json(m.a_recall),
        "b_recall": estimate_json(m.b_recall),
        "ceiling": {
            "judge": estimate_json(m.ceiling.judge),
            "people": estimate_json(m.ceiling.people),
            "difference": estimate_json(m.ceiling.difference),
        },
    }


def pairs_seen_document(seen: Sequence[PairSeen]) -> list[Json]:
    """The disagreements, with the judge's reasoning in each order."""
    return [
        {
            "id": one.item.case,
            "trial": one.item.first.trial,
            "human": one.item.label,
            "labels": dict(one.item.labels),
            "judge": one.outcome,
            "reasons": [{"call": call, "reason": reason} for call, reason in one.reasons],
        }
        for one in seen
        if one.disagrees
    ]
