"""judgekit in Python: verbs that take files, lists of dicts or frames, and work inside a running event loop too."""

from __future__ import annotations

import asyncio
import functools
import os
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeAlias, TypeVar

from judgekit.errors import RunStopped, UsageError
from judgekit.run.pairs.adhoc import compare_answers
from judgekit.types import Estimate, Json, TrialResult

if TYPE_CHECKING:
    import pandas as pd

    from judgekit.report.agreement.value import Agreement
    from judgekit.report.summary import Summary
    from judgekit.rubric import Rubric
    from judgekit.run.adhoc_calibrate import Calibration
    from judgekit.run.plan import Plan
    from judgekit.stats.agreement import Weights
    from judgekit.suite import CalibrationPolicy, JudgeConfig
    from judgekit.types import Decision

P = ParamSpec("P")
R = TypeVar("R")
Data: TypeAlias = "str | Path | Sequence[Mapping[str, Any]] | pd.DataFrame"


class Verb(Generic[P, R]):
    """A synchronous verb with its asynchronous twin as `.aio`; the one in this call is run in a thread of its own."""

    def __init__(self, aio: Callable[P, Coroutine[Any, Any, R]]) -> None:
        self.aio = aio
        functools.update_wrapper(self, aio)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Do it, and wait for it; in a notebook as well, whose loop is left alone."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.aio(*args, **kwargs))
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: asyncio.run(self.aio(*args, **kwargs))).result()


@dataclass(frozen=True)
class Judge:
    """The model that judges, or several: a panel.

    model         `provider:name`, or a list of them
    params        parameters, passed as they are
    votes         samples of each model; strict majority, else UNKNOWN
    reask         how often an unreadable reply is asked again
    structured    ask for JSON with an enforced schema where the provider can
    recordings    for `replay:` models: a recordings file, or several
    allow_self    the reason for letting a model judge itself
    same_as       what a deployment name really is, for the self-grading check
    """

    model: str | Sequence[str]
    params: Mapping[str, Json] = field(default_factory=dict)
    votes: int = 1
    reask: int = 1
    structured: bool = False
    base_url: str | None = None
    api_key_env: str | None = None
    recordings: str | Path | Sequence[str | Path] = ()
    allow_self: str | None = None
    same_as: str | None = None

    def config(self) -> JudgeConfig:
        """The judge as a suite's `judge:` would say it. Raises `UsageError` for what no judge can be."""
        from pydantic import ValidationError

        from judgekit.suite import JudgeConfig

        try:
            return JudgeConfig(
                model=self.model if isinstance(self.model, str) else tuple(self.model),
                params=dict(self.params),
                votes=self.votes,
                reask=self.reask,
                structured=self.structured,
                base_url=self.base_url,
                api_key_env=self.api_key_env,
                allow_self=self.allow_self,
                same_as=self.same_as,
            )
        except ValidationError as error:
            told = "; ".join(f"{e['loc'][0]}: {e['msg'].removeprefix('Value error, ')}" for e in error.errors())
            raise UsageError(f"this is no judge: {told}") from None

    def recording_files(self) -> list[Path]:
        """The files in `recordings`."""
        given = [self.recordings] if isinstance(self.recordings, (str, Path)) else self.recordings
        return [Path(file) for file in given]


class Results:
    """What `grade` found: counts, rates with their intervals, and every single grade."""

    def __init__(self, summary: Summary, decision: Decision, inputs: Mapping[str, str]) -> None:
        self.summary = summary
        self.decision = decision
        self._inputs = inputs

    @property
    def pass_rate(self) -> Estimate:
        """Share of decided cases that pass. Advisory judges decide nothing: see `rates` for what they said."""
        return self.summary.pass_rate

    @property
    def rates(self) -> dict[str, Estimate]:
        """Share of PASS among PASS and FAIL, by grader, each with interval and n."""
        return {g.name: g.rate for g in self.summary.graders}

    @property
    def results(self) -> tuple[TrialResult, ...]:
        """Every output with its grades."""
        return self.summary.results

    def to_frame(self) -> pd.DataFrame:
        """One row per grade: id, trial, grader, dimension, verdict, level, error, why, reason, gating, outcome."""
        import pandas as pd

        columns = ["id", "trial", "input", "grader", "dimension", "verdict", "level", "error", "why", "reason"]
        columns += ["gating", "outcome"]
        rows = [
            (
                r.case,
                r.trial,
                self._inputs.get(r.case),
                g.grader,
                g.dimension or None,
                g.verdict,
                g.level,
                g.fault.kind if g.fault else None,
                g.fault.why if g.fault else None,
                g.reason,
                g.gating,
                r.outcome,
            )
            for r in self.results
            for g in r.grades
        ]
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def to_dict(self) -> dict[str, Json]:
        """The document that `judgekit run --json` prints."""
        from judgekit.report.document import run_document

        return run_document(self.summary, self.decision)

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from judgekit.report.terminal import print_summary

        text = StringIO()
        print_summary(self.summary, self.decision, Console(file=text, width=110, highlight=False))
        return text.getvalue().rstrip()

    def __repr__(self) -> str:
        s = self.summary
        return (
            f"<Results: {s.cases} cases, {s.passed} passed, {s.failed} failed, {s.undecided} undecided, "
            f"{s.missing} grades without a verdict>"
        )


