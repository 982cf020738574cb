import numpy as np
import pytest
from scipy.optimize import minimize

from judgekit.stats.lengths import LEAST_PAIRS, Measured, length_effect, newton, sklearn_fit


def made(n: int, slope: float, base: float, seed: int = 3) -> list[Measured]:
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        a, b = (int(v) for v in rng.integers(50, 900, 2))
        p = 1 / (1 + np.exp(-(base + slope * np.log2(b / a))))
        out.append(Measured(str(i), float(rng.random() < p), a, b))
    return out


def test_the_share_of_the_longer_answer_is_counted_over_pairs_of_different_length():
    rows = [("1", 1.0, 10, 20), ("2", 0.0, 10, 20), ("3", 0.0, 30, 20), ("4", 0.5, 10, 20), ("5", 1.0, 7, 7)]
    found = length_effect([Measured(*row) for row in rows])
    assert found.longer_wins.value == pytest.approx((1 + 0 + 1 + 0.5) / 4)
    assert (found.longer_wins.n, found.longer_wins.missing) == (4, 1)
    assert (found.mean_a, found.mean_b) == (pytest.approx(67 / 5), pytest.approx(87 / 5))


def test_eight_of_ten_longer_answers_win():
    found = length_effect([Measured(str(i), float(i < 8), 10, 20) for i in range(10)])
    assert found.longer_wins.value == pytest.approx(0.8)
    assert found.odds_per_doubling.value is None


def test_below_fifty_pairs_nothing_is_fitted():
    found = length_effect(made(LEAST_PAIRS - 1, 1, 0))
    assert found.odds_per_doubling.undefined == f"49 pairs are too few: it takes {LEAST_PAIRS}"
    assert length_effect(made(LEAST_PAIRS, 1, 0)).odds_per_doubling.value is not None


def test_equal_lengths_have_no_effect_to_tell():
    found = length_effect([Measured(str(i), float(i % 2), 40, 40) for i in range(60)])
    assert found.longer_wins.undefined == "no two answers differ in length"
    assert found.odds_per_doubling.undefined == "no two answers differ in length"


def test_a_preference_that_is_length_alone_vanishes_at_equal_length():
    rng = np.random.default_rng(1)
    rows = []
    for i in range(300):  # B is the longer one in most pairs, and the judge goes by length alone
        a, b = int(rng.integers(50, 300)), int(rng.integers(150, 900))
        rows.append(Measured(str(i), float(rng.random() < 1 / (1 + (a / b) ** 3)), a, b))
    found = length_effect(rows)
    assert found.longer_wins.low > 0.5
    assert found.odds_per_doubling.low > 1
    assert found.at_equal_length.low < 0.5 < found.at_equal_length.high


def test_no_effect_of_length_has_odds_around_one():
    found = length_effect(made(400, 0, 0.8))
    assert found.odds_per_doubling.low < 1 < found.odds_per_doubling.high
    assert found.at_equal_length.low > 0.5


def test_the_fit_is_the_penalised_optimum_and_newton_finds_the_same():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=80), rng.choice([0, 0.25, 0.5, 1.0], 80)

    def loss(t):
        z = t[0] + t[1] * x
        return -(y * -np.logaddexp(0, -z) + (1 - y) * -np.logaddexp(0, z)).sum() + t[1] ** 2 / 2

    best = minimize(loss, [0, 0], tol=1e-12).x
    assert sklearn_fit(x, y) == pytest.approx(best, abs=1e-4)
    assert newton(x, y, np.ones((1, 80)), np.array([2.0, -3.0]))[0] == pytest.approx(best, abs=1e-5)


def test_swapping_the_answers_mirrors_the_effect():
    rows = made(120, 0.7, 0.4)
    turned = [Measured(r.case, 1 - r.score, r.length_b, r.length_a) for r in rows]
    one, other = length_effect(rows), length_effect(turned)
    assert one.odds_per_doubling.value == pytest.approx(other.odds_per_doubling.value, rel=1e-4)
    assert one.at_equal_length.value == pytest.approx(1 - other.at_equal_length.value, abs=1e-4)


def test_every_answer_of_one_side_winning_stays_finite():
    found = length_effect([Measured(str(i), 1.0, 10 + i, 20) for i in range(60)])
    assert 0.9 < found.at_equal_length.value < 1
    assert np.isfinite([found.odds_per_doubling.low, found.odds_per_doubling.high]).all()


def test_trials_of_one_case_do_not_narrow_the_interval_like_cases():
    rows = made(60, 0.5, 0.5)
    many = [Measured(r.case, r.score, r.length_a, r.length_b) for r in rows for _ in range(10)]
    loose = [Measured(f"{r.case}-{k}", r.score, r.length_a, r.length_b) for r in rows for k in range(10)]
    clustered, apart = length_effect(many).at_equal_length, length_effect(loose).at_equal_length
    assert clustered.high - clustered.low > 1.8 * (apart.high - apart.low)
