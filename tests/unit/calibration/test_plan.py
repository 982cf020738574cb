"""How many labels: the same posterior and policy that decide."""

import numpy as np
import pytest

from judgekit.calibration.decide import bar_of, decide
from judgekit.calibration.measure import measure
from judgekit.calibration.plan import certifies, chance_of_certificate, how_many, judge_of, recalls_of, with_more
from judgekit.suite import CalibrationPolicy

POLICY = CalibrationPolicy()


@pytest.mark.parametrize(
    "table",
    [
        [[50, 3], [2, 25]],
        [[27, 8], [5, 12]],
        [[60, 0], [0, 4]],
        [[19, 0], [0, 10]],
        [[262, 0], [16, 22]],
        [[32, 3], [3, 12]],
        [[40, 0], [15, 0]],
    ],
)
def test_fast_rule_decides_as_the_whole_one(seen_of, table):
    names = ("PASS", "FAIL")
    counts = {(names[i], names[j]): table[i][j] for i in range(2) for j in range(2)}
    measured = measure(seen_of(counts), bar=bar_of(POLICY), tail=0.025)
    clears = measured.below is not None and measured.below <= 0.025
    slow = decide(measured, POLICY, tail=0.025, clears=clears).result == "certified"
    (fast,) = certifies(np.array([table], dtype=float), POLICY, 0.025, draws=20_000)
    assert fast == slow


def test_judge_of_a_kappa_has_that_kappa():
    for kappa in (0.2, 0.5, 0.9):
        for pass_rate in (0.5, 0.7, 0.95):
            shares = judge_of(kappa, pass_rate)
            expected = (shares.sum(axis=1) * shares.sum(axis=0)).sum()
            assert (np.trace(shares) - expected) / (1 - expected) == pytest.approx(kappa)
            assert shares.sum() == pytest.approx(1)
    assert recalls_of(1.0, 0.7) == pytest.approx((1, 1))


def test_chances_rise_with_labels_and_with_kappa():
    chances = how_many(0.8, 0.7, POLICY, 0.025, sizes=(40, 100, 300))
    assert [c.split for c in chances] == sorted(c.split for c in chances)
    assert all(c.every >= c.split - 0.05 for c in chances)
    at = [chance_of_certificate(judge_of(k, 0.7), 75, POLICY, 0.025) for k in (0.5, 0.65, 0.8, 0.9)]
    assert at == sorted(at)
    assert at[0] <= 0.05


def test_forty_labels_with_a_split_can_certify_and_twenty_cannot():
    assert how_many(0.95, 0.6, POLICY, 0.025, sizes=(20,))[0].every == 0
    assert how_many(0.95, 0.6, POLICY, 0.025, sizes=(40,))[0].split > 0.5


def test_more_labels_help_a_good_judge_and_not_a_bad_one():
    good = with_more(np.array([[30.0, 2], [2, 9]]), POLICY, 0.05 / 6)
    bad = with_more(np.array([[20.0, 9], [8, 6]]), POLICY, 0.05 / 6)
    assert good[50] < good[200]
    assert good[200] >= 0.6
    assert bad[200] <= 0.1
    assert all(value == round(value, 1) for value in good.values())


def test_plans_are_seeded():
    table = np.array([[27.0, 2], [3, 8]])
    assert with_more(table, POLICY, 0.01) == with_more(table, POLICY, 0.01)
    assert how_many(0.8, 0.7, POLICY, 0.025, sizes=(60,)) == how_many(0.8, 0.7, POLICY, 0.025, sizes=(60,))
