"""`judgekit cache`: what the cache holds, whether it is whole, and making it smaller."""

from __future__ import annotations

import re
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from judgekit.cli.common import JsonFlag, SuiteArg, console, print_json

cache = typer.Typer(
    help="The cache of paid replies of a suite: .judgekit/cache.sqlite beside it.", no_args_is_help=True
)


@cache.command("stats")
def stats(suite: SuiteArg = Path(), json: JsonFlag = False) -> int:
    """How many replies it holds, of which models, since when, and how large it is."""
    import msgspec

    from judgekit.call.upkeep import stats as look
    from judgekit.report.numbers import plural

    found = look(_cache_of(suite))
    if json:
        print_json(msgspec.to_builtins(found))
        return 0
    out = console()
    out.print(f"{plural(found.replies, 'kept answer')}, {_size(found.bytes)}")
    for model, n in found.models.items():
        out.print(f"  {n:>8,}  {model}", markup=False)
    if found.oldest is not None and found.newest is not None:
        out.print(f"from {_day(found.oldest)} to {_day(found.newest)}")
    return 0


@cache.command("verify")
def verify(suite: SuiteArg = Path(), json: JsonFlag = False) -> int:
    """Look at every reply. Damaged ones are misses, and are replaced when they are next asked for (exit 1)."""
    import msgspec

    from judgekit.call.upkeep import verify as look

    found = look(_cache_of(suite))
    if json:
        print_json({**msgspec.to_builtins(found), "clean": found.clean})
    else:
        out = console()
        out.print(f"{found.replies:,} looked at, {len(found.damaged)} damaged.")
        for line in found.file:
            out.print(f"  the file: {line}", markup=False)
    return 0 if found.clean else 1


@cache.command("prune")
def prune(
    suite: SuiteArg = Path(),
    older_than: Annotated[str | None, typer.Option("--older-than", help="Remove what is older: 30d, 12h.")] = None,
    max_size: Annotated[str | None, typer.Option("--max-size", help="Keep the newest that fit: 200MB, 1GB.")] = None,
    json: JsonFlag = False,
) -> int:
    """Remove old replies. They would have to be paid for again."""
    import msgspec

    from judgekit.call.upkeep import prune as remove
    from judgekit.errors import UsageError

    if older_than is None and max_size is None:
        raise UsageError("say what may go: --older-than 30d, or --max-size 200MB")
    seconds = _amount(older_than, {"d": 86400, "h": 3600, "m": 60}, "--older-than", "30d") if older_than else None
    most = _amount(max_size, {"KB": 10**3, "MB": 10**6, "GB": 10**9}, "--max-size", "200MB") if max_size else None
    done = remove(
        _cache_of(suite), now=time.time(), older_than_s=seconds, max_bytes=int(most) if most is not None else None
    )
    if json:
        print_json(msgspec.to_builtins(done))
    else:
        sizes = f"{_size(done.bytes_before)} before, {_size(done.bytes_after)} now"
        console().print(f"Removed {done.removed:,}, kept {done.kept:,} replies; {sizes}.")
    return 0


def _cache_of(suite: Path) -> Path:
    from judgekit.run.senders import CACHE

    return (suite if suite.is_dir() else suite.parent) / CACHE


def _amount(text: str, units: dict[str, int], option: str, example: str) -> float:
    """`30d` in seconds, `200MB` in bytes. Raises `UsageError`."""
    from judgekit.errors import UsageError

    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", text.strip())
    unit = next((v for k, v in units.items() if found and k.lower() == found[2].lower()), None)
    if found is None or unit is None:
        raise UsageError(f"{option} {text!r} is not understood; write a number with {', '.join(units)}, e.g. {example}")
    return float(found[1]) * unit


def _size(n: int) -> str:
    """Bytes in the unit that reads best."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if n >= factor:
            return f"{n / factor:.1f} {unit}"
    return f"{n} bytes"


def _day(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().isoformat(sep=" ", timespec="minutes")
