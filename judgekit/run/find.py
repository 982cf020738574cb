"""Which run is meant: a folder, the newest run of a variant, or the newest run of all."""

from __future__ import annotations

from pathlib import Path

from judgekit.errors import InputError, Problem
from judgekit.run.store import MANIFEST, run_folders
from judgekit.suite import GatePolicy, load_suite_file


def find_run(name: Path | None, suite: Path) -> Path:
    """The run folder that `name` means. Raises `InputError` that says what there is."""
    if name is not None and (name / MANIFEST).is_file():
        return name
    if name is not None and name.exists() and name.is_dir() and not (name / "judgekit.yaml").is_file():
        raise InputError(Problem(str(name), None, f"is no run folder: it has no {MANIFEST}"))
    if name is not None and (name / "judgekit.yaml").is_file():
        suite, name = name, None
    root = _root(suite)
    variant = str(name) if name is not None else None
    if name is not None and (root / name / MANIFEST).is_file():
        return root / name
    found = run_folders(root, variant)
    if found:
        return found[0]
    of = f" of the variant {variant!r}" if variant else ""
    raise InputError(Problem(str(root), None, f"there is no run{of} here; `judgekit run` makes one"))


def _root(suite: Path) -> Path:
    file = load_suite_file(suite)
    return (suite if suite.is_dir() else suite.parent) / file.runs


def gate_of(folder: Path, suite: Path) -> GatePolicy | None:
    """The gate of the suite that a run belongs to; None if it is not there."""
    path = suite_near(folder, suite)
    return load_suite_file(path).gate if path else None


def suite_near(folder: Path, suite: Path) -> Path | None:
    """The file of the suite that a run belongs to: the one above its folder, else `suite`; None if neither is there."""
    for place in (folder.parent.parent, suite):
        path = place / "judgekit.yaml" if place.is_dir() else place
        if path.is_file():
            return path
    return None
