"""A run on disk: a manifest, outputs and grades, one line each, appended as they land and valid after a hard stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from judgekit._version import __version__
from judgekit.calibration.enforce import Settled, note_dropped
from judgekit.comparison.prints import Prints
from judgekit.errors import InputError
from judgekit.rubric import Rubric
from judgekit.run.folder import Head, OpenFolder, read_head, rows_of
from judgekit.types import Grade, Json, Output

MANIFEST = "run.json"
OUTPUTS = "outputs.jsonl"
GRADES = "grades.jsonl"
GradeKey = tuple[str, int, str, str]


class Manifest(Head, frozen=True):
    """`run.json`: what was run, with what, and how it ended.

    totals    the rubrics that pass by a total of levels, by id
    prints    what a later run is held against before the two are compared
    settled   which judges decided, and why the others did not
    """

    totals: dict[str, Json] = {}
    prints: Prints = Prints()
    settled: Settled = Settled()

    def rubrics(self) -> dict[str, Rubric]:
        """`totals` as rubrics again."""
        return {name: Rubric.model_validate(body) for name, body in self.totals.items()}


class RunStore(OpenFolder[Manifest]):
    """The open folder of a run of one variant."""

    MANIFEST = MANIFEST
    FILES = {Output: OUTPUTS, Grade: GRADES}


@dataclass(frozen=True)
class StoredRun:
    """A run read back. A later line of the same output or grade replaces an earlier one.

    dropped   per judge that was called, the parameters that its provider refused
    """

    folder: Path
    manifest: Manifest
    outputs: Mapping[tuple[str, int], Output]
    grades: Mapping[GradeKey, Grade]
    notes: tuple[str, ...] = ()
    dropped: Mapping[str, frozenset[str]] = field(default_factory=dict)


def key_of(grade: Grade) -> GradeKey:
    """What makes a grade the same grade: case, trial, grader, dimension."""
    return (grade.case, grade.trial, grade.grader, grade.dimension)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. Raises `InputError` when it is not one."""
    return read_head(folder, MANIFEST, Manifest, "run folder")


def read_run(folder: Path, *, calls: bool = False, repair: bool = False) -> StoredRun:
    """Read a run folder; grades come without their calls unless `calls`.

    repair   cut a torn last line off the files, so that appending can go on
    Raises `InputError` for a folder that is no run, or for a damaged line anywhere but at the end.
    """
    notes: list[str] = []
    manifest = read_manifest(folder)
    outputs = {(o.id, o.trial): o for o in rows_of(folder / OUTPUTS, Output, notes, repair=repair)}
    grades = {}
    dropped: dict[str, frozenset[str]] = {}
    for grade in rows_of(folder / GRADES, Grade, notes, repair=repair):
        note_dropped(dropped, grade)
        grades[key_of(grade)] = grade if calls else msgspec.structs.replace(grade, calls=())
    return StoredRun(folder, manifest, outputs, grades, tuple(notes), dropped)


def run_folders(root: Path, variant: str | None = None) -> list[Path]:
    """The run folders under `root`, newest first; only those of one variant if given."""
    found = []
    for path in root.glob(f"*/{MANIFEST}"):
        folder = path.parent
        if variant is None or _is_of(folder, variant):
            found.append(folder)
    return sorted(found, key=lambda f: f.name, reverse=True)


def _is_of(folder: Path, variant: str) -> bool:
    """Whether a folder is a run of a variant; one with a damaged manifest is nobody's, and stops nobody."""
    try:
        return read_manifest(folder).run.variant == variant
    except InputError:
        return False


def versions() -> dict[str, str]:
    """The versions that a manifest records."""
    import platform

    return {"judgekit": __version__, "python": platform.python_version()}
