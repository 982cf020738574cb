"""Labelled outputs, ready to be judged: labels read and joined to their outputs, cases and judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from judgekit.calibration.certificate import Reading
from judgekit.calibration.items import Item, check_dimensions, items_of
from judgekit.calibration.sample import Drawn, read_sample
from judgekit.data.aliases import LABEL
from judgekit.data.cases import cases_of
from judgekit.data.join import Judged, join_labels
from judgekit.data.labels import Label, LabelSet, labels_from_rows, load_labels
from judgekit.data.outputs import load_outputs
from judgekit.data.rows import Log, Row, expand, memory_rows
from judgekit.data.sources import read_rows
from judgekit.errors import InputError, Problem
from judgekit.graders.judge import Instrument
from judgekit.identity import check_judge
from judgekit.located import near, read_text
from judgekit.render import Template, compile_template
from judgekit.rubric import CASE_RUBRIC, Rubric
from judgekit.run.convert import pick
from judgekit.run.loaded import Suite
from judgekit.run.store import read_run, run_folders
from judgekit.suite import JudgeConfig
from judgekit.types import Case, Output

SAMPLE = ".sample.jsonl"
SHEET_FIELDS = ("input", "question", "context", "reference", "rubric")
"""What a labels file may say of a case that the suite does not have."""


@dataclass(frozen=True)
class Task:
    """One labelled output for one judge."""

    item: Item
    judge: Instrument
    case: Case
    output: Output
    probability: float = 1.0


@dataclass(frozen=True)
class Labelled:
    """Everything that a calibration is about.

    tasks      per `rubric.dimension`, in the order of the labels
    file       the labels file as a certificate names it, from the suite's folder
    unmatched  labels without an output, in words
    drawn      all outputs that the labelled ones were chosen from, where a file beside the labels says so
    notices    what reading, joining and the check for self-grading have to say
    """

    tasks: Mapping[str, tuple[Task, ...]]
    file: str
    reading: Reading
    unmatched: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    drawn: tuple[Drawn, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where labels come from: a file (or glob) relative to `base`, or rows from memory.

    settled   the reading is that of a certificate: what the suite says now adds nothing to it
    """

    file: str = ""
    base: Path = field(default_factory=Path)
    rows: Sequence[Mapping[str, object]] | None = None
    frame: bool = False
    reading: Reading = field(default_factory=Reading)
    settled: bool = False

    def raw(self) -> list[Row]:
        """The rows as they stand. What is wrong with them is told by `read`."""
        if self.rows is not None:
            return memory_rows(self.rows, "frame" if self.frame else "rows")
        log = Log()
        return [row for path, name in expand(self.file, self.base) for row in read_rows(path, name=name, log=log)[0]]

    def read(self) -> LabelSet:
        """The labels. Raises `InputError` with every problem."""
        given = {"columns": self.reading.columns, "annotators": self.reading.annotators}
        spelling = self.reading.spelling
        if self.rows is not None:
            form = "frame" if self.frame else "rows"
            return labels_from_rows(self.rows, spelling=spelling, form=form, **given)  # type: ignore[arg-type]
        return load_labels(self.file, self.base, spelling=spelling, **given)  # type: ignore[arg-type]

    def drawn(self) -> tuple[Drawn, ...]:
        """What the file `<labels>.sample.jsonl` says of how the outputs were chosen; nothing without it."""
        path = self.base / f"{self.file}{SAMPLE}"
        if not self.file or not path.is_file():
            return ()
        return read_sample(read_text(path), file=f"{self.file}{SAMPLE}")


def instruments_of(suite: Suite, judge: JudgeConfig) -> dict[str, Instrument]:
    """The judge of every dimension of a suite, by `rubric.dimension`.

    The built-in rubric of a case's own text is among them where a case brings one.
    """
    brings = any(case.rubric for case in suite.cases.cases)
    compiled: dict[tuple[str | None, bool], Template] = {}
    found = {}
    for rubric in suite.rubrics.values():
        if rubric.id == CASE_RUBRIC and not brings:
            continue
        for dimension in rubric.dimensions:
            key = (rubric.template_text, dimension.scale != "binary")
            if key not in compiled:
                compiled[key] = _template(rubric, judge, ordinal=key[1])
            found[f"{rubric.id}.{dimension.id}"] = Instrument(rubric, dimension, compiled[key], judge)
    return found


def _template(rubric: Rubric, judge: JudgeConfig, *, ordinal: bool) -> Template:
    name = rubric.template or "the default template"
    return compile_template(rubric.template_text, name=name, ordinal=ordinal, structured=judge.structured)


def chosen(instruments: Mapping[str, Instrument], wanted: Sequence[str]) -> dict[str, Instrument]:
    """The instruments that `--dimension` names, by `rubric.dimension` or the part behind the dot; all without it.

    Raises `InputError` for a name that means none or several.
    """
    if not wanted:
        return dict(instruments)
    found = {}
    for name in wanted:
        fits = [full for full in instruments if name in (full, full.partition(".")[2])]
        if len(fits) != 1:
            told = f"may be {' or '.join(fits)}" if fits else f"is not judged here.{near(name, instruments)}"
            known = "" if fits else f" Known: {', '.join(instruments)}"
            raise InputError(Problem("", None, f"--dimension {name}: {told}{known}"))
        found[fits[0]] = instruments[fits[0]]
    return found


