"""A comparison without a suite file: what `jk.pairwise` does with two columns of a frame, of dicts, or of a file."""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from judgekit.errors import InputError, Problem, RunStopped, UsageError
from judgekit.types import Estimate, Json

if TYPE_CHECKING:
    import pandas as pd

    from judgekit.graders.pairrubric import PairRubric
    from judgekit.report.preference.contest import Bout, Contest
    from judgekit.run.pairs.plan import PairPlan
    from judgekit.run.plan import Plan
    from judgekit.suite import JudgeConfig


class JudgeLike(Protocol):
    """What a judge is made of: `judgekit.Judge`."""

    def config(self) -> JudgeConfig:
        """The judge as a suite's `judge:` would say it."""

    def recording_files(self) -> list[Path]:
        """What a `replay:` model answers from."""


class PairResults:
    """What `pairwise` found: rates of the answer `b`, counts of pairs, and every single look of the judge."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest

    @property
    def win_rate(self) -> Estimate:
        """How often `b` is preferred, both orders averaged, on the first dimension."""
        return self._bout.block.stats.win_rate

    @property
    def inconsistent(self) -> int:
        """Pairs whose preference followed the order: neither a win nor a tie."""
        return self._bout.block.stats.counts["INCONSISTENT"]

    @property
    def consistency(self) -> Estimate:
        """Share of pairs with the same answer in both orders."""
        return self._bout.block.stats.consistency

    @property
    def first_position(self) -> Estimate:
        """Share of calls that went to the answer shown first; 1/2 = no lean."""
        return self._bout.block.stats.first_position

    @property
    def counts(self) -> dict[str, int]:
        """Pairs by what they came to: A, B, TIE, INCONSISTENT, UNKNOWN, MISSING."""
        return dict(self._bout.block.stats.counts)

    @property
    def _bout(self) -> Bout:
        return self.contest.main[0]

    def to_dict(self) -> dict[str, Json]:
        """The document that `judgekit pairwise --json` prints."""
        from judgekit.report.preference.contest_document import contest_document

        return contest_document(self.contest)

    def to_frame(self) -> pd.DataFrame:
        """One row per pair and dimension: id, trial, dimension, repeat, outcome, original, swapped, reasons, error."""
        import pandas as pd

        columns = ["id", "trial", "dimension", "repeat", "outcome", "original", "swapped"]
        columns += ["reason_original", "reason_swapped", "error"]
        rows = []
        for judged in self.contest.pairs:
            grade, pair = judged.grade, judged.pair
            reasons = [[k.reason for k in grade.looks if k.swapped == swapped] for swapped in (False, True)]
            faults = [f.why for f in (grade.fault, *(look.fault for look in grade.looks)) if f is not None]
            row = [grade.case, grade.trial, grade.dimension, grade.repeat, pair.outcome, pair.original, pair.swapped]
            rows.append([*row, *("\n\n".join(r) or None for r in reasons), "; ".join(faults) or None])
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from judgekit.report.preference.contest_terminal import print_contest

        text = StringIO()
        print_contest(self.contest, Console(file=text, width=120, highlight=False))
        return text.getvalue().rstrip()

    def __repr__(self) -> str:
        from judgekit.report.preference.words import sentence

        return f"<PairResults: {sentence(self._bout.block, self._bout.names)}>"


async def compare_answers(
    data: Any,
    *,
    a: str,
    b: str,
    criterion: str | None = None,
    rubric: str | PairRubric | None = None,
    dimensions: Sequence[str] = (),
    judge: JudgeLike | str,
    model: str | Mapping[str, str] | None = None,
    repeats: int = 1,
    columns: Mapping[str, str] | None = None,
    in_flight: int = 64,
    max_calls: int | None = None,
    max_cost: float | None = None,
    cache: str | Path | None = None,
    runs: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> PairResults:
    """Which of two columns of answers is better: each pair judged in both orders.

    data       a frame, a list of dicts, or a file; each row has `input` and both answers. Other fields are those of a
               case; an empty answer is a missing one, and its pair has no verdict
    a, b       the columns of the answers; rates are of `b`. No request carries these names
    criterion  what makes an answer better, in plain words; or a `rubric` for pairs: a file, a `PairRubric`, or the one
               that ships, `pairwise` (used if neither is given)
    judge      `jk.Judge(...)`, or just its model
    model      what wrote the answers, for both or as `{column: model}`: the judge must differ
    repeats    how often the judge sees each pair in each order
    columns    our names for theirs: `{"input": "Question"}`
    max_calls, max_cost   stop before more is sent or spent
    cache      a file that keeps replies for the next time; None = nothing is kept
    runs       a folder for run folders; None = nothing is kept on disk
    Raises `JudgekitError` for anything wrong in what is given. When no further call can succeed, `RunStopped`.
    """
    from judgekit.call.budget import Budget
    from judgekit.providers.replay import read_recordings
    from judgekit.run.pairs.perform import perform_pairs
    from judgekit.run.perform import Options
    from judgekit.run.senders import Senders, Way

    config, files = _judge(judge)
    plan = _plan(
        data,
        a=a,
        b=b,
        rubric=_rubric(criterion, rubric, tuple(dimensions)),
        judge=config,
        model=model,
        repeats=repeats,
        columns=columns or {},
    )
    way = Way(
        env=dict(os.environ) if env is None else env,
        recordings=read_recordings(files),
        cache=Path(cache) if cache else None,
        budget=Budget(calls=max_calls, usd=max_cost),
        in_flight=in_flight,
    )
    senders = Senders(way, warn=_warn)
    try:
        finished = await perform_pairs(
            plan,
            send=senders,
            counts=senders,
            options=Options(Path(runs) if runs else None, in_flight),
            now=lambda: datetime.now().astimezone(),
            token=secrets.token_hex(3),
        )
    finally:
        await senders.aclose()
    results = PairResults(finished.contest)
    if finished.stopped is not None:
        raise RunStopped(finished.stopped.why, code=finished.stopped.code, results=results)
    return results


def _plan(
    data: Any,
    *,
    a: str,
    b: str,
    rubric: PairRubric,
    judge: JudgeConfig,
    model: str | Mapping[str, str] | None,
    repeats: int,
    columns: Mapping[str, str],
) -> PairPlan:
    from judgekit.run.pairs.plan import judged_pairs

    if a == b:
        raise UsageError(f"a and b are both {a!r}: a comparison needs two columns")
    if repeats < 1:
        raise UsageError(f"repeats counts from 1, not {repeats}")
    rows = _rows(data)
    for column in (a, b):
        if not any(column in row for row in rows):
            have = ", ".join(map(str, rows[0]))
            raise InputError(Problem("data", None, f"has no column {column!r} (it has: {have})"))
    if isinstance(model, Mapping) and (strange := sorted(set(model) - {a, b})):
        raise UsageError(f"model names {strange[0]!r}, which is neither {a!r} nor {b!r}")
    plans = {}
    for column in (a, b):
        author = model.get(column) if isinstance(model, Mapping) else model
        plans[column] = _side(rows, column, (a, b), author, judge, columns)
    return judged_pairs(plans[a].suite, plans, rubric=rubric, judge=judge, repeats=repeats)


def _side(
    rows: Sequence[Mapping[str, Json]],
    column: str,
    both: tuple[str, str],
    author: str | None,
    judge: JudgeConfig,
    columns: Mapping[str, str],
) -> Plan:
    """One column as a variant whose outputs are recorded; empty cells are outputs that are not there."""
    from judgekit.run.adhoc import plan_of

    own = [{**{k: v for k, v in row.items() if k not in both}, "output": _text(row.get(column))} for row in rows]
    named = {ours: theirs for ours, theirs in columns.items() if ours != "output"}
    plan = plan_of(own, rubrics=(), judge=judge, model=author, answer=None, trials=None, columns=named)
    return dataclasses.replace(plan, name=column, outputs={key: o for key, o in plan.outputs.items() if o.output != ""})


def _text(value: Json) -> Json:
    return "" if value is None or (isinstance(value, str) and not value.strip()) else value


def _rows(data: Any) -> list[Mapping[str, Json]]:
    from judgekit.data.frames import is_frame, rows_from_frame
    from judgekit.data.rows import Log
    from judgekit.data.sources import read_rows

    if isinstance(data, (str, Path)):
        log = Log()
        read, _ = read_rows(Path(data), name=str(data), log=log)
        log.check()
        rows: list[Mapping[str, Json]] = [dict(row.values) for row in read]
    else:
        rows = list(rows_from_frame(data) if is_frame(data) else data)
    if not rows:
        raise InputError(Problem("data", None, "is empty: there is nothing to compare"))
    return rows


def _judge(judge: JudgeLike | str) -> tuple[JudgeConfig, list[Path]]:
    from judgekit.suite import JudgeConfig

    if not isinstance(judge, str):
        return judge.config(), judge.recording_files()
    if not judge.strip():
        raise UsageError("judge is empty: write a model as provider:name")
    return JudgeConfig(model=judge), []


def _rubric(criterion: str | None, rubric: str | PairRubric | None, dimensions: tuple[str, ...]) -> PairRubric:
    from judgekit.graders.pairrubric import SHIPPED, criterion_for_pairs, find_pair_rubric

    if criterion is not None and rubric is not None:
        raise UsageError("give a criterion or a rubric, not both")
    if criterion is not None:
        if not criterion.strip():
            raise UsageError("the criterion is empty: say what makes an answer better")
        return criterion_for_pairs(criterion)
    if rubric is None or isinstance(rubric, str):
        rubric = find_pair_rubric(rubric or SHIPPED, base=Path())
    return rubric.only(dimensions) if dimensions else rubric


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, stacklevel=2)
