"""A plan without a suite file: what `jk.grade` does with a frame, a list of dicts, or a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from judgekit.data.cases import CaseSet, cases_from_rows, load_cases
from judgekit.data.frames import is_frame, rows_from_frame
from judgekit.data.rows import Form, Log
from judgekit.data.sheet import sheet_from_rows
from judgekit.data.sources import read_rows
from judgekit.errors import InputError, Problem, UsageError
from judgekit.located import kind_of
from judgekit.rubric import Rubric, case_rubric, find_rubric, from_text, load_rubric
from judgekit.run.convert import TEXT_KEYS
from judgekit.run.loaded import Suite, case_problems
from judgekit.run.plan import Plan, judged_plan
from judgekit.suite import JudgeConfig, SuiteFile, Variant
from judgekit.types import Json, Output

WORDS = "criterion"
"""Id of the rubric that is made out of plain words."""


def plan_of(
    data: Any,
    *,
    rubrics: Sequence[str | Rubric],
    judge: JudgeConfig | None,
    model: str | None,
    answer: Callable[..., Any] | None,
    trials: int | None,
    columns: Mapping[str, str],
) -> Plan:
    """The plan of grading `data`.

    Raises `InputError` or `UsageError` for anything wrong, `SelfGrading` when the judge wrote the outputs.
    """
    loaded = rubrics_of(rubrics)
    if answer is not None and not callable(answer):
        raise UsageError(f"`answer` is a function that gives the output of an input, not {kind_of(answer)}")
    if trials is not None and answer is None:
        raise UsageError("trials repeats a function: give `answer`; recorded outputs carry their own `trial`")
    if trials is not None and trials < 1:
        raise UsageError(f"trials is a whole number from 1, not {trials}")
    cases, outputs, notices = _read(data, columns, with_outputs=answer is None)
    if loaded and judge is None:
        raise UsageError(f"rubric {loaded[0].id!r} needs a judge: judge=jk.Judge('provider:name')")
    problems = case_problems(cases)
    if problems:
        raise InputError(problems)
    by_id = {r.id: r for r in (*loaded, case_rubric())}
    wanted = {name for c in cases.cases for name in c.rubrics} - set(by_id)
    by_id |= {name: find_rubric(name, base=Path()) for name in sorted(wanted)}
    variant = (
        Variant(python="answer:function", model=model) if answer is not None else Variant(outputs="data", model=model)
    )
    file = SuiteFile(
        suite="data",
        cases="data",
        rubrics=tuple(r.id for r in loaded),
        variants={"data": variant},
        judge=judge,
    )
    suite = Suite(file, Path(), "data", cases, by_id, (), notices)
    written = {
        k: o if o.model or model is None else msgspec.structs.replace(o, model=model) for k, o in outputs.items()
    }
    plan = Plan(
        suite=suite,
        name="data",
        variant=variant,
        cases=cases.cases,
        trials=trials or max((t for _, t in outputs), default=1),
        judge=judge if loaded or any(c.rubric or c.rubrics for c in cases.cases) else None,
        outputs=written,
        notices=notices,
        function=answer,
    )
    if plan.judge is None and any(c.rubric for c in cases.cases):
        raise UsageError("rows bring a rubric text of their own, which needs a judge: judge=jk.Judge('provider:name')")
    return judged_plan(plan)


def rubrics_of(rubrics: Sequence[str | Rubric]) -> list[Rubric]:
    """Each rubric once, plain words numbered from the second on. Raises `InputError` or `UsageError`."""
    found: dict[str, Rubric] = {}
    words: list[str] = []
    for given in rubrics:
        rubric = rubric_of(given)
        if isinstance(given, str) and rubric.id == WORDS:
            words += [given] if given not in words else []
            number = words.index(given) + 1
            rubric = rubric.model_copy(update={"id": WORDS if number == 1 else f"{WORDS}-{number}"})
        if found.setdefault(rubric.id, rubric) != rubric:
            raise UsageError(f"two rubrics have the id {rubric.id!r}; ids must differ")
    return list(found.values())


def rubric_of(rubric: str | Path | Rubric) -> Rubric:
    """A rubric as it is, by file, by the id of one that ships, or out of plain words (anything that is no id)."""
    if isinstance(rubric, Rubric):
        return rubric
    if isinstance(rubric, Path):
        return load_rubric(rubric)
    if not isinstance(rubric, str) or not rubric.strip():
        what = "is empty" if isinstance(rubric, str) else f"is {kind_of(rubric)}"
        raise UsageError(f"the rubric {what}; give a criterion in words, the id of a rubric, a file, or a jk.Rubric")
    is_id = all(c.isalnum() or c in "-_" for c in rubric)
    if not rubric.endswith((".yaml", ".yml")) and not is_id:
        return from_text(rubric, name=WORDS)
    try:
        return find_rubric(rubric, base=Path())
    except InputError as error:
        if not is_id:
            raise
        hint = ". A criterion in your own words has a blank or a full stop in it"
        raise InputError([replace(p, what=p.what + hint) for p in error.problems]) from None


def _read(
    data: Any, columns: Mapping[str, str], *, with_outputs: bool
) -> tuple[CaseSet, dict[tuple[str, int], Output], tuple[str, ...]]:
    """Cases, and the outputs that stand in the same rows."""
    form: Form = "rows"
    if isinstance(data, (str, Path)):
        if not with_outputs and not columns:
            cases = load_cases([Path(data)])
            return cases, {}, cases.notices
        data = _rows_of(Path(data))
    elif is_frame(data):
        data, form = rows_from_frame(data), "frame"
    if not isinstance(data, Iterable) or isinstance(data, Mapping):
        raise UsageError(f"the data are a frame, a list of dicts, or a file, not {kind_of(data)}")
    rows = list(data)
    if not rows:
        raise InputError(Problem("data", None, "is empty: there is nothing to grade"))
    if not with_outputs:
        cases = cases_from_rows(rows, form=form, columns=columns)
        return cases, {}, cases.notices
    if not any(columns.get(k, k) in row for row in rows for k in TEXT_KEYS):
        have = ", ".join(str(k) for k in rows[0])
        what = f"has no column 'output' (it has: {have}); name it with columns={{'output': 'Reply'}}, or give answer="
        raise InputError(Problem("data", None, what))
    sheet = sheet_from_rows(rows, columns=columns, form=form)
    return sheet.cases, {(o.id, o.trial): o for o in sheet.outputs}, sheet.notices


def _rows_of(path: Path) -> list[dict[str, Json]]:
    log = Log()
    rows, _ = read_rows(path, name=str(path), log=log)
    log.check()
    return [dict(row.values) for row in rows]
