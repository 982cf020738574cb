"""A pairwise run on disk: a manifest, outputs and judged pairs, one line each, valid after a hard stop."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.graders.pairwise import PairGrade
from judgekit.report.summary import CaseMark
from judgekit.run.store import OUTPUTS, rows_of
from judgekit.types import Frozen, Output, RunInfo

MANIFEST = "pairs.json"
PAIRS = "pairs.jsonl"
PairKey = tuple[str, int, str, str, str, int]
OutputKey = tuple[str, str, int]


class PairManifest(Frozen, frozen=True):
    """`pairs.json`: which variants met, judged by what, and how it ended.

    fingerprint, parts   hashes of everything that can change the result; an equal run has equal ones
    duels                the variants that met, A before B
    dimensions           what they were compared on; the first one gives the answer
    standings            dimension -> why its judge may not decide; "" with a certificate, absent without
    """

    run: RunInfo
    fingerprint: str
    parts: dict[str, str] = {}
    duels: tuple[tuple[str, str], ...] = ()
    rubric: str = ""
    dimensions: tuple[str, ...] = ()
    repeats: int = 1
    cases: tuple[CaseMark, ...] = ()
    units: int = 0
    standings: dict[str, str] = {}
    versions: dict[str, str] = {}


@dataclass(frozen=True)
class StoredPairs:
    """A pairwise run read back. A later line of the same output or pair replaces an earlier one."""

    folder: Path
    manifest: PairManifest
    outputs: Mapping[OutputKey, Output]
    grades: Mapping[PairKey, PairGrade]
    notes: tuple[str, ...] = ()


@dataclass
class PairFolder:
    """The open folder of a pairwise run; every line is on its way to disk before `add` returns."""

    folder: Path
    manifest: PairManifest
    _files: dict[str, int] = field(default_factory=dict)

    @classmethod
    def create(cls, root: Path, manifest: PairManifest, *, now: datetime, token: str) -> PairFolder:
        """Make `<root>/<time>-<variants>-<token>/` and write the manifest. Raises `InputError`."""
        name = f"{now:%Y%m%d-%H%M%S}-{manifest.run.variant}-{token}"
        folder = root / name
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise InputError(Problem(str(root), None, f"cannot write runs here: {error.strerror}")) from None
        run = msgspec.structs.replace(manifest.run, run=name, folder=str(folder))
        made = cls(folder, msgspec.structs.replace(manifest, run=run))
        made.save(made.manifest)
        return made

    def __enter__(self) -> Self:
        for name in (OUTPUTS, PAIRS):
            self._files[name] = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._files.values():
            os.close(handle)
        self._files.clear()

    def add(self, row: Output | PairGrade) -> None:
        """Append one line. It survives the end of this process from the moment this returns."""
        line = msgspec.json.encode(row) + b"\n"
        handle = self._files[OUTPUTS if isinstance(row, Output) else PAIRS]
        while line:
            line = line[os.write(handle, line) :]

    def save(self, manifest: PairManifest) -> None:
        """Replace the manifest in one step."""
        self.manifest = manifest
        new = self.folder / f"{MANIFEST}.new"
        new.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        new.replace(self.folder / MANIFEST)


def pair_key(grade: PairGrade) -> PairKey:
    """What makes a pair the same pair."""
    return (grade.case, grade.trial, grade.a, grade.b, grade.dimension, grade.repeat)


def read_pairs(folder: Path, *, calls: bool = False, repair: bool = False) -> StoredPairs:
    """Read a pairwise run; pairs come without their calls unless `calls`. Raises `InputError`."""
    notes: list[str] = []
    manifest = read_pair_manifest(folder)
    outputs = {(o.variant or "", o.id, o.trial): o for o in rows_of(folder / OUTPUTS, Output, notes, repair=repair)}
    grades = {}
    for grade in rows_of(folder / PAIRS, PairGrade, notes, repair=repair):
        grades[pair_key(grade)] = grade if calls else msgspec.structs.replace(grade, calls=())
    return StoredPairs(folder, manifest, outputs, grades, tuple(notes))


def read_pair_manifest(folder: Path) -> PairManifest:
    """The manifest of a pairwise run. Raises `InputError` when the folder is none."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=PairManifest)
    except OSError:
        raise InputError(Problem(str(folder), None, f"is no pairwise run: it has no {MANIFEST}")) from None
    except msgspec.MsgspecError as error:
        raise InputError(Problem(str(path), None, f"is damaged: {error}")) from None


def pair_folders(root: Path) -> list[Path]:
    """The pairwise runs under `root`, newest first."""
    return sorted((p.parent for p in root.glob(f"*/{MANIFEST}")), key=lambda f: f.name, reverse=True)
