"""Calibration done: judge the labelled outputs, count the look, decide, and write what was decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec
import numpy as np

from judgekit._version import __version__
from judgekit.calibration.attempts import MOST, Ledger, Touched, level
from judgekit.calibration.certificate import Certificate, sealed, verdict_hash
from judgekit.calibration.decide import Ruling, bar_of, decide, holm, times
from judgekit.calibration.fingerprint import fingerprint_of, judge_words
from judgekit.calibration.found import Calibrated, Found
from judgekit.calibration.items import case_hash, split_of
from judgekit.calibration.leaks import repeats_of
from judgekit.calibration.measure import DECIDED, Measured, Seen, measure, recheck, seen_of
from judgekit.calibration.plan import with_more
from judgekit.calibration.sample import Drawn
from judgekit.errors import InputError, NotEnough, Problem, UsageError, WorldFailed
from judgekit.graders.judge import Instrument, judge_steps
from judgekit.run.certificates import write_certificate
from judgekit.run.judging import answered_by, drive_all
from judgekit.run.labelled import Labelled, Task
from judgekit.run.looks import Looks
from judgekit.run.past import counted, elsewhere, gone_cases, look_of, past_of, touched_by
from judgekit.run.perform import Watcher
from judgekit.suite import CalibrationPolicy
from judgekit.types import Grade, Sender

DEV_TAIL = 0.025


@dataclass(frozen=True)
class Setting:
    """What a calibration needs to know of the world around it.

    looks          counts looks at the labels; None where they are in memory, and nobody can count
    token          tells this command's look from others
    certificates   the folder that they are written to; None = nothing is written
    valid          certificates that stand, by `rubric.dimension`
    """

    policy: CalibrationPolicy
    looks: Looks | None
    now: Callable[[], datetime]
    token: str
    certificates: Path | None = None
    valid: Mapping[str, Certificate] = field(default_factory=dict)
    in_flight: int = 64
    watcher: Watcher | None = None


@dataclass(frozen=True)
class Judging:
    """Labelled outputs with what a judge said of them.

    models, dropped   names that the provider returned, and parameters that it refused
    """

    judge: Instrument
    tasks: tuple[Task, ...]
    grades: tuple[Grade, ...]
    models: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def seen(self) -> tuple[Seen, ...]:
        """Each labelled output with its verdict."""
        return tuple(
            seen_of(task.item, grade, task.probability) for task, grade in zip(self.tasks, self.grades, strict=True)
        )


async def judge_tasks(
    tasks: Mapping[str, Sequence[Task]], send: Sender, *, in_flight: int, watcher: Watcher | None = None
) -> dict[str, Judging]:
    """Judge labelled outputs, at most `in_flight` at once. Raises `RunStopped` when no call can succeed."""
    graders = [judge_steps(task.judge, task.case, task.output) for own in tasks.values() for task in own]
    grades = iter(await drive_all(graders, send, in_flight=in_flight, watcher=watcher))
    found = {}
    for name, own in tasks.items():
        if not own:
            continue
        given = tuple(next(grades) for _ in own)
        models, dropped = answered_by(call for grade in given for call in grade.calls)
        bare = tuple(msgspec.structs.replace(grade, calls=()) for grade in given)
        found[name] = Judging(own[0].judge, tuple(own), bare, models, dropped)
    return found


# ── the dev split ────────────────────────────────────────────────────────────────────────────────────────


def dev_tasks(data: Labelled, past: Ledger) -> dict[str, tuple[Task, ...]]:
    """The labelled outputs whose disagreements may be shown: the dev split, and used-up sets of test labels."""
    gone = gone_cases(data, past)
    return {
        name: tuple(t for t in own if t.item.split == "dev" or case_hash(t.item.case) in gone)
        for name, own in data.tasks.items()
    }


async def look_at_dev(data: Labelled, send: Sender, setting: Setting) -> Calibrated:
    """Judge and measure the dev split; its disagreements may be shown. Costs no attempt.

    Raises `NotEnough` when there is no dev split.
    """
    past = past_of(data, setting.looks)
    tasks, gone = dev_tasks(data, past), gone_cases(data, past)
    if not any(tasks.values()):
        raise NotEnough("no labelled output is in the dev split; label more, or mark some with a column 'split'")
    judged = await judge_tasks(tasks, send, in_flight=setting.in_flight, watcher=setting.watcher)
    found = []
    for name, own in data.tasks.items():
        judging = judged.get(name)
        measured = None
        if judging is not None:
            drawn = _drawn(data, judging, lambda case: split_of(case) == "dev" or case_hash(case) in gone)
            measured = measure(judging.seen, bar=bar_of(setting.policy), tail=DEV_TAIL, drawn_from=drawn)
        seen = judging.seen if judging else ()
        found.append(Found(name, judge_words(own[0].judge), len(own), measured, seen))
    if setting.looks is not None:
        shown = {name: own[0].judge for name, own in data.tasks.items() if tasks[name]}
        setting.looks.add(
            look_of("shown", shown, setting.token, setting.now(), [t for own in tasks.values() for t in own])
        )
    left = MOST - past.used
    notices = (*data.notices, *_unmatched(data), *elsewhere(past))
    return Calibrated(data.file, tuple(found), left=left, notices=notices)


# ── the test split ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Opening:
    """What an attempt would open.

    tasks     the labelled outputs of each dimension that has enough of them
    too_few   dimension -> why the policy cannot be met with its labels, whatever the judge says
    held      dimension -> the certificate that stands for these very labels
    gone      hashes of cases of used-up sets
    used      attempts so far; `touched` is what says whether a look is one at these labels
    """

    tasks: Mapping[str, tuple[Task, ...]]
    too_few: Mapping[str, tuple[str, ...]]
    held: Mapping[str, str]
    every: bool
    spent: bool = False
    gone: frozenset[str] = frozenset()
    used: int = 0
    touched: Touched | None = None
    notices: tuple[str, ...] = ()

    @property
    def left(self) -> int:
        """How many attempts there are."""
        return 0 if self.spent else MOST - self.used

    def uses(self, case: str) -> bool:
        """Whether a case belongs to what is opened, by its id alone."""
        return (self.every or split_of(case) == "test") and case_hash(case) not in self.gone


def opening(data: Labelled, setting: Setting, *, every: bool = False) -> Opening:
    """Check everything that can be checked before anybody looks.

    every   use the dev split too: only while no disagreement of these dimensions was ever shown

    Raises `InputError` for labels that belong to no output or to no text, `UsageError` for `every` after a look.
    """
    past, touched = past_of(data, setting.looks, every=every), touched_by(data, every=every)
    gone = gone_cases(data, past)
    if data.unmatched:
        problems = [Problem("", None, f"the label at {told}: no output") for told in data.unmatched]
        raise InputError(problems)
    seen = sorted(set(data.tasks) & past.shown)
    if every and seen:
        what = f"--all uses every label, but disagreements of {', '.join(seen)} were shown; use --certify without --all"
        raise UsageError(what)
    fresh = {
        name: tuple(t for t in own if case_hash(t.item.case) not in gone and (every or t.item.split == "test"))
        for name, own in data.tasks.items()
    }
    _check_bound(fresh)
    _check_leaks(fresh)
    spent = bool(past.spent) and not any(fresh.values())
    held = {
        name: paper.file_name
        for name, paper in setting.valid.items()
        if name in fresh and set(paper.rows) == {task.item.row for task in fresh[name]}
    }
    too_few = {name: _too_few(tasks, setting.policy) for name, tasks in fresh.items() if name not in held}
    ready = {name: tasks for name, tasks in fresh.items() if name not in held and not too_few[name]}
    few = {name: why for name, why in too_few.items() if why}
    return Opening(ready, few, held, every, spent, gone, past.used, touched, elsewhere(past))


def _check_bound(tasks: Mapping[str, Sequence[Task]]) -> None:
    """A certificate rests on labels of texts: each needs the text or its hash."""
    bare = [task.item.place for own in tasks.values() for task in own if task.item.sha256 is None]
    if bare:
        what = f"{len(bare)} labels, the first at {bare[0]}, say no text: add a column 'output' or 'output_sha256'"
        raise InputError(Problem("", None, f"{what}, so that a certificate is bound to what was labelled"))


def _check_leaks(tasks: Mapping[str, Sequence[Task]]) -> None:
    found = []
    for own in tasks.values():
        if own:
            found += repeats_of(own[0].judge, [task.output.text for task in own])
    if found:
        what = "repeats an output of the test split: take it out, or the judge is shown what it is tested on"
        raise InputError([Problem(place, None, what) for place in dict.fromkeys(found)])


def _too_few(tasks: Sequence[Task], policy: CalibrationPolicy) -> tuple[str, ...]:
    """Why no judge could be certified on these labels."""
    labels = Counter(task.item.label for task in tasks)
    decided = [task for task in tasks if task.item.label in DECIDED]
    cases = len({task.item.case for task in decided})
    found = []
    used = [label for label in DECIDED if labels[label]]
    if len(used) == 1:
        found.append(f"people used one label only ({used[0]}): agreement beyond chance needs PASS and FAIL")
    else:
        rare = [label for label in DECIDED if labels[label] < policy.each_label]
        found += [f"people said {label} {times(labels[label])}, {policy.each_label} are needed" for label in rare]
    if len(decided) < policy.n:
        found.append(f"{len(decided)} outputs are labelled PASS or FAIL, {policy.n} are needed")
    if cases < policy.cases:
        found.append(f"they come from {cases} cases, {policy.cases} are needed")
    return tuple(found)


async def certify(data: Labelled, opened: Opening, send: Sender, setting: Setting) -> Calibrated:
    """One attempt: judge the test labels, count the look, decide, write the certificates.

    Raises `WorldFailed` when too many calls failed (then nothing was looked at), `RunStopped` as `judge_tasks`.
    """
    notices = (*data.notices, *opened.notices)
    if opened.spent or not opened.tasks:
        found = [_closed(name, own, opened) for name, own in data.tasks.items()]
        return Calibrated(
            data.file,
            tuple(found),
            left=opened.left,
            spent=opened.spent,
            every_label=opened.every,
            notices=notices,
        )
    judged = await judge_tasks(opened.tasks, send, in_flight=setting.in_flight, watcher=setting.watcher)
    _check_calls(judged, setting.policy)
    looked_at = [task for own in opened.tasks.values() for task in own]
    look = look_of(
        "attempt", {name: one.judge for name, one in judged.items()}, setting.token, setting.now(), looked_at
    )
    used = counted(setting.looks, look, opened.touched)
    alpha = level(used)
    spent = used == MOST
    bar = bar_of(setting.policy)
    drawn = {name: _drawn(data, one, opened.uses) for name, one in judged.items()}
    measures = {
        name: measure(one.seen, bar=bar, tail=alpha / len(judged), drawn_from=drawn[name])
        for name, one in judged.items()
    }
    tails = holm({name: one.below for name, one in measures.items()}, alpha)
    found = []
    for name, own in data.tasks.items():
        if name not in judged:
            found.append(_closed(name, own, opened))
            continue
        measured, (tail, clears) = measures[name], tails[name]
        ruling = decide(measured, setting.policy, tail=tail, clears=clears)
        if ruling.result == "certified":
            recheck(judged[name].seen, measured, drawn_from=drawn[name])
        paper = _certificate(name, judged[name], measured, ruling, data, opened, setting, used)
        file = write_certificate(paper, setting.certificates) if setting.certificates else ""
        more = {}
        if ruling.result == "inconclusive" and measured.below is not None and not measured.chosen:
            more = _more(measured, setting.policy, level(used + 1) if not spent else level(1), every=opened.every)
        public = measured if ruling.result == "certified" or spent else None
        found.append(Found(name, paper.judge, len(own), public, (), ruling, (), more, paper, file))
    return Calibrated(
        data.file, tuple(found), used, MOST - used, alpha, spent, every_label=opened.every, notices=notices
    )


def _closed(name: str, own: Sequence[Task], opened: Opening) -> Found:
    if name in opened.held:
        return Found(name, judge_words(own[0].judge), len(own), held=opened.held[name])
    why = ("every attempt on these labels is used up: they are dev now. Label new cases for a new set",)
    return Found(name, judge_words(own[0].judge), len(own), too_few=why if opened.spent else opened.too_few[name])


def _check_calls(judged: Mapping[str, Judging], policy: CalibrationPolicy) -> None:
    """A network that was down is no judge that abstained. Names no output: these are test labels."""
    for name, one in judged.items():
        failed = Counter(g.fault.code for g in one.grades if g.fault is not None and g.fault.kind == "failed")
        if failed.total() > (1 - policy.coverage) * len(one.grades):
            codes = ", ".join(f"{n} {code}" for code, n in failed.most_common())
            what = f"{failed.total()} of {len(one.grades)} calls of {name} failed ({codes})"
            raise WorldFailed(f"{what}: nothing was decided and no attempt is counted; mend that, and run it again")


def _certificate(
    name: str,
    judging: Judging,
    measured: Measured,
    ruling: Ruling,
    data: Labelled,
    opened: Opening,
    setting: Setting,
    attempt: int,
) -> Certificate:

    def kept(one: Seen) -> str:
        """Of a judge that earned nothing, nothing from which its verdicts on the test labels could be told."""
        return verdict_hash(one.item.row, one.verdict) if ruling.result == "certified" else ""

    fingerprint = fingerprint_of(judging.judge)
    rubric, _, dimension = name.partition(".")
    return sealed(
        Certificate(
            rubric=rubric,
            dimension=dimension,
            judge=judge_words(judging.judge),
            fingerprint=fingerprint.hash,
            parts=fingerprint.parts,
            result=ruling.result,
            reasons=ruling.reasons,
            attempt=attempt,
            level=ruling.tail,
            labels=data.file,
            reading=data.reading,
            rows={one.item.row: kept(one) for one in judging.seen},
            policy=setting.policy.thresholds(),
            measured=measured if ruling.result == "certified" else None,
            models=judging.models,
            dropped=judging.dropped,
            every_label=opened.every,
            made=setting.now().isoformat(timespec="seconds"),
            judgekit=__version__,
        )
    )


def _more(measured: Measured, policy: CalibrationPolicy, next_level: float, *, every: bool) -> dict[int, float]:
    table = np.array([row[:2] for row in measured.table[:2]], dtype=np.float64)
    decided = measured.n / max(1, measured.judged)
    return with_more(table, policy, next_level, decided=decided, every=every)


def _drawn(data: Labelled, judging: Judging, uses: Callable[[str], bool]) -> tuple[Drawn, ...]:
    """All outputs that these were chosen from by this very judge's verdicts; nothing where that is not how it was."""
    own = tuple(one for one in data.drawn if one.dimension == judging.judge.name and uses(one.case))
    mine = fingerprint_of(judging.judge).hash
    chosen = {(one.case, one.sha256) for one in own if one.chosen and one.fingerprint == mine}
    whole = all((task.case.id, task.output.sha256) in chosen for task in judging.tasks)
    return own if whole and all(one.fingerprint == mine for one in own) else ()


def _unmatched(data: Labelled) -> tuple[str, ...]:
    if not data.unmatched:
        return ()
    shown = "; ".join(data.unmatched[:5]) + ("; ..." if len(data.unmatched) > 5 else "")
    return (f"{len(data.unmatched)} labels belong to no output, and --certify will refuse them: {shown}",)


def with_costs(found: Calibrated, *, sent: int, cached: int, cost: float | None) -> Calibrated:
    """The same, with what it took."""
    return msgspec.structs.replace(found, calls_sent=sent, calls_cached=cached, cost_usd=cost)
