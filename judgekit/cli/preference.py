"""`judgekit preference`: which answer wins, and what the judge is worth, from verdicts recorded in both orders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from judgekit.cli.common import JsonFlag, console, print_json


def preference(
    file: Annotated[Path, typer.Argument(help="A CSV, JSON lines or YAML file, one row a pair.")],
    original: Annotated[str | None, typer.Option("--original", help="Column: verdict with A shown first.")] = None,
    swapped: Annotated[str | None, typer.Option("--swapped", help="Column: verdict with B shown first.")] = None,
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="Column of settled pairs, instead: A, B, TIE, INCONSISTENT.")
    ] = None,
    coded: Annotated[
        str | None,
        typer.Option("--coded", help="answer: A (or 1) is one answer in both columns. position: what was shown first."),
    ] = None,
    gold: Annotated[str | None, typer.Option("--gold", help="Column of gold preferences: A, B or TIE.")] = None,
    case: Annotated[str | None, typer.Option("--case", help="Column of case ids [each row is its own case].")] = None,
    by: Annotated[list[str] | None, typer.Option("--by", help="Column(s) to group by: a,b or repeated.")] = None,
    labels: Annotated[
        list[str] | None, typer.Option("--labels", help="Other spellings: model_x=A,draw=TIE. The rest is no verdict.")
    ] = None,
    answers: Annotated[
        str | None, typer.Option("--answers", help="Columns of A's and B's text, for the effect of length: a,b.")
    ] = None,
    names: Annotated[str | None, typer.Option("--names", help="What A and B are called: old,new.")] = None,
    json: JsonFlag = False,
) -> int:
    """Which answer a judge prefers when it saw each pair in both orders, and how far it followed the position.

    Works on any file that has the verdicts already; nothing is sent. Exit code 3 when no pair can be counted.
    """
    from judgekit.data.verdicts import load_verdicts
    from judgekit.report.preference.document import recording_document
    from judgekit.report.preference.terminal import print_recording
    from judgekit.report.preference.value import recording_of

    layout = _layout(
        original=original,
        swapped=swapped,
        outcome=outcome,
        coded=coded,
        gold=gold,
        case=case,
        by=tuple(name for text in by or () for name in text.split(",")),
        labels=tuple(_spelling(part) for text in labels or () for part in text.split(",")),
        answers=_two(answers, "--answers"),
    )
    verdicts = load_verdicts(file, layout)
    recording = recording_of(
        verdicts.rows,
        source=str(file),
        names=_two(names, "--names") or ("A", "B"),
        gold=gold is not None,
        lengths=answers is not None,
        notices=verdicts.notices,
    )
    if json:
        print_json(recording_document(recording))
    else:
        print_recording(recording, console())
    return 0 if _said_anything(recording.whole.stats.calls, recording.whole.stats.counts) else 3


def _said_anything(calls: int, counts: dict[str, int]) -> bool:
    return calls > 0 or counts["TIE"] > 0 or counts["INCONSISTENT"] > 0


def _layout(*, coded: str | None, **given: Any) -> Any:
    from typing import get_args

    from judgekit.data.verdicts import Coded, Layout
    from judgekit.errors import UsageError
    from judgekit.located import near

    if coded is not None and coded not in get_args(Coded):
        raise UsageError(f"--coded is answer or position, not {coded!r}.{near(coded, get_args(Coded))}")
    return Layout(coded=coded, **given)  # type: ignore[arg-type]


def _spelling(text: str) -> tuple[str, str]:
    from judgekit.errors import UsageError

    written, sign, target = text.rpartition("=")
    if not sign or not written.strip():
        raise UsageError(f"--labels takes spelling=meaning, as in model_x=A; not {text!r}")
    return written.strip(), target.strip().upper()


def _two(text: str | None, option: str) -> tuple[str, str] | None:
    from judgekit.errors import UsageError

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts) or parts[0] == parts[1]:
        raise UsageError(f"{option} takes two different names with a comma between them, not {text!r}")
    return parts[0], parts[1]
