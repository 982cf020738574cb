"""What `pairwise` does between its options and its result: plan, ask before paying, execute under Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import secrets
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from judgekit.cli.ci import no_commands
from judgekit.cli.common import console, print_json
from judgekit.cli.progress import ProgressLine
from judgekit.cli.running import Asked, confirm, keyless, limited, stop_like_ctrl_c, suite_way
from judgekit.errors import UsageError
from judgekit.graders.pairrubric import SHIPPED, find_pair_rubric
from judgekit.report.preference.contest import Contest
from judgekit.report.preference.contest_document import contest_document
from judgekit.report.preference.contest_terminal import print_contest
from judgekit.run.holdout import log_holdout
from judgekit.run.loaded import load_suite
from judgekit.run.pairs.calls import count_pair_calls
from judgekit.run.pairs.perform import PairsFinished, perform_pairs, reread_pairs
from judgekit.run.pairs.plan import PairPlan, make_pair_plan
from judgekit.run.pairs.trust import trusted
from judgekit.run.perform import Options
from judgekit.run.senders import OFFLINE, Senders
from judgekit.suite import GatePolicy
from judgekit.types import Request

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class AskedPairs:
    """The options of `judgekit pairwise`; `common` are those that it shares with `run`."""

    common: Asked
    a: str | None = None
    b: str | None = None
    variants: tuple[str, ...] = ()
    against: str | None = None
    rubric: str = SHIPPED
    dimensions: tuple[str, ...] = ()
    repeats: int = 1


def prepared_pairs(asked: AskedPairs) -> PairPlan:
    """The plan that the options ask for. Raises `FixNeeded`."""
    suite = load_suite(asked.common.suite)
    rubric = find_pair_rubric(asked.rubric, base=suite.folder)
    plan = make_pair_plan(
        suite,
        _variants(asked, list(suite.file.variants)),
        against=asked.against,
        rubric=rubric.only(asked.dimensions) if asked.dimensions else rubric,
        trials=asked.common.trials,
        repeats=asked.repeats,
        selection=asked.common.selection,
        judge=asked.common.judge,
    )
    return trusted(plan, today=datetime.now().astimezone().date(), rubric=asked.rubric)


def _variants(asked: AskedPairs, known: list[str]) -> list[str]:
    if asked.variants and (asked.a or asked.b):
        raise UsageError("give either --a and --b, or --variants")
    if asked.variants:
        return list(asked.variants)
    if asked.a and asked.b:
        return [asked.a, asked.b]
    if asked.a or asked.b:
        raise UsageError(f"--{'b' if asked.a else 'a'} is missing: a comparison needs two variants")
    if len(known) == 2:
        return known
    raise UsageError(f"say which variants meet: --a V1 --b V2, or --variants with some of {', '.join(known) or 'none'}")


def paying_pair_models(plan: PairPlan) -> list[str]:
    """The models of a comparison that a call would go out to."""
    return list(dict.fromkeys(request.model for request in _probes(plan)))


def _probes(plan: PairPlan) -> list[Request]:
    """An empty request to each model that a call would go out to; never sent."""
    asked = [own.variant for own in plan.plans.values() if own.prompt]
    found = [Request(v.model, (), base_url=v.base_url, api_key_env=v.api_key_env) for v in asked if v.model]
    judge = plan.judge
    found += [Request(m, (), base_url=judge.base_url, api_key_env=judge.api_key_env) for m in judge.models]
    return [request for request in found if request.model.partition(":")[0] not in OFFLINE]


def show_pairs(folder: Path, gate: GatePolicy | None, *, json: bool) -> int:
    """Show a stored pairwise run again, from its files alone."""
    contest = reread_pairs(folder, gate)
    show(contest, json=json)
    return exit_code(contest)


def show(contest: Contest, *, json: bool) -> None:
    """Print a pairwise run as people or programs read it."""
    if json:
        print_json(contest_document(contest))
        return
    with no_commands(os.environ, secrets.token_hex(16)):
        print_contest(contest, console())


def exit_code(contest: Contest) -> int:
    """That of the gate where a `prefer` rule decides; else 3 when no pair could be counted."""
    if contest.decision is not None:
        return contest.decision.exit_code
    return 0 if any(bout.block.stats.win_rate.value is not None for bout in contest.main) else 3


def pairs_command(asked: AskedPairs, notes: Console) -> PairsFinished:
    """Do the whole of `judgekit pairwise`, and hand back how it ended."""
    plan, common = prepared_pairs(asked), asked.common
    if common.selection.holdout:
        for own in plan.plans.values():
            log_holdout(own, now=datetime.now().astimezone())
    progress = ProgressLine(notes, quiet=common.quiet)
    pays = bool(paying_pair_models(plan))

    async def go() -> PairsFinished:
        skip: set[str] = set()
        way = replace(suite_way(common, plan.suite, pays=pays), skip=skip)
        senders = Senders(way, warn=lambda text: notes.print(text, markup=False))
        try:
            if pays and not common.replay:
                missing = keyless(senders, _probes(plan))
                calls = count_pair_calls(plan, peek=senders.peek, price=senders.price, tokens=senders.tokens)
                for model in calls.models:
                    if model.calls > model.cached and model.model in missing:
                        raise missing[model.model]
                confirm(calls, notes, sure=common.yes or limited(common, plan.suite))
            stop_like_ctrl_c()
            return await perform_pairs(
                plan,
                send=senders,
                counts=senders,
                options=Options(
                    plan.suite.folder / plan.suite.file.runs, common.in_flight, common.fresh, common.retry_missing, skip
                ),
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
