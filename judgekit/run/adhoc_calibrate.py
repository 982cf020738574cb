"""Calibration without a suite file: what `jk.calibrate` does with a labels file or a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgekit.calibration.certificate import Certificate, Reading
from judgekit.calibration.decide import Result
from judgekit.calibration.found import Calibrated
from judgekit.data.cases import CaseSet
from judgekit.data.frames import frame_from_rows, is_frame, rows_from_frame
from judgekit.errors import NotEnough, UsageError
from judgekit.report.calibration import print_calibrated
from judgekit.report.calibration_document import calibrated_document
from judgekit.rubric import Rubric
from judgekit.run.adhoc import rubric_of
from judgekit.run.calibrate import Setting, certify, look_at_dev, opening
from judgekit.run.certificates import trust_of, write_certificate
from judgekit.run.labelled import Source, instruments_of, labelled
from judgekit.run.loaded import Suite
from judgekit.run.looks import Looks
from judgekit.suite import CalibrationPolicy, JudgeConfig, SuiteFile
from judgekit.types import Estimate, Json, Sender

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Wanted:
    """What `jk.calibrate` was asked for, apart from the world."""

    rubric: str | Rubric
    judge: JudgeConfig
    reading: Reading
    dimensions: tuple[str, ...] = ()
    model: str | None = None
    certify: bool = False
    every: bool = False
    policy: CalibrationPolicy | None = None


class Calibration:
    """What `calibrate` found. Printed, it is what the command line prints."""

    def __init__(self, found: Calibrated) -> None:
        self.found = found

    @property
    def decision(self) -> Result | None:
        """`certified`, `refused` or `inconclusive`: the worst over the dimensions; None without `certify=True`."""
        return self.found.result

    @property
    def kappa(self) -> dict[str, Estimate]:
        """Kappa by `rubric.dimension`, where its numbers may be shown."""
        return {one.name: one.measured.kappa for one in self.found.found if one.measured is not None}

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificates that were earned."""
        papers = [one.certificate for one in self.found.found]
        return tuple(paper for paper in papers if paper is not None and paper.certified)

    def disagreements(self) -> pd.DataFrame:
        """Dev split only: id, dimension, output, human, judge, error, reason; one row each."""
        columns = ("id", "dimension", "variant", "trial", "output", "human", "judge", "error", "reason")
        rows = [
            (
                one.item.case,
                one.item.dimension,
                one.item.variant,
                one.item.trial,
                one.item.output,
                one.item.label,
                one.verdict,
                one.fault.code if one.fault else None,
                one.reason,
            )
            for found in self.found.found
            for one in found.disagreements
        ]
        frame = frame_from_rows([dict(zip(columns, row, strict=True)) for row in rows])
        return frame if rows else frame.reindex(columns=list(columns))

    def save(self, folder: str | Path) -> list[Path]:
        """Write the certificates that were earned. Raises `NotEnough` unless every dimension is certified."""
        if self.decision != "certified":
            told = "no decision was asked for: calibrate with certify=True" if self.decision is None else self.decision
            raise NotEnough(f"nothing to save: {told}")
        return [Path(folder) / write_certificate(paper, Path(folder)) for paper in self.certificates]

    def to_dict(self) -> dict[str, Json]:
        """The document that `judgekit calibrate --json` prints."""
        return calibrated_document(self.found)

    def __str__(self) -> str:
        from rich.console import Console

        text = StringIO()
        print_calibrated(self.found, Console(file=text, width=110, highlight=False))
        return text.getvalue().strip()

    def __repr__(self) -> str:
        told = [f"{one.name} {one.result or 'measured'}" for one in self.found.found]
        return f"<Calibration: {', '.join(told)}>"


async def calibrate_data(data: Any, wanted: Wanted, send: Sender, setting: Setting) -> Calibration:
    """Calibrate on a labels file, a list of dicts or a frame; cases and outputs come from it too.

    Raises `InputError` for labels that do not fit, `UsageError` for `certify` without a file, `SelfGrading`.
    """
    rubric = rubric_of(wanted.rubric)
    policy = wanted.policy or CalibrationPolicy()
    file = SuiteFile(suite="data", cases="data", rubrics=(rubric.id,), judge=wanted.judge, calibration=policy)
    suite = Suite(file, Path(), "", CaseSet((), (), (), ()), {rubric.id: rubric})
    instruments = instruments_of(suite, wanted.judge)
    source = _source(data, wanted)
    found = labelled(suite, source, instruments, wanted=wanted.dimensions, model=wanted.model)
    if not source.file:
        return Calibration(await look_at_dev(found, send, setting))
    trust = trust_of(suite, list(instruments.values()), today=setting.now().date())
    looks = Looks.beside(source.file, source.base)
    setting = Setting(policy, looks, setting.now, setting.token, None, trust.certificates, setting.in_flight)
    if not wanted.certify:
        return Calibration(await look_at_dev(found, send, setting))
    return Calibration(await certify(found, opening(found, setting, every=wanted.every), send, setting))


def _source(data: Any, wanted: Wanted) -> Source:
    if isinstance(data, (str, Path)):
        return Source(file=str(data), reading=wanted.reading)
    if wanted.certify:
        what = "a certificate is bound to a labels file, and looks at it are counted beside it: give the file's path"
        raise UsageError(what)
    if is_frame(data):
        return Source(rows=rows_from_frame(data), frame=True, reading=wanted.reading)
    return Source(rows=[dict(row) for row in data], reading=wanted.reading)


def reading_of(
    columns: Mapping[str, str],
    annotators: Sequence[str],
    passes: Sequence[str],
    fails: Sequence[str],
    pass_at: float | None,
) -> Reading:
    """How the labels are to be read."""
    return Reading(dict(columns), tuple(annotators), tuple(passes), tuple(fails), pass_at)
