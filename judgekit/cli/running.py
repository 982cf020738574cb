"""What `run` does between its options and its result: plan, ask before paying, execute under Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from judgekit.call.budget import Budget
from judgekit.call.prices import Price
from judgekit.cli.progress import ProgressLine
from judgekit.errors import Interrupted, RunStopped, UsageError
from judgekit.report.numbers import money, plural
from judgekit.run.calls import CallPlan, count_calls
from judgekit.run.environment import environment
from judgekit.run.holdout import log_holdout
from judgekit.run.loaded import Suite, load_suite
from judgekit.run.perform import Finished, Options, perform
from judgekit.run.plan import Plan, Selection, make_plan
from judgekit.run.senders import CACHE, OFFLINE, Senders, Way
from judgekit.types import Request

if TYPE_CHECKING:
    from rich.console import Console

N = TypeVar("N", int, float)


@dataclass(frozen=True)
class Asked:
    """The options of `judgekit run`."""

    suite: Path
    variant: str | None
    trials: int | None
    selection: Selection
    judge: str | None
    in_flight: int = 64
    max_calls: int | None = None
    max_cost: float | None = None
    yes: bool = False
    record: Path | None = None
    replay: bool = False
    no_cache: bool = False
    retry_missing: bool = False
    fresh: bool = False
    baseline: Path | None = None
    quiet: bool = False


def prepared(asked: Asked) -> Plan:
    """The plan that the options ask for. Raises `FixNeeded`."""
    suite = load_suite(asked.suite)
    return make_plan(suite, asked.variant, trials=asked.trials, selection=asked.selection, judge=asked.judge)


def way_of(asked: Asked, plan: Plan, *, look_only: bool = False) -> Way:
    """How this command's calls go out; `look_only` opens a cache that is there, and makes none."""
    return suite_way(asked, plan.suite, pays=bool(paying_models(plan)), look_only=look_only)


def suite_way(asked: Asked, suite: Suite, *, pays: bool, look_only: bool = False) -> Way:
    """How the calls of a suite go out; `pays` = some of them cost something, so that replies are worth keeping."""
    file = suite.file
    limit = file.budget
    cache = suite.folder / CACHE if pays and not asked.replay and not asked.no_cache else None
    if look_only and cache is not None and not cache.is_file():
        cache = None
    return Way(
        env=environment(suite.folder, os.environ),
        recordings=suite.recordings,
        folder=suite.folder,
        pace=suite.file.limits,
        replay_all=asked.replay,
        cache=cache,
        read_only=look_only,
        record=asked.record,
        budget=Budget(
            calls=_least(asked.max_calls, limit.calls if limit else None),
            usd=_least(asked.max_cost, limit.usd if limit else None),
        ),
        prices={name: Price(price.input, price.output) for name, price in file.prices.items()},
        in_flight=asked.in_flight,
    )


def _least(a: N | None, b: N | None) -> N | None:
    known = [x for x in (a, b) if x is not None]
    return min(known) if known else None


def paying_models(plan: Plan) -> list[str]:
    """The models of a plan that a call would go out to."""
    return list(dict.fromkeys(request.model for request in _probes(plan)))


def _probes(plan: Plan) -> list[Request]:
    """An empty request to each model that a call of the plan would go out to; never sent."""
    found = []
    if plan.prompt and plan.variant.model:
        own = plan.variant
        found.append(Request(plan.variant.model, (), base_url=own.base_url, api_key_env=own.api_key_env))
    judge = plan.judge
    if judge is not None and any(plan.instruments(case) for case in plan.cases):
        found += [Request(m, (), base_url=judge.base_url, api_key_env=judge.api_key_env) for m in judge.models]
    return [request for request in found if request.model.partition(":")[0] not in OFFLINE]


