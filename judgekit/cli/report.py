"""`judgekit report`: a stored run, shown again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import JsonFlag, console, print_json


def report(
    run: Annotated[
        Path | None, typer.Argument(help="A run folder; or a variant, for its newest run [the newest run].")
    ] = None,
    suite: Annotated[Path, typer.Option("--suite", help="The suite whose runs and gate are meant.")] = Path(),
    every: Annotated[bool, typer.Option("--all", help="List every case, not only those that did not pass.")] = False,
    json: JsonFlag = False,
) -> int:
    """Show a stored run again, from its files alone. The exit code is that of the gate."""
    from judgekit.report.document import run_document
    from judgekit.report.terminal import print_summary
    from judgekit.run.find import find_run, gate_of
    from judgekit.run.perform import reread

    folder = find_run(run, suite)
    summary, decision = reread(folder, gate_of(folder, suite))
    if json:
        print_json(run_document(summary, decision))
    else:
        print_summary(summary, decision, console(), every_case=every)
    return decision.exit_code
