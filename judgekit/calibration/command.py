"""The command that would earn a judge its certificate, with everything that says how its labels are read."""

from __future__ import annotations

import shlex
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from judgekit.suite import JudgeConfig, SuiteFile
from judgekit.types import Frozen

if TYPE_CHECKING:  # a certificate brings the statistics along, which a run without one does not need
    from judgekit.calibration.certificate import Certificate


class Said(Frozen, frozen=True):
    """How a suite says that labels are read: what a command need not say again.

    judge    models that judge in place of the suite's judge, as `--judge` has them; "" = the suite's own
    rubric   for pairs: what `--rubric` was given, which a certificate does not know
    """

    labels: str = ""
    columns: dict[str, str] = {}
    annotators: tuple[str, ...] = ()
    words: tuple[tuple[str, ...], tuple[str, ...], float | None] = ((), (), None)
    judge: str = ""
    rubric: str = ""


def said_by(file: SuiteFile, judge: JudgeConfig | None = None) -> Said:
    """What a suite says of its labels, where this judge judges."""
    policy, own = file.calibration, file.judge.models if file.judge else ()
    return Said(
        labels=file.labels or "",
        columns=dict(file.columns),
        annotators=policy.annotators,
        words=(policy.passes, policy.fails, policy.pass_at),
        judge="" if judge is None or own == judge.models else ",".join(judge.models),
    )


def certify_command(suite: str, name: str, like: Certificate | None = None, said: Said | None = None) -> str:
    """`judgekit calibrate ... --certify` for one dimension, to be typed where `suite` is a path.

    like   an earlier certificate: its labels are read again as they were read then
    """
    words = ["judgekit", "calibrate"]
    folder = suite.removesuffix("judgekit.yaml").removesuffix("/")
    if folder not in ("", "."):
        words.append(folder)
    words += ["--dimension", name]
    if said is not None and said.judge:
        words += ["--judge", said.judge]
    if like is not None:
        words += _reading(like, said or Said(), folder)
    return shlex.join([*words, "--certify"])


def certify_pairs_command(suite: str, name: str, like: Certificate | None = None, said: Said | None = None) -> str:
    """`judgekit pairwise ... --labels FILE --certify` for one dimension; parameters as for `certify_command`."""
    own, _, dimension = name.partition(".")
    rubric = (said.rubric if said else "") or own
    folder = suite.removesuffix("judgekit.yaml").removesuffix("/")
    words = ["judgekit", "pairwise", *([folder] if folder not in ("", ".") else [])]
    words += ["--rubric", rubric] if rubric != "pairwise" else []
    words += ["--dimension", dimension]
    words += _reading(like, Said(), folder) if like is not None else ["--labels", "FILE"]
    return shlex.join([*words, "--certify"])


def _reading(like: Certificate, said: Said, folder: str) -> list[str]:
    reading, options = like.reading, list[str]()
    if like.labels != said.labels:
        options += ["--labels", str(PurePosixPath(folder) / like.labels)]
    if reading.annotators and reading.annotators != said.annotators:
        options += ["--annotators", ",".join(reading.annotators)]
    if (reading.passes, reading.fails, reading.pass_at) != said.words:
        options += ["--pass", ",".join(reading.passes)] if reading.passes else []
        options += ["--fail", ",".join(reading.fails)] if reading.fails else []
        options += ["--pass-at", f"{reading.pass_at:g}"] if reading.pass_at is not None else []
    columns = {ours: theirs for ours, theirs in reading.columns.items() if said.columns.get(ours) != theirs}
    if columns:
        options += ["--columns", ",".join(f"{ours}={theirs}" for ours, theirs in columns.items())]
    return options
