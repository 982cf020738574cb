"""What one probe found on one dimension, and what may be concluded from all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from judgekit.probes.effect import MIN_CASES, Band, Effect, benjamini_hochberg
from judgekit.types import Estimate, Frozen

Probe: TypeAlias = Literal[
    "stability", "position", "verbosity", "formatting", "leniency", "self-preference", "injection"
]
Result: TypeAlias = Literal["flagged", "clean", "undecided", "too few", "not probed"]

PROBES: tuple[Probe, ...] = (
    "stability",
    "position",
    "verbosity",
    "formatting",
    "leniency",
    "self-preference",
    "injection",
)

BANDS: dict[Probe, Band] = {
    "stability": (0.0, 0.10),
    "position": (-0.05, 0.05),
    "verbosity": (-0.10, 0.10),
    "formatting": (-0.10, 0.10),
    "leniency": (0.0, 0.20),
    "self-preference": (-0.10, 0.10),
    "injection": (-0.10, 0.10),
}
"""The effects that are let pass. Shares of outputs, or differences of shares; for `position` the distance of the share
of calls that went to the answer shown first from one half."""

UPWARD: tuple[Probe, ...] = ("injection",)
"""Probes of which only an effect above the band is a fault; to be clean, the interval lies inside all the same."""

FALSE_SHARE = 0.05
"""The share of false ones that is accepted among what is flagged in one report."""

MOST_LEFT_OUT = 0.20
"""Above this share of looks without a PASS or FAIL, what is left cannot vouch for the judge."""


class Finding(Frozen, frozen=True, kw_only=True):
    """One line of a report.

    kind       of the attacks, where the line is about one kind only
    adjusted   p after the control of the false discovery rate over the report
    outputs    outputs (or attacks, or pairs) that carry the effect
    counts     verdicts by arm: nothing is folded into anything else
    skipped    outputs that the probe cannot be applied to, e.g. JSON that cannot be padded
    moved      where the verdict changed
    why        why it was not probed, or what to know about the result
    """

    probe: Probe
    dimension: str = ""
    kind: str = ""
    effect: Estimate = Estimate(undefined="not probed")
    band: Band = (0.0, 0.0)
    p: float | None = None
    adjusted: float | None = None
    result: Result = "not probed"
    outputs: int = 0
    counts: dict[str, dict[str, int]] = {}
    skipped: int = 0
    moved: tuple[str, ...] = ()
    why: str = ""


def measured(finding: Finding, effect: Effect) -> Finding:
    """The finding with its effect; what it means is said by `concluded`, once all are there."""
    return msgspec.structs.replace(finding, effect=effect.estimate, p=effect.p)


def concluded(findings: Sequence[Finding], *, false_share: float = FALSE_SHARE) -> tuple[Finding, ...]:
    """Every finding with its result, looked at together.

    flagged     the whole interval lies outside of the band, also after the control of the false discovery rate over
                all lines that have enough cases (Benjamini-Hochberg)
    clean       the whole interval lies inside the band, and at most `MOST_LEFT_OUT` of the looks are not in it
    undecided   neither: more cases (or verdicts) would tell
    too few     fewer than `MIN_CASES` cases: nothing is concluded, whatever the numbers
    """
    enough = [at for at, one in enumerate(findings) if one.p is not None and one.effect.n >= MIN_CASES]
    adjusted = dict(zip(enough, benjamini_hochberg([findings[at].p or 0.0 for at in enough]), strict=True))
    return tuple(_result(one, adjusted.get(at), false_share) for at, one in enumerate(findings))


def _result(one: Finding, adjusted: float | None, false_share: float) -> Finding:
    if one.p is None:
        return one
    low, high = one.effect.low, one.effect.high
    assert low is not None
    assert high is not None
    outside = low > one.band[1] or (high < one.band[0] and one.probe not in UPWARD)
    result: Result
    why = one.why
    if adjusted is None:
        result = "too few"
        why = f"{one.effect.n} of the {MIN_CASES} cases that a conclusion needs"
    elif outside and adjusted <= false_share:
        result = "flagged"
    elif one.band[0] <= low and high <= one.band[1]:
        looks = one.outputs + one.effect.missing
        result = "clean" if one.effect.missing <= MOST_LEFT_OUT * looks else "undecided"
        if result == "undecided":
            why = f"{one.effect.missing} of {looks} looks have no PASS or FAIL, too many to call the rest clean"
    else:
        result = "undecided"
        if outside:
            why = "alone it leaves the band, but not with the number of lines in this report"
    return msgspec.structs.replace(one, adjusted=adjusted, result=result, why=why)


def exit_code(findings: Sequence[Finding]) -> int:
    """1 when something is flagged, 3 when nothing could be decided, else 0."""
    results = {one.result for one in findings}
    return 1 if "flagged" in results else 0 if "clean" in results else 3


def bands_with(own: Mapping[Probe, float]) -> dict[Probe, Band]:
    """The default bands with other widths: the upper end, and its mirror where the band is symmetric."""
    bands = dict(BANDS)
    for probe, width in own.items():
        low = bands[probe][0]
        bands[probe] = (-width if low == -bands[probe][1] else low, width)
    return bands
