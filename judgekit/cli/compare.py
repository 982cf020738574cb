"""`judgekit compare`: a run against another, or against the committed baseline; case by case, and through the gate."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import JsonFlag, console, print_json

SIDE = "A run folder; a variant, for its newest run; or a baseline file."


def compare(
    base: Annotated[Path, typer.Argument(help=SIDE)],
    new: Annotated[Path, typer.Argument(help=SIDE)],
    suite: Annotated[Path, typer.Option("--suite", help="The suite whose runs and gate are meant.")] = Path(),
    every: Annotated[bool, typer.Option("--all", help="List the unchanged cases, too.")] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="KIND",
            help="Compare although they differ in: cases, graders, rubrics, thresholds, judge or trials (repeatable).",
        ),
    ] = None,
    json: JsonFlag = False,
) -> int:
    """Compare two runs on the cases they share: what passes less often, what more often, and whether that is noise.

    The exit code is that of the gate of NEW's suite, with its rules that need a baseline.
    """
    from judgekit.cli.ci import no_commands
    from judgekit.comparison.document import comparison_document
    from judgekit.comparison.pairs import compare as compare_sides
    from judgekit.comparison.terminal import print_comparison
    from judgekit.gate import decide
    from judgekit.run.sides import find_side

    one, other = find_side(base, suite), find_side(new, suite)
    comparison = compare_sides(one.side, other.side, allow=allow or ())
    decision = decide(other.summary, other.gate, comparison)
    if json:
        print_json(comparison_document(comparison, decision))
    else:
        with no_commands(os.environ, secrets.token_hex(16)):
            print_comparison(comparison, decision, console(), every_case=every)
    return decision.exit_code
