"""The commands and their help, put together; each command's own work is imported when it runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from judgekit._version import __version__
from judgekit.cli import (
    agreement,
    baseline,
    cache,
    calibrate,
    check,
    compare,
    init,
    pairwise,
    plan,
    preference,
    probe,
    report,
    run,
)

HELP = """Grade what code cannot check, with a judge that has proved itself.

Exit codes: 0 pass, 1 the gate failed, 2 fix the input, 3 undecided, 4 network, key or budget, 130 interrupted."""

app = typer.Typer(
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# the class that every complaint about options derives from; typer does not name it in public
_BAD_OPTION: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


@app.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"judgekit {__version__}")
        raise typer.Exit


app.command("init")(init.init)
app.command("check")(check.check)
app.command("plan")(plan.plan)
app.command("run")(run.run)
app.command("compare")(compare.compare)
app.command("baseline")(baseline.baseline)
app.command("report")(report.report)
app.add_typer(cache.cache, name="cache")
app.command("calibrate")(calibrate.calibrate)
app.command("agreement")(agreement.agreement)
app.command("pairwise")(pairwise.pairwise)
app.command("preference")(preference.preference)
app.command("probe")(probe.probe)


def invoke(arguments: list[str]) -> int:
    """Run one command; its exit code, 2 for options that do not fit. Raises what the command raises."""
    try:
        result = typer.main.get_command(app)(arguments, prog_name="judgekit", standalone_mode=False)
    except _BAD_OPTION as error:
        error.show()
        return 2
    except typer.Exit as end:
        return end.exit_code
    return result if isinstance(result, int) else 0


def commands() -> list[str]:
    """The names of all commands."""
    alone, groups = app.registered_commands, app.registered_groups
    return sorted([*(str(info.name) for info in alone), *(str(info.name) for info in groups)])
