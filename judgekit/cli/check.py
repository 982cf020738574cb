"""`judgekit check`: load everything, send nothing, tell every error with its place and what the suite covers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import JsonFlag, SuiteArg, console, print_json


def check(
    suite: SuiteArg = Path(),
    traffic: Annotated[Path | None, typer.Option("--traffic", help="Live counts per intent: CSV intent,count.")] = None,
    lock: Annotated[bool, typer.Option("--lock", help="Write ids.lock: a deleted id can never come back.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of judgekit.yaml, for editors.")
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Load everything and send nothing: all errors with file and line, then what the suite holds and covers."""
    if schema:
        from judgekit.suite import json_schema

        print_json(json_schema())
        return 0
    from judgekit.cli.checked import print_checked
    from judgekit.cli.stdout import kept_stdout
    from judgekit.run.check import check_suite, checked_document

    with kept_stdout():
        checked = check_suite(suite, traffic=traffic, lock=lock)
    if json:
        print_json(checked_document(checked))
    else:
        print_checked(checked, console())
    return 0
