"""A suite with everything it points to: cases, rubrics, recordings, all read and checked before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from judgekit.data.cases import CaseSet, load_cases
from judgekit.data.idlock import NAME, check_lock
from judgekit.errors import InputError, Problem
from judgekit.graders.code import problems_of
from judgekit.located import near, read_text
from judgekit.providers.replay import Recording, read_recordings
from judgekit.render import compile_template
from judgekit.rubric import CASE_RUBRIC, Rubric, case_rubric, find_rubric
from judgekit.suite import SuiteFile, load_suite_file
from judgekit.types import Case

T = TypeVar("T")


@dataclass(frozen=True)
class Suite:
    """A suite file and what it names. `rubrics` holds those of the suite and those that single cases ask for."""

    file: SuiteFile
    folder: Path
    shown: str
    cases: CaseSet
    rubrics: dict[str, Rubric]
    recordings: tuple[Recording, ...] = ()
    notices: tuple[str, ...] = field(default=())

    def rubrics_of(self, case: Case) -> tuple[Rubric, ...]:
        """The rubrics that judge a case: its own list, else the suite's; and `case` for its own rubric text."""
        if case.grading == "deterministic":
            return ()
        named = case.rubrics or self.file.rubrics
        found = [self.rubrics[name] for name in named]
        return (*found, self.rubrics[CASE_RUBRIC]) if case.rubric else tuple(found)


def load_suite(path: str | Path) -> Suite:
    """Read `judgekit.yaml` (or the folder that holds it) and everything that it points to.

    Raises `InputError` with every problem of every file, each with its place.
    """
    path = Path(path)
    file = load_suite_file(path, name=shown_path(path))
    folder = path if path.is_dir() else path.parent
    shown = shown_path(path / "judgekit.yaml" if path.is_dir() else path)
    problems: list[Problem] = []
    cases = _collect(problems, lambda: load_cases(file.case_files, base=folder))
    recordings = _collect(problems, lambda: read_recordings(_recordings(file, folder, shown)))
    rubrics = _rubrics(file, folder, cases, problems)
    if cases is not None:
        problems += case_problems(cases)
    if problems:
        named = (*file.case_files, *file.rubrics)
        raise InputError([from_here(p, folder, named) for p in problems])
    assert cases is not None
    suite = Suite(file, folder, shown, cases, rubrics, recordings or ())
    lock = lock_path(suite)
    locked = check_lock(read_text(lock), cases, file=shown_path(lock)) if lock.is_file() else None
    if locked is not None and locked.problems:
        raise InputError([from_here(p, folder) for p in locked.problems])
    told = [*cases.notices, *(locked.notices if locked else ()), *_unfilled(rubrics.values())]
    return replace(suite, notices=tuple(told))


def _unfilled(rubrics: Iterable[Rubric]) -> list[str]:
    """Criteria that look as if something would be filled in: they are sent as they stand."""
    found = []
    for rubric in rubrics:
        for dimension in rubric.dimensions:
            hole = re.search(r"\{\{.*?\}\}", dimension.criterion)
            if hole:
                name = f"{rubric.id}.{dimension.id}"
                found.append(
                    f"{name}: the criterion holds {hole[0]}, and the judge sees it so: only templates are filled in"
                )
    return found


def lock_path(suite: Suite) -> Path:
    """Where `ids.lock` is: beside the (first) case file."""
    return (suite.folder / suite.file.case_files[0]).parent / NAME


def from_here(problem: Problem, folder: Path, named: Sequence[str] = ()) -> Problem:
    """The problem with its file as seen from the working folder, so that an editor can open it.

    named   files that are looked for in the folder, whether or not they are there
    """
    path = folder / problem.file
    there = path.is_file() or (problem.file in named and path.suffix)
    return replace(problem, file=shown_path(path)) if problem.file and there else problem


def shown_path(path: Path) -> str:
    """A path as a user would type it: relative to the working folder where that is shorter."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def case_problems(cases: CaseSet) -> list[Problem]:
    """What is wrong with the checks of cases: a regular expression, a JSON Schema, a function's name."""
    found = []
    for case in cases.cases:
        for what in problems_of(case.expected, answerable=case.answerable):
            file, line = cases.place(case.id)
            found.append(Problem(file, line, f"case {case.id!r}: {what}"))
    return found


def _collect(problems: list[Problem], read: Callable[[], T]) -> T | None:
    """The value of `read`, or None with its problems added to the list: so that all files' problems come at once."""
    try:
        return read()
    except InputError as error:
        problems.extend(error.problems)
        return None


def _recordings(file: SuiteFile, folder: Path, shown: str) -> Sequence[Path]:
    return _glob(file.recordings, folder, shown, "recordings")


def _glob(names: Sequence[str], folder: Path, shown: str, key: str) -> list[Path]:
    """Files and globs relative to the suite, in order, each once."""
    paths: list[Path] = []
    for name in names:
        is_glob = any(c in name for c in "*?[")
        found = sorted(p for p in folder.glob(name) if p.is_file()) if is_glob else [folder / name]
        if not found:
            raise InputError(Problem(shown, None, f"{key}: no file matches {name!r}"))
        paths += [p for p in found if p not in paths]
    return paths


def _rubrics(file: SuiteFile, folder: Path, cases: CaseSet | None, problems: list[Problem]) -> dict[str, Rubric]:
    wanted = dict.fromkeys(file.rubrics)
    for case in cases.cases if cases else ():
        wanted.update(dict.fromkeys(case.rubrics))
    rubrics = {CASE_RUBRIC: case_rubric()}
    structured = file.judge is not None and file.judge.structured
    for name in wanted:
        rubric = _collect(problems, lambda name=name: find_rubric(name, base=folder))  # type: ignore[misc]
        if rubric is None:
            continue
        if name not in file.rubrics and name != rubric.id:
            problems.append(Problem(name, None, f"a case names rubrics by id: {rubric.id!r}"))
        rubrics[name] = rubric
        _collect(problems, lambda rubric=rubric: check_templates(rubric, structured=structured))  # type: ignore[misc]
    if len({r.id for r in rubrics.values()}) < len(rubrics):
        ids = [r.id for r in rubrics.values()]
        twice = next(i for i in ids if ids.count(i) > 1)
        problems.append(Problem("judgekit.yaml", None, f"two rubrics have the id {twice!r}; ids must differ"))
    return rubrics


def check_templates(rubric: Rubric, *, structured: bool) -> None:
    """Compile the template of every scale that a rubric uses. Raises `InputError` with template and line."""
    for dimension in rubric.dimensions:
        compile_template(
            rubric.template_text,
            name=rubric.template or "the default template",
            ordinal=dimension.scale != "binary",
            structured=structured,
        )


def variant_of(suite: Suite, name: str | None) -> str:
    """The variant to use: `name`, or the only one there is. Raises `InputError`."""
    known = list(suite.file.variants)
    if name is None:
        if len(known) == 1:
            return known[0]
        what = "has no variants: add at least one" if not known else f"choose one with --variant: {', '.join(known)}"
        raise InputError(Problem(suite.shown, None, what))
    if name not in known:
        hint = near(name, known)
        raise InputError(Problem(suite.shown, None, f"no variant {name!r}.{hint} Known: {', '.join(known) or 'none'}"))
    return name
