"""Whether a judge may decide here and now: its certificate held against fingerprint, labels, policy and date."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from judgekit.calibration.command import Said, certify_command, certify_pairs_command
from judgekit.calibration.fingerprint import Fingerprint, changed
from judgekit.errors import InputError
from judgekit.suite import CalibrationPolicy
from judgekit.types import Estimate, Frozen, Json

if TYPE_CHECKING:  # a certificate brings the statistics along, which a run without one does not need
    from judgekit.calibration.certificate import Certificate

UNCERTIFIED = "uncertified"
AT_LEAST = ("fail_recall_low", "pass_recall_low", "n", "cases", "each_label", "coverage", "ceiling_high")
"""The settings of a policy that ask for more when they are raised."""


class Filed(Frozen, frozen=True):
    """A file of the certificates folder; exactly one of `certificate` and `trouble` is set."""

    file: str
    certificate: Certificate | None = None
    trouble: str = ""


class Standing(Frozen, frozen=True):
    """What a judge may do on one dimension.

    gating       whether its verdicts decide
    advisory     why they do not, a few words; "" when gating
    why          the same in a sentence
    fix          the command that would change it
    file         the certificate that this rests on, "" for none
    corrected    the pass rate of a run on this dimension, corrected for the judge's errors; set after a run
    """

    name: str
    fingerprint: str
    gating: bool
    advisory: str = ""
    why: str = ""
    fix: str = ""
    file: str = ""
    corrected: Estimate | None = None
    assumes: str = ""


Rows: TypeAlias = "Callable[[Certificate], frozenset[str]]"
"""The hashes of the labels that a certificate's file holds now. Raises `InputError` where it cannot be read."""


def standing_of(
    name: str,
    fingerprint: Fingerprint,
    filed: Sequence[Filed],
    *,
    rows: Rows,
    policy: CalibrationPolicy,
    today: date,
    suite: str,
    said: Said | None = None,
    kind: Literal["outputs", "pairs"] = "outputs",
) -> Standing:
    """The standing of the judge with this fingerprint on `rubric.dimension`, before it has judged anything.

    suite   as a user would type it, for the command that would help
    said    how the suite says that labels are read
    kind    what it judges: a certificate for the other kind says nothing of it
    """
    own = [one for one in filed if one.certificate and (one.certificate.kind, one.certificate.name) == (kind, name)]
    exact = [one for one in own if one.certificate and one.certificate.fingerprint == fingerprint.hash]
    like = _newest(exact or own or [one for one in filed if one.certificate and one.certificate.kind == kind])
    again = (
        certify_command(suite, name, like, said)
        if kind == "outputs"
        else certify_pairs_command(suite, name, like, said)
    )

    def advisory(word: str, why: str, fix: str = again, file: str = "") -> Standing:
        return Standing(name, fingerprint.hash, gating=False, advisory=word, why=why, fix=fix, file=file)

    if not exact:
        broken = [one for one in filed if one.trouble and one.file.startswith(f"{name}.")]
        if broken:
            fix = f"put the committed file back, or {again}"
            return advisory("certificate not valid", f"{broken[0].file} {broken[0].trouble}", fix, broken[0].file)
        if own:
            return _stale(own, fingerprint, advisory)
        return advisory(UNCERTIFIED, "no certificate says that this judge agrees with people", again)
    found = max(exact, key=lambda one: (bool(one.certificate and one.certificate.certified), one.file))
    paper = found.certificate
    assert paper is not None
    if not paper.certified:
        fix = f"{_cure(paper, kind)}, then {again}"
        return advisory(paper.result, f"{'; '.join(paper.reasons)} ({found.file})", fix, found.file)
    age = (today - date.fromisoformat(paper.made[:10])).days
    if age > policy.max_age_days:
        told = f"it was made {age} days ago, {policy.max_age_days} are allowed ({found.file})"
        return advisory("certificate expired", told, again, found.file)
    if more := _asks_more(paper.policy, policy):
        told = f"the suite asks for more than it was held to: {', '.join(more)} ({found.file})"
        return advisory("policy is stricter now", told, again, found.file)
    try:
        gone = set(paper.rows) - rows(paper)
    except InputError as error:
        told = f"its labels cannot be read, so nobody can tell whether they changed: {error}"
        return advisory("labels changed", told, f"put back {paper.labels}, or {again}", found.file)
    if gone:
        told = f"{len(gone)} of the {len(paper.rows)} labels it rests on were changed or removed in {paper.labels}"
        return advisory("labels changed", told, f"put back {paper.labels}, or {again}", found.file)
    return Standing(name, fingerprint.hash, gating=True, file=found.file)


