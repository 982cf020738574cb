"""AC1, Fleiss and alpha: by hand on small tables, undefined with a reason, gaps left out."""

import math

import numpy as np
import pytest

from judgekit.stats import draws
from judgekit.stats.chance import Ratings, ac1, alpha, alphas, fleiss, ratings
from judgekit.stats.tables import Table


def test_ac1_by_hand_and_why_it_never_gates() -> None:
    """95 PASS, 5 FAIL, the judge says PASS: pi = .975, chance = 2 x .975 x .025, AC1 = (.95 - .04875)/.95125."""
    stamp = Table.of([[95, 0], [5, 0]])
    assert ac1(stamp).value == pytest.approx((0.95 - 0.04875) / (1 - 0.04875))
    assert fleiss(stamp).value == pytest.approx((0.95 - (0.975**2 + 0.025**2)) / (1 - (0.975**2 + 0.025**2)))
    assert fleiss(stamp).value < 0  # type: ignore[operator]


def test_ac1_counts_the_labels_of_the_scale_even_unused() -> None:
    two, three = Table.of([[8, 1], [2, 4]]), Table.of([[8, 1, 0], [2, 4, 0], [0, 0, 0]])
    assert ac1(three).value > ac1(two).value  # type: ignore[operator]
    assert fleiss(three).value == fleiss(two).value


def test_weighted_forms_reward_near_misses() -> None:
    near = Table.of([[5, 3, 0], [2, 5, 2], [0, 3, 5]], ["1", "2", "3"])
    assert ac1(near, weights="quadratic").value > ac1(near).value  # type: ignore[operator]
    assert fleiss(near, weights="linear").value > fleiss(near).value  # type: ignore[operator]
    assert "quadratic" in ac1(near, weights="quadratic").method
    with pytest.raises(ValueError, match="'linear' or 'quadratic'"):
        ac1(near, weights="cubic")  # type: ignore[arg-type]


def test_nominal_alpha_by_hand_with_a_gap() -> None:
    """Units aa, ab, bb, a?: the last has one rating. n = 6, a 3, b 3, Do = 2/6, De = 18/30."""
    data = ratings(np.array([[0, 0], [0, 1], [1, 1], [0, -1]]), ["a", "b"])
    assert alpha(data).value == pytest.approx(1 - (2 / 6) / (18 / 30))
    assert (data.n, data.missing) == (3, 1)


def test_interval_alpha_by_hand() -> None:
    """Units (1,1), (1,3), (3,3): squared distance 4; Do = 2 x 4/6, De = 18 x 4/30."""
    data = ratings(np.array([[0, 0], [0, 1], [1, 1]]), ["1", "3"])
    assert alpha(data, "interval").value == pytest.approx(1 - (8 / 6) / (72 / 30))


def test_ordinal_alpha_sees_ranks_and_not_the_order_of_the_labels() -> None:
    codes = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [2, 2], [0, 2]])
    straight = alpha(ratings(codes, ["1", "5", "9"]), "ordinal")
    stretched = alpha(ratings(codes, ["1", "2", "900"]), "ordinal")
    swapped = alpha(ratings(np.array([2, 0, 1])[codes], ["5", "9", "1"]), "ordinal")
    assert straight.value == pytest.approx(stretched.value)
    assert straight.value == pytest.approx(swapped.value)


def test_ordinal_alpha_by_hand() -> None:
    """Margins 3, 4, 3 of values in order: ranks apart (3/2 + 4/2)^2 and (3/2 + 4 + 3/2)^2."""
    pairs = np.array([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]])
    near, far = 3.5**2, 7.0**2
    observed, expected = 4 * near, 2 * (3 * 4 * near + 4 * 3 * near + 3 * 3 * far)
    assert alphas(pairs, "ordinal", np.arange(3.0), n=10) == pytest.approx(1 - observed * 9 / expected)


def test_an_unknown_metric_is_refused_and_words_need_values() -> None:
    table = Table.of([[3, 1], [1, 3]], ["good", "bad"])
    with pytest.raises(ValueError, match="metric"):
        alpha(table, "ratio")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="words"):
        alpha(table, "interval")
    assert alpha(table, "interval", values=[1, 0]).value is not None


