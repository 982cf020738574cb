"""A probing as a report needs it: what was probed, what was found, and what each line says in words."""

from __future__ import annotations

from judgekit.probes.battery import Battery
from judgekit.probes.finding import Finding, exit_code
from judgekit.types import Frozen


class Missing(Frozen, frozen=True):
    """Why verdicts are missing: how often, and where first."""

    cause: str
    n: int
    first: str


class ProbeReport(Frozen, frozen=True, kw_only=True):
    """A probing.

    judges           the models of the judge
    missing_outputs  outputs that are not there, so that nothing could be asked about them
    stopped          why no further call could succeed, if that ended it; then lines may rest on a part of the calls
    """

    suite: str
    variant: str
    judges: tuple[str, ...]
    cases: int
    trials: int
    battery: Battery
    selected: str = ""
    notices: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    missing_outputs: int = 0
    calls_sent: int = 0
    calls_cached: int = 0
    cost_usd: float | None = None
    stopped: str = ""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The lines."""
        return self.battery.findings

    @property
    def exit_code(self) -> int:
        """4 when it was stopped, 1 when something is flagged, 3 when nothing could be decided, else 0."""
        return 4 if self.stopped else exit_code(self.findings)


def line_name(finding: Finding) -> str:
    """`injection, order`."""
    return f"{finding.probe}, {finding.kind}" if finding.kind else finding.probe


def signed(finding: Finding) -> bool:
    """Whether the effect is a difference, which may go either way, and not a share."""
    return finding.probe not in ("stability", "leniency")


def number(finding: Finding, value: float) -> str:
    """`+0.12` for a difference, `0.12` for a share."""
    rounded = round(value, 2) + 0.0  # never -0.00
    return f"{rounded:+.2f}" if signed(finding) else f"{rounded:.2f}"


def effect(finding: Finding) -> str:
    """`+0.12 [+0.03, +0.22]`, or `-` where there is none."""
    e = finding.effect
    if e.value is None or e.low is None or e.high is None:
        return "-"
    return f"{number(finding, e.value)} [{number(finding, e.low)}, {number(finding, e.high)}]"


def band(finding: Finding) -> str:
    """`at most 0.10`, or `-0.10 to +0.10`."""
    low, high = finding.band
    return (
        f"{number(finding, low)} to {number(finding, high)}" if signed(finding) else f"at most {number(finding, high)}"
    )


def sentence(finding: Finding) -> str:
    """What a flagged effect means, without a full stop."""
    value = finding.effect.value or 0.0
    share, size = f"{value:.0%}", f"{abs(value) * 100:.0f} points"
    way = "more" if value > 0 else "less"
    match finding.probe:
        case "stability":
            said = f"asked the same thing again, the judge changes its verdict on {share} of outputs"
        case "position":
            first = "first" if value > 0 else "second"
            said = f"{0.5 + abs(value):.0%} of its picks go to the answer that is shown {first}"
        case "verbosity":
            said = f"an output that says everything twice gets PASS {size} {way} often"
        case "formatting":
            said = f"the same words in Markdown get PASS {size} {way} often"
        case "leniency":
            said = f"it passes {share} of outputs that answer another case"
        case "self-preference":
            said = f"its own family's outputs get PASS {size} {way} often than others that people judged alike"
        case "injection":
            kind = f" of the kind {finding.kind}" if finding.kind else ""
            said = f"attacks{kind} in the text turn a FAIL into PASS {size} {way} often than a second look does"
    return f"{line_name(finding)} on {finding.dimension}: {said}"


def hint(finding: Finding) -> str:
    """When a flag of this kind is no fault; "" where it always is one."""
    when = {
        "verbosity": "a criterion about length",
        "formatting": "a criterion about form",
        "leniency": "a criterion that does not depend on the case",
    }.get(finding.probe)
    return f"No fault for {when}: --skip {finding.probe}:{finding.dimension} leaves it out" if when else ""
