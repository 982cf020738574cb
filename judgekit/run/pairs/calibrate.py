"""A judge of pairs against people: judge the labelled pairs, count the look, decide, write what was decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgekit._version import __version__
from judgekit.calibration.attempts import MOST, Touched, level
from judgekit.calibration.certificate import Certificate, sealed, verdict_hash
from judgekit.calibration.decide import Ruling, bar_of, decide, holm, times
from judgekit.calibration.fingerprint import words_of
from judgekit.calibration.found import Calibrated, Found
from judgekit.calibration.pair_measure import PairSeen, PairsMeasured, measure_pairs, recheck_pairs
from judgekit.data.preferences import Choice
from judgekit.errors import NotEnough, WorldFailed
from judgekit.graders.pairwise import PairGrade, PairInstrument, pair_steps
from judgekit.report.preference.panel import pair_of
from judgekit.run.calibrate import DEV_TAIL, Setting
from judgekit.run.certificates import write_certificate
from judgekit.run.judging import answered_by, drive_all
from judgekit.run.pairs.labelled import LabelledPairs, PairTask
from judgekit.run.pairs.past import pair_look, pair_marks, past_of_pairs
from judgekit.run.pairs.trust import pair_fingerprint
from judgekit.stats.gold import LABELS
from judgekit.suite import CalibrationPolicy
from judgekit.types import Sender

SIDES: tuple[Choice, ...] = ("A", "B")


@dataclass(frozen=True)
class PairJudging:
    """Labelled pairs with what a judge said of them.

    models, dropped   names that the provider returned, and parameters that it refused
    """

    judge: PairInstrument
    tasks: tuple[PairTask, ...]
    grades: tuple[PairGrade, ...]
    models: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    @property
    def seen(self) -> tuple[PairSeen, ...]:
        """Each labelled pair with what both orders came to."""
        return tuple(
            PairSeen(task.item, pair_of(grade).outcome, _reasons(grade))
            for task, grade in zip(self.tasks, self.grades, strict=True)
        )


def _reasons(grade: PairGrade) -> tuple[tuple[str, str], ...]:
    """What was said in each call."""
    several = len({(look.judge, look.vote) for look in grade.looks}) > 1
    return tuple(
        (
            f"{'B' if look.swapped else 'A'} first" + (f", {look.judge}" if several else ""),
            look.reason or (look.fault.why if look.fault else ""),
        )
        for look in grade.looks
    )


async def judge_pairs(
    tasks: Mapping[str, Sequence[PairTask]], send: Sender, setting: Setting
) -> dict[str, PairJudging]:
    """Judge labelled pairs in both orders, at most `in_flight` at once. Raises `RunStopped` as `drive`."""
    graders = [
        pair_steps(task.judge, task.case, task.a, task.b, names=("a", "b")) for own in tasks.values() for task in own
    ]
    grades = iter(await drive_all(graders, send, in_flight=setting.in_flight, watcher=setting.watcher))
    found = {}
    for name, own in tasks.items():
        given = tuple(next(grades) for _ in own)
        models, dropped = answered_by(call for grade in given for call in grade.calls)
        if own:
            found[name] = PairJudging(own[0].judge, tuple(own), given, models, dropped)
    return found


# ── the dev split ────────────────────────────────────────────────────────────────────────────────────────


def dev_pairs(data: LabelledPairs, setting: Setting) -> dict[str, tuple[PairTask, ...]]:
    """The labelled pairs whose disagreements may be shown: the dev split, and used-up sets of test labels."""
    past, _ = past_of_pairs(data, setting.looks)
    return {
        name: tuple(t for t in own if t.item.split == "dev" or not past.spent.isdisjoint(pair_marks(t)))
        for name, own in data.tasks.items()
    }


async def look_at_dev_pairs(data: LabelledPairs, send: Sender, setting: Setting) -> Calibrated:
    """Judge and measure the dev split; its disagreements may be shown. Costs no attempt.

    Raises `NotEnough` when there is no dev split.
    """
    past, touched = past_of_pairs(data, setting.looks)
    tasks = dev_pairs(data, setting)
    if not any(tasks.values()):
        raise NotEnough("no labelled pair is in the dev split; label more, or mark some with a column 'split'")
    judged = await judge_pairs(tasks, send, setting)
    found = []
    for name, own in data.tasks.items():
        seen = judged[name].seen if name in judged else ()
        measured = measure_pairs(seen, bar=bar_of(setting.policy), tail=DEV_TAIL) if seen else None
        found.append(Found(name, words_of(own[0].judge.config), len(own), unit="pair", pairs=measured, pairs_seen=seen))
    if setting.looks is not None:
        setting.looks.add(pair_look("shown", tasks, setting.token, setting.now()), touched)
    return Calibrated(data.file, tuple(found), left=MOST - past.used, notices=data.notices)


# ── the test split ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class PairOpening:
    """What an attempt would open.

    tasks     the labelled pairs of each dimension that has enough of them
    too_few   dimension -> why the policy cannot be met with its labels, whatever the judge says
    held      dimension -> the certificate that stands for these very labels
    spent     whether every attempt on these labels is used up
    """

    tasks: Mapping[str, tuple[PairTask, ...]]
    too_few: Mapping[str, tuple[str, ...]]
    held: Mapping[str, str]
    spent: bool
    used: int
    touched: Touched


def open_pairs(data: LabelledPairs, setting: Setting) -> PairOpening:
    """Check everything that can be checked before anybody looks."""
    past, touched = past_of_pairs(data, setting.looks)
    fresh = {
        name: tuple(t for t in own if t.item.split == "test" and past.spent.isdisjoint(pair_marks(t)))
        for name, own in data.tasks.items()
    }
    held = {
        name: paper.file_name
        for name, paper in setting.valid.items()
        if name in fresh and set(paper.rows) == {task.item.row for task in fresh[name]}
    }
    few = {name: _too_few(own, setting.policy) for name, own in fresh.items() if name not in held}
    ready = {name: own for name, own in fresh.items() if name not in held and not few[name]}
    spent = bool(past.spent) and not any(fresh.values())
    return PairOpening(ready, {name: why for name, why in few.items() if why}, held, spent, past.used, touched)


def _too_few(tasks: Sequence[PairTask], policy: CalibrationPolicy) -> tuple[str, ...]:
    """Why no judge could be certified on these labels."""
    labels = Counter(task.item.label for task in tasks)
    decided = [task for task in tasks if task.item.label in LABELS]
    cases = len({task.item.case for task in decided})
    found = [
        f"people said {side} {times(labels[side])}, {policy.each_label} are needed"
        for side in SIDES
        if labels[side] < max(1, policy.each_label)
    ]
    if len(decided) < policy.n:
        found.append(f"{len(decided)} pairs are labelled A, B or TIE, {policy.n} are needed")
    if cases < policy.cases:
        found.append(f"they come from {cases} cases, {policy.cases} are needed")
    return tuple(found)


async def certify_pairs(data: LabelledPairs, opened: PairOpening, send: Sender, setting: Setting) -> Calibrated:
    """One attempt: judge the test pairs, count the look, decide, write the certificates.

    Raises `WorldFailed` when too many calls failed (then nothing was looked at), `RunStopped` as `judge_pairs`.
    """
    if opened.spent or not opened.tasks:
        shut = tuple(_closed(name, own, opened) for name, own in data.tasks.items())
        left = 0 if opened.spent else MOST - opened.used
        return Calibrated(data.file, shut, left=left, spent=opened.spent, notices=data.notices)
    judged = await judge_pairs(opened.tasks, send, setting)
    _check_calls(judged, setting.policy)
    used = (
        setting.looks.add(pair_look("attempt", opened.tasks, setting.token, setting.now()), opened.touched).used
        if setting.looks
        else 1
    )
    alpha, spent = level(used), used == MOST
    tail = alpha / len(judged)
    measures = {name: measure_pairs(one.seen, bar=bar_of(setting.policy), tail=tail) for name, one in judged.items()}
    tails = holm({name: one.below for name, one in measures.items()}, alpha)
    found = []
    for name, own in data.tasks.items():
        if name not in judged:
            found.append(_closed(name, own, opened))
            continue
        measured, (at, clears) = measures[name], tails[name]
        ruling = decide(measured, setting.policy, tail=at, clears=clears)
        if ruling.result == "certified":
            recheck_pairs(judged[name].seen, measured)
        paper = _certificate(name, judged[name], measured, ruling, data, setting, used)
        file = write_certificate(paper, setting.certificates) if setting.certificates else ""
        public = measured if ruling.result == "certified" or spent else None
        found.append(
            Found(name, paper.judge, len(own), ruling=ruling, certificate=paper, file=file, unit="pair", pairs=public)
        )
    return Calibrated(data.file, tuple(found), used, MOST - used, alpha, spent, notices=data.notices)


def _closed(name: str, own: Sequence[PairTask], opened: PairOpening) -> Found:
    words = words_of(own[0].judge.config)
    if name in opened.held:
        return Found(name, words, len(own), held=opened.held[name], unit="pair")
    why = ("every attempt on these labels is used up: they are dev now. Label new cases for a new set",)
    return Found(name, words, len(own), too_few=why if opened.spent else opened.too_few[name], unit="pair")


def _check_calls(judged: Mapping[str, PairJudging], policy: CalibrationPolicy) -> None:
    """A network that was down is no judge that abstained. Names no pair: these are test labels."""
    for name, one in judged.items():
        faults = [[look.fault for look in grade.looks if look.fault is not None] for grade in one.grades]
        failed = Counter(next((f.code for f in own if f.kind == "failed"), "") for own in faults)
        failed.pop("", None)
        if failed.total() > (1 - policy.coverage) * len(one.grades):
            codes = ", ".join(f"{n} {code}" for code, n in failed.most_common())
            what = f"calls failed on {failed.total()} of {len(one.grades)} pairs of {name} ({codes})"
            raise WorldFailed(f"{what}: nothing was decided and no attempt is counted; mend that, and run it again")


def _certificate(
    name: str,
    judging: PairJudging,
    measured: PairsMeasured,
    ruling: Ruling,
    data: LabelledPairs,
    setting: Setting,
    attempt: int,
) -> Certificate:
    fingerprint = pair_fingerprint(judging.judge)
    rubric, _, dimension = name.partition(".")
    certified = ruling.result == "certified"
    return sealed(
        Certificate(
            kind="pairs",
            rubric=rubric,
            dimension=dimension,
            judge=words_of(judging.judge.config),
            fingerprint=fingerprint.hash,
            parts=fingerprint.parts,
            result=ruling.result,
            reasons=ruling.reasons,
            attempt=attempt,
            level=ruling.tail,
            labels=data.file,
            reading=data.reading,
            rows={one.item.row: verdict_hash(one.item.row, one.outcome) if certified else "" for one in judging.seen},
            policy=setting.policy.thresholds(),
            pairs=measured if certified else None,
            models=judging.models,
            dropped=judging.dropped,
            made=setting.now().isoformat(timespec="seconds"),
            judgekit=__version__,
        )
    )
