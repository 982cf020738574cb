"""The blank sheet for people: inputs, outputs and criteria, no verdict anywhere in it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from judgekit.calibration.sample import Drawn, choose, sample_text
from judgekit.data.outputs import load_outputs
from judgekit.errors import InputError, Problem, UsageError
from judgekit.graders.judge import Instrument
from judgekit.rubric import CASE_RUBRIC, Ordinal
from judgekit.run.convert import pick
from judgekit.run.labelled import SAMPLE
from judgekit.run.loaded import Suite
from judgekit.run.store import StoredRun, read_run, run_folders
from judgekit.types import Case, Output

COLUMNS = ("case_id", "dimension", "variant", "trial", "model", "input", "output", "criterion")
BLANK = ("label", "annotator")
"""The columns that people fill in, unless each of them has a column."""


def outputs_to_label(suite: Suite, variant: str | None) -> list[Output]:
    """Outputs of the suite's variants: recorded ones, and those of the newest run of the others.

    Raises `InputError` when there is none yet.
    """
    found: list[Output] = []
    for name, config in suite.file.variants.items():
        if variant not in (None, name):
            continue
        if config.kind == "recorded":
            files = (config.outputs,) if isinstance(config.outputs, str) else (config.outputs or ())
            loaded = load_outputs(list(files), base=suite.folder, columns={**suite.file.columns, **config.columns})
            own = [pick(output, config.output_field) for output in loaded if output.variant in (None, name)]
        else:
            newest = run_folders(suite.folder / suite.file.runs, name)[:1]
            own = list(read_run(newest[0]).outputs.values()) if newest else []
        found += [_of(output, name, config.model) for output in own if output.fault is None]
    if not found:
        which = f" of variant {variant!r}" if variant else ""
        what = f"there is no output{which} to label yet; `judgekit run` makes some"
        raise InputError(Problem(suite.shown, None, what))
    return found


def draw_sample(stored: StoredRun, suite: Suite, name: str, fingerprint: str, n: int) -> tuple[Drawn, ...]:
    """Which n outputs of a run to label next on one dimension, chosen by what the judge said of them.

    fingerprint   of the judge that judged them
    Raises `InputError` when the run has no verdict of that judge.
    """
    tags = {case.id: case.tags[0] if case.tags else "" for case in suite.cases.cases}
    variant = stored.manifest.run.variant
    judged = [
        Drawn(name, fingerprint, case, variant, trial, stored.outputs[case, trial].sha256, grade.verdict, tags[case])
        for (case, trial, _, _), grade in stored.grades.items()
        if grade.name == name and case in tags and (case, trial) in stored.outputs
        if stored.outputs[case, trial].fault is None
    ]
    if not judged:
        raise InputError(Problem(str(stored.folder), None, f"this run has no verdict on {name}"))
    return choose(sorted(judged, key=lambda one: (one.case, one.trial)), n)


def write_sample(path: Path, drawn: Sequence[Drawn]) -> Path:
    """Write beside a sheet how its outputs were chosen; people who label do not need it, and should not see it."""
    beside = path.with_name(path.name + SAMPLE)
    beside.write_text(sample_text(drawn), encoding="utf-8", newline="\n")
    return beside


def sheet_rows(
    suite: Suite, instruments: Mapping[str, Instrument], outputs: Iterable[Output], annotators: Sequence[str] = ()
) -> list[dict[str, str | int | None]]:
    """One row for each output and each dimension that judges its case, with empty columns for labels.

    annotators   a column for each of them; without them one column `label`, and one for who labelled

    Raises `UsageError` for an annotator who is called like another column.
    """
    blank = annotators or BLANK
    if taken := [who for who in annotators if who in COLUMNS]:
        raise UsageError(f"--annotators {taken[0]}: the sheet has another column of that name; call it something else")
    cases = {case.id: case for case in suite.cases.cases}
    rows: list[dict[str, str | int | None]] = []
    for output in outputs:
        case = cases.get(output.id)
        if case is None:
            continue
        judging = {rubric.id for rubric in suite.rubrics_of(case)}
        for name, judge in instruments.items():
            if judge.rubric.id in judging:
                rows.append(
                    {
                        "case_id": case.id,
                        "dimension": name,
                        "variant": output.variant,
                        "trial": output.trial,
                        "model": output.model,
                        "input": _input(case),
                        "output": output.text,
                        "criterion": _criterion(judge, case),
                        **dict.fromkeys(blank, ""),
                    }
                )
    return rows


def write_sheet(path: Path, rows: Sequence[Mapping[str, str | int | None]]) -> None:
    """Write the sheet of these rows as CSV, with a byte order mark so that spreadsheets read it as UTF-8.

    Raises `InputError` for a file that is there already: it may hold labels.
    """
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]) if rows else (*COLUMNS, *BLANK))
            writer.writeheader()
            writer.writerows(rows)
    except FileExistsError:
        raise InputError(Problem(str(path), None, "is there already and may hold labels: name another file")) from None
    except OSError as error:
        raise InputError(Problem(str(path), None, f"cannot be written: {error.strerror}")) from None


def _of(output: Output, variant: str, model: str | None) -> Output:
    import msgspec

    return msgspec.structs.replace(output, variant=variant, model=output.model or model)


def _input(case: Case) -> str:
    if isinstance(case.input, str):
        return case.input
    return "\n\n".join(f"{turn.role}: {turn.content}" for turn in case.input)


def _criterion(judge: Instrument, case: Case) -> str:
    """What a person who labels is told: the criterion, and the levels where there are some."""
    if judge.rubric.id == CASE_RUBRIC:
        return f"{judge.dimension.criterion}:\n{case.rubric}"
    scale = judge.dimension.scale
    if not isinstance(scale, Ordinal):
        return judge.dimension.criterion.strip()
    levels = "\n".join(f"{level}: {text}" for level, text in scale.levels.items())
    return f"{judge.dimension.criterion.strip()}\n{levels}\nPASS from {scale.pass_at} on"