async def _grade(
    data: Data,
    *,
    rubric: str | Rubric | None = None,
    rubrics: Sequence[str | Rubric] = (),
    judge: Judge | str | None = None,
    model: str | None = None,
    answer: Callable[..., Any] | None = None,
    trials: int | None = None,
    columns: Mapping[str, str] | None = None,
    in_flight: int = 64,
    max_calls: int | None = None,
    max_cost: float | None = None,
    cache: str | Path | None = None,
    runs: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Results:
    """Grade outputs (or the answers of a function) with code checks and a judge.

    data       a frame, a list of dicts, or a file of cases; each row has `input`, and `output` unless `answer` is
               given; ids are derived from the inputs where there are none. Other fields are those of a case.
    rubric     a criterion in plain words, the id of a rubric that ships, a file, or a `Rubric`; or several: `rubrics`
    judge      `jk.Judge(...)`, or just its model; not needed for code checks alone
    model      what wrote the outputs: the judge must differ
    answer     a function `f(input)` (or `f(input, case, trial)`) that gives outputs, sync or async
    trials     attempts per case, with `answer`
    columns    their names for ours: `{"output": "Reply"}`
    max_calls, max_cost   stop before more is sent or spent
    cache      a file that keeps replies for the next time; None = nothing is kept
    runs       a folder for run folders; None = nothing is kept on disk
    Raises `JudgekitError` for anything wrong in what is given; what a single call or answer does wrong is a grade
    without a verdict. When no further call can succeed, `RunStopped` is raised.
    """
    if in_flight < 1:
        raise UsageError(f"in_flight is {in_flight}: at least one call has to be under way")
    if (max_calls is not None and max_calls < 0) or (max_cost is not None and max_cost < 0):
        raise UsageError("max_calls and max_cost are at least 0")
    if isinstance(rubrics, str):
        raise UsageError(f"rubrics is a list; for one say rubric={rubrics!r}")
    if judge is not None and not isinstance(judge, (str, Judge)):
        raise UsageError(f"judge is a {type(judge).__name__}; give jk.Judge('provider:name'), or just the name")
    from judgekit.providers.replay import read_recordings
    from judgekit.run.adhoc import plan_of
    from judgekit.run.perform import Options, perform
    from judgekit.run.senders import Senders, Way

    asked = Judge(judge) if isinstance(judge, str) else judge
    plan = plan_of(
        data,
        rubrics=(*rubrics, *([rubric] if rubric is not None else [])),
        judge=asked.config() if asked else None,
        model=model,
        answer=answer,
        trials=trials,
        columns=columns or {},
    )
    from judgekit.call.budget import Budget

    way = Way(
        env=dict(os.environ) if env is None else env,
        recordings=read_recordings(asked.recording_files()) if asked else (),
        cache=Path(cache) if cache else None,
        budget=Budget(calls=max_calls, usd=max_cost),
        in_flight=in_flight,
    )
    senders = Senders(way, warn=_warn)
    try:
        finished = await perform(
            plan,
            send=senders,
            counts=senders,
            options=Options(Path(runs) if runs else None, in_flight),
            now=lambda: datetime.now().astimezone(),
            token=secrets.token_hex(3),
        )
    finally:
        await senders.aclose()
    results = Results(finished.summary, finished.decision, _inputs(plan))
    if finished.stopped is not None:
        raise RunStopped(finished.stopped.why, code=finished.stopped.code, results=results)
    return results


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, stacklevel=2)


def _inputs(plan: Plan) -> dict[str, str]:
    return {c.id: c.input if isinstance(c.input, str) else c.input[-1].content for c in plan.cases}


