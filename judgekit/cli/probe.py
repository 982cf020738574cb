"""`judgekit probe`: what a judge is worth before anybody labels anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import (
    CaseOpt,
    HoldoutFlag,
    JsonFlag,
    LimitOpt,
    SuiteArg,
    TagOpt,
    TrialsOpt,
    VariantOpt,
    console,
    print_json,
)


def probe(
    suite: SuiteArg = Path(),
    probes: Annotated[
        list[str] | None,
        typer.Option(
            "--probe",
            help="Only this probe (may be repeated): stability, position, verbosity, formatting, leniency, "
            "self-preference, injection.",
        ),
    ] = None,
    variant: VariantOpt = None,
    a: Annotated[str | None, typer.Option("--a", help="For position: the variants shown side by side.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="The other one.")] = None,
    dimension: Annotated[list[str] | None, typer.Option("--dimension", help="Only this one (may be repeated).")] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", help="PROBE:DIMENSION that means nothing here, e.g. leniency:polite (may be repeated)."),
    ] = None,
    band: Annotated[
        list[str] | None, typer.Option("--band", help="PROBE=WIDTH: what is let pass, e.g. verbosity=0.05.")
    ] = None,
    attacks: Annotated[int, typer.Option("--attacks", min=0, help="On each output judged FAIL; 0 = all of them.")] = 6,
    attack_file: Annotated[Path | None, typer.Option("--attack-file", help="Your own attacks, JSON lines.")] = None,
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
    plan: Annotated[bool, typer.Option("--plan", help="Count the calls and send nothing.")] = False,
    record: Annotated[Path | None, typer.Option("--record", help="Record every reply to this file.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Answer every model from the suite's recordings.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Look nothing up in the cache.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json: JsonFlag = False,
) -> int:
    """What moves a judge's verdicts though it should not. Needs no labels.

    Exit code 0 nothing flagged, 1 something flagged, 3 too few cases to say anything. A probing that was stopped goes
    on from the cache when the same command is given again.
    """
    from judgekit.cli.probing import AskedProbe, probe_command
    from judgekit.cli.running import Asked
    from judgekit.report.probe_document import probe_document
    from judgekit.report.probe_terminal import print_probe
    from judgekit.run.plan import Selection

    asked = AskedProbe(
        common=Asked(
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
            quiet=quiet,
        ),
        probes=tuple(probes or ()),
        dimensions=tuple(dimension or ()),
        skip=tuple(skip or ()),
        bands=tuple(band or ()),
        a=a,
        b=b,
        each=attacks,
        attacks=attack_file,
    )
    if plan:
        return _plan(asked, json=json)
    report = probe_command(asked, console(progress=True))
    if json:
        print_json(probe_document(report))
    else:
        print_probe(report, console())
    return report.exit_code


def _plan(asked: object, *, json: bool) -> int:
    import msgspec

    from judgekit.cli.probing import AskedProbe, at_most, plan_command
    from judgekit.cli.running import describe

    assert isinstance(asked, AskedProbe)
    counted = plan_command(asked, console(progress=True))
    calls = counted.calls
    if json:
        print_json(
            {
                "calls": [msgspec.to_builtins(model) for model in calls.models],
                "to_send": calls.sent,
                "exact": calls.exact and counted.settled,
                "at_most_reasked": calls.reask,
                "usd": calls.usd,
            }
        )
    else:
        out = console()
        out.print(describe(calls), markup=False)
        if note := at_most(counted):
            out.print(note, markup=False)
    return 0
