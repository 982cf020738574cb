"""`judgekit baseline`: the counts of a run as a small file to commit, which later runs are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.common import JsonFlag, console, print_json
from judgekit.report.numbers import plural
from judgekit.types import Json

if TYPE_CHECKING:
    from rich.console import Console


def baseline(
    run: Annotated[Path, typer.Argument(help="A run folder; or a variant, for its newest run.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, and to commit.")],
    suite: Annotated[Path, typer.Option("--suite", help="The suite whose runs are meant.")] = Path(),
    if_better: Annotated[
        bool,
        typer.Option("--update-if-better", help="Write only if no case passes less often and something was gained."),
    ] = False,
    graduate: Annotated[
        bool,
        typer.Option("--graduate", help="Tag cases that pass every trial as regression, in their JSONL file."),
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Write the baseline of a run: pass counts per case and what they were made with, no outputs.

    Commit it, and compare later runs with it: `judgekit compare FILE VARIANT`.
    """
    from judgekit.comparison.graduate import graduates, tagged
    from judgekit.comparison.pairs import compare
    from judgekit.comparison.ratchet import Ratchet, lowered, ratchet
    from judgekit.run.graduate import Graduated
    from judgekit.run.graduate import graduate as write_tags
    from judgekit.run.sides import existing_baseline, find_side, suite_of, write_baseline

    found, old = find_side(run, suite), existing_baseline(out)
    verdict = ratchet(compare(old, found.side)) if if_better and old else Ratchet(turns=True, why="")
    ready = graduates(found.side)
    result = write_tags(suite_of(found, suite), ready) if graduate and ready else Graduated((), ())
    given_up = lowered(old, found.side) if verdict.turns and old else ()
    if verdict.turns:
        write_baseline(out, tagged(found.side, set(result.tagged)))
    document: dict[str, Json] = {
        "file": str(out),
        "written": verdict.turns,
        "why": verdict.why,
        "run": found.side.run,
        "cases": len(found.side.cases),
        "given_up": list(given_up),
        "reliable": [case.id for case in ready],
        "graduated": list(result.tagged),
        "left": list(result.left),
    }
    if json:
        print_json(document)
    else:
        _say(document, console(), asked=graduate)
    return 0


def _say(document: dict[str, Json], out: Console, *, asked: bool) -> None:
    d = document
    lines = [f"{'Wrote' if d['written'] else 'Kept'} {d['file']}"]
    if d["written"]:
        lines.append(f"  {plural(d['cases'], 'case')} of the run {d['run']}")
    if d["why"]:
        lines.append(f"  {'better' if d['written'] else 'not better'}: {d['why']}")
    lines += [f"  unlike the file before: {line}" for line in d["given_up"]]
    if d["graduated"]:
        lines.append(f"Tagged regression: {', '.join(d['graduated'])}")
    lines += [f"Not tagged: {line}" for line in d["left"]]
    if d["reliable"] and not asked:
        lines.append(f"Pass every trial and are not tagged regression: {', '.join(d['reliable'])}")
        lines.append("  --graduate tags them, so that a rule {fewer_passes: {tag: regression}} guards them")
    for line in lines:
        out.print(line, markup=False, emoji=False, soft_wrap=True)
