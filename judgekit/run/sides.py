"""What BASE and NEW mean on a command line: a run folder, a variant's newest run, or a baseline file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judgekit.calibration.enforce import joined, table_of
from judgekit.comparison.baseline import Baseline, baseline_of, baseline_text, parse_baseline, side_of_baseline
from judgekit.comparison.corrected import Measured, People
from judgekit.comparison.side import Side, side_of_run, summary_of_file
from judgekit.errors import InputError, Problem
from judgekit.located import read_text
from judgekit.report.summary import Summary
from judgekit.run.certificates import LabelFiles, certificate_in
from judgekit.run.find import find_run, gate_of, suite_near
from judgekit.run.loaded import Suite, load_suite, shown_path
from judgekit.run.perform import summary_of
from judgekit.run.store import Manifest, StoredRun, read_run
from judgekit.suite import GatePolicy, load_suite_file


@dataclass(frozen=True)
class Found:
    """A side with what the gate needs. `folder` is None for a baseline file."""

    side: Side
    summary: Summary
    folder: Path | None
    gate: GatePolicy | None


def find_side(name: Path, suite: Path) -> Found:
    """Read what `name` means.

    Raises `InputError` when there is nothing of that name, when it is damaged, or when it is a run that was stopped:
    then with the command that finishes it.
    """
    if name.is_file():
        side = side_of_baseline(read_baseline(name), name=name.name)
        return Found(side, summary_of_file(side), None, _gate_near(name.resolve(), suite))
    if name.suffix == ".json" and not name.exists():
        raise InputError(Problem(str(name), None, "no such file; `judgekit baseline RUN -o FILE` writes one"))
    folder = find_run(name, suite)
    stored = read_run(folder)
    manifest = stored.manifest
    if manifest.run.finished is None:
        what = f"this run was stopped before its end; finish it first: {finishing(folder, manifest, suite)}"
        raise InputError(Problem(str(folder), None, what))
    if not manifest.prints.variant:
        what = "this run does not say what it was made with: it is of an older judgekit; run it again"
        raise InputError(Problem(str(folder), None, what))
    summary = summary_of(stored)
    called = manifest.run.variant if str(name) == manifest.run.variant else folder.name
    deciding = [grader.name for grader in summary.graders if grader.kind == "judge" and grader.gating]
    people = people_of(stored, deciding, suite)
    side = side_of_run(summary, manifest, name=called, outputs=stored.outputs, people=people)
    return Found(side, summary, folder, gate_of(folder, suite))


def people_of(stored: StoredRun, deciding: Iterable[str], suite: Path) -> People:
    """What people's labels, as they stand now, say of a run's outputs; where they cannot be read, why.

    deciding   the judges that decide in it, by `rubric.dimension`
    """
    names = list(deciding)
    if not names:
        return People()
    path = suite_near(stored.folder.resolve(), suite)
    if path is None:
        return People(why="its suite is not at hand, and with it the labels: say where it is with --suite")
    place = path.parent / load_suite_file(path).certificates
    files = LabelFiles(path.parent)
    hashes = {unit: output.sha256 for unit, output in stored.outputs.items() if output.fault is None}
    standings = {standing.name: standing for standing in stored.manifest.settled.standings}
    judges = {}
    for name in names:
        standing = standings.get(name)
        if standing is None:
            return People(why=f"the run does not say which certificate gave {name} its say")
        try:
            paper = certificate_in(place, standing.file)
            items = files.items(paper)
        except InputError as error:
            return People(why=f"the certificate of {name} or its labels cannot be read: {error}")
        if paper.fingerprint != standing.fingerprint or paper.measured is None:
            return People(why=f"{standing.file} is no longer the certificate of the judge of {name}")
        if gone := len(set(paper.rows) - {item.row for item in items}):
            return People(why=f"{gone} of the labels behind {standing.file} were changed or removed in {paper.labels}")
        human = joined(items, hashes, stored.manifest.run.variant)
        judges[name] = Measured(paper.fingerprint, human, None if paper.measured.chosen else table_of(paper))
    return People(judges, hashes)


def read_baseline(path: Path) -> Baseline:
    """The committed baseline in a file. Raises `InputError` when it is missing or something else."""
    return parse_baseline(read_text(path), file=str(path))


def existing_baseline(path: Path) -> Side | None:
    """The baseline that stands at `path`, None for no file. Raises `InputError` for a file that is something else."""
    return side_of_baseline(read_baseline(path), name=path.name) if path.exists() else None


def write_baseline(path: Path, side: Side) -> None:
    """Write a baseline in one step: a reader sees the old file or the new one.

    Raises `InputError` when it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(baseline_text(baseline_of(side)), encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        raise InputError(Problem(str(path), None, f"cannot be written: {error.strerror or error}")) from None


def suite_of(found: Found, suite: Path) -> Suite:
    """The suite that a run belongs to, with its cases. Raises `InputError`."""
    above = found.folder.resolve().parent.parent if found.folder else suite
    return load_suite(above if (above / "judgekit.yaml").is_file() else suite)


def _gate_near(file: Path, suite: Path) -> GatePolicy | None:
    """The gate of the suite that a committed file stands beside, or one folder under, else of `suite`."""
    beside = file.parent / "judgekit.yaml"
    return gate_of(file, file.parent if beside.is_file() else suite)


def finishing(folder: Path, manifest: Manifest, suite: Path) -> str:
    """The command that goes on with a stopped run; a selection is added in words, as only they were kept."""
    info = manifest.run
    above = folder.resolve().parent.parent
    place = next((p for p in (above, suite) if (p / "judgekit.yaml").is_file() or p.is_file()), None)
    words = ["judgekit", "run", shlex.quote(shown_path(place)) if place else "SUITE", "--variant", info.variant]
    if place is not None and load_suite_file(place).trials != info.trials:
        words += ["--trials", str(info.trials)]
    selected = f" (with the same selection: {info.selected})" if info.selected else ""
    return f"`{' '.join(words)}`{selected}"