def labelled(
    suite: Suite,
    source: Source,
    instruments: Mapping[str, Instrument],
    *,
    wanted: Sequence[str] = (),
    variant: str | None = None,
    model: str | None = None,
) -> Labelled:
    """Read the labels and find what each was given for.

    wanted    only these dimensions
    variant   only labels and outputs of this variant
    model     what wrote outputs that do not say it themselves

    Raises `InputError` for labels that are not understood, or belong to nothing; `SelfGrading` when the judge wrote a
    labelled output.
    """
    asked = chosen(instruments, wanted)
    raw = source.raw()
    if not source.settled:
        source = replace(source, reading=_reading(suite, source.reading, raw))
    labels = source.read()
    _all_speak(labels, source)
    own = [label for label in labels if variant is None or label.variant in (None, variant)]
    if wanted:
        own = [label for label in own if _means(label, asked)]
    check_dimensions(own, asked)
    if not own:
        of = f" of {', '.join(asked)}" if wanted else ""
        what = f"holds no label{of}; `judgekit calibrate --template FILE` writes a sheet to fill in"
        raise InputError(Problem(source.file or "labels", None, what))
    cases = {case.id: case for case in suite.cases.cases}
    strangers = [label for label in own if label.case not in cases]
    cases |= _sheet_cases(raw, strangers, source.reading.columns.get("input"), suite.folder)
    known = known_outputs(suite, own, variant)
    tasks: dict[str, tuple[Task, ...]] = {}
    unmatched: list[str] = []
    notices = list(labels.notices)
    for name, judge in asked.items():
        items = items_of(own, name)
        if not items:
            continue
        joined, lone, said = _join(items, judge, cases, known, model)
        tasks[name] = joined
        unmatched += lone
        notices += said
    drawn = source.drawn()
    tasks = {name: _with_chances(group, drawn, source) for name, group in tasks.items()}
    everything = [task for group in tasks.values() for task in group]
    notices += _authors(everything)
    missing = [name for name in asked if name not in tasks]
    if missing:
        notices.append(f"no labels for {', '.join(missing)}")
    file = source.file or "labels"
    return Labelled(tasks, file, source.reading, tuple(unmatched), tuple(dict.fromkeys(notices)), drawn)


def _with_chances(tasks: Sequence[Task], drawn: Sequence[Drawn], source: Source) -> tuple[Task, ...]:
    """The tasks with the chance of each output to be labelled.

    Raises `InputError` for labels of which nobody knows how they were chosen, beside others of which it is known.
    """
    own = {
        (one.case, one.sha256): one for one in drawn if tasks and one.dimension == tasks[0].judge.name and one.chosen
    }
    if not own:
        return tuple(tasks)
    keys = [(task.case.id, task.output.sha256) for task in tasks]
    strange = [task.item.place for task, key in zip(tasks, keys, strict=True) if key not in own]
    if strange:
        what = f"{len(strange)} labels, the first at {strange[0]}, are of outputs not chosen in {source.file}{SAMPLE}"
        mend = "keep them in a file of their own: together, nobody knows what they stand for"
        raise InputError(Problem(source.file, None, f"{what}; {mend}"))
    return tuple(replace(task, probability=own[key].probability) for task, key in zip(tasks, keys, strict=True))


def _reading(suite: Suite, reading: Reading, raw: Sequence[Row]) -> Reading:
    """The reading, and where it says nothing, what the suite says under `columns:` and `calibration:`.

    The suite's names for columns, and its annotators, hold where the labels file has such columns. Words and scores
    are one answer: whoever gives a part of it gives all of it.
    """
    names = {key for row in raw for key in row.values}
    ours = set(LABEL.values())
    own = {k: v for k, v in suite.file.columns.items() if k in ours and v in names}
    policy = suite.file.calibration
    people = policy.annotators if names.intersection(policy.annotators) else ()
    found = msgspec.structs.replace(
        reading, columns={**own, **reading.columns}, annotators=reading.annotators or people
    )
    if reading.passes or reading.fails or reading.pass_at is not None:
        return found
    return msgspec.structs.replace(found, passes=policy.passes, fails=policy.fails, pass_at=policy.pass_at)


def _all_speak(labels: LabelSet, source: Source) -> None:
    silent = [who for who in source.reading.annotators if who not in labels.annotators]
    if silent:
        what = f"annotator {silent[0]!r} gave no label at all: fill the column, or leave it out of --annotators"
        raise InputError(Problem(source.file or "labels", None, what))


def _means(label: Label, asked: Mapping[str, Instrument]) -> bool:
    return any(label.dimension in ("", name, name.partition(".")[2]) for name in asked)


