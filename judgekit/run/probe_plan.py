"""What a probing of a judge will do, settled before anything is sent: which probes, judges, outputs and attacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from judgekit.calibration.certificate import Reading
from judgekit.errors import InputError, JudgekitError, NotEnough, Problem, SelfGrading, UsageError
from judgekit.graders.judge import Instrument
from judgekit.graders.pairrubric import SHIPPED, find_pair_rubric
from judgekit.located import near
from judgekit.probes.attacks import Attack, interleaved
from judgekit.probes.effect import Band
from judgekit.probes.finding import BANDS, PROBES, Probe
from judgekit.run.calibrate import dev_tasks
from judgekit.run.labelled import Source, Task, chosen, labelled
from judgekit.run.loaded import Suite
from judgekit.run.looks import Looks
from judgekit.run.pairs.plan import PairPlan, make_pair_plan
from judgekit.run.plan import Plan, Selection, make_plan
from judgekit.types import Case

EACH = 6
"""Attacks on each output that is judged FAIL, where the command does not say."""


@dataclass(frozen=True)
class Wanted:
    """What to probe, as a command says it.

    probes      by name; all without any. One that is named must be possible, the others are left out with the reason
    dimensions  only these
    skip        `probe:dimension` pairs that mean nothing for this suite
    a, b        the variants that the judge of pairs compares
    attacks     in the text of outputs judged FAIL, `each` of them on every such output
    """

    probes: tuple[Probe, ...] = ()
    dimensions: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    a: str | None = None
    b: str | None = None
    attacks: tuple[Attack, ...] = ()
    each: int = EACH
    bands: Mapping[Probe, Band] = field(default_factory=lambda: dict(BANDS))


@dataclass(frozen=True)
class ProbePlan:
    """A variant's outputs, the judges of its dimensions, and what is done to them.

    judges   by `rubric.dimension`, those that are probed
    attacks  in the order in which outputs take their share of them
    pairs    what the judge of pairs compares, if `position` is probed
    tasks    labelled outputs of the dev split, by dimension, if `self-preference` is probed
    looks    counts that those labels were looked at
    absent   (probe, dimension or "") -> why it is left out
    """

    plan: Plan
    probes: tuple[Probe, ...]
    judges: Mapping[str, Instrument]
    attacks: tuple[Attack, ...]
    each: int
    bands: Mapping[Probe, Band]
    pairs: PairPlan | None = None
    tasks: Mapping[str, tuple[Task, ...]] = field(default_factory=dict)
    looks: Looks | None = None
    absent: Mapping[tuple[Probe, str], str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def does(self, dimension: str, *probes: Probe) -> bool:
        """Whether any of these probes is done on a dimension."""
        return any(
            p in self.probes and (p, "") not in self.absent and (p, dimension) not in self.absent for p in probes
        )

    @property
    def plans(self) -> tuple[Plan, ...]:
        """How the variants whose outputs are needed give them, each variant once."""
        paired = dict(self.pairs.plans) if self.pairs else {}
        alone = set(self.probes) - {"position", "self-preference"}
        return tuple({**paired, **({self.plan.name: self.plan} if alone else {})}.values())

    def judges_of(self, case: Case) -> tuple[Instrument, ...]:
        """The probed judges of a case."""
        return tuple(judge for judge in self.plan.instruments(case) if judge.name in self.judges)


def make_probe_plan(
    suite: Suite,
    variant: str | None,
    wanted: Wanted,
    *,
    trials: int | None = None,
    selection: Selection | None = None,
    judge: str | None = None,
) -> ProbePlan:
    """Settle what is probed on the outputs of `variant` (else of `wanted.a`, else of the only one).

    Raises `UsageError` or `InputError` for anything missing or unknown, also for a probe that is named and cannot be
    done; `SelfGrading` when the judge wrote the outputs.
    """
    if judge == "none":
        raise UsageError("there is nothing to probe without a judge: --judge none is for code checks")
    part = selection or Selection()
    plan = make_plan(suite, variant or wanted.a, trials=trials, selection=part, judge=judge)
    known = {i.name: i for case in plan.cases for i in plan.instruments(case)}
    if not known and wanted.probes != ("position",):
        what = "no selected case is judged: a probe needs `rubrics:` (or a rubric in a case) and a judge"
        raise InputError(Problem(suite.shown, None, what))
    judges = chosen(known, wanted.dimensions)
    absent = _skipped(wanted.skip, judges)
    probes = tuple(p for p in PROBES if p in (wanted.probes or PROBES))
    pairs, tasks, looks, notices = None, dict[str, tuple[Task, ...]](), None, plan.notices
    for probe in ("position", "self-preference"):
        if probe not in probes:
            continue
        try:
            if probe == "position":
                pairs = _pairs(suite, wanted, trials=trials, selection=part, judge=judge)
                notices = tuple(dict.fromkeys((*notices, *pairs.notices)))
            else:
                tasks, looks = _labelled(suite, judges, plan)
        except (InputError, UsageError, NotEnough, SelfGrading) as error:
            if probe in wanted.probes:
                raise
            absent[probe, ""] = _first_line(error).removeprefix(f"{probe} ")
    return ProbePlan(
        plan=plan,
        probes=probes,
        judges=judges,
        attacks=interleaved(wanted.attacks),
        each=wanted.each or len(wanted.attacks),
        bands=wanted.bands,
        pairs=pairs,
        tasks=tasks,
        looks=looks,
        absent=absent,
        notices=notices,
    )


def _skipped(pairs: Iterable[str], judges: Mapping[str, Instrument]) -> dict[tuple[Probe, str], str]:
    """`verbosity:brief` -> ("verbosity", "reply.brief"). Raises `UsageError`."""
    found: dict[tuple[Probe, str], str] = {}
    for written in pairs:
        name, colon, dimension = written.partition(":")
        probe = next((p for p in PROBES if p == name), None)
        if probe is None or not colon:
            hint = "" if probe else near(name, PROBES)
            raise UsageError(f"--skip {written}: write PROBE:DIMENSION.{hint} Probes: {', '.join(PROBES)}")
        fits = [full for full in judges if dimension in (full, full.partition(".")[2])]
        if not fits:
            raise UsageError(
                f"--skip {written}: no such dimension.{near(dimension, judges)} Known: {', '.join(judges)}"
            )
        for full in fits:
            found[probe, full] = "left out by --skip"
    return found


def _pairs(suite: Suite, wanted: Wanted, *, trials: int | None, selection: Selection, judge: str | None) -> PairPlan:
    """Two variants compared on the first dimension of the rubric for pairs."""
    names = [name for name in (wanted.a, wanted.b) if name] or list(suite.file.variants)
    if len(names) != 2:
        raise UsageError("position needs two variants to show side by side: --a V1 --b V2")
    rubric = find_pair_rubric(SHIPPED, base=suite.folder)
    return make_pair_plan(
        suite,
        names,
        rubric=rubric.only((rubric.dimensions[0].id,)),
        trials=trials,
        selection=selection,
        judge=judge,
    )


def _labelled(suite: Suite, judges: Mapping[str, Instrument], plan: Plan) -> tuple[dict[str, tuple[Task, ...]], Looks]:
    """The labelled outputs of the dev split: what people said of the test split is for certificates alone."""
    file = suite.file.labels
    if file is None:
        raise UsageError("self-preference needs outputs that people labelled: add `labels:` to the suite")
    data = labelled(suite, Source(file=file, base=suite.folder, reading=Reading()), judges)
    looks = Looks.beside(file, suite.folder)
    tasks = _selected(dev_tasks(data, looks.ledger()), suite, plan)
    if not any(tasks.values()):
        raise NotEnough("no labelled output is in the dev split, and the test split is for certificates alone")
    return tasks, looks


def _selected(tasks: Mapping[str, Sequence[Task]], suite: Suite, plan: Plan) -> dict[str, tuple[Task, ...]]:
    """Without the cases of the suite that this command leaves out."""
    out = {case.id for case in suite.cases.cases} - {case.id for case in plan.cases}
    return {name: tuple(t for t in own if t.case.id not in out) for name, own in tasks.items()}


def _first_line(error: JudgekitError) -> str:
    return str(error).splitlines()[0]
