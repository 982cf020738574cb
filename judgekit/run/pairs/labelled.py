"""Labelled pairs, ready to be judged: preferences read and joined to their case and both texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from judgekit.calibration.certificate import Reading
from judgekit.calibration.items import check_dimensions, names_of
from judgekit.calibration.preferences import PairItem, pair_items_of
from judgekit.data.labels import Label, label_problem
from judgekit.data.preferences import Preferred, load_preferences
from judgekit.errors import InputError, Problem
from judgekit.graders.pairwise import PairInstrument
from judgekit.identity import check_judge
from judgekit.located import near
from judgekit.run.labelled import known_outputs
from judgekit.run.loaded import Suite
from judgekit.run.pairs.folder import pair_folders, read_pairs
from judgekit.types import Case, Output

Known: TypeAlias = Mapping[tuple[str, str], Sequence[Output]]
"""(case, hash of a text) -> the outputs of this suite with that text."""


@dataclass(frozen=True)
class PairTask:
    """One labelled pair for one judge."""

    item: PairItem
    judge: PairInstrument
    case: Case
    a: Output
    b: Output


@dataclass(frozen=True)
class LabelledPairs:
    """Everything that a calibration of a judge of pairs is about.

    tasks   per `rubric.dimension`, in the order of the labels
    file    the labels file as a certificate names it, from the suite's folder
    """

    tasks: Mapping[str, tuple[PairTask, ...]]
    file: str
    reading: Reading
    notices: tuple[str, ...] = ()


def labelled_pairs(
    suite: Suite,
    file: str,
    instruments: Sequence[PairInstrument],
    *,
    reading: Reading,
    only: bool = False,
    variants: tuple[str, str] | None = None,
) -> LabelledPairs:
    """Read the preferences and find what each was given for.

    file       seen from the suite's folder
    only       whether labels of other dimensions than those of the instruments are left out; else they are errors
    variants   only preferences between these two, where the file names variants

    Raises `InputError` for labels that are not understood or belong to nothing; `SelfGrading` when the judge wrote one
    of the answers.
    """
    labels, notices = load_preferences(file, suite.folder, columns=reading.columns)
    names = {word for judge in instruments for word in names_of(judge.name)}
    own = [label for label in labels if variants is None or _between(label, variants)]
    own = [label for label in own if not only or label.dimension in names]
    if not own:
        of = f" on {', '.join(judge.name for judge in instruments)}" if only else ""
        between = f" between {' and '.join(variants)}" if variants else ""
        raise InputError(Problem(file, None, f"holds no preference{between}{of}"))
    check_dimensions(own, [judge.name for judge in instruments])
    cases = {case.id: case for case in suite.cases.cases}
    known = _known(suite, own)
    problems = [problem for label in own for problem in _lost(label, cases, known)]
    if problems:
        raise InputError(problems)
    tasks, same = {}, 0
    for judge in instruments:
        items = pair_items_of(own, judge.name)
        different = [item for item in items if item.first.a_sha256 != item.first.b_sha256]
        same += len(items) - len(different)
        if different:
            tasks[judge.name] = tuple(_task(item, judge, cases[item.case], known) for item in different)
    if not tasks:
        what = "holds pairs of equal texts only: no judge is asked about these"
        raise InputError(Problem(file, None, what))
    told = list(notices)
    if same:
        told.append(f"{same} labelled pairs of equal texts are left out: no judge is asked about them")
    told += _authors([task for group in tasks.values() for task in group])
    return LabelledPairs(tasks, file, reading, tuple(told))


def _between(label: Preferred, variants: tuple[str, str]) -> bool:
    named = {name for name in (label.a_variant, label.b_variant) if name is not None}
    return named <= set(variants)


def _known(suite: Suite, labels: Sequence[Preferred]) -> Known:
    """Outputs that the labels are about, recorded or of earlier runs: they know their author and their context."""
    sides = [(label.case, sha) for label in labels for sha in (label.a_sha256, label.b_sha256)]
    found: dict[tuple[str, str], list[Output]] = {}
    _keep(found, known_outputs(suite, [Label(case, "UNKNOWN", "", sha256=sha) for case, sha in sides], None))
    lacking = set(sides) - set(found)
    for folder in pair_folders(suite.folder / suite.file.runs) if lacking else ():
        _keep(found, [output for output in read_pairs(folder).outputs.values() if output.fault is None])
    return found


def _keep(found: dict[tuple[str, str], list[Output]], outputs: Iterable[Output]) -> None:
    for output in outputs:
        found.setdefault((output.id, output.sha256), []).append(output)


def _lost(label: Preferred, cases: Mapping[str, Case], known: Known) -> list[Problem]:
    if label.case not in cases:
        what = f"case {label.case!r} is no case of this suite.{near(label.case, cases)}"
        return [label_problem(label, what)]
    return [
        label_problem(label, f"no output of case {label.case!r} has this '{side}_sha256'; give the text: {side!r}")
        for side, text, sha in (("a", label.a, label.a_sha256), ("b", label.b, label.b_sha256))
        if text is None and (label.case, sha) not in known
    ]


def _task(item: PairItem, judge: PairInstrument, case: Case, known: Known) -> PairTask:
    first = item.first
    a = _output(item, first.a, first.a_sha256, first.a_model, known)
    b = _output(item, first.b, first.b_sha256, first.b_model, known)
    return PairTask(item, judge, case, a, b)


def _output(item: PairItem, text: str | None, sha: str, model: str | None, known: Known) -> Output:
    """One answer: as an output of the suite, which may have a context and an author, else the text alone."""
    trial = item.first.trial
    outputs = known.get((item.case, sha), ())
    found = next((o for o in outputs if trial in (None, o.trial)), outputs[0] if outputs else None)
    if found is None:
        return Output(id=item.case, output=text, trial=trial or 1, model=model)
    return msgspec.structs.replace(found, trial=trial or 1, model=model or found.model)


def _authors(tasks: Sequence[PairTask]) -> tuple[str, ...]:
    """Refuse a judge that wrote what it would be calibrated on."""
    if not tasks:
        return ()
    config = tasks[0].judge.config
    unique = {(o.id, o.sha256): o.model for task in tasks for o in (task.a, task.b)}
    return check_judge(config.models, Counter(unique.values()), allow_self=config.allow_self, same_as=config.same_as)