@pytest.mark.parametrize("statistic", [ac1, fleiss, alpha])
def test_one_label_or_no_second_rating_is_undefined(statistic: object) -> None:
    same = statistic(ratings(np.zeros((5, 3), dtype=int), ["a", "b"]))  # type: ignore[operator]
    single = statistic(ratings(np.array([[0, -1], [-1, 1]]), ["a", "b"]))  # type: ignore[operator]
    table = statistic(Table.of([[5, 0], [0, 0]], ["a", "b"]))  # type: ignore[operator]
    nothing = statistic(ratings(np.zeros((0, 2), dtype=int), ["a", "b"]))  # type: ignore[operator]
    assert "one label only (a)" in same.undefined
    assert "one label only (a)" in table.undefined
    assert single.undefined == nothing.undefined == "no unit has two ratings"
    assert (same.value, single.value, table.value, nothing.value) == (None,) * 4


@pytest.mark.parametrize("statistic", [ac1, fleiss, alpha])
def test_a_table_and_its_ratings_give_the_same_value(statistic: object) -> None:
    counts = np.array([[9, 2, 1], [3, 7, 0], [1, 2, 6]])
    pairs = np.array([[i, j] for i, j in np.ndindex(3, 3) for _ in range(counts[i, j])])
    by_table = statistic(Table.of(counts))  # type: ignore[operator]
    by_rating = statistic(ratings(pairs, ["0", "1", "2"]))  # type: ignore[operator]
    assert by_table.value == pytest.approx(by_rating.value)
    assert by_table.low == pytest.approx(by_rating.low, abs=0.03)
    assert by_table.high == pytest.approx(by_rating.high, abs=0.03)


def test_perfect_agreement_keeps_some_doubt() -> None:
    data = ratings(np.array([[0, 0, 0]] * 20 + [[1, 1, 1]] * 10), ["a", "b"])
    for found in (ac1(data), fleiss(data), alpha(data)):
        assert found.value == 1
        assert found.low is not None
        assert 0.7 < found.low < 0.97


def test_the_standard_error_is_a_jackknife_in_the_limit() -> None:
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 2, (120, 3))
    codes[rng.random((120, 3)) < 0.1] = -1
    codes[:60] = codes[:60, :1]
    full = ac1(ratings(codes, ["a", "b"]))
    assert full.value == pytest.approx(_plain_ac1(codes))
    left_out = np.array([_plain_ac1(np.delete(codes, i, axis=0)) for i in range(120)])
    jackknife = math.sqrt(119 / 120 * ((left_out - left_out.mean()) ** 2).sum())
    assert full.se == pytest.approx(jackknife, rel=0.05)


def _plain_ac1(codes: np.ndarray) -> float:
    """Unit by unit, as the definition reads."""
    rated = [row[row >= 0] for row in codes if (row >= 0).any()]
    shares = np.mean([[(row == label).mean() for label in (0, 1)] for row in rated], axis=0)
    twice = [row for row in rated if len(row) >= 2]
    agree = np.mean([sum((row == x).sum() - 1 for x in row) / (len(row) * (len(row) - 1)) for row in twice])
    chance = float((shares * (1 - shares)).sum())
    return float((agree - chance) / (1 - chance))


def test_codes_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="from -1 to 1"):
        ratings(np.array([[0, 2]]), ["a", "b"])


def test_two_raters_of_one_unit_keep_alpha_in_range() -> None:
    found = alpha(ratings(np.array([[0, 1]]), ["a", "b"]))
    assert found.value == 0
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= 0 <= found.high <= 1


def test_a_single_unit_has_no_standard_error() -> None:
    one = Ratings(("a", "b"), np.array([[1.0, 1.0]]), np.array([1.0]))
    assert fleiss(one).se is None
    assert fleiss(one).value == pytest.approx(-1)


def test_many_labels_are_sorted_into_patterns_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MIN_DRAWS", 500)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 10)
    codes = np.array([[0, 1], [1, 0], [5, 5], [39, 39], [39, -1]])
    found = ratings(codes, [str(label) for label in range(40)])
    assert sorted(found.times.tolist()) == [1, 1, 1, 2]
    few = ratings(codes[:3], [str(label) for label in range(6)])
    assert sorted(few.times.tolist()) == [1, 2]
    assert alpha(found).value == pytest.approx(alpha(ratings(np.minimum(codes, 6), [*"abcdefg"])).value)
