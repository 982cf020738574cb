"""A judge against people on one dimension: every number that a report shows and a decision rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from judgekit.calibration.evidence import Evidence
from judgekit.calibration.items import Item
from judgekit.calibration.sample import Drawn
from judgekit.errors import JudgekitError
from judgekit.stats import agreement, chance
from judgekit.stats.annotators import ceiling
from judgekit.stats.draws import SEED, Seed
from judgekit.stats.prevalence import PrevalenceRange, prevalence_range
from judgekit.stats.stratified import stratified_chance_below, stratified_kappa, stratified_recall, stratify
from judgekit.stats.tables import Table, count
from judgekit.suite import CalibrationPolicy
from judgekit.types import Estimate, Fault, Frozen, Grade, Verdict

LABELS: tuple[Verdict, ...] = ("PASS", "FAIL", "UNKNOWN")
DECIDED: tuple[Verdict, ...] = ("PASS", "FAIL")
ONE_SIDED = 0.90
"""The confidence level whose two-sided lower limit is a one-sided 95% bound."""


class Seen(Frozen, frozen=True):
    """A labelled output and what the judge said of it; exactly one of `verdict` and `fault` is set.

    probability   the known chance with which the output was chosen for labelling; 1 = no choice was made
    """

    item: Item
    verdict: Verdict | None
    fault: Fault | None = None
    reason: str = ""
    probability: float = 1.0

    @property
    def disagrees(self) -> bool:
        """Whether people agreed on a label and the judge gave another verdict, or none."""
        return self.item.label is not None and self.verdict != self.item.label


class Measured(Evidence, frozen=True, kw_only=True):
    """The agreement of one judge on one dimension. Tables are PASS first.

    table           3 x 3 over PASS, FAIL, UNKNOWN
    chosen          whether the outputs were chosen by verdict: then `table` says what was counted, and the statistics
                    are those of all outputs that they were chosen from
    pass_recall, fail_recall   at level 0.90: `low` is the one-sided 95% bound
    """

    missing: int
    kappa_asymptotic: Estimate
    kappa_all_labels: Estimate
    kappa_worst_case: Estimate
    ac1: Estimate
    pass_recall: Estimate
    fail_recall: Estimate
    pass_precision: Estimate
    fail_precision: Estimate
    range: PrevalenceRange
    chosen: bool = False

    def recalls(self, policy: CalibrationPolicy) -> tuple[tuple[str, Estimate, float], ...]:
        """Each label that the judge has to find, with the bound that its recall has to reach."""
        return (("FAIL", self.fail_recall, policy.fail_recall_low), ("PASS", self.pass_recall, policy.pass_recall_low))


def table_of(seen: Sequence[Seen]) -> Table:
    """The 3 x 3 table; disputed labels and missing verdicts are left out and counted."""
    return count(
        [one.item.label for one in seen],
        [one.verdict for one in seen],
        labels=LABELS,
        cases=[one.item.case for one in seen],
        weights=[1 / one.probability for one in seen] if any(one.probability < 1 for one in seen) else None,
    )


def measure(
    seen: Sequence[Seen], *, bar: float, tail: float, drawn_from: Sequence[Drawn] = (), seed: Seed = SEED
) -> Measured:
    """Everything about these outputs.

    tail         the one-sided level that `below` and `above` have to resolve
    drawn_from   all judged outputs, where the labelled ones were chosen among them by this very judge's verdicts:
                 then each verdict is a sample of its own. With another judge's, rows weigh 1 / probability.
    """
    found = _measure(seen, bar=bar, tail=tail, seed=seed)
    return _stratified(found, seen, drawn_from, tail=tail, seed=seed) if drawn_from else found


def _measure(seen: Sequence[Seen], *, bar: float, tail: float, seed: Seed) -> Measured:
    weight = [1 / one.probability for one in seen]
    whole = table_of(seen)
    decided = whole.without("UNKNOWN")
    undefined = agreement.undefined(decided)
    fine = 1 - 2 * tail
    names = list(dict.fromkeys(who for one in seen for who, _ in one.item.labels))
    columns = {who: [_decided(dict(one.item.labels).get(who)) for one in seen] for who in names}
    verdicts = [_decided(one.verdict) for one in seen]
    return Measured(
        bar=bar,
        n=decided.n,
        cases=decided.cases,
        judged=len(seen),
        missing=sum(one.verdict is None for one in seen),
        human=dict(Counter(one.item.label for one in seen if one.item.label is not None)),
        disputed=sum(one.item.label is None for one in seen),
        table=tuple(tuple(int(cell) for cell in row) for row in whole.tally),
        coverage=sum(w for w, v in zip(weight, verdicts, strict=True) if v is not None) / sum(weight) if seen else 0.0,
        agreement=agreement.agreement(decided, seed=seed),
        kappa=agreement.kappa(decided, seed=seed),
        kappa_asymptotic=plain(agreement.kappa_asymptotic(decided)),
        kappa_all_labels=agreement.kappa(whole, seed=seed),
        kappa_worst_case=agreement.kappa(agreement.worst_case(whole), seed=seed),
        ac1=plain(chance.ac1(decided, seed=seed)),
        pass_recall=agreement.recall(decided, "PASS", level=ONE_SIDED, seed=seed),
        fail_recall=agreement.recall(decided, "FAIL", level=ONE_SIDED, seed=seed),
        pass_precision=agreement.predictive_value(decided, "PASS", seed=seed),
        fail_precision=agreement.predictive_value(decided, "FAIL", seed=seed),
        ceiling=ceiling(verdicts, columns, seed=seed),
        range=prevalence_range(decided, bar, seed=seed),
        below=None if undefined else agreement.chance_below(decided, bar, level=fine, seed=seed),
        above=None if undefined else agreement.chance_above(decided, bar, level=fine, seed=seed),
        only=None if undefined else agreement.one_verdict(decided),
        chosen=any(one.probability < 1 for one in seen),
    )


def _stratified(
    found: Measured, seen: Sequence[Seen], drawn_from: Sequence[Drawn], *, tail: float, seed: Seed
) -> Measured:
    """The statistics of all outputs that the labelled ones were chosen from."""
    human = {(one.item.case, one.item.sha256): one.item.label for one in seen}
    said = {(one.item.case, one.item.sha256): one.verdict for one in seen}
    verdicts = [said.get((one.case, one.sha256), one.verdict) for one in drawn_from]
    labels = [_decided(human.get((one.case, one.sha256))) if one.chosen else None for one in drawn_from]
    cases = [one.case for one in drawn_from]
    fine = stratify(verdicts, labels, DECIDED, cases=cases, level=1 - 2 * tail, seed=seed)
    usual = stratify(verdicts, labels, DECIDED, cases=cases, seed=seed)
    bound = stratify(verdicts, labels, DECIDED, cases=cases, level=ONE_SIDED, seed=seed)
    decided = sum(_decided(verdict) is not None for verdict in verdicts)
    return msgspec.structs.replace(
        found,
        kappa=stratified_kappa(usual),
        pass_recall=stratified_recall(bound, "PASS"),
        fail_recall=stratified_recall(bound, "FAIL"),
        below=None if fine.undefined else stratified_chance_below(fine, found.bar),
        above=None if fine.undefined else float((agreement.kappas(fine.upper) > found.bar).mean()),
        coverage=decided / len(verdicts),
        chosen=True,
    )


def seen_of(item: Item, grade: Grade, probability: float = 1.0) -> Seen:
    """A labelled output with the grade that the judge gave it."""
    return Seen(item, grade.verdict, grade.fault, grade.reason, probability)


def recheck(seen: Sequence[Seen], measured: Measured, *, drawn_from: Sequence[Drawn] = ()) -> None:
    """Compute kappa once more, from the raw labels and with scikit-learn.

    drawn_from   as for `measure`
    Raises `JudgekitError` where it is not the kappa that was measured: no certificate may come of that.
    """
    from sklearn.metrics import cohen_kappa_score

    used = [one for one in seen if one.item.label in DECIDED and one.verdict in DECIDED]
    pairs = [(one.item.label, one.verdict) for one in used]
    human, judge = [str(h) for h, _ in pairs], [str(j) for _, j in pairs]
    weights = [1 / one.probability for one in used]
    if drawn_from:
        said = {(one.item.case, one.item.sha256): one.verdict for one in seen}
        outputs = Counter(said.get((one.case, one.sha256), one.verdict) for one in drawn_from)
        labelled = Counter(judge)
        weights = [outputs[one.verdict] / labelled[str(one.verdict)] for one in used]
    if len(pairs) != measured.n or measured.kappa.value is None:
        raise JudgekitError(
            f"{len(pairs)} decided pairs in the labels, {measured.n} in the table: nothing is certified"
        )
    again = float(cohen_kappa_score(human, judge, labels=list(DECIDED), sample_weight=weights))
    if not abs(again - measured.kappa.value) < 1e-9:
        told = f"kappa is {measured.kappa.value!r} here and {again!r} by scikit-learn"
        raise JudgekitError(f"{told}: nothing is certified; please report this")


def _decided(verdict: Verdict | None) -> Verdict | None:
    return verdict if verdict in DECIDED else None


def plain(estimate: Estimate) -> Estimate:
    """An estimate without what a kind of estimate adds to it."""
    fields = {name: getattr(estimate, name) for name in Estimate.__struct_fields__}
    return Estimate(**fields)
