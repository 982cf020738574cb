"""Certificates at a run: read from the suite's folder, looked up by fingerprint, settled when the run has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from judgekit.calibration.command import Said, said_by
from judgekit.calibration.enforce import Corrected, Settled, corrected_dimension, corrected_run, enforced, joined
from judgekit.calibration.fingerprint import fingerprint_of
from judgekit.calibration.items import Item, items_of
from judgekit.calibration.standing import Filed, Standing, after_run, standing_of
from judgekit.data.labels import LabelSet, load_labels
from judgekit.errors import InputError, Problem
from judgekit.graders.judge import Instrument
from judgekit.located import read_text
from judgekit.report.summary import share_of_pass
from judgekit.rubric import Rubric
from judgekit.run.loaded import Suite
from judgekit.types import TrialResult

if TYPE_CHECKING:  # a certificate brings the statistics along, which a run without one does not need
    from judgekit.calibration.certificate import Certificate


@dataclass(frozen=True)
class Trust:
    """What is known of a run's judges before it starts.

    certificates   of the judges that may decide, by `rubric.dimension`
    items          their labelled outputs
    said           how the suite says that labels are read
    """

    standings: Mapping[str, Standing] = field(default_factory=dict)
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    items: Mapping[str, tuple[Item, ...]] = field(default_factory=dict)
    said: Said | None = None

    @property
    def decides(self) -> bool:
        """Whether any judge may decide."""
        return bool(self.certificates)


class LabelFiles:
    """Label files of certificates, each read once, in the way in which it was read when the certificate was earned."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[bytes, LabelSet | InputError] = {}

    def items(self, certificate: Certificate) -> tuple[Item, ...]:
        """What a certificate's labels file holds now for its dimension. Raises `InputError`."""
        reading = certificate.reading
        key = msgspec.json.encode([certificate.labels, reading], order="deterministic")
        if key not in self._read:
            try:
                self._read[key] = load_labels(
                    certificate.labels,
                    self._folder,
                    columns=reading.columns,
                    annotators=reading.annotators,
                    spelling=reading.spelling,
                )
            except InputError as error:
                self._read[key] = error
        found = self._read[key]
        if isinstance(found, InputError):
            raise found
        return items_of(found, certificate.name)

    def rows(self, certificate: Certificate) -> frozenset[str]:
        """The hashes of these. Raises `InputError`."""
        return frozenset(item.row for item in self.items(certificate))


def certificates_in(suite: Suite) -> tuple[Filed, ...]:
    """Every file of the suite's certificates folder; one that is damaged or edited says so."""
    folder = suite.folder / suite.file.certificates
    return tuple(_filed(path) for path in sorted(folder.glob("*.json")))


def certificate_in(folder: Path, file: str) -> Certificate:
    """One file of a certificates folder. Raises `InputError` for one that is gone, damaged or edited."""
    from judgekit.calibration.certificate import from_text

    return from_text(read_text(folder / file), file=file)


def _filed(path: Path) -> Filed:
    from judgekit.calibration.certificate import from_text

    try:
        return Filed(path.name, from_text(read_text(path), file=path.name))
    except InputError as error:
        return Filed(path.name, trouble=error.problems[0].what)


def trust_of(suite: Suite, instruments: Sequence[Instrument], *, today: date) -> Trust:
    """The standing of each judge before anything is judged. Reads files, sends nothing."""
    filed = certificates_in(suite) if instruments else ()
    papers = {one.file: one.certificate for one in filed}
    files, said = LabelFiles(suite.folder), said_by(suite.file, instruments[0].config if instruments else None)
    standings: dict[str, Standing] = {}
    certificates: dict[str, Certificate] = {}
    items: dict[str, tuple[Item, ...]] = {}
    for judge in instruments:
        standing = standing_of(
            judge.name,
            fingerprint_of(judge),
            filed,
            rows=files.rows,
            policy=suite.file.calibration,
            today=today,
            suite=suite.shown,
            said=said,
        )
        standings[judge.name] = standing
        paper = papers.get(standing.file)
        if standing.gating and paper is not None:
            certificates[judge.name] = paper
            items[judge.name] = files.items(paper)
    return Trust(standings, certificates, items, said)


def settle(
    trust: Trust,
    results: Sequence[TrialResult],
    *,
    hashes: Mapping[tuple[str, int], str],
    dropped: Mapping[str, frozenset[str]],
    variant: str,
    totals: Mapping[str, Rubric],
    suite: str,
) -> tuple[tuple[TrialResult, ...], Settled]:
    """The results as the certificates let them stand, and what there is to say of the judges.

    hashes    (case, trial) -> hash of its text
    dropped   per judge that was called, the parameters that its provider refused
    """
    if not trust.standings:
        return tuple(results), Settled()
    human = {name: joined(own, hashes, variant) for name, own in trust.items.items()}
    last = dict(trust.standings)
    each: dict[str, Corrected] = {}
    for name, paper in trust.certificates.items():
        grades = [grade for result in results for grade in result.grades if grade.name == name]
        if not grades:
            continue
        fixed = corrected_dimension(results, name, paper, human[name])
        rate = fixed.rate if fixed.rate.value is not None else share_of_pass(grades)
        before = msgspec.structs.replace(last[name], corrected=fixed.rate, assumes=fixed.assumes)
        last[name] = after_run(before, paper, pass_rate=rate, dropped=dropped.get(name), suite=suite, said=trust.said)
        if last[name].gating:
            each[name] = fixed
    final = enforced(results, last.values(), totals)
    return final, Settled(tuple(last.values()), corrected_run(final, human, each))


def write_certificate(paper: Certificate, folder: Path) -> str:
    """Write a certificate in one step. An inconclusive look does not take away one that was earned."""
    from judgekit.calibration.certificate import to_text

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / paper.file_name
    if paper.result == "inconclusive" and path.is_file() and _stands(path):
        return ""
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(to_text(paper), encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        raise InputError(Problem(str(path), None, f"cannot be written: {error.strerror}")) from None
    return path.name


def _stands(path: Path) -> bool:
    from judgekit.calibration.certificate import from_text

    try:
        return from_text(path.read_text(encoding="utf-8"), file=path.name).certified
    except (InputError, OSError, UnicodeError):
        return False
