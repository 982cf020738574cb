"""`judgekit init`: a small suite that runs at once, offline."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from judgekit.cli.common import console


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write it.", show_default=".")] = Path(),
) -> None:
    """Write a small suite that runs at once, offline: judgekit.yaml, cases, a prompt, recorded replies."""
    from judgekit.errors import InputError, Problem
    from judgekit.run.starter import starter_files

    files = starter_files()
    there = [name for name in files if (folder / name).exists()]
    if there:
        what = f"{there[0]} is there already; nothing was written. Choose another folder: judgekit init DIR"
        raise InputError(Problem(str(folder), None, what))
    try:
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(Problem(str(folder), None, f"cannot write here: {(error.strerror or '').lower()}")) from None
    out = console()
    where = "this folder" if folder == Path() else str(folder)
    out.print(f"Wrote to {where}: {', '.join(files)}", markup=False, soft_wrap=True)
    here = "" if folder == Path() else f" {quote(str(folder))}"
    out.print(f"Next: judgekit check{here}, then judgekit run{here} --variant v1", markup=False, soft_wrap=True)
