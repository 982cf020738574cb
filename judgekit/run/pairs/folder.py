"""A pairwise run on disk: a manifest, outputs and judged pairs, one line each, valid after a hard stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from judgekit.graders.pairwise import PairGrade
from judgekit.run.folder import Head, OpenFolder, read_head, rows_of
from judgekit.run.store import OUTPUTS
from judgekit.types import Output

MANIFEST = "pairs.json"
PAIRS = "pairs.jsonl"
PairKey = tuple[str, int, str, str, str, int]
OutputKey = tuple[str, str, int]


class PairManifest(Head, frozen=True):
    """`pairs.json`: which variants met, judged by what, and how it ended.

    duels        the variants that met, A before B
    dimensions   what they were compared on; the first one gives the answer
    standings    dimension -> why its judge may not decide; "" with a certificate, absent without
    """

    duels: tuple[tuple[str, str], ...] = ()
    rubric: str = ""
    dimensions: tuple[str, ...] = ()
    repeats: int = 1
    standings: dict[str, str] = {}


@dataclass(frozen=True)
class StoredPairs:
    """A pairwise run read back. A later line of the same output or pair replaces an earlier one."""

    folder: Path
    manifest: PairManifest
    outputs: Mapping[OutputKey, Output]
    grades: Mapping[PairKey, PairGrade]
    notes: tuple[str, ...] = ()


class PairFolder(OpenFolder[PairManifest]):
    """The open folder of a pairwise run."""

    MANIFEST = MANIFEST
    FILES = {Output: OUTPUTS, PairGrade: PAIRS}


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
    return read_head(folder, MANIFEST, PairManifest, "pairwise run")


def pair_folders(root: Path) -> list[Path]:
    """The pairwise runs under `root`, newest first."""
    return sorted((p.parent for p in root.glob(f"*/{MANIFEST}")), key=lambda f: f.name, reverse=True)