def _sheet_cases(raw: Sequence[Row], labels: Sequence[Label], mapped: str | None, base: Path) -> dict[str, Case]:
    """Cases that only the labels file knows: those rows of it that bring an input, in the column `mapped` if any."""
    rows = {row.place: row for row in raw}
    found: dict[str, Row] = {}
    for label in labels:
        row = rows.get(label.place)
        if row is None or label.case in found:
            continue
        values = {k: row.values[k] for k in SHEET_FIELDS if k in row.values and not row.absent(row.values[k])}
        if mapped is not None and mapped in row.values:
            values = {k: v for k, v in values.items() if k not in ("input", "question")} | {"input": row.values[mapped]}
        if "input" in values or "question" in values:
            found[label.case] = replace(row, values={"id": label.case, **values}, at=None)
    return {case.id: case for case in cases_of(list(found.values()), base)} if found else {}


def known_outputs(suite: Suite, labels: Sequence[Label], variant: str | None) -> list[Output]:
    """Outputs that labels may be about: recorded ones, and those of earlier runs for labels without a text."""
    found: list[Output] = []
    bare = [label for label in labels if label.output is None]
    for name, config in suite.file.variants.items():
        if variant not in (None, name):
            continue
        if config.kind == "recorded":
            files = (config.outputs,) if isinstance(config.outputs, str) else (config.outputs or ())
            loaded = load_outputs(list(files), base=suite.folder, columns={**suite.file.columns, **config.columns})
            for output in loaded:
                if output.variant in (None, name):
                    filled = {"variant": name, "model": output.model or config.model}
                    found.append(pick(msgspec.structs.replace(output, **filled), config.output_field))
        elif bare:
            found += _of_runs(suite, name, bare)
    return [output for output in found if output.fault is None]


def _of_runs(suite: Suite, variant: str, labels: Sequence[Label]) -> list[Output]:
    """Outputs of earlier runs: by hash from any of them, else those of the newest."""
    hashes = {label.sha256 for label in labels if label.sha256}
    cases = {label.case for label in labels}
    found: dict[tuple[str, int, str], Output] = {}
    for nth, folder in enumerate(run_folders(suite.folder / suite.file.runs, variant)):
        for output in read_run(folder).outputs.values():
            if output.fault is not None or output.id not in cases:
                continue
            sha = output.sha256
            if sha in hashes or (nth == 0 and len(hashes) < len(labels)):
                found.setdefault((output.id, output.trial, sha), msgspec.structs.replace(output, variant=variant))
    return list(found.values())


def _join(
    items: Sequence[Item],
    judge: Instrument,
    cases: Mapping[str, Case],
    known: Sequence[Output],
    model: str | None,
) -> tuple[tuple[Task, ...], list[str], list[str]]:
    """Tasks, labels without an output, and notices."""
    here = [output for output in known if output.id in cases]
    taken = Counter((o.id, o.variant, o.trial) for o in here)
    written = [_written(item) for item in items if item.output is not None and not _names_any(item, taken)]
    outputs = {(o.id, o.variant, o.trial, o.sha256): o for o in (*here, *written) if o.id in cases}
    judged = [Judged(case, judge.name, None, variant, trial, sha) for case, variant, trial, sha in outputs]
    by_place = {item.place: item for item in items}
    joined = join_labels([_label(item) for item in items], judged)
    tasks = []
    for label, one in joined.pairs:
        item = by_place[label.place]
        output = outputs[one.case, one.variant, one.trial, one.sha256 or ""]
        author = item.model or output.model or model
        tasks.append(Task(item, judge, cases[one.case], msgspec.structs.replace(output, model=author)))
    lone = [
        f"{label.place}: case {label.case!r}{'' if label.case in cases else ', which is no case here'}"
        for label in joined.only_labels
    ]
    return tuple(tasks), lone, [notice for notice in joined.notices if "without a label" in notice]


def _written(item: Item) -> Output:
    """The output that stands in the labels file itself."""
    return Output(id=item.case, output=item.output, variant=item.variant, trial=item.trial or 1, model=item.model)


def _names_any(item: Item, taken: Iterable[tuple[str, str | None, int]]) -> bool:
    """Whether outputs are known for what the label names: then its text has to be one of them."""
    return any(
        item.case == case and item.variant in (None, variant) and item.trial in (None, trial)
        for case, variant, trial in taken
    )


def _label(item: Item) -> Label:
    """One label that stands for an item in the join; who gave it does not matter there."""
    return Label(
        case=item.case,
        verdict="UNKNOWN",
        written="",
        dimension=item.dimension,
        sha256=item.sha256,
        variant=item.variant,
        trial=item.trial,
        place=item.place,
    )


def _authors(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Refuse a judge that wrote what it would be calibrated on."""
    if not tasks:
        return ()
    config = tasks[0].judge.config
    unique = {(t.case.id, t.output.variant, t.output.trial, t.output.sha256): t.output.model for t in tasks}
    return check_judge(config.models, Counter(unique.values()), allow_self=config.allow_self, same_as=config.same_as)
