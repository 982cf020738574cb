"""The certificate: a file to commit that says what a judge is, what it was held against, and what came of it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Literal

import msgspec

from judgekit.calibration.decide import Result
from judgekit.calibration.measure import Measured
from judgekit.calibration.pair_measure import PairsMeasured
from judgekit.data.labels import Spelling
from judgekit.errors import InputError, Problem
from judgekit.types import Frozen, Json

FORM = 1
LENGTH = 12
"""Hex digits of the fingerprint in a file's name."""


class Reading(Frozen, frozen=True):
    """How the labels file was read, so that it can be read in the same way again."""

    columns: dict[str, str] = {}
    annotators: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    fails: tuple[str, ...] = ()
    pass_at: float | None = None

    @property
    def spelling(self) -> Spelling:
        """What the words in the file mean."""
        return Spelling(passes=self.passes, fails=self.fails, pass_at=self.pass_at)


class Certificate(Frozen, frozen=True, kw_only=True):
    """What came of one attempt for one judge on one dimension.

    form          the form of this file
    kind          what it judges: single `outputs`, or `pairs` of them
    judge         the judge in words; `fingerprint` and its `parts` say exactly what it is
    level         one-sided level at which it was decided, `attempt` the number of the try on this set of labels
    labels        the labels file, as seen from the suite's folder
    rows          hash of each labelled output used -> hash of what the judge said of it; "" where not certified:
                  trying each verdict would tell which it was, and only the decision is public
    policy        the thresholds that held
    measured      every number (in `pairs` for a judge of pairs); only where certified, because it comes from labels
                  that others are still tried on
    models        the names that the provider returned; `dropped` the parameters that it refused
    sha256        over everything else, so that an edit is noticed
    """

    form: int = FORM
    kind: Literal["outputs", "pairs"] = "outputs"
    rubric: str
    dimension: str
    judge: str
    fingerprint: str
    parts: dict[str, str]
    result: Result
    reasons: tuple[str, ...]
    attempt: int
    level: float
    labels: str
    reading: Reading = Reading()
    rows: dict[str, str]
    policy: dict[str, Json]
    measured: Measured | None = None
    pairs: PairsMeasured | None = None
    models: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    every_label: bool = False
    made: str
    judgekit: str
    sha256: str = ""

    @property
    def name(self) -> str:
        """`rubric.dimension`."""
        return f"{self.rubric}.{self.dimension}"

    @property
    def file_name(self) -> str:
        """`<rubric>.<dimension>.<judge>.<fingerprint prefix>.json`."""
        slug = re.sub(r"[^a-z0-9]+", "-", self.judge.lower()).strip("-")[:60].strip("-") or "judge"
        return f"{self.rubric}.{self.dimension}.{slug}.{self.fingerprint[:LENGTH]}.json"

    @property
    def certified(self) -> bool:
        """Whether the judge earned its say."""
        return self.result == "certified"


def sealed(certificate: Certificate) -> Certificate:
    """The certificate with its own hash."""
    body: dict[str, Json] = msgspec.to_builtins(certificate)
    return msgspec.structs.replace(certificate, sha256=_seal(body))


def to_text(certificate: Certificate) -> str:
    """The file: JSON with sorted keys, indented, one last newline."""
    return json.dumps(msgspec.to_builtins(certificate), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def from_text(text: str, *, file: str) -> Certificate:
    """Read a certificate. Raises `InputError` for one that is damaged, or that was edited since it was written."""
    try:
        body = json.loads(text)
        certificate = msgspec.convert(body, Certificate)
    except (json.JSONDecodeError, msgspec.ValidationError) as error:
        raise InputError(Problem(file, None, f"is no certificate: {error}")) from None
    if certificate.form != FORM:
        what = f"is a certificate of form {certificate.form}, this judgekit reads form {FORM}: certify again"
        raise InputError(Problem(file, None, what))
    if certificate.sha256 != _seal(body):
        what = "was edited by hand since it was written: a certificate is earned, put back the committed one"
        raise InputError(Problem(file, None, what))
    return certificate


def verdict_hash(row: str, verdict: str | None) -> str:
    """What a certificate keeps of the judge's verdict on an output, so that `--check` can tell a flip from none."""
    return hashlib.sha256(f"{row}|{verdict or ''}".encode()).hexdigest()[:16]


def verdict_of(row: str, kept: str) -> str | None:
    """The verdict behind a kept hash; None for no verdict.

    Raises ValueError for a hash of something else.
    """
    for verdict in ("PASS", "FAIL", "UNKNOWN", None):
        if verdict_hash(row, verdict) == kept:
            return verdict
    raise ValueError("this is not the hash of a verdict")


def _seal(body: dict[str, Json]) -> str:
    rest = {key: value for key, value in body.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
