"""What the commands share: where text goes, how JSON is printed, and the arguments that mean the same everywhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

SuiteArg = Annotated[Path, typer.Argument(help="judgekit.yaml, or the folder that holds it.", show_default=".")]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else there.")]
TrialsOpt = Annotated[int | None, typer.Option("--trials", min=1, help="Attempts per case [as in the suite].")]
TagOpt = Annotated[list[str] | None, typer.Option("--tag", help="Only cases with this tag (may be repeated).")]
CaseOpt = Annotated[list[str] | None, typer.Option("--case", help="Only this case (may be repeated).")]
LimitOpt = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N of the selected cases.")]
HoldoutFlag = Annotated[bool, typer.Option("--holdout", help="The holdout cases, and only they. Each use is logged.")]
VariantOpt = Annotated[str | None, typer.Option("--variant", "-v", help="Which variant [the only one, if one].")]
JudgeOpt = Annotated[
    str | None, typer.Option("--judge", help="Another judge model (a,b for a panel), or none: code checks alone.")
]


def console(*, json: bool = False, progress: bool = False) -> Console:
    """Where people's text goes: stdout on a terminal, else stderr, so that stdout holds results only.

    progress   a console for what is only worth seeing while it happens: always stderr
    """
    from rich.console import Console

    stderr = json or progress or not sys.stdout.isatty()
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _columns(os.environ.get("COLUMNS", ""))
    return Console(stderr=stderr, highlight=False, width=width, soft_wrap=False)


def _columns(told: str) -> int:
    """The width that the environment gives where there is no terminal to ask; 120 unless it makes sense."""
    return int(told) if told.isdecimal() and int(told) >= 40 else 120


def print_json(document: Any) -> None:
    """One JSON document on stdout, in UTF-8, with a last newline."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(document), indent=2)
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text.decode() + "\n")
    else:
        buffer.write(text + b"\n")
        buffer.flush()
