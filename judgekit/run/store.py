"""A run on disk: a manifest, outputs and grades, one line each, appended as they land and valid after a hard stop."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import msgspec

from judgekit._version import __version__
from judgekit.calibration.enforce import Settled
from judgekit.comparison.prints import Prints
from judgekit.errors import InputError, Problem
from judgekit.report.summary import CaseMark
from judgekit.rubric import Rubric
from judgekit.types import Frozen, Grade, Json, Output, RunInfo

MANIFEST = "run.json"
OUTPUTS = "outputs.jsonl"
GRADES = "grades.jsonl"
Row = TypeVar("Row", bound=msgspec.Struct)
GradeKey = tuple[str, int, str, str]


class Manifest(Frozen, frozen=True):
    """`run.json`: what was run, with what, and how it ended.

    fingerprint, parts   hashes of everything that can change the result; an equal run has equal ones
    cases                the cases in order
    totals               the rubrics that pass by a total of levels, by id
    units                how many outputs were to be graded
    prints               what a later run is held against before the two are compared
    settled              which judges decided, and why the others did not
    """

    run: RunInfo
    fingerprint: str
    parts: dict[str, str] = {}
    cases: tuple[CaseMark, ...] = ()
    totals: dict[str, Json] = {}
    units: int = 0
    versions: dict[str, str] = {}
    prints: Prints = Prints()
    settled: Settled = Settled()

    def rubrics(self) -> dict[str, Rubric]:
        """`totals` as rubrics again."""
        return {name: Rubric.model_validate(body) for name, body in self.totals.items()}


@dataclass
class RunStore:
    """The open folder of a run. One writer at a time; every line is on its way to disk before the call returns."""

    folder: Path
    manifest: Manifest
    _files: dict[str, int] = field(default_factory=dict)
    _encoder: msgspec.json.Encoder = field(default_factory=msgspec.json.Encoder)

    @classmethod
    def create(cls, root: Path, manifest: Manifest, *, now: datetime, token: str) -> RunStore:
        """Make `<root>/<time>-<variant>-<token>/` and write the manifest.

        Raises `InputError` when the folder cannot be made.
        """
        return cls.begin(new_folder(root, manifest, now=now, token=token), manifest)

    @classmethod
    def begin(cls, folder: Path, manifest: Manifest) -> RunStore:
        """Write the manifest into a new folder; from then on others see it as a run."""
        run = msgspec.structs.replace(manifest.run, run=folder.name, folder=str(folder))
        store = cls(folder, msgspec.structs.replace(manifest, run=run))
        store.save(store.manifest)
        return store

    def __enter__(self) -> Self:
        for name in (OUTPUTS, GRADES):
            self._files[name] = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._files.values():
            os.close(handle)
        self._files.clear()

    def add(self, row: Output | Grade) -> None:
        """Append one line. It survives the end of this process from the moment this returns."""
        name = OUTPUTS if isinstance(row, Output) else GRADES
        line = self._encoder.encode(row) + b"\n"
        handle = self._files[name]
        while line:
            line = line[os.write(handle, line) :]

    def save(self, manifest: Manifest) -> None:
        """Replace the manifest in one step: a reader sees the old one or the new one, never half of it."""
        self.manifest = manifest
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
        new = self.folder / f"{MANIFEST}.new"
        new.write_bytes(text + b"\n")
        new.replace(self.folder / MANIFEST)


def new_folder(root: Path, manifest: Manifest, *, now: datetime, token: str) -> Path:
    """Make `<root>/<time>-<variant>-<token>/`, empty. Raises `InputError` when it cannot be made."""
    folder = root / f"{now:%Y%m%d-%H%M%S}-{manifest.run.variant}-{token}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise InputError(Problem(str(root), None, f"cannot write runs here: {error.strerror}")) from None
    return folder


@dataclass(frozen=True)
class StoredRun:
    """A run read back. A later line of the same output or grade replaces an earlier one."""

    folder: Path
    manifest: Manifest
    outputs: Mapping[tuple[str, int], Output]
    grades: Mapping[GradeKey, Grade]
    notes: tuple[str, ...] = ()


def key_of(grade: Grade) -> GradeKey:
    """What makes a grade the same grade: case, trial, grader, dimension."""
    return (grade.case, grade.trial, grade.grader, grade.dimension)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run folder. Raises `InputError` when it is not one."""
    path = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError:
        what = f"is no run folder: it has no {MANIFEST}"
        raise InputError(Problem(str(folder), None, what)) from None
    except msgspec.MsgspecError as error:
        raise InputError(Problem(str(path), None, f"is damaged: {error}")) from None
    return msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, folder=str(folder)))


def read_run(folder: Path, *, calls: bool = False, repair: bool = False) -> StoredRun:
    """Read a run folder; grades come without their calls unless `calls`.

    repair   cut a torn last line off the files, so that appending can go on
    Raises `InputError` for a folder that is no run, or for a damaged line anywhere but at the end.
    """
    notes: list[str] = []
    manifest = read_manifest(folder)
    outputs = {(o.id, o.trial): o for o in rows_of(folder / OUTPUTS, Output, notes, repair=repair)}
    grades = {}
    for grade in rows_of(folder / GRADES, Grade, notes, repair=repair):
        grades[key_of(grade)] = grade if calls else msgspec.structs.replace(grade, calls=())
    return StoredRun(folder, manifest, outputs, grades, tuple(notes))


def rows_of(path: Path, kind: type[Row], notes: list[str], *, repair: bool) -> Iterator[Row]:
    """The lines of an append-only file; a torn last line is told in `notes`, and cut off where `repair` says so.

    Raises `InputError` for a damaged line anywhere but at the end.
    """
    if not path.is_file():
        return
    decoder = msgspec.json.Decoder(kind)
    start = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            whole = line.endswith(b"\n")
            try:
                row = decoder.decode(line)
            except (msgspec.MsgspecError, ValueError) as error:
                if whole:
                    raise InputError(Problem(str(path), number, f"is damaged: {error}")) from None
                row = None
            if row is None or not whole:
                # the process was stopped in the middle of this line: what it stood for is done again
                notes.append(f"{path.name}: dropped the torn last line {number}")
                if repair:
                    os.truncate(path, start)
                return
            start += len(line)
            yield row


def run_folders(root: Path, variant: str | None = None) -> list[Path]:
    """The run folders under `root`, newest first; only those of one variant if given."""
    found = []
    for path in root.glob(f"*/{MANIFEST}"):
        folder = path.parent
        if variant is None or read_manifest(folder).run.variant == variant:
            found.append(folder)
    return sorted(found, key=lambda f: f.name, reverse=True)


def versions() -> dict[str, str]:
    """The versions that a manifest records."""
    import platform

    return {"judgekit": __version__, "python": platform.python_version()}