def after_run(
    standing: Standing,
    certificate: Certificate,
    *,
    pass_rate: Estimate,
    dropped: frozenset[str] | None,
    suite: str,
    said: Said | None = None,
) -> Standing:
    """The standing once the judge has judged: what its provider dropped, and whether its pass rate is in range.

    pass_rate   of this dimension in this run, corrected for the judge's errors where that could be done. The judge
                stays unless the whole interval lies outside the range in which its kappa clears the bar.
    dropped     parameters that the provider refused in this run; None = no call was made
    """
    if not standing.gating:
        return standing
    again = certify_command(suite, standing.name, certificate, said)

    def advisory(word: str, why: str, fix: str) -> Standing:
        return msgspec.structs.replace(standing, gating=False, advisory=word, why=why, fix=fix)

    if dropped is not None and dropped != frozenset(certificate.dropped):
        now, then = (", ".join(sorted(names)) or "none" for names in (dropped, certificate.dropped))
        why = f"the provider refused other parameters than when it was certified: {now} now, {then} then"
        return advisory("other parameters", why, again)
    measured = certificate.measured
    if measured is None or measured.range.low is None or measured.range.high is None or pass_rate.value is None:
        return standing
    low, high = measured.range.low, measured.range.high
    assert pass_rate.low is not None
    assert pass_rate.high is not None
    if pass_rate.low > high or pass_rate.high < low:
        of_pass, of_fail = measured.pass_recall.value, measured.fail_recall.value
        assert of_pass is not None
        assert of_fail is not None
        assert measured.kappa.value is not None
        from judgekit.stats.prevalence import kappa_at

        there = float(kappa_at(of_pass, of_fail, pass_rate.value))
        why = (
            f"kappa {measured.kappa.value:.2f} was measured at {measured.range.at:.0%} PASS; at this run's "
            f"{pass_rate.value:.0%} the same judge has {there:.2f}. It stands from {low:.0%} to {high:.0%} PASS"
        )
        return advisory("pass rate out of range", why, f"label outputs of this run, then {again}")
    return standing


def _newest(filed: Sequence[Filed]) -> Certificate | None:
    """The certificate that was earned last: it says best how the labels are to be read."""
    papers = [one.certificate for one in filed if one.certificate is not None]
    return max(papers, key=lambda paper: (paper.certified, paper.made), default=None)


def _cure(paper: Certificate, kind: str) -> str:
    """What has to change before another attempt makes sense."""
    from judgekit.calibration.decide import ONE_VERDICT

    if paper.result != "refused":
        return f"label more {kind}"
    stamp = any(reason.startswith(ONE_VERDICT) for reason in paper.reasons)
    return "take another judge, or mend the criterion" if stamp else "mend the criterion"


def _stale(own: Sequence[Filed], now: Fingerprint, advisory: Callable[..., Standing]) -> Standing:
    """The certificate that is closest to the judge, and what changed since."""
    papers = [(changed(one.certificate.parts, now.parts), one) for one in own if one.certificate is not None]
    parts, nearest = min(papers, key=lambda pair: (len(pair[0]), pair[1].file))
    what = ", ".join(parts)
    why = f"{what} changed since the certificate was earned ({nearest.file})"
    return advisory(f"stale: {what} changed", why, file=nearest.file)


def _asks_more(then: Mapping[str, Json], now: CalibrationPolicy) -> list[str]:
    from judgekit.calibration.decide import bar_of

    before = CalibrationPolicy.model_validate(then)
    found = [
        f"{key} {getattr(before, key):g} -> {getattr(now, key):g}"
        for key in AT_LEAST
        if getattr(now, key) > getattr(before, key)
    ]
    if bar_of(now) > bar_of(before):
        found.insert(0, f"kappa_low {bar_of(before):.2f} -> {bar_of(now):.2f}")
    return found
