"""What one `calibrate` found, as values: what a report prints and what Python hands back."""

from __future__ import annotations

from judgekit.calibration.certificate import Certificate
from judgekit.calibration.decide import Result, Ruling
from judgekit.calibration.measure import Measured, Seen
from judgekit.calibration.pair_measure import PairSeen, PairsMeasured
from judgekit.types import Frozen


class Found(Frozen, frozen=True):
    """One judge on one dimension.

    measured    None where its numbers may not be shown yet
    seen        the outputs and what the judge said of them: of the dev split only, ever
    ruling      what the policy says; None when the test labels were not looked at
    too_few     why the test labels were not even looked at, "" if they were
    more        more labels -> chance of a certificate at the next attempt; only where inconclusive
    file        where its certificate was written
    held        the certificate that it holds already for these very labels: no attempt was made
    unit        what was labelled: `output`, or `pair`, whose numbers are in `pairs` and `pairs_seen` instead of
                `measured` and `seen`
    """

    name: str
    judge: str
    labels: int
    measured: Measured | None = None
    seen: tuple[Seen, ...] = ()
    ruling: Ruling | None = None
    too_few: tuple[str, ...] = ()
    more: dict[int, float] = {}
    certificate: Certificate | None = None
    file: str = ""
    held: str = ""
    unit: str = "output"
    pairs: PairsMeasured | None = None
    pairs_seen: tuple[PairSeen, ...] = ()

    @property
    def result(self) -> Result | None:
        """What holds for this dimension now; None when no decision was asked for."""
        if self.held:
            return "certified"
        if self.ruling is not None:
            return self.ruling.result
        return "inconclusive" if self.too_few else None

    @property
    def disagreements(self) -> tuple[Seen, ...]:
        """Where people agreed on a label and the judge did not give it."""
        return tuple(one for one in self.seen if one.disagrees)


class Calibrated(Frozen, frozen=True):
    """All dimensions of one call.

    attempt   the number of this look at the test labels, 0 for the dev split; `left` how many are left after it
    level     one-sided level of the attempt, shared by its dimensions
    spent     whether the set of test labels is used up, so that it is dev from now on
    """

    labels: str
    found: tuple[Found, ...]
    attempt: int = 0
    left: int = 0
    level: float = 0.0
    spent: bool = False
    every_label: bool = False
    notices: tuple[str, ...] = ()
    calls_sent: int = 0
    calls_cached: int = 0
    cost_usd: float | None = None

    @property
    def result(self) -> Result | None:
        """The worst result over the dimensions; None when no decision was asked for."""
        if not self.attempt and not self.spent and not any(one.too_few or one.held for one in self.found):
            return None
        results = {one.result or "inconclusive" for one in self.found}
        worst: tuple[Result, ...] = ("refused", "inconclusive", "certified")
        return next((result for result in worst if result in results), "inconclusive")

    @property
    def exit_code(self) -> int:
        """0 certified, or nothing was to be decided; 1 refused; 3 inconclusive, or spent."""
        return {None: 0, "certified": 0, "refused": 1, "inconclusive": 3}[self.result]
