"""A judge of pairs against people on one dimension: every number that a report shows and a decision rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from judgekit.calibration.evidence import Evidence
from judgekit.calibration.measure import ONE_SIDED, plain
from judgekit.calibration.preferences import PairItem
from judgekit.errors import JudgekitError
from judgekit.stats import agreement
from judgekit.stats.annotators import ceiling
from judgekit.stats.draws import SEED, Seed
from judgekit.stats.gold import LABELS
from judgekit.stats.preference import Outcome
from judgekit.stats.tables import count
from judgekit.suite import CalibrationPolicy
from judgekit.types import Estimate, Frozen


class PairSeen(Frozen, frozen=True):
    """A labelled pair and what the judge came to over both orders.

    reasons   (which call, what was said in it), as in `A first`; with the judge's name where there are several
    """

    item: PairItem
    outcome: Outcome
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def disagrees(self) -> bool:
        """Whether people agreed on a label and the judge came to something else."""
        return self.item.label is not None and self.outcome != self.item.label


class PairsMeasured(Evidence, frozen=True, kw_only=True):
    """The agreement of one judge of pairs on one dimension.

    outcomes       what the judge came to over both orders; INCONSISTENT, UNKNOWN and MISSING are no label: they count
                   against `coverage` and against nothing else
    table          3 x 3 over A, B, TIE; `kappa` is of these three labels
    a_recall, b_recall   share of the human As (Bs) that the judge came to, at level 0.90: `low` is the one-sided 95%
                   bound
    """

    outcomes: dict[str, int]
    a_recall: Estimate
    b_recall: Estimate

    unit: ClassVar[str] = "pairs"
    answer: ClassVar[str] = "preference or TIE"
    rest: ClassVar[str] = "INCONSISTENT, UNKNOWN or without a verdict"

    def recalls(self, policy: CalibrationPolicy) -> tuple[tuple[str, Estimate, float], ...]:
        """The labels that a judge has to find, with the bound of each: the stricter one of the policy for both."""
        low = recall_low(policy)
        return (("A", self.a_recall, low), ("B", self.b_recall, low))


def recall_low(policy: CalibrationPolicy) -> float:
    """The bound for the recall of A and of B: which answer is called A is chance, so both have the stricter one."""
    return max(policy.fail_recall_low, policy.pass_recall_low)


def measure_pairs(seen: Sequence[PairSeen], *, bar: float, tail: float, seed: Seed = SEED) -> PairsMeasured:
    """Everything about these pairs. `tail` is the one-sided level that `below` and `above` have to resolve."""
    outcomes = [_decided(one.outcome) for one in seen]
    table = count(
        [_decided(one.item.label) for one in seen], outcomes, labels=LABELS, cases=[one.item.case for one in seen]
    )
    undefined = agreement.undefined(table)
    fine = 1 - 2 * tail
    names = list(dict.fromkeys(who for one in seen for who, _ in one.item.labels))
    columns = {who: [_decided(dict(one.item.labels).get(who)) for one in seen] for who in names}
    return PairsMeasured(
        bar=bar,
        n=table.n,
        cases=table.cases,
        judged=len(seen),
        human=dict(Counter(one.item.label for one in seen if one.item.label is not None)),
        disputed=sum(one.item.label is None for one in seen),
        outcomes=dict(Counter(one.outcome for one in seen)),
        table=tuple(tuple(int(cell) for cell in row) for row in table.tally),
        coverage=sum(outcome is not None for outcome in outcomes) / len(seen) if seen else 0.0,
        agreement=agreement.agreement(table, seed=seed),
        kappa=agreement.kappa(table, seed=seed),
        a_recall=plain(agreement.recall(table, "A", level=ONE_SIDED, seed=seed)),
        b_recall=plain(agreement.recall(table, "B", level=ONE_SIDED, seed=seed)),
        ceiling=ceiling(outcomes, columns, seed=seed),
        below=None if undefined else agreement.chance_below(table, bar, level=fine, seed=seed),
        above=None if undefined else agreement.chance_above(table, bar, level=fine, seed=seed),
        only=None if undefined else agreement.one_verdict(table),
    )


def recheck_pairs(seen: Sequence[PairSeen], measured: PairsMeasured) -> None:
    """Compute kappa once more, from the raw labels and with scikit-learn.

    Raises `JudgekitError` where it is not the kappa that was measured: no certificate may come of that.
    """
    from sklearn.metrics import cohen_kappa_score

    pairs = [(str(one.item.label), one.outcome) for one in seen if _decided(one.item.label) and _decided(one.outcome)]
    if len(pairs) != measured.n or measured.kappa.value is None:
        raise JudgekitError(
            f"{len(pairs)} decided pairs in the labels, {measured.n} in the table: nothing is certified"
        )
    again = float(cohen_kappa_score([h for h, _ in pairs], [j for _, j in pairs], labels=_used(pairs)))
    if not abs(again - measured.kappa.value) < 1e-9:
        told = f"kappa is {measured.kappa.value!r} here and {again!r} by scikit-learn"
        raise JudgekitError(f"{told}: nothing is certified; please report this")


def _used(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [label for label in LABELS if any(label in pair for pair in pairs)]


def _decided(label: str | None) -> str | None:
    return label if label in LABELS else None