grade = Verb(_grade)


async def _agreement(
    data: Data,
    *,
    human: str | Sequence[str],
    judge: str,
    by: str | None = None,
    case: str | None = None,
    labels: Sequence[str] = (),
    weights: Weights | None = None,
    unknown: str | Sequence[str] = "UNKNOWN",
    passes: str | Sequence[str] = (),
    fails: str | Sequence[str] = (),
    pass_at: float | None = None,
    within: tuple[float, float] | None = None,
    missing: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Agreement:
    """How far a judge agrees with people, from data that has both columns: kappa with its interval, and the rest.

    data       a frame, a list of dicts, or a file (CSV, JSON lines, YAML)
    human      the column of people's labels, or one column per person (then the majority counts)
    judge      the column of the judge's labels
    by         also for each value of this column
    case       the column that names the case, where a case has several rows: they are not independent
    labels     the whole set, lowest first; anything else of the judge is no verdict, of a person an error
    weights    `linear` or `quadratic`, for ordered labels
    unknown    the word for an abstention; `missing`: words that stand for an empty cell
    passes, fails, pass_at   which labels mean PASS and FAIL, or the lowest score that is a PASS
    within     with `pass_at`: lowest and highest score of the scale; a judge's score beyond it is no verdict
    columns    your short name -> the column's name
    Raises `JudgekitError` for anything that has to be mended. An undefined kappa is a value with its reason.
    """
    from judgekit.report.agreement.told import Told
    from judgekit.run.agreement import Source, agreement_of

    told = Told.of(labels, unknown, passes, fails, pass_at, within, missing)
    source = Source(data, columns or {}, encoding, delimiter)
    return agreement_of(source, human=human, judge=judge, by=by, case=case, told=told, weights=weights)


agreement = Verb(_agreement)


async def _calibrate(
    data: Data,
    *,
    rubric: str | Rubric,
    judge: Judge | str,
    dimensions: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    annotators: Sequence[str] = (),
    passes: Sequence[str] = (),
    fails: Sequence[str] = (),
    pass_at: float | None = None,
    model: str | None = None,
    certify: bool = False,
    every: bool = False,
    policy: CalibrationPolicy | None = None,
    in_flight: int = 64,
    max_calls: int | None = None,
    max_cost: float | None = None,
    cache: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Calibration:
    """Measure how far a judge agrees with people; with `certify`, let it earn its certificate.

    data        a labels file (CSV, JSON lines, YAML), a frame or a list of dicts, with `input`, `output` and `label`
    rubric      as for `grade`; `dimensions`: only these of it
    columns     our names for theirs: `{"output": "Reply", "label": "Verdict"}`
    annotators  wide tables: the columns of the people
    passes, fails, pass_at   which labels mean PASS and FAIL, or the lowest score that is a PASS
    model       what wrote the outputs: the judge must differ
    certify     open the test split of a labels file: one of five counted attempts. Without it, the dev split is shown
    every       with `certify`: use every label, while no disagreement was ever shown
    policy      when a judge is certified
    Raises `JudgekitError` for anything wrong in what is given, `RunStopped` when no call can succeed.
    """
    from judgekit.call.budget import Budget
    from judgekit.providers.replay import read_recordings
    from judgekit.run.adhoc_calibrate import Wanted, calibrate_data, reading_of
    from judgekit.run.calibrate import Setting
    from judgekit.run.senders import Senders, Way
    from judgekit.suite import CalibrationPolicy

    asked = Judge(judge) if isinstance(judge, str) else judge
    reading = reading_of(columns or {}, annotators, passes, fails, pass_at)
    wanted = Wanted(rubric, asked.config(), reading, tuple(dimensions), model, certify, every, policy)
    way = Way(
        env=dict(os.environ) if env is None else env,
        recordings=read_recordings(asked.recording_files()),
        cache=Path(cache) if cache else None,
        budget=Budget(calls=max_calls, usd=max_cost),
        in_flight=in_flight,
    )
    senders = Senders(way, warn=_warn)
    try:
        setting = Setting(wanted.policy or CalibrationPolicy(), None, _now, secrets.token_hex(8), in_flight=in_flight)
        return await calibrate_data(data, wanted, senders, setting)
    finally:
        await senders.aclose()


def _now() -> datetime:
    return datetime.now().astimezone()


calibrate = Verb(_calibrate)

pairwise = Verb(compare_answers)
