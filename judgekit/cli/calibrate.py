"""`judgekit calibrate`: the judge against people, and the certificate that lets it decide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from judgekit.cli.common import JsonFlag, JudgeOpt, SuiteArg, console, print_json

if TYPE_CHECKING:
    from judgekit.cli.calibrating import Asked


def calibrate(
    suite: SuiteArg = Path(),
    labels: Annotated[
        Path | None, typer.Option("--labels", help="People's labels: CSV, JSON lines or YAML [as in the suite].")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", "-v", help="Only labels and outputs of this variant.")
    ] = None,
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", help="Only this one, as rubric.dimension (may be repeated).")
    ] = None,
    judge: JudgeOpt = None,
    certify: Annotated[
        bool, typer.Option("--certify", help="Open the test split: one counted attempt, and a decision.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="With --certify: use every label, while no disagreement was ever shown.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="How many labels a judge of --kappa at --pass-rate needs. Sends nothing.")
    ] = False,
    kappa: Annotated[float, typer.Option("--kappa", min=0, max=1, help="With --plan: the kappa you expect.")] = 0.8,
    pass_rate: Annotated[
        float, typer.Option("--pass-rate", min=0, max=1, help="With --plan: the share of PASS you expect.")
    ] = 0.7,
    run: Annotated[
        Path | None, typer.Option("--run", help="With --plan and --template: which outputs of this run to label next.")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, help="With --run: how many of each dimension.")] = 60,
    check: Annotated[
        bool, typer.Option("--check", help="Ask certified judges again, without the cache: are they still the same?")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Every judge and its certificate. Sends nothing.")] = False,
    template: Annotated[
        Path | None, typer.Option("--template", help="Write a blank sheet to label to this file. Sends nothing.")
    ] = None,
    annotators: Annotated[
        list[str] | None, typer.Option("--annotators", help="Wide tables: the columns of the people: ann,ben.")
    ] = None,
    passes: Annotated[list[str] | None, typer.Option("--pass", help="Labels that mean PASS: yes,ok.")] = None,
    fails: Annotated[list[str] | None, typer.Option("--fail", help="Labels that mean FAIL: no.")] = None,
    pass_at: Annotated[float | None, typer.Option("--pass-at", help="Scores: the lowest one that is a PASS.")] = None,
    columns: Annotated[
        list[str] | None, typer.Option("--columns", help="Our names for theirs: label=Verdict,output=Reply.")
    ] = None,
    in_flight: Annotated[int, typer.Option("-j", "--in-flight", min=1, help="Calls under way at once.")] = 64,
    max_calls: Annotated[int | None, typer.Option("--max-calls", min=0, help="Send at most so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option("--max-cost", min=0, help="Spend at most so many dollars.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Send paid calls without asking.")] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Show every disagreement, not only the first 20.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    json: JsonFlag = False,
) -> int:
    """Judge the labelled outputs and measure how far the judge agrees with people.

    Plain, it uses the dev split: free of attempts, with every disagreement. --certify opens the test split: one of
    five attempts, a decision, a certificate. Exit code 0 certified (or nothing to decide), 1 refused, 3 inconclusive
    or used up, 2 if the labels or the suite do not fit.
    """
    from judgekit.calibration.certificate import Reading
    from judgekit.cli.agreement import listed, mapped
    from judgekit.cli.calibrating import Asked
    from judgekit.errors import UsageError

    drawing = run is not None
    if drawing and not (plan and template):
        raise UsageError("--run chooses which outputs to label next: give --plan and --template FILE with it")
    blank = template is not None and not drawing
    modes = {"--certify": certify, "--plan": plan, "--check": check, "--show": show, "--template": blank}
    given = [name for name, on in modes.items() if on]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are different things: one at a time")
    if every and not certify:
        raise UsageError("--all says which labels --certify uses: give both")
    asked = Asked(
        suite=suite,
        labels=labels,
        variant=variant,
        dimensions=listed(dimension),
        judge=judge,
        reading=Reading(mapped(columns), listed(annotators), listed(passes), listed(fails), pass_at),
        certify=certify,
        every=every,
        in_flight=in_flight,
        max_calls=max_calls,
        max_cost=max_cost,
        yes=yes,
        quiet=quiet,
    )
    if run is not None and template is not None:
        return _next(asked, run, n, template, json=json)
    if plan:
        return _plan(asked, kappa, pass_rate, json=json)
    if show:
        return _show(asked, json=json)
    if check:
        return _check(asked, json=json)
    if template is not None:
        return _template(asked, template, json=json)
    return _calibrate(asked, json=json, every_row=rows)


def _calibrate(asked: Asked, *, json: bool, every_row: bool) -> int:
    from judgekit.cli.calibrating import calibrate_command
    from judgekit.report.calibration import print_calibrated
    from judgekit.report.calibration_document import calibrated_document

    result = calibrate_command(asked, console(progress=True))
    if json:
        print_json(calibrated_document(result))
    else:
        print_calibrated(result, console(), every=every_row)
    return result.exit_code


def _plan(asked: Asked, kappa: float, pass_rate: float, *, json: bool) -> int:
    import msgspec

    from judgekit.calibration.attempts import level
    from judgekit.calibration.decide import bar_of
    from judgekit.calibration.plan import how_many
    from judgekit.cli.calibrating import policy_of
    from judgekit.report.calibration import print_how_many

    policy = policy_of(asked.suite)
    chances = how_many(kappa, pass_rate, policy, level(1))
    if json:
        told = {"kappa": kappa, "pass_rate": pass_rate, "bar": bar_of(policy), "level": level(1)}
        print_json({**told, "chances": [msgspec.to_builtins(chance) for chance in chances]})
    else:
        print_how_many(chances, console(), kappa=kappa, pass_rate=pass_rate, bar=bar_of(policy))
    return 0


def _next(asked: Asked, run: Path, n: int, path: Path, *, json: bool) -> int:
    from judgekit.cli.calibrating import next_command

    counts = next_command(asked, run, n, path)
    if json:
        print_json({"file": str(path), "rows": counts})
    else:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        kept = f"{path.name}.sample.jsonl beside it says how they were chosen: keep it there"
        console().print(f"Wrote {told} to {path}. Fill in the labels. {kept}.", markup=False)
    return 0


def _show(asked: Asked, *, json: bool) -> int:
    from judgekit.cli.calibrating import show_command
    from judgekit.report.calibration import print_standings
    from judgekit.report.calibration_document import standings_document

    standings, unused = show_command(asked)
    if json:
        print_json({"judges": standings_document(standings), "others": list(unused)})
    else:
        print_standings(standings, unused, console())
    return 0


def _check(asked: Asked, *, json: bool) -> int:
    from judgekit.cli.calibrating import check_command
    from judgekit.report.calibration import print_checked
    from judgekit.report.calibration_document import checked_document

    checked = check_command(asked, console(progress=True))
    if json:
        print_json(checked_document(checked))
    else:
        print_checked(checked, console())
    return 3 if any(one.warnings for one in checked) else 0


def _template(asked: Asked, path: Path, *, json: bool) -> int:
    from judgekit.cli.calibrating import template_command
    from judgekit.report.numbers import plural

    n, columns = template_command(asked, path)
    if json:
        print_json({"file": str(path), "rows": n, "fill_in": list(columns)})
    else:
        blank = " and ".join(map(repr, columns))
        console().print(
            f"Wrote {plural(n, 'row')} to {path}. Fill in {blank} with PASS, FAIL or UNKNOWN.", markup=False
        )
    return 0
