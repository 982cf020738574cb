"""`judgekit agreement`: how far a judge's column agrees with people's, from any file that has both."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Literal

import typer

from judgekit.cli.common import JsonFlag, console, print_json


def agreement(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, JSON lines or YAML with one row per judged output.")
    ],
    human: Annotated[
        list[str],
        typer.Option("--human", metavar="COL", help="The column of people's labels; several (a,b,c): one per person."),
    ],
    judge: Annotated[str, typer.Option("--judge", metavar="COL", help="The column of the judge's labels.")],
    by: Annotated[str | None, typer.Option("--by", metavar="COL", help="Also for each value of this column.")] = None,
    case: Annotated[
        str | None,
        typer.Option("--case", metavar="COL", help="The column that names the case, if a case has several rows."),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            metavar="A,B,C",
            help="The whole set, lowest first: A,B,C. Anything else of the judge is no verdict.",
        ),
    ] = None,
    weights: Annotated[
        Literal["linear", "quadratic"] | None,
        typer.Option("--weights", help="Ordered labels: a near miss costs less than a far one."),
    ] = None,
    unknown: Annotated[
        list[str] | None, typer.Option("--unknown", metavar="A", help="The label with which a side abstains [UNKNOWN].")
    ] = None,
    passes: Annotated[
        list[str] | None, typer.Option("--pass", metavar="A,B", help="Labels that mean PASS: yes,ok.")
    ] = None,
    fails: Annotated[list[str] | None, typer.Option("--fail", metavar="A,B", help="Labels that mean FAIL: no.")] = None,
    pass_at: Annotated[
        float | None, typer.Option("--pass-at", metavar="N", help="Scores: the lowest one that is a PASS.")
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            "--range", metavar="LOW,HIGH", help="With --pass-at: the scale, as in 1,5. A score beyond it is no verdict."
        ),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="A,B", help="Words that stand for an empty cell: error,n/a."),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="NAME=COL", help="Short names for long columns: ann=Label of Ann."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="NAME", help="As in cp1252 [UTF-8, or UTF-16 by its mark].")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", metavar="SIGN", help="Of a CSV [found: comma, ; or tab].")
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Every coefficient with its interval, or why there is none.")
    ] = False,
    json: JsonFlag = False,
) -> int:
    """How far a judge agrees with people: one plain sentence, kappa with its interval, the table, what is missed.

    Exit code 0, 2 if the file or an option does not fit, 3 if there is no kappa (one label only, no pairs, one case).
    """
    from judgekit.report.agreement.terminal import print_agreement
    from judgekit.report.agreement.told import UNKNOWN, Told
    from judgekit.run.agreement import Source, agreement_of

    told = Told(
        labels=listed(labels),
        unknown=listed(unknown) or (UNKNOWN,),
        passes=listed(passes),
        fails=listed(fails),
        pass_at=pass_at,
        within=limits(within),
        missing=listed(missing),
    )
    source = Source(file, mapped(columns), encoding, "\t" if delimiter in ("tab", "\\t") else delimiter)
    found = agreement_of(source, human=listed(human), judge=judge, by=by, case=case, told=told, weights=weights)
    if json:
        print_json(found.to_dict())
    else:
        print_agreement(found, console(), full=full)
    return found.exit_code


def listed(given: list[str] | None) -> tuple[str, ...]:
    """`a,b` as two words; an option may come several times, and a word that holds a comma goes in double quotes."""
    rows = csv.reader(given or [], skipinitialspace=True)
    return tuple(word.strip() for row in rows for word in row)


def limits(given: str | None) -> tuple[float, float] | None:
    """`1,5` as the lowest and the highest score."""
    from judgekit.errors import UsageError

    if given is None:
        return None
    try:
        low, high = map(float, given.split(","))
    except ValueError:
        raise UsageError(f"--range is LOWEST,HIGHEST as in 1,5, not {given!r}") from None
    return low, high


def mapped(given: list[str] | None) -> dict[str, str]:
    """`ours=theirs,...` as a mapping."""
    from judgekit.errors import UsageError

    pairs = {}
    for pair in listed(given):
        ours, sign, theirs = pair.partition("=")
        if not sign or not ours.strip() or not theirs.strip():
            raise UsageError(f"--columns is NAME=COLUMN, not {pair!r}")
        pairs[ours.strip()] = theirs.strip()
    return pairs
