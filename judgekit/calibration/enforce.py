"""What certificates make of a run: which grades decide, and the pass rate with the judge's errors taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from judgekit.calibration.items import Item
from judgekit.calibration.standing import UNCERTIFIED, Standing
from judgekit.graders.outcome import trial_outcome
from judgekit.rubric import Rubric
from judgekit.types import Estimate, Frozen, Grade, TrialResult

if TYPE_CHECKING:  # the statistics load where a certificate gives them something to do
    from judgekit.calibration.certificate import Certificate
    from judgekit.stats.correction import CorrectedRate, Judged
    from judgekit.stats.tables import Table

ENOUGH = 20
"""Labelled outputs of a run from which on its rate rests on them alone, and not on recalls measured elsewhere."""

Unit = tuple[str, int]
"""A case and a trial."""


class Corrected(Frozen, frozen=True):
    """A pass rate corrected for the judge's errors; `assumes` is what has to be believed for it, "" for nothing."""

    rate: Estimate
    assumes: str = ""


class Settled(Frozen, frozen=True):
    """The last word on a run's judges; kept in its manifest."""

    standings: tuple[Standing, ...] = ()
    corrected: Corrected | None = None


def note_dropped(found: dict[str, frozenset[str]], grade: Grade) -> None:
    """Add the parameters that a provider refused in a grade's calls, by judge; a judge that got no reply has none."""
    for call in grade.calls:
        if call.reply is not None:
            found[grade.name] = found.get(grade.name, frozenset()).union(call.reply.dropped)


def stamped(grade: Grade, standing: Standing | None) -> Grade:
    """A judge's grade with its right to decide, or the reason why it has none."""
    if grade.kind != "judge":
        return grade
    gating = standing is not None and standing.gating
    advisory = "" if gating else (standing.advisory if standing else UNCERTIFIED)
    if grade.gating == gating and grade.advisory == advisory:
        return grade
    return msgspec.structs.replace(grade, gating=gating, advisory=advisory)


def enforced(
    results: Sequence[TrialResult], standings: Iterable[Standing], totals: Mapping[str, Rubric]
) -> tuple[TrialResult, ...]:
    """The results with every judge's grade stamped, and the outcomes that follow."""
    by_name = {standing.name: standing for standing in standings}
    found = []
    for result in results:
        grades = tuple(stamped(grade, by_name.get(grade.name)) for grade in result.grades)
        if all(new is old for new, old in zip(grades, result.grades, strict=True)):
            found.append(result)
            continue
        outcome, why = trial_outcome(grades, totals=totals)
        found.append(msgspec.structs.replace(result, outcome=outcome, why=why, grades=grades))
    return tuple(found)


def joined(items: Sequence[Item], hashes: Mapping[Unit, str], variant: str) -> dict[Unit, float]:
    """Outputs of a run that people labelled PASS (1) or FAIL (0): same case, variant, trial and text."""
    by_text: dict[tuple[str, str | None], list[Item]] = {}
    for item in items:
        by_text.setdefault((item.case, item.sha256), []).append(item)
    found = {}
    for (case, trial), sha in hashes.items():
        for item in by_text.get((case, sha), ()):
            fits = item.variant in (None, variant) and item.trial in (None, trial)
            if fits and item.label in ("PASS", "FAIL"):
                found[case, trial] = float(item.label == "PASS")
    return found


def corrected_dimension(
    results: Sequence[TrialResult], name: str, certificate: Certificate, human: Mapping[Unit, float]
) -> Corrected:
    """Pass rate of a run on one dimension.

    human     from `joined`. From 20 labelled outputs on, with none but 5% of the outputs in a verdict without a label,
              it is post-stratified double sampling; else Rogan-Gladen with the certificate's recalls, which assumes
              that they have not changed.
    """
    judged = judged_on(results, name, human)
    direct = _direct(judged)
    if direct is not None:
        return direct
    if certificate.measured is not None and certificate.measured.chosen:
        why = "the certificate's labels were chosen by verdict, and too few outputs of this run are labelled"
        return Corrected(Estimate(undefined=why))
    by_case = shares_of(results, name)
    shares = [share for share in by_case.values() if share is not None]
    from judgekit.stats.correction import rogan_gladen

    return _told(
        rogan_gladen(round(sum(shares)), len(shares), table_of(certificate), missing=len(by_case) - len(shares))
    )


