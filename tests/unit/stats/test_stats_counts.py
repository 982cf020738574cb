"""The closed forms against scipy and published limits, from one case to a hundred thousand."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from judgekit.stats.counts import beta_quantile, case_rate, jeffreys, wilson
from judgekit.stats.rates import case_mean


@pytest.mark.parametrize("n", [1, 2, 7, 30, 1_000, 100_000])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_the_limits_are_those_of_scipy(n, level):
    for passed in {0, 1, n // 3, n // 2, n - 1, n}:
        low, high = jeffreys(passed, n, level)
        tail = (1 - level) / 2
        if passed:
            assert low == pytest.approx(betaincinv(passed + 0.5, n - passed + 0.5, tail), rel=1e-9, abs=1e-12)
        if passed < n:
            assert high == pytest.approx(betaincinv(passed + 0.5, n - passed + 0.5, 1 - tail), rel=1e-9, abs=1e-12)


@given(st.floats(1e-4, 1 - 1e-4), st.floats(0.5, 5_000), st.floats(0.5, 5_000))
def test_any_quantile_is_that_of_scipy(p, a, b):
    assert beta_quantile(p, a, b) == pytest.approx(betaincinv(a, b, p), rel=1e-7, abs=1e-10)


@given(st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_swapping_pass_and_fail_mirrors_the_interval(counts):
    passed, n = counts
    one, other = jeffreys(passed, n, 0.95), jeffreys(n - passed, n, 0.95)
    assert one[0] == pytest.approx(1 - other[1], abs=1e-12)
    assert one[1] == pytest.approx(1 - other[0], abs=1e-12)


def test_known_limits():
    # Brown, Cai & DasGupta (2001), Stat. Sci. 16:101, table of Jeffreys intervals at n = 10
    assert tuple(round(x, 3) for x in jeffreys(3, 10, 0.95)) == (0.093, 0.606)
    assert [round(wilson(17, 19).low, 3), round(wilson(18, 19).low, 3)] == [0.686, 0.754]
    assert (round(wilson(0, 25).high, 3), wilson(0, 25).low) == (0.133, 0.0)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40))
def test_all_or_nothing_cases_have_the_same_interval_either_way(values):
    closed = case_rate(int(sum(values)), len(values))
    assert closed == case_mean(values)


def test_the_closed_forms_load_no_array_library():
    code = (
        "import sys; from judgekit.stats.counts import case_rate; case_rate(17, 19);"
        "print([m for m in ('numpy', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
