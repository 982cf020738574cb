"""What a run leaves for a CI system: GitHub's job summary and annotations, and JUnit XML in a file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from judgekit.errors import InputError, Problem
from judgekit.report.summary import Summary
from judgekit.run.store import read_manifest
from judgekit.types import Decision


def on_github(env: Mapping[str, str]) -> bool:
    """Whether this process is a step of a GitHub Actions job."""
    return env.get("GITHUB_ACTIONS") == "true"


@contextmanager
def no_commands(env: Mapping[str, str], token: str, out: TextIO | None = None) -> Iterator[None]:
    """On GitHub, what is printed meanwhile cannot command the job: an output may hold `::add-mask::` or the like."""
    if not on_github(env):
        yield
        return
    out = out or sys.stderr
    print(f"::stop-commands::{token}", file=out, flush=True)
    try:
        yield
    finally:
        print(f"\n::{token}::", file=out, flush=True)


def tell_github(
    summary: Summary, decision: Decision, *, suite: Path, env: Mapping[str, str], out: TextIO | None = None
) -> None:
    """Append the summary to `$GITHUB_STEP_SUMMARY` if that is set, and print annotations if this is GitHub Actions.

    suite   the suite file or its folder, which the places of cases are relative to
    out     where the annotations go, stderr if not given: GitHub reads both streams, and stdout may hold JSON
    """
    from judgekit.report.annotations import annotate
    from judgekit.report.markdown import markdown

    out = out or sys.stderr
    target = env.get("GITHUB_STEP_SUMMARY")
    if target:
        try:
            with Path(target).open("a", encoding="utf-8") as file:
                file.write(markdown(summary, decision) + "\n")
        except OSError as error:
            print(f"The job summary could not be written: {target}: {error.strerror}", file=out)
    if on_github(env):
        folder = suite if suite.is_dir() else suite.parent
        root = Path(env.get("GITHUB_WORKSPACE") or ".").resolve()
        for line in annotate(summary, decision, places=_places(summary, folder.resolve(), root)):
            print(line, file=out)
        out.flush()


def _places(summary: Summary, folder: Path, root: Path) -> dict[str, tuple[str, int | None]]:
    """File and line of each case that did not pass, as seen from the root of the repository."""
    if not summary.info.folder:
        return {}
    shown: dict[str, str] = {}
    found: dict[str, tuple[str, int | None]] = {}
    for mark in read_manifest(Path(summary.info.folder)).cases:
        if mark.file not in shown:
            path = (folder / mark.file).resolve()
            inside = bool(mark.file) and path.is_file() and path.is_relative_to(root)
            shown[mark.file] = path.relative_to(root).as_posix() if inside else ""
        if shown[mark.file]:
            found[mark.id] = (shown[mark.file], mark.line or None)
    return found


def write_junit(summary: Summary, decision: Decision, folder: Path, file: Path) -> None:
    """Write a stored run as JUnit XML. Raises `InputError` when the file cannot be written."""
    from judgekit.report.junit import junit

    text = junit(summary, decision, totals=read_manifest(folder).rubrics())
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem(str(file), None, f"cannot be written: {error.strerror}")) from None


def print_markdown(summary: Summary, decision: Decision) -> None:
    """Markdown on stdout, in UTF-8 whatever the console speaks, as with JSON."""
    from judgekit.report.markdown import markdown

    text = markdown(summary, decision)
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
    else:
        buffer.write(text.encode())
        buffer.flush()
