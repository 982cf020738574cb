"""What `pairwise --labels` does: a judge of pairs against people's preferences, and the certificate it may earn."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.calibration.certificate import Reading
from judgekit.calibration.found import Calibrated
from judgekit.cli.pairing import AskedPairs
from judgekit.cli.progress import ProgressLine
from judgekit.cli.running import confirm, keyless, limited, suite_way
from judgekit.errors import UsageError
from judgekit.graders.pairrubric import find_pair_rubric
from judgekit.graders.pairwise import PairInstrument, pair_steps
from judgekit.run.calibrate import Setting, with_costs
from judgekit.run.calls import count_requests
from judgekit.run.loaded import Suite, load_suite
from judgekit.run.looks import Looks
from judgekit.run.pairs.calibrate import certify_pairs, dev_pairs, look_at_dev_pairs, open_pairs
from judgekit.run.pairs.labelled import PairTask, labelled_pairs
from judgekit.run.pairs.plan import judge_of, pair_instruments
from judgekit.run.pairs.trust import pair_standings
from judgekit.run.plan import Selection
from judgekit.run.senders import OFFLINE, Senders
from judgekit.types import Request, Sender

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class AskedLabels:
    """The options of `pairwise --labels`; of `pairs` only those that say what is judged, by whom and for how much."""

    pairs: AskedPairs
    labels: Path
    columns: Mapping[str, str]
    certify: bool = False


def check_options(asked: AskedPairs) -> None:
    """Raises `UsageError` for an option that labels leave nothing to say about."""
    common = asked.common
    strange = {
        "--variants": bool(asked.variants),
        "--against": asked.against is not None,
        "--repeats": asked.repeats != 1,
        "--trials": common.trials is not None,
        "--tag, --case, --limit and --holdout": common.selection != Selection(),
        "--retry-missing": common.retry_missing,
        "--fresh": common.fresh,
    }
    if given := [name for name, on in strange.items() if on]:
        raise UsageError(f"with --labels the file says which pairs are judged; leave out {', '.join(given)}")
    if bool(asked.a) != bool(asked.b):
        raise UsageError(f"--{'b' if asked.a else 'a'} is missing: give both variants, or neither for every label")


def labels_command(asked: AskedLabels, notes: Console) -> Calibrated:
    """The whole of `pairwise --labels` and of its `--certify`. Raises `FixNeeded`."""
    pairs, common = asked.pairs, asked.pairs.common
    check_options(pairs)
    if asked.certify and common.record is not None:
        raise UsageError("--record would keep what the judge says of the test split; leave it out with --certify")
    suite = load_suite(common.suite)
    rubric = find_pair_rubric(pairs.rubric, base=suite.folder)
    config = judge_of(suite, common.judge)
    instruments = pair_instruments(rubric.only(pairs.dimensions) if pairs.dimensions else rubric, config)
    file = _seen_from(asked.labels, suite.folder)
    variants = (pairs.a, pairs.b) if pairs.a and pairs.b else None
    reading = Reading(columns=dict(asked.columns))
    data = labelled_pairs(suite, file, instruments, reading=reading, only=bool(pairs.dimensions), variants=variants)
    _, valid = pair_standings(suite, instruments, today=datetime.now().astimezone().date())
    setting = Setting(
        policy=suite.file.calibration,
        looks=Looks.beside(file, suite.folder),
        now=lambda: datetime.now().astimezone(),
        token=secrets.token_hex(8),
        certificates=suite.folder / suite.file.certificates,
        valid=valid,
        in_flight=common.in_flight,
        watcher=ProgressLine(notes, quiet=common.quiet),
    )
    if not asked.certify:

        async def look(send: Sender) -> Calibrated:
            return await look_at_dev_pairs(data, send, setting)

        return _with_senders(asked, suite, instruments, dev_pairs(data, setting), notes, look)
    opened = open_pairs(data, setting)

    async def attempt(send: Sender) -> Calibrated:
        return await certify_pairs(data, opened, send, setting)

    return _with_senders(asked, suite, instruments, opened.tasks, notes, attempt)


def _seen_from(path: Path, folder: Path) -> str:
    """The labels file as seen from the suite's folder, which is how a certificate names it."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(path.resolve())


def _with_senders(
    asked: AskedLabels,
    suite: Suite,
    instruments: Sequence[PairInstrument],
    tasks: Mapping[str, Sequence[PairTask]],
    notes: Console,
    work: Callable[[Sender], Awaitable[Calibrated]],
) -> Calibrated:
    """Ask before paying, do the work, and say what it took."""
    common, config = asked.pairs.common, instruments[0].config
    paid = [model for model in config.models if model.partition(":")[0] not in OFFLINE]

    async def go() -> Calibrated:
        way = suite_way(common, suite, pays=bool(paid))
        senders = Senders(way, warn=lambda text: notes.print(text, markup=False))
        try:
            if paid and not common.replay:
                probes = [Request(m, (), base_url=config.base_url, api_key_env=config.api_key_env) for m in paid]
                missing = keyless(senders, probes)
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
                confirm(calls, notes, sure=common.yes or limited(common, suite))
            found = await work(senders)
            return with_costs(found, sent=senders.sent, cached=senders.cached, cost=senders.cost)
        finally:
            await senders.aclose()

    return asyncio.run(go())


def _requests(tasks: Mapping[str, Sequence[PairTask]]) -> Iterator[Request]:
    for own in tasks.values():
        for task in own:
            try:
                yield from next(pair_steps(task.judge, task.case, task.a, task.b, names=("a", "b")))
            except StopIteration:
                continue
