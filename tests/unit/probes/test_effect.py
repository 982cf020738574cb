"""Effects with their intervals, checked against other tools; and what may be concluded from several at once."""

import numpy as np
import pytest
from scipy.stats import beta, false_discovery_control

from judgekit.probes.effect import MIN_CASES, benjamini_hochberg, effect_over_cases
from judgekit.probes.finding import BANDS, PROBES, Finding, bands_with, concluded, exit_code, measured

SHARE = (0.0, 1.0)
DIFFERENCE = (-1.0, 1.0)


def cases(*values):
    return {f"c{i}": (float(v),) for i, v in enumerate(values)}


def test_a_share_of_outputs_has_the_jeffreys_interval():
    found = effect_over_cases(cases(*[1] * 3, *[0] * 37), ends=SHARE, band=(0.0, 0.1))
    e = found.estimate
    assert (e.value, e.n) == (3 / 40, 40)
    assert e.low == pytest.approx(beta(3.5, 37.5).ppf(0.025), abs=1e-9)
    assert e.high == pytest.approx(beta(3.5, 37.5).ppf(0.975), abs=1e-9)
    # twice the chance that the share is at most .1
    assert found.p == pytest.approx(min(1, 2 * beta(3.5, 37.5).cdf(0.1)), abs=0.02)


def test_p_agrees_with_the_posterior_where_it_is_known():
    found = effect_over_cases(cases(*[1] * 9, *[0] * 21), ends=SHARE, band=(0.0, 0.15))
    assert found.p == pytest.approx(2 * beta(9.5, 21.5).cdf(0.15), abs=0.004)


def test_p_looks_at_the_side_on_which_the_effect_lies():
    down = effect_over_cases(cases(*[-1] * 20, *[0] * 10), ends=DIFFERENCE, band=(-0.1, 0.1))
    assert down.p is not None
    assert down.p < 0.001
    assert down.estimate.high < -0.1


def test_a_case_counts_once_however_many_outputs_it_has():
    many = {"a": (1.0,) * 50, "b": (0.0,), "c": (0.0, 0.0)}
    assert effect_over_cases(many, ends=SHARE, band=(0, 0.1)).estimate.value == pytest.approx(1 / 3)


def test_no_case_is_undefined_and_never_zero():
    found = effect_over_cases({}, ends=SHARE, band=(0, 0.1), left_out=4)
    assert (found.estimate.value, found.p, found.estimate.missing) == (None, None, 4)
    assert found.estimate.undefined


@pytest.mark.parametrize("seed", range(5))
def test_benjamini_hochberg_agrees_with_scipy(seed):
    p = np.random.default_rng(seed).random(17) ** 3
    assert benjamini_hochberg(p) == pytest.approx(list(false_discovery_control(p, method="bh")))


def test_benjamini_hochberg_by_hand():
    # sorted .01 .02 .04 .5: times 4/1, 4/2, 4/3, 4/4 = .04 .04 .0533 .5
    assert benjamini_hochberg([0.5, 0.01, 0.04, 0.02]) == pytest.approx([0.5, 0.04, 0.04 * 4 / 3, 0.04])
    assert benjamini_hochberg([]) == []


def line(values, probe="stability", ends=SHARE):
    band = BANDS[probe]
    return measured(Finding(probe=probe, band=band), effect_over_cases(cases(*values), ends=ends, band=band))


def results(*lines):
    return [one.result for one in concluded(lines)]


def test_outside_inside_across_and_too_few_are_four_results():
    assert results(line([1] * 20 + [0] * 20)) == ["flagged"]  # about .35 to .65
    assert results(line([0] * 40)) == ["clean"]  # 0 to .06
    assert results(line([1] * 3 + [0] * 37)) == ["undecided"]  # .02 to .19
    assert results(line([1] * 7)) == ["too few"]
    assert results(Finding(probe="stability", why="because")) == ["not probed"]


def test_a_large_effect_on_too_few_cases_is_neither_flagged_nor_fine():
    (found,) = concluded([line([1] * (MIN_CASES - 1))])
    assert found.effect.low is not None
    assert found.effect.low > 0.10
    assert (found.result, found.adjusted) == ("too few", None)
    assert "7 of the 8 cases" in found.why


def test_perfect_agreement_on_few_cases_is_undecided_never_clean():
    # 20 of 20 stable: the interval still reaches .12
    assert results(line([0] * 20)) == ["undecided"]


def test_one_line_in_many_needs_more_than_to_leave_the_band_alone():
    edge = line([1] * 8 + [0] * 22)  # .27 [.14, .44]: leaves .10 with p of about .01
    assert edge.p is not None
    assert 0.002 < edge.p < 0.05
    assert results(edge) == ["flagged"]
    crowd = [line([1] * 3 + [0] * 27) for _ in range(30)]
    first, *_ = concluded([edge, *crowd])
    assert first.result == "undecided"
    assert "number of lines" in first.why


def test_lines_with_too_few_cases_do_not_weigh_on_the_others():
    edge = line([1] * 8 + [0] * 22)
    few = [line([1] * 3) for _ in range(40)]
    assert concluded([edge, *few])[0].adjusted == edge.p


def test_exit_codes():
    flagged, clean, undecided, few = line([1] * 20), line([0] * 40), line([0] * 10), line([0] * 3)
    assert exit_code(concluded([flagged, clean, few])) == 1
    assert exit_code(concluded([clean, undecided, few])) == 0
    assert exit_code(concluded([undecided, few, Finding(probe="position")])) == 3
    assert exit_code([]) == 3


def test_a_band_is_mirrored_only_where_it_is_symmetric():
    own = bands_with({"verbosity": 0.05, "stability": 0.2, "injection": 0.02})
    assert own["verbosity"] == (-0.05, 0.05)
    assert own["stability"] == (0.0, 0.2)
    assert own["injection"] == (-0.02, 0.02)
    assert own["leniency"] == BANDS["leniency"]
    assert set(own) == set(PROBES)


def test_an_effect_of_which_much_is_missing_is_not_clean():
    band = BANDS["stability"]

    def with_missing(n):
        start = Finding(probe="stability", band=band, outputs=40)
        return measured(start, effect_over_cases(cases(*[0] * 40), ends=SHARE, band=band, left_out=n))

    assert results(with_missing(10)) == ["clean"]  # 10 of 50
    (found,) = concluded([with_missing(11)])
    assert found.result == "undecided"
    assert "11 of 51 looks" in found.why
