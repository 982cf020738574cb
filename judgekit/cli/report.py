"""`judgekit report`: a stored run, shown again."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import JsonFlag, console, print_json
from judgekit.errors import UsageError


def report(
    run: Annotated[
        Path | None, typer.Argument(help="A run folder; or a variant, for its newest run [the newest run].")
    ] = None,
    suite: Annotated[Path, typer.Option("--suite", help="The suite whose runs and gate are meant.")] = Path(),
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown for a pull request on stdout.")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", help="Write JUnit XML to this file as well.")] = None,
    every: Annotated[bool, typer.Option("--all", help="List every case, not only those that did not pass.")] = False,
    json: JsonFlag = False,
) -> int:
    """Show a stored run again, from its files alone. The exit code is that of the gate."""
    from judgekit.cli.ci import no_commands, print_markdown, write_junit
    from judgekit.report.document import run_document
    from judgekit.report.terminal import print_summary
    from judgekit.run.find import find_run, gate_of
    from judgekit.run.perform import reread

    if json and markdown:
        raise UsageError("--json and --markdown both want stdout: give one of them")
    if run is not None and (run / "pairs.json").is_file():
        from judgekit.cli.pairing import show_pairs

        if markdown or junit is not None:
            raise UsageError("a pairwise run has no --markdown or --junit: use --json")
        return show_pairs(run, gate_of(run, suite), json=json)
    folder = find_run(run, suite)
    summary, decision = reread(folder, gate_of(folder, suite))
    if junit is not None:
        write_junit(summary, decision, folder, junit)
    if json:
        print_json(run_document(summary, decision))
    elif markdown:
        print_markdown(summary, decision)
    else:
        with no_commands(os.environ, secrets.token_hex(16)):
            print_summary(summary, decision, console(), every_case=every)
    return decision.exit_code
