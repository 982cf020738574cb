"""The agreement of a judge with people: every number, with its interval or the reason why there is none."""

from __future__ import annotations

from judgekit.report.numbers import plural
from judgekit.stats.annotators import AlternativeTest, Ceiling
from judgekit.stats.prevalence import PrevalenceRange
from judgekit.stats.rates import WithError
from judgekit.types import Estimate, Frozen

FEW_PAIRS = 30
FEW_OF_A_LABEL = 5
BAR = 0.5
"""The kappa that a certificate asks for unless a policy says otherwise: the bar of the range of pass rates."""


class Missing(Frozen, frozen=True):
    """Rows that are not in the table, and why.

    human      no label of a person, or no majority among several
    judge      a person's label, but no verdict
    strays     cells of the judge that are none of the declared labels -> how often; they are no verdict
    disputed   rows that several people labelled without a majority (part of `human`)
    """

    human: int = 0
    judge: int = 0
    strays: dict[str, int] = {}
    disputed: int = 0


class Group(Frozen, frozen=True):
    """The rows of one group (or one annotator's labels) against the judge, on decided pairs."""

    n: int
    missing: int
    agreement: Estimate
    kappa: Estimate
    kappa_weighted: Estimate
    sensitivity: Estimate
    specificity: Estimate
    coverage: Estimate


class People(Frozen, frozen=True):
    """How several people agree with each other, and the judge beside them.

    pairs   "ann and ben" -> Cohen's kappa of the two
    """

    pairs: dict[str, Estimate]
    fleiss: WithError
    alpha: Estimate
    ceiling: Ceiling
    alternative: AlternativeTest


class Agreement(Frozen, frozen=True):
    """A judge against people.

    table         k x k counts of all labels, abstention included: rows human, columns judge
    no_verdict    (k,) rows with that human label and no verdict
    n             pairs in the table; each estimate has its own n (decided pairs for most)
    values        number behind each decided label, None where the labels have no order
    pass_fail     whether the decided labels are PASS and FAIL, so that misses have a name
    chance_agreement   share of equal labels that the two sides' habits alone would give; None without pairs
    recalls       label -> share of its rows where the judge said it too
    kappa_all_labels   the abstention being a label like any other
    kappa_worst_case   every abstention and missing verdict on a human-decided row being wrong
    """

    source: str
    human: tuple[str, ...]
    judge: str
    n: int
    rows: int
    cases: int
    by_case: bool
    missing: Missing
    labels: tuple[str, ...]
    unknown: str
    table: tuple[tuple[int, ...], ...]
    no_verdict: tuple[int, ...]
    values: tuple[float, ...] | None
    weights: str | None
    pass_fail: bool
    agreement: Estimate
    chance_agreement: float | None
    kappa: Estimate
    kappa_asymptotic: WithError
    kappa_weighted: Estimate
    kappa_all_labels: Estimate
    kappa_worst_case: Estimate
    ac1: WithError
    alpha: Estimate
    alpha_ordinal: Estimate
    alpha_interval: Estimate
    mcc: Estimate
    sensitivity: Estimate
    specificity: Estimate
    recalls: dict[str, Estimate]
    predictive: dict[str, Estimate]
    coverage: Estimate
    prevalence: PrevalenceRange | None = None
    by: dict[str, Group] = {}
    by_name: str = ""
    annotators: dict[str, Group] = {}
    people: People | None = None
    notices: tuple[str, ...] = ()

    @property
    def decided(self) -> tuple[str, ...]:
        """The labels without the abstention."""
        return tuple(label for label in self.labels if label != self.unknown)

    @property
    def headline(self) -> Estimate:
        """The kappa that was asked for: weighted with `weights`, else Cohen's."""
        return self.kappa_weighted if self.weights else self.kappa

    @property
    def enough(self) -> bool:
        """Whether there is a kappa, from two cases or more: one case says nothing about others."""
        return self.kappa.value is not None and self.cases > 1

    @property
    def exit_code(self) -> int:
        """0, or 3 when there is no kappa or a single case."""
        return 0 if self.enough else 3

    def count(self, human: str, judge: str) -> int:
        """Rows with this human label and this verdict."""
        return self.table[self.labels.index(human)][self.labels.index(judge)]

    def human_count(self, label: str) -> int:
        """Decided pairs with this human label."""
        return sum(self.count(label, verdict) for verdict in self.decided)

    def judge_count(self, label: str) -> int:
        """Decided pairs with this verdict."""
        return sum(self.count(human, label) for human in self.decided)

    def to_dict(self) -> dict[str, object]:
        """The document that `judgekit agreement --json` prints."""
        from judgekit.report.agreement.document import agreement_document

        return agreement_document(self)

    def __repr__(self) -> str:
        from judgekit.report.agreement.meaning import rate

        pairs, left_out = plural(self.kappa.n, "pair"), plural(self.rows - self.kappa.n, "row")
        return f"<Agreement: kappa {rate(self.headline)} over {pairs}, {left_out} left out>"

    def __str__(self) -> str:
        from io import StringIO

        from rich.console import Console

        from judgekit.report.agreement.terminal import print_agreement

        text = StringIO()
        print_agreement(self, Console(file=text, width=110, highlight=False))
        return text.getvalue().rstrip()


def flipped(estimate: Estimate) -> Estimate:
    """One minus an estimate: the share that was missed."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate
    return Estimate(
        value=1 - estimate.value,
        low=1 - estimate.high,
        high=1 - estimate.low,
        n=estimate.n,
        missing=estimate.missing,
        method=estimate.method,
        level=estimate.level,
    )
