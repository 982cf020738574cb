"""What `calibrate` does between its options and its result: read, ask before paying, judge, decide."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from judgekit.calibration.certificate import Reading
from judgekit.calibration.found import Calibrated
from judgekit.calibration.rejudged import Rejudged, rejudged
from judgekit.calibration.standing import Standing
from judgekit.call.budget import Budget
from judgekit.call.prices import Price
from judgekit.cli.progress import ProgressLine
from judgekit.cli.running import confirm, keyless
from judgekit.errors import InputError, NotEnough, Problem
from judgekit.graders.judge import Instrument, judge_steps
from judgekit.run.calibrate import Setting, certify, dev_tasks, judge_tasks, look_at_dev, opening, with_costs
from judgekit.run.calls import count_requests
from judgekit.run.certificates import certificates_in, trust_of
from judgekit.run.environment import environment
from judgekit.run.find import find_run
from judgekit.run.label_sheet import draw_sample, outputs_to_label, sheet_rows, write_sample, write_sheet
from judgekit.run.labelled import Labelled, Source, Task, chosen, instruments_of, labelled
from judgekit.run.loaded import Suite, load_suite
from judgekit.run.looks import Looks
from judgekit.run.past import past_of
from judgekit.run.senders import CACHE, OFFLINE, Senders, Way
from judgekit.run.store import read_manifest, read_run, run_folders
from judgekit.suite import CalibrationPolicy, JudgeConfig, load_suite_file
from judgekit.types import Output, Request, Sender

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Asked:
    """The options of `judgekit calibrate`."""

    suite: Path
    labels: Path | None = None
    variant: str | None = None
    dimensions: tuple[str, ...] = ()
    judge: str | None = None
    reading: Reading = Reading()  # noqa: RUF009 - frozen
    certify: bool = False
    every: bool = False
    in_flight: int = 64
    max_calls: int | None = None
    max_cost: float | None = None
    yes: bool = False
    quiet: bool = False


@dataclass(frozen=True)
class Loaded:
    """A suite with its judge."""

    suite: Suite
    config: JudgeConfig
    instruments: Mapping[str, Instrument]


def loaded(asked: Asked) -> Loaded:
    """The suite and the judge of each of its dimensions. Raises `InputError`."""
    suite = load_suite(asked.suite)
    config = suite.file.judge
    if asked.judge:
        models = tuple(asked.judge.split(",")) if "," in asked.judge else asked.judge
        config = (config or JudgeConfig(model=models)).model_copy(update={"model": models})
    if config is None:
        raise InputError(Problem(suite.shown, None, "there is no judge: add `judge: {model: provider:name}`"))
    instruments = instruments_of(suite, config)
    if not instruments:
        raise InputError(
            Problem(suite.shown, None, "there is no rubric whose judge could be calibrated: add `rubrics:`")
        )
    return Loaded(suite, config, instruments)


def data_of(asked: Asked, ready: Loaded) -> tuple[Labelled, Looks]:
    """The labelled outputs, and the file that counts looks at them. Raises `InputError`."""
    suite = ready.suite
    file = _labels_file(asked, suite)
    source = Source(file=file, base=suite.folder, reading=asked.reading)
    data = labelled(suite, source, ready.instruments, wanted=asked.dimensions, variant=asked.variant)
    return data, Looks.beside(file, suite.folder)


def _labels_file(asked: Asked, suite: Suite) -> str:
    """The labels file as seen from the suite's folder, which is how a certificate names it."""
    if asked.labels is None:
        if suite.file.labels is None:
            what = (
                "there are no labels: add `labels: labels.csv`, or give --labels; --template FILE writes a blank sheet"
            )
            raise InputError(Problem(suite.shown, None, what))
        return suite.file.labels
    path = asked.labels.resolve()
    try:
        return Path(os.path.relpath(path, suite.folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(path)


def calibrate_command(asked: Asked, notes: Console) -> Calibrated:
    """The whole of plain `calibrate` and of `--certify`."""
    ready = loaded(asked)
    data, looks = data_of(asked, ready)
    setting = _setting(asked, ready, looks, notes)
    if not asked.certify:
        past = past_of(data, looks)

        async def look(send: Sender) -> Calibrated:
            return await look_at_dev(data, send, setting)

        return _with_senders(asked, ready, dev_tasks(data, past), notes, look)
    opened = opening(data, setting, every=asked.every)

    async def attempt(send: Sender) -> Calibrated:
        return await certify(data, opened, send, setting)

    return _with_senders(asked, ready, opened.tasks, notes, attempt)


def _setting(asked: Asked, ready: Loaded, looks: Looks, notes: Console) -> Setting:
    suite = ready.suite
    trust = trust_of(suite, list(ready.instruments.values()), today=datetime.now().astimezone().date())
    return Setting(
        policy=suite.file.calibration,
        looks=looks,
        now=lambda: datetime.now().astimezone(),
        token=secrets.token_hex(8),
        certificates=suite.folder / suite.file.certificates,
        valid=trust.certificates,
        in_flight=asked.in_flight,
        watcher=ProgressLine(notes, quiet=asked.quiet),
    )


def _with_senders(
    asked: Asked,
    ready: Loaded,
    tasks: Mapping[str, Sequence[Task]],
    notes: Console,
    work: Callable[[Sender], Awaitable[Calibrated]],
) -> Calibrated:
    """Ask before paying, do the work, and say what it took."""

    async def go() -> Calibrated:
        senders = Senders(_way(asked, ready, cache=True), warn=lambda text: notes.print(text, markup=False))
        try:
            _confirm(asked, ready, senders, tasks, notes)
            found = await work(senders)
            return with_costs(found, sent=senders.sent, cached=senders.cached, cost=senders.cost)
        finally:
            await senders.aclose()

    return asyncio.run(go())


def _way(asked: Asked, ready: Loaded, *, cache: bool) -> Way:
    suite, limit = ready.suite, ready.suite.file.budget
    pays = any(model.partition(":")[0] not in OFFLINE for model in ready.config.models)
    calls = [n for n in (asked.max_calls, limit.calls if limit else None) if n is not None]
    usd = [n for n in (asked.max_cost, limit.usd if limit else None) if n is not None]
    return Way(
        env=environment(suite.folder, os.environ),
        recordings=suite.recordings,
        folder=suite.folder,
        pace=suite.file.limits,
        cache=suite.folder / CACHE if cache and pays else None,
        budget=Budget(calls=min(calls, default=None), usd=min(usd, default=None)),
        prices={name: Price(price.input, price.output) for name, price in suite.file.prices.items()},
        in_flight=asked.in_flight,
    )


def _confirm(
    asked: Asked, ready: Loaded, senders: Senders, tasks: Mapping[str, Sequence[Task]], notes: Console
) -> None:
    """Raises `RunStopped` for a missing key, `UsageError` for a URL that cannot be or when nobody can be asked."""
    paid = [model for model in ready.config.models if model.partition(":")[0] not in OFFLINE]
    if not paid:
        return
    limit = ready.suite.file.budget
    limited = asked.max_calls is not None or asked.max_cost is not None
    limited = limited or (limit is not None and (limit.calls is not None or limit.usd is not None))
    config = ready.config
    missing = keyless(senders, [Request(m, (), base_url=config.base_url, api_key_env=config.api_key_env) for m in paid])
    calls = count_requests(
        _requests(tasks),
        reask=config.reask,
        peek=senders.peek,
        price=senders.price,
        tokens=senders.tokens,
    )
    for model in calls.models:
        if model.calls > model.cached and model.model in missing:
            raise missing[model.model]
    confirm(calls, notes, sure=asked.yes or limited)


def _requests(tasks: Mapping[str, Sequence[Task]]) -> Iterator[Request]:
    for own in tasks.values():
        for task in own:
            try:
                yield from next(judge_steps(task.judge, task.case, task.output))
            except StopIteration:
                continue


# ── certificates that are there ──────────────────────────────────────────────────────────────────────────


def show_command(asked: Asked) -> tuple[tuple[Standing, ...], tuple[str, ...]]:
    """The standing of every judge of the suite, and the certificates that are for none of them."""
    ready = loaded(asked)
    suite = ready.suite
    wanted = chosen(ready.instruments, asked.dimensions)
    trust = trust_of(suite, list(wanted.values()), today=datetime.now().astimezone().date())
    standings = tuple(_last_run(suite, one) for one in trust.standings.values())
    used = {one.file for one in standings}
    unused = []
    for filed in certificates_in(suite):
        if filed.file in used:
            continue
        paper = filed.certificate
        pairs = paper is not None and paper.kind == "pairs"
        whose = (
            "a judge of pairs: `judgekit pairwise` says whether it stands"
            if pairs
            else "for another judge or an older one"
        )
        told = f"of {paper.judge}, {whose}" if paper else filed.trouble
        unused.append(f"{filed.file}: {told}")
    return standings, tuple(unused)


def _last_run(suite: Suite, standing: Standing) -> Standing:
    """What the newest run of this very judge found, where that took its say away."""
    if not standing.gating:
        return standing
    for folder in run_folders(suite.folder / suite.file.runs)[:1]:
        for one in read_manifest(folder).settled.standings:
            if (one.name, one.fingerprint) == (standing.name, standing.fingerprint) and not one.gating:
                return one if one.file == standing.file else standing
    return standing


def check_command(asked: Asked, notes: Console) -> tuple[Rejudged, ...]:
    """Judge the test outputs of every valid certificate again, without the cache. Costs no attempt.

    Raises `NotEnough` when no judge of the suite has one.
    """
    ready = loaded(asked)
    suite = ready.suite
    wanted = chosen(ready.instruments, asked.dimensions)
    trust = trust_of(suite, list(wanted.values()), today=datetime.now().astimezone().date())
    if not trust.certificates:
        raise NotEnough("no judge of this suite has a certificate that could be checked; see --show")
    tasks: dict[str, tuple[Task, ...]] = {}
    for name, paper in trust.certificates.items():
        source = Source(file=paper.labels, base=suite.folder, reading=paper.reading, settled=True)
        data = labelled(suite, source, ready.instruments, wanted=(name,), variant=asked.variant)
        tasks[name] = tuple(task for task in data.tasks.get(name, ()) if task.item.row in paper.rows)

    async def go() -> tuple[Rejudged, ...]:
        senders = Senders(_way(asked, ready, cache=False), warn=lambda text: notes.print(text, markup=False))
        try:
            _confirm(asked, ready, senders, tasks, notes)
            progress = ProgressLine(notes, quiet=asked.quiet)
            judged = await judge_tasks(tasks, senders, in_flight=asked.in_flight, watcher=progress)
        finally:
            await senders.aclose()
        return tuple(
            rejudged(
                trust.certificates[name],
                {one.item.row: one.verdict for one in judging.seen},
                judging.models,
                judging.dropped,
            )
            for name, judging in judged.items()
        )

    return asyncio.run(go())


# ── before there are labels ──────────────────────────────────────────────────────────────────────────────


def policy_of(suite: Path) -> CalibrationPolicy:
    """The policy of a suite, or the default where there is no suite yet."""
    path = suite / "judgekit.yaml" if suite.is_dir() else suite
    return load_suite_file(path).calibration if path.is_file() else CalibrationPolicy()


def next_command(asked: Asked, run: Path, n: int, path: Path) -> dict[str, int]:
    """Write a sheet of the n outputs of a run to label next on each dimension; rows by `rubric.dimension`.

    Raises `InputError` where the run has no verdict of the judge, or a file is there already.
    """
    ready = loaded(asked)
    stored = read_run(find_run(run, asked.suite))
    judged = {one.name: one.fingerprint for one in stored.manifest.settled.standings}
    wanted = {name: judge for name, judge in chosen(ready.instruments, asked.dimensions).items() if name in judged}
    if not wanted:
        raise InputError(Problem(str(stored.folder), None, "no judge of these dimensions judged this run"))
    drawn = {name: draw_sample(stored, ready.suite, name, judged[name], n) for name in wanted}
    variant = stored.manifest.run.variant
    rows = []
    for name, judge in wanted.items():
        picked = [one for one in drawn[name] if one.chosen]
        outputs = [replace_variant(stored.outputs[one.case, one.trial], variant) for one in picked]
        rows += sheet_rows(ready.suite, {name: judge}, outputs, people_of(asked, ready))
    write_sheet(path, rows)
    write_sample(path, [one for own in drawn.values() for one in own])
    return {name: sum(one.chosen for one in own) for name, own in drawn.items()}


def replace_variant(output: Output, variant: str) -> Output:
    """The output with the variant that the run was of."""
    return msgspec.structs.replace(output, variant=variant)


def people_of(asked: Asked, ready: Loaded) -> tuple[str, ...]:
    """The columns of the people who label: as asked, else as in the suite."""
    return asked.reading.annotators or ready.suite.file.calibration.annotators


def template_command(asked: Asked, path: Path) -> tuple[int, tuple[str, ...]]:
    """Write the blank sheet; how many rows it has, and the columns to fill in.

    Raises `InputError` where there is nothing to label.
    """
    ready = loaded(asked)
    wanted = chosen(ready.instruments, asked.dimensions)
    people = people_of(asked, ready)
    rows = sheet_rows(ready.suite, wanted, outputs_to_label(ready.suite, asked.variant), people)
    if not rows:
        raise InputError(Problem(ready.suite.shown, None, "no output of this suite is judged by these dimensions"))
    write_sheet(path, rows)
    return len(rows), people or ("label",)
