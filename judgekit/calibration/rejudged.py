"""A certified judge asked again about its test outputs: held against itself, never against the labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgekit.calibration.certificate import Certificate, verdict_of
from judgekit.stats.repeats import repeats
from judgekit.types import Estimate, Frozen, Verdict

LEVEL = 0.05


class Rejudged(Frozen, frozen=True):
    """Then and now.

    n, missing   outputs with a verdict both times, and without
    same         share of them with the same verdict
    ups, downs   verdicts that went from FAIL to PASS and from PASS to FAIL; `p` of exact McNemar
    warnings     what speaks against the judge being the one that was certified
    """

    name: str
    file: str
    n: int
    missing: int
    same: Estimate
    ups: int
    downs: int
    p: float | None
    models_then: tuple[str, ...] = ()
    models_now: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def rejudged(
    certificate: Certificate, now: Mapping[str, Verdict | None], models: Sequence[str], dropped: Sequence[str]
) -> Rejudged:
    """Compare the verdicts behind a certificate with fresh ones.

    now     row hash -> fresh verdict, for the certificate's rows that could be judged again
    models  names that the provider returned
    """
    rows = [row for row in certificate.rows if row in now]
    then = [verdict_of(row, certificate.rows[row]) for row in rows]
    again: list[str | None] = [now[row] for row in rows]
    found = repeats([then, again], labels=("PASS", "FAIL", "UNKNOWN"))
    flips = repeats([_decided(then), _decided(again)], labels=("PASS", "FAIL")).flips
    warnings = []
    if certificate.models and models and set(models) != set(certificate.models):
        told = f"{', '.join(certificate.models)} then, {', '.join(models)} now"
        warnings.append(f"the provider answers with another model under the same name: {told}; certify again")
    if set(dropped) != set(certificate.dropped):
        warnings.append("the provider refused other parameters than when the judge was certified; certify again")
    if flips.p is not None and flips.p < LEVEL:
        way = "more lenient" if flips.ups > flips.downs else "stricter"
        warnings.append(f"the judge became {way} (exact McNemar p = {flips.p:.3g}); certify again")
    if lost := len(certificate.rows) - len(rows):
        warnings.append(f"{lost} of its {len(certificate.rows)} labelled outputs are gone")
    both = sum(a is not None and b is not None for a, b in zip(then, again, strict=True))
    return Rejudged(
        name=certificate.name,
        file=certificate.file_name,
        n=both,
        missing=len(rows) - both,
        same=found.unanimous,
        ups=flips.ups,
        downs=flips.downs,
        p=flips.p,
        models_then=certificate.models,
        models_now=tuple(models),
        warnings=tuple(warnings),
    )


def _decided(verdicts: Sequence[str | None]) -> list[str | None]:
    return [verdict if verdict in ("PASS", "FAIL") else None for verdict in verdicts]
