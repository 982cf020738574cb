"""Labels chosen by verdict: joined by the verdict's share they tell the truth, alone they flatter."""

import numpy as np
import pytest

from judgekit.stats.agreement import kappa
from judgekit.stats.stratified import (
    Stratified,
    stratified_chance_below,
    stratified_kappa,
    stratified_recall,
    stratify,
)
from judgekit.stats.tables import Table, count

P, F, U = "PASS", "FAIL", "UNKNOWN"


def chosen(table: list[list[int]], unlabelled: tuple[int, int]) -> tuple[list[str | None], list[str | None]]:
    """Columns of verdicts and labels: the table's rows, and more outputs with each verdict and no label."""
    verdicts: list[str | None] = []
    human: list[str | None] = []
    for i, j in np.ndindex(2, 2):
        verdicts += [(P, F)[j]] * table[i][j]
        human += [(P, F)[i]] * table[i][j]
    for label, more in zip((P, F), unlabelled, strict=True):
        verdicts += [label] * more
        human += [None] * more
    return verdicts, human


def test_the_table_of_all_outputs_by_hand() -> None:
    """90% PASS verdicts, of which 19 in 20 are right; 10% FAIL verdicts, of which 15 in 20 are."""
    found = stratify(*chosen([[19, 5], [1, 15]], (160, 0)), (P, F))
    assert found.table == pytest.approx(np.array([[0.9 * 0.95, 0.1 * 0.25], [0.9 * 0.05, 0.1 * 0.75]]))
    assert found.n == 40
    whole = Table.of([[171, 5], [9, 15]])
    assert stratified_kappa(found).value == pytest.approx(kappa(whole).value)
    assert stratified_recall(found, F).value == pytest.approx(15 / 24)
    naive = kappa(count(*reversed(chosen([[19, 5], [1, 15]], (0, 0))))).value
    assert naive > kappa(whole).value + 0.05  # type: ignore[operator]


def test_limits_hold_the_value_and_the_chance_follows_the_limit() -> None:
    found = stratify(*chosen([[19, 5], [1, 15]], (160, 0)), (P, F))
    estimate = stratified_kappa(found)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < estimate.value < estimate.high  # type: ignore[operator]
    assert stratified_chance_below(found, estimate.low) == pytest.approx(0.025, abs=1e-4)


def test_unknown_verdicts_take_no_part_and_are_counted() -> None:
    verdicts, human = chosen([[19, 5], [1, 15]], (160, 0))
    more = stratify([*verdicts, U, None], [*human, P, None], (P, F))
    assert more.missing == 2
    assert more.table == pytest.approx(stratify(verdicts, human, (P, F)).table)


@pytest.mark.parametrize(
    ("verdicts", "human", "why"),
    [
        ([P, F], [None, None], "no output has both"),
        ([P, P, F], [P, F, None], "no output with verdict FAIL has a label"),
        ([P, F], [P, P], "people used one label only (PASS)"),
        ([], [], "no output has both"),
    ],
)
def test_what_cannot_be_joined_is_undefined(verdicts: list[str | None], human: list[str | None], why: str) -> None:
    found = stratify(verdicts, human, (P, F))
    for estimate in (stratified_kappa(found), stratified_recall(found, P)):
        assert estimate.value is None
        assert why in estimate.undefined
    with pytest.raises(ValueError, match="undefined"):
        stratified_chance_below(found, 0.5)


def test_a_judge_with_one_verdict_has_kappa_0() -> None:
    found = stratify([P] * 20, [P] * 10 + [F] * 5 + [None] * 5, (P, F))
    assert stratified_kappa(found).value == pytest.approx(0)
    assert stratified_recall(found, F).value == 0


def test_a_label_that_people_never_used_has_no_recall() -> None:
    found = stratify(["A", "B", "A"], ["A", "B", "A"], ("A", "B", "C"))
    assert stratified_recall(found, "C").undefined == "people never said C"
    assert stratified_kappa(found).value == 1


def test_cases_with_several_outputs_are_one_piece_of_evidence() -> None:
    verdicts, human = chosen([[20, 4], [4, 12]], (20, 0))
    once: Stratified = stratify(verdicts, human, (P, F))
    five = stratify(verdicts * 5, human * 5, (P, F), cases=list(range(60)) * 5)
    rows = stratify(verdicts * 5, human * 5, (P, F))
    width = []
    for found in (once, five, rows):
        estimate = stratified_kappa(found)
        width.append(estimate.high - estimate.low)  # type: ignore[operator]
    assert width[1] == pytest.approx(width[0], abs=0.04)
    assert width[2] < 0.7 * width[1]


def test_columns_and_labels_must_fit() -> None:
    with pytest.raises(ValueError, match="same length"):
        stratify([P], [], (P, F))
    with pytest.raises(ValueError, match="two labels"):
        stratify([P], [P], (P,))
