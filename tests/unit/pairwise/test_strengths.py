import numpy as np
import pytest
from scipy.optimize import minimize

from judgekit.stats.strengths import Duel, fit, rank


def duels(wins: dict[tuple[str, str], tuple[int, int]]) -> list[Duel]:
    """(a, b): (wins of a, wins of b), each in a case of its own."""
    return [
        Duel(f"{a}{b}{side}{i}", a, b, float(side))
        for (a, b), counts in wins.items()
        for side, n in enumerate(counts)
        for i in range(n)
    ]


def test_two_variants_have_the_odds_of_their_wins_with_half_a_win_each_way():
    ranking = rank(duels({("x", "y"): (10, 30)}))
    top = ranking.contrasts[0]
    assert (top.better, top.worse) == ("y", "x")
    assert top.chance.value == pytest.approx(30.5 / 41)
    first, second = ranking.strengths
    assert first.strength.value - second.strength.value == pytest.approx(np.log(30.5 / 10.5))
    assert first.strength.value + second.strength.value == pytest.approx(0)


def test_the_fit_is_the_maximum_of_the_likelihood():
    wins = np.array([[0, 7.5, 3], [2.5, 0, 9.5], [4, 1.5, 0]])

    def loss(t):
        t = np.append(t, 0)
        return sum(wins[i, j] * np.logaddexp(0, t[j] - t[i]) for i in range(3) for j in range(3) if i != j)

    best = np.append(minimize(loss, [0, 0], tol=1e-12).x, 0)
    assert fit(wins[None])[0] == pytest.approx(best - best.mean(), abs=1e-5)


def test_a_variant_that_never_lost_has_a_finite_strength():
    ranking = rank(duels({("x", "y"): (0, 500), ("y", "z"): (0, 500), ("x", "z"): (0, 500)}))
    assert [s.name for s in ranking.strengths] == ["z", "y", "x"]
    assert all(np.isfinite([s.strength.value, s.strength.low, s.strength.high]).all() for s in ranking.strengths)
    assert all(c.resolved for c in ranking.contrasts)


def test_only_clear_differences_are_resolved():
    ranking = rank(duels({("x", "y"): (10, 50), ("y", "z"): (29, 31), ("x", "z"): (12, 48)}))
    resolved = {frozenset((c.better, c.worse)): c.resolved for c in ranking.contrasts}
    assert resolved == {frozenset("xy"): True, frozenset("xz"): True, frozenset("yz"): False}
    assert all(c.better != "x" for c in ranking.contrasts)
    assert [c.chance.level for c in ranking.contrasts] == pytest.approx([1 - 0.05 / 3] * 3)


def test_ties_are_half_a_win_each_way():
    ranking = rank([Duel(str(i), "x", "y", 0.5) for i in range(40)])
    assert ranking.contrasts[0].chance.value == pytest.approx(0.5)
    assert not ranking.contrasts[0].resolved


def test_repeats_of_a_case_are_no_new_evidence():
    few = [Duel(str(i), "x", "y", float(i < 14)) for i in range(20)]
    many = [Duel(d.case, d.a, d.b, d.score) for d in few for _ in range(20)]
    one, other = rank(few).contrasts[0].chance, rank(many).contrasts[0].chance
    assert other.high - other.low > 0.8 * (one.high - one.low)


def test_variants_that_never_met_even_through_others_have_no_common_scale():
    ranking = rank([Duel("1", "a", "b", 1.0), Duel("2", "c", "d", 1.0)])
    assert "never met" in ranking.undefined
    assert ranking.strengths == ()
    assert rank([]).undefined == "a ranking needs two variants that met"


def test_variants_that_met_through_a_third_are_ranked():
    ranking = rank(duels({("base", "x"): (5, 25), ("base", "y"): (20, 10)}))
    assert [s.name for s in ranking.strengths] == ["x", "base", "y"]
    assert next(c.chance.n for c in ranking.contrasts if {c.better, c.worse} == {"x", "y"}) == 0


def test_the_order_in_which_two_variants_are_named_is_no_matter():
    one = rank(duels({("x", "y"): (10, 30)}))
    other = rank([Duel(d.case, "y", "x", 1 - d.score) for d in duels({("x", "y"): (10, 30)})])
    assert one.contrasts[0].chance.value == pytest.approx(other.contrasts[0].chance.value)
