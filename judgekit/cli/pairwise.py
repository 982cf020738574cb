"""`judgekit pairwise`: which variant is better, every pair judged in both orders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.common import (
    CaseOpt,
    HoldoutFlag,
    JsonFlag,
    LimitOpt,
    SuiteArg,
    TagOpt,
    TrialsOpt,
    console,
    print_json,
)

if TYPE_CHECKING:
    from judgekit.cli.pairing import AskedPairs


def pairwise(
    suite: SuiteArg = Path(),
    a: Annotated[str | None, typer.Option("--a", help="The variant to compare with.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="The candidate: rates are of this one.")] = None,
    variants: Annotated[str | None, typer.Option("--variants", help="Three or more, with commas: all pairs.")] = None,
    against: Annotated[str | None, typer.Option("--against", help="With --variants: each against this one.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Judge each order so many times.")] = 1,
    rubric: Annotated[str, typer.Option("--rubric", help="A rubric for pairs: a file, or the one that ships.")] = (
        "pairwise"
    ),
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", help="Only this one (may be repeated); the first is the answer.")
    ] = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="People's preferences (A, B, TIE): hold the judge against them.")
    ] = None,
    certify: Annotated[
        bool, typer.Option("--certify", help="With --labels: open the test split, one counted attempt, and decide.")
    ] = False,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", help="With --labels: our names for theirs: label=Winner.")
    ] = None,
    trials: TrialsOpt = None,
    tag: TagOpt = None,
    case: CaseOpt = None,
    limit: LimitOpt = None,
    holdout: HoldoutFlag = False,
    judge: Annotated[str | None, typer.Option("--judge", help="Another judge model (a,b for a panel).")] = None,
    in_flight: Annotated[int, typer.Option("-j", "--in-flight", min=1, help="Calls under way at once.")] = 64,
    max_calls: Annotated[int | None, typer.Option("--max-calls", min=0, help="Send at most so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Spend at most so many dollars.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Send paid calls without asking.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Record every reply to this file.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Answer every model from the suite's recordings.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Look nothing up in the cache.")] = False,
    retry_missing: Annotated[
        bool, typer.Option("--retry-missing", help="Judge again whatever has no verdict in the newest equal run.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not go on with an interrupted run.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json: JsonFlag = False,
) -> int:
    """Which of two (or more) variants is better: the same cases, each pair judged twice with the order swapped.

    A preference that follows the order is counted as inconsistent, never as a win or a tie. A run that was stopped
    goes on where it was when the same command is given again.

    With --labels the judge itself is tested: on the dev split, free of attempts, or with --certify on the test split.
    Exit code 0 certified (or nothing to decide), 1 refused, 3 inconclusive or used up.
    """
    from judgekit.cli.pairing import AskedPairs, exit_code, pairs_command, show
    from judgekit.cli.running import Asked
    from judgekit.errors import UsageError
    from judgekit.run.plan import Selection

    common = Asked(
        suite=suite,
        variant=None,
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
        quiet=quiet,
    )
    asked = AskedPairs(
        common,
        a=a,
        b=b,
        variants=tuple(name.strip() for name in variants.split(",") if name.strip()) if variants else (),
        against=against,
        rubric=rubric,
        dimensions=tuple(dimension or ()),
        repeats=repeats,
    )
    if labels is not None:
        return _calibrate(asked, labels, columns, certify=certify, json=json)
    if certify or columns:
        raise UsageError(f"{'--certify' if certify else '--columns'} is about people's preferences: give --labels FILE")
    notes = console(progress=True)
    finished = pairs_command(asked, notes)
    contest = finished.contest
    show(contest, json=json)
    if finished.stopped is not None:
        notes.print(f"Stopped: {finished.stopped.why}", markup=False, style="red", soft_wrap=True)
        notes.print("What is done is kept; the same command goes on from here.")
        return finished.stopped.exit_code
    if finished.interrupted:
        notes.print(f"Interrupted, {contest.judged} of {contest.units}. The same command goes on from here.")
        return 130
    return exit_code(contest)


def _calibrate(asked: AskedPairs, labels: Path, columns: list[str] | None, *, certify: bool, json: bool) -> int:
    from judgekit.cli.agreement import mapped
    from judgekit.cli.pairing_labels import AskedLabels, labels_command
    from judgekit.report.calibration import print_calibrated
    from judgekit.report.calibration_document import calibrated_document

    result = labels_command(AskedLabels(asked, labels, mapped(columns), certify), console(progress=True))
    if json:
        print_json(calibrated_document(result))
    else:
        print_calibrated(result, console())
    return result.exit_code
