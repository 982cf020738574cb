"""What a run will do, settled before anything is sent: which cases, trials, graders and calls."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec
from pydantic import ValidationError

from judgekit.data.outputs import load_outputs
from judgekit.errors import InputError, Problem, UsageError
from judgekit.graders.judge import Instrument
from judgekit.identity import check_judge
from judgekit.located import near
from judgekit.render import Template, compile_template
from judgekit.rubric import Rubric, Total
from judgekit.run.answers import Prompted, prompted
from judgekit.run.convert import pick
from judgekit.run.loaded import Suite, variant_of
from judgekit.suite import JudgeConfig, Variant
from judgekit.types import Case, Output


@dataclass(frozen=True, slots=True)
class Selection:
    """Which part of a suite to run.

    tags      only cases with one of these tags
    limit     only the first so many of those that are left
    holdout   the holdout cases, and only they
    ids       only these cases
    """

    tags: tuple[str, ...] = ()
    limit: int | None = None
    holdout: bool = False
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """One variant on the selected cases, with everything that will grade it."""

    suite: Suite
    name: str
    variant: Variant
    cases: tuple[Case, ...]
    trials: int
    judge: JudgeConfig | None
    selected: str = ""
    outputs: Mapping[tuple[str, int], Output] = field(default_factory=dict)
    prompt: Prompted | None = None
    notices: tuple[str, ...] = ()
    function: Callable[..., Any] | None = None

    @cached_property
    def totals(self) -> dict[str, Rubric]:
        """The rubrics that pass by a total of levels, by id."""
        return {r.id: r for r in self.suite.rubrics.values() if isinstance(r.pass_when, Total)}

    @cached_property
    def _instruments(self) -> dict[str, tuple[Instrument, ...]]:
        if self.judge is None:
            return {}
        compiled: dict[tuple[str | None, bool], Template] = {}
        return {r.id: tuple(_instruments(r, self.judge, compiled)) for r in self.suite.rubrics.values()}

    def instruments(self, case: Case) -> tuple[Instrument, ...]:
        """The judges of a case, one for each dimension of each of its rubrics."""
        if self.judge is None:
            return ()
        rubrics = self.suite.rubrics_of(case)
        if len(rubrics) == 1:
            return self._instruments[rubrics[0].id]
        return tuple(i for rubric in rubrics for i in self._instruments[rubric.id])

    def units(self) -> Iterator[tuple[Case, int]]:
        """Every (case, trial), trial by trial within a case."""
        return ((case, trial) for case in self.cases for trial in range(1, self.trials + 1))

    @property
    def total(self) -> int:
        """How many units there are."""
        return len(self.cases) * self.trials

    @cached_property
    def parts(self) -> dict[str, str]:
        """Hex SHA-256 of each part that can change the result, by name; two equal runs have equal parts."""
        cases = hashlib.sha256()
        for case in self.cases:
            cases.update(msgspec.json.encode(case))
        used = {i.name: i for case in self.cases for i in self.instruments(case)}
        prompts = [self.prompt.system, self.prompt.user_text] if self.prompt else []
        outputs = hashlib.sha256()
        for output in self.outputs.values():
            outputs.update(msgspec.json.encode(output))
        variant = [self.variant.model_dump(mode="json"), *prompts, outputs.hexdigest() if self.outputs else ""]
        return {
            "cases": cases.hexdigest(),
            "variant": _sha(variant),
            "judge": _sha(self.judge.model_dump(mode="json") if self.judge else None),
            "rubrics": _sha({n: i.rubric.fingerprint(i.dimension.id) for n, i in sorted(used.items())}),
            "trials": _sha(self.trials),
        }

    @cached_property
    def fingerprint(self) -> str:
        """One hash over `parts`."""
        return _sha(self.parts)


def _sha(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def _instruments(
    rubric: Rubric, judge: JudgeConfig, compiled: dict[tuple[str | None, bool], Template]
) -> Iterator[Instrument]:
    for dimension in rubric.dimensions:
        key = (rubric.template_text, dimension.scale != "binary")
        if key not in compiled:
            name = rubric.template or "the default template"
            compiled[key] = compile_template(key[0], name=name, ordinal=key[1], structured=judge.structured)
        yield Instrument(rubric, dimension, compiled[key], judge)


def make_plan(
    suite: Suite,
    variant: str | None = None,
    *,
    trials: int | None = None,
    selection: Selection = Selection(),
    judge: str | None = None,
) -> Plan:
    """Settle what a run of `variant` does. `judge` overrides the suite's model; `none` leaves the judges out.

    Raises `InputError` for anything missing or unknown, `SelfGrading` when the judge wrote the outputs.
    """
    name = variant_of(suite, variant)
    config = suite.file.variants[name]
    cases, selected = select(suite, selection)
    outputs = _recorded(suite, name, config) if config.kind == "recorded" else {}
    notices = list(suite.notices)
    if outputs:
        notices += _strangers(suite, name, outputs)
    plan = Plan(
        suite=suite,
        name=name,
        variant=config,
        cases=cases,
        trials=_trials(suite, trials, outputs),
        judge=_judge(suite, judge, cases),
        selected=selected,
        outputs=outputs,
        prompt=prompted(config, folder=suite.folder, name=name) if config.kind == "prompt" else None,
    )
    return judged_plan(dataclasses.replace(plan, notices=tuple(notices)))


def judged_plan(plan: Plan) -> Plan:
    """The plan with what there is to say of its judge and the graded model. Raises `SelfGrading`."""
    return dataclasses.replace(plan, notices=(*plan.notices, *_self_grading(plan)))


def select(suite: Suite, selection: Selection) -> tuple[tuple[Case, ...], str]:
    """The selected cases, and in words what was left out ("" for the whole suite).

    Raises `UsageError` when a tag or id is unknown; a selection that leaves nothing is not an error here.
    """
    everything = suite.cases.cases
    words = []
    cases: Sequence[Case] = [c for c in everything if c.holdout == selection.holdout]
    if selection.holdout:
        words.append("holdout cases only")
    elif len(cases) < len(everything):
        words.append(f"without {len(everything) - len(cases)} holdout cases")
    for what, wanted, known in (
        ("tag", selection.tags, {t for c in everything for t in c.tags}),
        ("case", selection.ids, {c.id for c in everything}),
    ):
        for value in wanted:
            if value not in known:
                hint = near(value, known)
                raise UsageError(
                    f"no case has the tag {value!r}.{hint}" if what == "tag" else f"no case {value!r}.{hint}"
                )
    if selection.tags:
        cases = [c for c in cases if set(c.tags) & set(selection.tags)]
        words.append("tagged " + " or ".join(selection.tags))
    if selection.ids:
        cases = [c for c in cases if c.id in selection.ids]
        words.append("chosen by id")
    if selection.limit is not None and selection.limit < len(cases):
        cases = cases[: selection.limit]
        words.append(f"the first {selection.limit}")
    if not words:
        return tuple(cases), ""
    return tuple(cases), f"{len(cases)} of {len(everything)} cases: {', '.join(words)}"


def _trials(suite: Suite, asked: int | None, outputs: Mapping[tuple[str, int], Output]) -> int:
    """What the command says, else what the suite says, else as many as were recorded."""
    if asked is not None:
        return asked
    if "trials" in suite.file.model_fields_set or not outputs:
        return suite.file.trials
    return max(trial for _, trial in outputs)


def _judge(suite: Suite, override: str | None, cases: Sequence[Case]) -> JudgeConfig | None:
    if override == "none":
        return None
    judge = suite.file.judge
    if override is not None:
        judge = _other_judge(judge, override)
    needs = next((c for c in cases if suite.rubrics_of(c)), None)
    if judge is None and needs is not None:
        rubrics = ", ".join(r.id for r in suite.rubrics_of(needs))
        what = (
            f"case {needs.id!r} is judged by {rubrics}, but there is no judge: add `judge: {{model: provider:name}}`, "
            "or run the code checks alone with --judge none"
        )
        raise InputError(Problem(suite.shown, None, what))
    return judge


def _other_judge(judge: JudgeConfig | None, told: str) -> JudgeConfig:
    """The suite's judge with another model, or panel. Raises `UsageError` when it cannot be one."""
    names = [name.strip() for name in told.split(",")]
    bare = next((name for name in names if ":" not in name), None)
    if bare is not None:
        raise UsageError(f"--judge {told!r}: write each model as provider:name, e.g. openai:{bare or 'gpt-5'}")
    given = judge.model_dump(exclude={"model"}) if judge else {}
    try:
        return JudgeConfig(**given, model=tuple(names) if len(names) > 1 else names[0])
    except ValidationError as error:
        raise UsageError(f"--judge {told!r} {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


def _recorded(suite: Suite, name: str, variant: Variant) -> dict[tuple[str, int], Output]:
    files = (variant.outputs,) if isinstance(variant.outputs, str) else (variant.outputs or ())
    loaded = load_outputs(list(files), base=suite.folder, columns={**suite.file.columns, **variant.columns})
    found = {}
    for output in loaded.outputs:
        if output.variant in (None, name):
            filled = (
                output if output.model or not variant.model else msgspec.structs.replace(output, model=variant.model)
            )
            found[output.id, output.trial] = pick(filled, variant.output_field)
    if not found:
        others = sorted({o.variant for o in loaded.outputs if o.variant})
        why = f"its rows are for the variants {', '.join(others)}" if others else "it has no rows"
        raise InputError(Problem(suite.shown, None, f"variants.{name}: no outputs in {', '.join(files)}: {why}"))
    return found


def _strangers(suite: Suite, name: str, outputs: Mapping[tuple[str, int], Output]) -> list[str]:
    known = {c.id for c in suite.cases.cases}
    strange = sorted({case for case, _ in outputs if case not in known})
    if len(strange) == len({case for case, _ in outputs}):
        what = f"variants.{name}: none of its {len(strange)} ids is a case of this suite, e.g. {strange[0]!r}"
        raise InputError(Problem(suite.shown, None, what))
    if not strange:
        return []
    shown = ", ".join(strange[:5]) + (", ..." if len(strange) > 5 else "")
    return [f"{len(strange)} recorded outputs belong to no case of this suite and were left out: {shown}"]


def _self_grading(plan: Plan) -> tuple[str, ...]:
    """Refuse a judge that wrote what it would grade; say what could not be told."""
    if plan.judge is None:
        return ()
    judged = [c for c in plan.cases if plan.instruments(c)]
    if not judged:
        return ()
    authors: Counter[str | None] = Counter()
    if plan.variant.kind == "recorded":
        ids = {c.id for c in judged}
        authors.update(o.model for (case, _), o in plan.outputs.items() if case in ids and o.fault is None)
    else:
        authors[plan.variant.model] = len(judged) * plan.trials
    config = plan.judge
    return check_judge(config.models, authors, allow_self=config.allow_self, same_as=config.same_as)