def run_command(asked: Asked, notes: Console) -> Finished:
    """Do the whole of `judgekit run`, and hand back how it ended."""
    plan = prepared(asked)
    progress = ProgressLine(notes, quiet=asked.quiet)
    baseline = None
    if asked.baseline is not None:
        from judgekit.run.sides import read_baseline

        baseline = (read_baseline(asked.baseline), asked.baseline.name)

    async def go() -> Finished:
        skip: set[str] = set()
        senders = Senders(replace(way_of(asked, plan), skip=skip), warn=lambda text: notes.print(text, markup=False))
        try:
            _ask_before_paying(asked, plan, senders, notes)
            if asked.selection.holdout:
                log_holdout(plan, now=datetime.now().astimezone())
            stop_like_ctrl_c()
            root = plan.suite.folder / plan.suite.file.runs
            return await perform(
                plan,
                send=senders,
                counts=senders,
                options=Options(root, asked.in_flight, asked.fresh, asked.retry_missing, skip, baseline),
                now=lambda: datetime.now().astimezone(),
                token=secrets.token_hex(3),
                watcher=progress,
            )
        finally:
            progress.stop()
            await senders.aclose()

    finished = asyncio.run(go())
    for note in finished.notes:
        notes.print(note, markup=False)
    return finished


def stop_like_ctrl_c() -> None:
    """A polite end from outside (SIGTERM) keeps everything, as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _ask_before_paying(asked: Asked, plan: Plan, senders: Senders, notes: Console) -> None:
    """Show what paid calls would cost; go on by a yes, by --yes, or under a budget.

    Raises `RunStopped` when the key of a model that has to be called is missing, `UsageError` when nobody can be asked,
    `Interrupted` at a no.
    """
    probes = [] if asked.replay else _probes(plan)
    if not probes:
        return
    missing = keyless(senders, probes)
    sure = asked.yes or limited(asked, plan.suite)
    if sure and not missing and not sys.stderr.isatty():
        return  # nobody watches and nobody has to be asked: counting would render every prompt twice
    calls = count_calls(plan, peek=senders.peek, price=senders.price, tokens=senders.tokens)
    for model in calls.models:
        if model.calls > model.cached and model.model in missing:
            raise missing[model.model]
    confirm(calls, notes, sure=sure)


def keyless(senders: Senders, probes: Sequence[Request]) -> dict[str, RunStopped]:
    """The models that cannot be called for want of a key, with what to say. Replies that are kept need none."""
    found = {}
    for request in probes:
        try:
            senders.check(request)
        except RunStopped as stopped:
            found[request.model] = stopped
    return found


def limited(asked: Asked, suite: Suite) -> bool:
    """Whether the command or the suite sets a budget."""
    budget = suite.file.budget
    told = asked.max_calls is not None or asked.max_cost is not None
    return told or (budget is not None and (budget.calls is not None or budget.usd is not None))


def confirm(calls: CallPlan, notes: Console, *, sure: bool) -> None:
    """Show what would be sent, and go on only if it costs nothing, is `sure`, or is confirmed on a terminal.

    Raises `UsageError` when nobody can be asked, `Interrupted` at a no.
    """
    if calls.sent == 0:
        return
    notes.print(describe(calls), markup=False)
    if sure:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or os.environ.get("CI"):
        raise UsageError("this run would pay for calls: say --yes, or set a budget (--max-calls, --max-cost)")
    if notes.input("Send them? [y/N] ").strip().lower() not in ("y", "yes"):
        raise Interrupted("nothing was sent")


def describe(calls: CallPlan) -> str:
    """What would be sent, in a few lines."""
    lines = []
    for m in calls.models:
        sent = m.calls - m.cached
        cost = "price unknown" if m.usd is None else f"about {money(m.usd)}"
        lines.append(f"{m.model}: {plural(sent, f'{m.purpose} call')} to send, {m.cached} cached, {cost}")
    if not calls.exact:
        lines.append("(judge calls are counted as if every output arrives)")
    if calls.reask:
        lines.append(f"At most {calls.reask} more if replies cannot be read.")
    return "\n".join(lines)
