"""A judge asked again: the same verdicts, the flips, and whose noise it is."""

import numpy as np
import pytest

from judgekit.stats.repeats import noise, repeats

P, F = "PASS", "FAIL"


def test_repeats_by_hand() -> None:
    found = repeats([[P, P, F, F, P], [P, F, F, F, None], [P, P, F, P, P]], labels=(P, F))
    assert found.unanimous.value == 0.5
    assert (found.unanimous.n, found.unanimous.missing) == (4, 1)
    assert found.kappa.value == pytest.approx(0.5)  # [[1, 1], [0, 2]]
    assert (found.flips.ups, found.flips.downs) == (0, 1)


def test_flips_need_two_labels() -> None:
    found = repeats([["1", "2", "3"], ["1", "2", "2"]])
    assert found.flips.undefined == "a test of flips needs two labels"
    assert found.unanimous.value == pytest.approx(2 / 3)


def test_a_judge_with_one_verdict_is_unanimous_and_has_no_kappa() -> None:
    found = repeats([[P] * 10, [P] * 10], labels=(P, F))
    assert found.unanimous.value == 1
    assert found.kappa.value is None
    assert found.alpha.value is None


@pytest.mark.parametrize("runs", [[[P]], [[P], [P, F]], []])
def test_repeats_need_two_runs_of_the_same_items(runs: list[list[str | None]]) -> None:
    with pytest.raises(ValueError, match="two or more runs"):
        repeats(runs)


def test_a_steady_judge_leaves_all_the_noise_to_the_feature() -> None:
    found = noise([[[True, True], [False, False]], [[True, True], [True, True]]])
    assert found.judge == 0
    assert found.trials == pytest.approx(0.25)  # mean of var(1, 0) = .5 and 0


def test_noise_is_told_apart_in_simulation() -> None:
    """Output quality is 0.1 or 0.9 by chance within a case: judge .09, trials .16, and no difference of cases."""
    rng = np.random.default_rng(0)
    verdicts = [
        [(rng.random(4) < (0.9 if rng.random() < 0.5 else 0.1)).tolist() for _ in range(6)] for _ in range(1500)
    ]
    found = noise(verdicts)
    assert found.judge == pytest.approx(0.09, abs=0.005)
    assert found.trials == pytest.approx(0.16, abs=0.01)
    assert found.cases == pytest.approx(0, abs=0.005)


def test_what_was_not_repeated_is_not_known() -> None:
    found = noise([[[True]], [[False]]])
    assert (found.judge, found.trials) == (None, None)
    assert found.cases == pytest.approx(0.5)
    assert noise([]).cases is None
