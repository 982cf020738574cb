"""`judgekit run`: outputs, code checks, judges, the gate."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import (
    CaseOpt,
    HoldoutFlag,
    JsonFlag,
    JudgeOpt,
    LimitOpt,
    SuiteArg,
    TagOpt,
    TrialsOpt,
    VariantOpt,
    console,
    print_json,
)


def run(
    suite: SuiteArg = Path(),
    variant: VariantOpt = None,
    trials: TrialsOpt = None,
    tag: TagOpt = None,
    case: CaseOpt = None,
    limit: LimitOpt = None,
    holdout: HoldoutFlag = False,
    judge: JudgeOpt = None,
    in_flight: Annotated[int, typer.Option("-j", "--in-flight", min=1, help="Calls under way at once.")] = 64,
    max_calls: Annotated[int | None, typer.Option("--max-calls", min=0, help="Send at most so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Spend at most so many dollars.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Send paid calls without asking.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Record every reply to this file.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Answer every model from the suite's recordings.")] = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Look nothing up in the cache, and keep nothing.")
    ] = False,
    retry_missing: Annotated[
        bool, typer.Option("--retry-missing", help="Ask again whatever has no verdict in the newest equal run.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with an interrupted run.")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Compare with this committed baseline; the gate then knows both.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List every case, not only those that did not pass.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json: JsonFlag = False,
) -> int:
    """Grade a variant: its outputs, code checks and judges. Everything lands in a run folder as it comes.

    A run that was stopped goes on where it was when the same command is given again. On GitHub Actions it also writes
    the job summary and annotations.
    """
    from judgekit.cli.ci import no_commands, tell_github
    from judgekit.cli.running import Asked, run_command
    from judgekit.cli.stdout import kept_stdout
    from judgekit.report.terminal import print_summary
    from judgekit.run.plan import Selection

    asked = Asked(
        suite=suite,
        variant=variant,
        trials=trials,
        selection=Selection(tuple(tag or ()), limit, holdout, tuple(case or ())),
        judge=judge,
        in_flight=in_flight,
        max_calls=max_calls,
        max_cost=max_cost,
        yes=yes,
        record=record,
        replay=replay,
        no_cache=no_cache,
        retry_missing=retry_missing,
        fresh=fresh,
        baseline=baseline,
        quiet=quiet,
    )
    notes = console(progress=True)
    with kept_stdout():
        finished = run_command(asked, notes)
    compared = finished.comparison
    if json:
        from judgekit.report.document import run_document

        document = run_document(finished.summary, finished.decision)
        if compared is not None:
            from judgekit.comparison.document import comparison_document

            document["baseline"] = comparison_document(compared, finished.decision)
        print_json(document)
    else:
        with no_commands(os.environ, secrets.token_hex(16)):
            print_summary(finished.summary, finished.decision, console(), every_case=every)
            if compared is not None:
                from judgekit.comparison.terminal import print_comparison

                console().print()
                print_comparison(compared, finished.decision, console(), every_case=every)
    summary = finished.summary
    tell_github(summary, finished.decision, suite=suite, env=os.environ)
    if finished.stopped is not None:
        notes.print(f"Stopped: {finished.stopped.why}", markup=False, style="red", soft_wrap=True)
        notes.print("What is done is kept; the same command goes on from here.")
        return finished.stopped.exit_code
    if finished.interrupted:
        notes.print(f"Interrupted, {summary.graded} of {summary.units}. The same command goes on from here.")
        return 130
    return finished.decision.exit_code
