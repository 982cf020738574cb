"""What a policy rests on: the agreement of a judge with people, of single outputs or of pairs."""

from __future__ import annotations

from typing import ClassVar

from judgekit.stats.annotators import Ceiling
from judgekit.suite import CalibrationPolicy
from judgekit.types import Estimate, Frozen


class Evidence(Frozen, frozen=True, kw_only=True):
    """The numbers of every kind of judge. Tables are rows of human, columns of judge labels.

    bar             the kappa that a policy asks for
    n, cases        judged rows that both sides decided, and the cases they come from
    judged          labelled rows that were judged; `human` counts their labels, `disputed` those without one
    coverage        share of the judged rows that the judge decided, in [0, 1]
    below, above    P(kappa < bar), and P(kappa > bar) under the prior of the upper limit; None where undefined
    only            the one verdict that the judge gave every time, None if it gave several
    unit, answer, rest   in words: what was judged, what decides one, and what all others were
    """

    bar: float
    n: int
    cases: int
    judged: int
    human: dict[str, int]
    disputed: int
    table: tuple[tuple[int, ...], ...]
    coverage: float
    agreement: Estimate
    kappa: Estimate
    ceiling: Ceiling
    below: float | None = None
    above: float | None = None
    only: str | None = None

    unit: ClassVar[str] = "outputs"
    answer: ClassVar[str] = "PASS or FAIL"
    rest: ClassVar[str] = "UNKNOWN or without a verdict"

    def recalls(self, policy: CalibrationPolicy) -> tuple[tuple[str, Estimate, float], ...]:
        """Each label that the judge has to find, with the bound that its recall has to reach."""
        raise NotImplementedError
