"""What a pairwise run will do, settled before anything is sent: which variants meet, on which cases, by which judge."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import msgspec

from judgekit.errors import InputError, Problem, UsageError
from judgekit.graders.judge import REMINDER
from judgekit.graders.pairrubric import PairRubric
from judgekit.graders.pairwise import PairInstrument
from judgekit.identity import check_judge
from judgekit.parse import PARSER_VERSION
from judgekit.render import compile_pair_template
from judgekit.run.loaded import Suite
from judgekit.run.plan import Plan, Selection, make_plan
from judgekit.suite import JudgeConfig
from judgekit.types import Case

Duel = tuple[str, str]
"""Two variants that meet: A, then B."""


@dataclass(frozen=True)
class PairPlan:
    """Which variants meet on which cases, and everything that will judge them.

    plans       one for each variant: how it gives its outputs; their own judges have no part here
    repeats     how often each judge sees each pair in each order
    standings   dimension -> why its judge may not decide, "" with a certificate; one that is not there has none
    dropped     dimension with a certificate -> the parameters that the provider refused when it was earned
    """

    suite: Suite
    plans: Mapping[str, Plan]
    duels: tuple[Duel, ...]
    judge: JudgeConfig
    instruments: tuple[PairInstrument, ...]
    trials: int
    repeats: int = 1
    notices: tuple[str, ...] = ()
    standings: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """`v1-vs-v2`."""
        return "-vs-".join(self.plans)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The selected cases."""
        return next(iter(self.plans.values())).cases

    @property
    def selected(self) -> str:
        """What was left out of the suite, in words."""
        return next(iter(self.plans.values())).selected

    @property
    def total(self) -> int:
        """How many (case, trial) units there are."""
        return len(self.cases) * self.trials

    def units(self) -> Iterator[tuple[Case, int]]:
        """Every (case, trial), trial by trial within a case."""
        return ((case, trial) for case in self.cases for trial in range(1, self.trials + 1))

    @cached_property
    def parts(self) -> dict[str, str]:
        """Hex SHA-256 of each part that can change the result, by name; two equal runs have equal parts."""
        first = next(iter(self.plans.values()))
        return {
            "cases": first.parts["cases"],
            "variants": _sha({name: plan.parts["variant"] for name, plan in self.plans.items()}),
            "duels": _sha(self.duels),
            "judge": _sha(self.judge.model_dump(mode="json")),
            "rubric": _sha([parts_of(i) for i in self.instruments]),
            "trials": _sha([self.trials, self.repeats]),
        }

    @cached_property
    def fingerprint(self) -> str:
        """One hash over `parts`."""
        return _sha(self.parts)


def parts_of(judge: PairInstrument) -> dict[str, str]:
    """Hex SHA-256 of each part that can change a judge of pairs' answer on one dimension: what a certificate binds."""
    config, dimension = judge.config, judge.dimension
    values = {
        "template": judge.template.fingerprint,
        "criterion": dimension.criterion,
        "dimension": dimension.id,
        "needs": list(dimension.needs),
        "labels": list(judge.rubric.labels),
        "parser": PARSER_VERSION,
        "model": list(config.models),
        "endpoint": config.base_url,
        "params": config.params,
        "votes": config.votes,
        "reask": [config.reask, REMINDER if config.reask else ""],
        "structured": config.structured,
    }
    return {name: _sha(value) for name, value in values.items()}


def make_pair_plan(
    suite: Suite,
    variants: Sequence[str],
    *,
    against: str | None = None,
    rubric: PairRubric,
    trials: int | None = None,
    repeats: int = 1,
    selection: Selection | None = None,
    judge: str | None = None,
) -> PairPlan:
    """Settle a comparison of two or more variants: all pairs of them, or each against one.

    Raises `UsageError` or `InputError` for anything missing or unknown, `SelfGrading` when the judge wrote outputs of
    any of them.
    """
    names = list(dict.fromkeys(variants))
    if len(names) < len(variants):
        twice = next(name for name in names if list(variants).count(name) > 1)
        raise UsageError(f"{twice!r} is given twice: a comparison needs two different variants")
    if len(names) < 2:
        raise UsageError("a comparison needs two variants: --a V1 --b V2, or --variants v1,v2,v3")
    if against is not None and against not in names:
        raise UsageError(f"--against {against!r} is not among the variants {', '.join(names)}")
    part = selection or Selection()
    plans = {name: make_plan(suite, name, trials=trials, selection=part, judge="none") for name in names}
    config = judge_of(suite, judge)
    return judged_pairs(suite, plans, against=against, rubric=rubric, repeats=repeats, judge=config)


def judged_pairs(
    suite: Suite,
    plans: Mapping[str, Plan],
    *,
    rubric: PairRubric,
    judge: JudgeConfig,
    against: str | None = None,
    repeats: int = 1,
) -> PairPlan:
    """The plan of a comparison whose variants are settled. Raises `SelfGrading`, `InputError` for a bad template."""
    names = list(plans)
    duels = [(against, n) for n in names if n != against] if against else list(combinations(names, 2))
    instruments = pair_instruments(rubric, judge)
    trials = min(plan.trials for plan in plans.values())
    told = [notice for plan in plans.values() for notice in plan.notices]
    if len({plan.trials for plan in plans.values()}) > 1:
        each = ", ".join(f"{name} {plan.trials}" for name, plan in plans.items())
        told.append(f"the variants have different numbers of trials ({each}): the first {trials} of each are compared")
    notices = (*told, *_self_grading(plans, judge))
    return PairPlan(
        suite, dict(plans), tuple(duels), judge, instruments, trials, repeats, tuple(dict.fromkeys(notices))
    )


def pair_instruments(rubric: PairRubric, judge: JudgeConfig) -> tuple[PairInstrument, ...]:
    """The judge of each dimension of a rubric for pairs. Raises `InputError` for a bad template."""
    template = compile_pair_template(
        rubric.template_text, name=rubric.template or "the default template for pairs", structured=judge.structured
    )
    return tuple(PairInstrument(rubric, dimension, template, judge) for dimension in rubric.dimensions)


def judge_of(suite: Suite, override: str | None) -> JudgeConfig:
    """The judge of a comparison: the suite's, or another model in its place. Raises `UsageError`, `InputError`."""
    judge = suite.file.judge
    if override == "none":
        raise UsageError("a comparison needs a judge: --judge none is for code checks")
    if override:
        models = tuple(override.split(",")) if "," in override else override
        return (judge or JudgeConfig(model=models)).model_copy(update={"model": models})
    if judge is None:
        what = "there is no judge to compare with: add `judge: {model: provider:name}`, or give --judge"
        raise InputError(Problem(suite.shown, None, what))
    return judge


def _self_grading(plans: Mapping[str, Plan], judge: JudgeConfig) -> tuple[str, ...]:
    """Refuse a judge that wrote the outputs of any variant; say what could not be told."""
    authors: Counter[str | None] = Counter()
    for plan in plans.values():
        if plan.variant.kind == "recorded":
            ids = {c.id for c in plan.cases}
            authors.update(o.model for (case, _), o in plan.outputs.items() if case in ids and o.fault is None)
        else:
            authors[plan.variant.model] += plan.total
    return check_judge(judge.models, authors, allow_self=judge.allow_self, same_as=judge.same_as)


def _sha(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