def corrected_run(
    results: Sequence[TrialResult], human: Mapping[str, Mapping[Unit, float]], each: Mapping[str, Corrected]
) -> Corrected | None:
    """Pass rate of a run over its outputs, all graders that decide taken together; None when no judge decides.

    human   per deciding judge, from `joined`
    each    per deciding judge, its own corrected rate: it is the run's where it alone decides
    """
    if not each:
        return None
    if len(each) == 1 and decides_alone(next(iter(each)), results):
        return next(iter(each.values()))
    found = _direct(judged_whole(results, human))
    if found is not None:
        return found
    why = f"several graders decide together, and fewer than {ENOUGH} outputs are labelled for all of them"
    return Corrected(Estimate(undefined=why))


def decides_alone(name: str, results: Sequence[TrialResult]) -> bool:
    """Whether nothing but one judge's dimension decides any of these outputs."""
    return all(grade.name == name for result in results for grade in result.grades if grade.gating)


def judged_on(results: Sequence[TrialResult], name: str, human: Mapping[Unit, float]) -> Judged:
    """The verdicts of one dimension, beside what people said of it."""
    from judgekit.stats.correction import Judged

    grades = {(r.case, r.trial): g for r in results for g in r.grades if g.name == name}
    return Judged(
        verdicts=[grade.verdict for grade in grades.values()],
        human=[human.get(unit) for unit in grades],
        cases=[case for case, _ in grades],
    )


def judged_whole(results: Sequence[TrialResult], human: Mapping[str, Mapping[Unit, float]]) -> Judged:
    """The outcomes of all graders that decide, beside what people and code checks would make of the output."""
    from judgekit.stats.correction import Judged

    return Judged(
        verdicts=[{"pass": "PASS", "fail": "FAIL", "undecided": "UNKNOWN"}[r.outcome] for r in results],
        human=[_whole(result, human) for result in results],
        cases=[r.case for r in results],
    )


def shares_of(results: Sequence[TrialResult], name: str) -> dict[str, float | None]:
    """Per case that a dimension judged, its share of PASS among PASS and FAIL; None where it has neither."""
    found: dict[str, list[float]] = {}
    for result in results:
        for grade in result.grades:
            if grade.name == name:
                values = found.setdefault(result.case, [])
                if grade.verdict in ("PASS", "FAIL"):
                    values.append(float(grade.verdict == "PASS"))
    return {case: sum(values) / len(values) if values else None for case, values in found.items()}


def table_of(certificate: Certificate) -> Table:
    """The 2 x 2 table that a certificate rests on, PASS first."""
    from judgekit.stats.tables import Table

    assert certificate.measured is not None
    return Table.of([row[:2] for row in certificate.measured.table[:2]], ("PASS", "FAIL"))


def _direct(judged: Judged) -> Corrected | None:
    if sum(label is not None for label in judged.human) < ENOUGH:
        return None
    from judgekit.stats.correction import double_sampling

    found = double_sampling(judged)
    return _told(found) if found.gates else None


def _told(found: CorrectedRate) -> Corrected:
    return Corrected(found.rate, found.assumes)


def _whole(result: TrialResult, human: Mapping[str, Mapping[Unit, float]]) -> float | None:
    """What people would say of the whole output: code checks as they are, judges as labelled; None where unlabelled."""
    unit = (result.case, result.trial)
    values = []
    for grade in result.grades:
        if not grade.gating:
            continue
        if grade.kind == "code":
            if grade.verdict is None:
                return None
            values.append(float(grade.verdict == "PASS"))
            continue
        label = human.get(grade.name, {}).get(unit)
        if label is None:
            return None
        values.append(label)
    return min(values) if values else None
