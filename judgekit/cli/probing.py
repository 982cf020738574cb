"""What `probe` does between its options and its result: plan, ask before paying, judge under Ctrl-C."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.progress import ProgressLine
from judgekit.cli.running import Asked, confirm, limited, stop_like_ctrl_c, suite_way
from judgekit.errors import Interrupted, UsageError
from judgekit.located import near
from judgekit.probes.attacks import load_attacks, shipped_attacks
from judgekit.probes.effect import Band
from judgekit.probes.finding import PROBES, Probe, bands_with
from judgekit.report.probe import Missing, ProbeReport
from judgekit.run.holdout import log_holdout
from judgekit.run.loaded import load_suite
from judgekit.run.probe import Probed, perform_probe
from judgekit.run.probe_calls import ProbeCalls, count_probe_calls
from judgekit.run.probe_plan import ProbePlan, Wanted, make_probe_plan
from judgekit.run.senders import OFFLINE, Senders

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class AskedProbe:
    """The options of `judgekit probe`; `common` are those that it shares with `run`."""

    common: Asked
    probes: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    bands: tuple[str, ...] = ()
    a: str | None = None
    b: str | None = None
    each: int = 0
    attacks: Path | None = None


def probe_named(name: str) -> Probe:
    """A probe by its name. Raises `UsageError`."""
    found = next((probe for probe in PROBES if probe == name), None)
    if found is None:
        raise UsageError(f"no probe {name!r}.{near(name, PROBES)} Probes: {', '.join(PROBES)}")
    return found


def bands_of(written: Iterable[str]) -> dict[Probe, Band]:
    """The bands, with those that `--band verbosity=0.05` changes. Raises `UsageError`."""
    own: dict[Probe, float] = {}
    for text in written:
        name, _, value = text.partition("=")
        probe = probe_named(name)
        try:
            width = float(value)
        except ValueError:
            width = -1.0
        if not 0 <= width < 1:
            raise UsageError(f"--band {text}: write {name}=0.05, a share of at least 0 and below 1")
        own[probe] = width
    return bands_with(own)


def prepared_probe(asked: AskedProbe) -> ProbePlan:
    """The plan that the options ask for. Raises `FixNeeded`."""
    common = asked.common
    probes = tuple(probe_named(name) for name in asked.probes)
    wanted = Wanted(
        probes=tuple(dict.fromkeys(probes)),
        dimensions=asked.dimensions,
        skip=asked.skip,
        a=asked.a,
        b=asked.b,
        attacks=load_attacks(asked.attacks or shipped_attacks()),
        each=asked.each,
        bands=bands_of(asked.bands),
    )
    return make_probe_plan(
        load_suite(common.suite),
        common.variant,
        wanted,
        trials=common.trials,
        selection=common.selection,
        judge=common.judge,
    )


def models_of(plan: ProbePlan) -> list[str]:
    """Every model that a call may go out to."""
    found = [own.variant.model for own in plan.plans if own.prompt and own.variant.model]
    for config in (plan.plan.judge, plan.pairs.judge if plan.pairs else None):
        found += config.models if config else ()
    return list(dict.fromkeys(found))


def plan_command(asked: AskedProbe, notes: Console) -> ProbeCalls:
    """Count the calls of `judgekit probe`; nothing is sent."""
    plan = prepared_probe(asked)
    senders = _senders(asked, plan, notes, look_only=True)
    try:
        return count_probe_calls(plan, peek=senders.peek, price=senders.price, tokens=senders.tokens)
    finally:
        senders.close_store()


def probe_command(asked: AskedProbe, notes: Console) -> ProbeReport:
    """Do the whole of `judgekit probe`. Raises `Interrupted` at Ctrl-C; what was paid for is in the cache."""
    plan = prepared_probe(asked)
    common = asked.common
    if common.selection.holdout:
        log_holdout(plan.plan, now=datetime.now().astimezone())
    progress = ProgressLine(notes, quiet=common.quiet)
    pays = any(model.partition(":")[0] not in OFFLINE for model in models_of(plan))

    async def go() -> ProbeReport:
        senders = _senders(asked, plan, notes)
        try:
            if pays and not common.replay:
                counted = count_probe_calls(plan, peek=senders.peek, price=senders.price, tokens=senders.tokens)
                if note := at_most(counted):
                    notes.print(note, markup=False)
                confirm(counted.calls, notes, sure=common.yes or limited(common, plan.plan.suite))
            stop_like_ctrl_c()
            probed = await perform_probe(
                plan,
                send=senders,
                now=lambda: datetime.now().astimezone(),
                token=secrets.token_hex(8),
                in_flight=common.in_flight,
                watcher=progress,
            )
            return _report(plan, probed, senders)
        except asyncio.CancelledError:
            raise Interrupted(
                "interrupted; what was paid for is in the cache, the same command goes on from it"
            ) from None
        finally:
            progress.stop()
            await senders.aclose()

    return asyncio.run(go())


def at_most(counted: ProbeCalls) -> str:
    """What a reader of the plan has to know of its attacks."""
    if counted.settled:
        return ""
    return (
        "Only outputs judged FAIL are attacked; the plan counts attacks on all of them, which is the most there can be."
    )


def _senders(asked: AskedProbe, plan: ProbePlan, notes: Console, *, look_only: bool = False) -> Senders:
    # a model on this machine costs nothing but time; keeping its replies is what makes a stopped probing go on
    keeps = any(model.partition(":")[0] != "replay" for model in models_of(plan))
    way = suite_way(asked.common, plan.plan.suite, pays=keeps, look_only=look_only)
    return Senders(way, warn=lambda text: notes.print(text, markup=False))


def _report(plan: ProbePlan, probed: Probed, senders: Senders) -> ProbeReport:
    own = plan.plan
    judge = own.judge or (plan.pairs.judge if plan.pairs else None)
    faults = sorted(probed.faults.items(), key=lambda item: -item[1][0])
    return ProbeReport(
        suite=own.suite.file.suite,
        variant=own.name,
        judges=judge.models if judge else (),
        cases=len(own.cases),
        trials=own.trials,
        battery=probed.battery,
        selected=own.selected,
        notices=plan.notices,
        missing=tuple(Missing(cause, n, first) for cause, (n, first) in faults),
        missing_outputs=probed.missing_outputs,
        calls_sent=senders.sent,
        calls_cached=senders.cached,
        cost_usd=senders.cost,
        stopped=probed.stopped.why if probed.stopped else "",
    )
