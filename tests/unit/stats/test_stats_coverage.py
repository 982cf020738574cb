"""A small seeded simulation: our intervals hold the truth where the usual ones do not. The whole is in bench/coverage.py.

A coverage of 250 data sets has a standard error of .014 at .95: the bounds here lie three of them below nominal.
"""

from collections.abc import Iterator

import numpy as np
import pytest

from judgekit.stats import draws
from judgekit.stats.agreement import kappa, kappa_asymptotic, kappas
from judgekit.stats.correction import Judged, double_sampling
from judgekit.stats.counts import case_rate
from judgekit.stats.paired import on_cases_like_these, on_these_cases
from judgekit.stats.prevalence import kappa_at
from judgekit.stats.rates import WithError, suite_rate, t_mean
from judgekit.stats.stratified import stratified_kappa, stratify
from judgekit.stats.tables import Table, count
from judgekit.types import Estimate

SETS = 250
ENOUGH = 0.908


@pytest.fixture(autouse=True)
def _fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "MIN_DRAWS", 2000)
    monkeypatch.setattr(draws, "IN_EACH_TAIL", 50)


def holds(found: Estimate | WithError, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high


def above(found: Estimate, truth: float) -> bool:
    assert found.low is not None
    return found.low > truth


def two_label_tables(joint: np.ndarray, n: int, seed: int) -> Iterator[Table]:
    for flat in np.random.default_rng(seed).multinomial(n, joint.ravel(), size=SETS):
        table = Table.of(flat.reshape(joint.shape))
        if (table.human > 0).sum() >= 2:
            yield table


@pytest.mark.parametrize(("n", "value"), [(30, 0.9), (30, 0.6), (100, 0.95)])
@pytest.mark.parametrize("k", [2, 3])
def test_kappa_is_covered_where_the_asymptotic_interval_fails(n: int, value: float, k: int) -> None:
    p = {2: np.array([0.7, 0.3]), 3: np.array([0.7, 0.2, 0.1])}[k]
    joint = value * np.diag(p) + (1 - value) * np.outer(p, p)
    assert float(kappas(joint)) == pytest.approx(value)
    found = [(kappa(table), kappa_asymptotic(table)) for table in two_label_tables(joint, n, seed=n + k)]
    assert np.mean([holds(ours, value) for ours, _ in found]) >= ENOUGH
    assert np.mean([above(ours, value) for ours, _ in found]) <= 0.06
    if value == 0.9:
        assert np.mean([holds(theirs, value) for _, theirs in found]) < 0.8


def test_kappa_over_cases_is_covered_where_rows_are_not() -> None:
    rng = np.random.default_rng(5)
    ours, as_rows = [], []
    truth = float(kappa_at(0.9, 0.8, 0.7))
    for _ in range(SETS):
        human = np.repeat(rng.random(40) < 0.7, 5)
        right = np.repeat(rng.random(40), 5) < np.where(human, 0.9, 0.8)
        people = np.where(human, "PASS", "FAIL").tolist()
        judge = np.where(human == right, "PASS", "FAIL").tolist()
        ours.append(holds(kappa(count(people, judge, cases=np.repeat(np.arange(40), 5).tolist())), truth))
        as_rows.append(holds(kappa(count(people, judge)), truth))
    assert np.mean(ours) >= ENOUGH
    assert np.mean(as_rows) < 0.75


def test_labels_chosen_by_verdict_are_covered_where_the_plain_table_is_not() -> None:
    rng = np.random.default_rng(6)
    ours, naive = [], []
    truth = float(kappa_at(0.98, 0.6, 0.9))
    for _ in range(SETS):
        human = rng.random(500) < 0.9
        passed = rng.random(500) < np.where(human, 0.98, 0.4)
        order = np.concatenate([rng.permutation(np.flatnonzero(passed == v))[:50] for v in (True, False)])
        shown: list[str | None] = [None] * 500
        for i in order:
            shown[int(i)] = "PASS" if human[i] else "FAIL"
        verdicts = np.where(passed, "PASS", "FAIL").tolist()
        ours.append(holds(stratified_kappa(stratify(verdicts, shown, ("PASS", "FAIL"))), truth))
        naive.append(above(kappa(count(shown, verdicts)), truth))
    assert np.mean(ours) >= ENOUGH
    assert np.mean(naive) > 0.15


def test_the_corrected_rate_is_covered_where_the_raw_one_misses_entirely() -> None:
    """True .95, a judge with recalls .9 and .9: the raw rate is right in none of the runs."""
    rng = np.random.default_rng(7)
    ours, raw, narrower = [], [], []
    for _ in range(SETS):
        human = rng.random(500) < 0.95
        passed = human == (rng.random(500) < 0.9)
        labelled = np.zeros(500, dtype=bool)
        labelled[rng.permutation(500)[:100]] = True
        shown = [float(h) if seen else None for h, seen in zip(human, labelled, strict=True)]
        found = double_sampling(Judged(np.where(passed, "PASS", "FAIL").tolist(), shown)).rate
        ours.append(holds(found, 0.95))
        raw.append(holds(case_rate(int(passed.sum()), 500), 0.95))
        assert found.high is not None
        assert found.low is not None
        narrower.append(found.high - found.low)
    assert np.mean(ours) >= ENOUGH
    assert np.mean(raw) < 0.02
    assert np.mean(narrower) < 0.12


@pytest.mark.parametrize("trials", [1, 5])
def test_differences_with_many_zeros_are_covered_where_t_is_not(trials: int) -> None:
    """One in ten of 12 cases breaks for good."""
    rng = np.random.default_rng(8)
    like, here, t = [], [], []
    for _ in range(SETS):
        broken = rng.random(12) < 0.1
        base, new = [(trials, trials)] * 12, [(0 if b else trials, trials) for b in broken]
        like.append(holds(on_cases_like_these(base, new), -0.1))
        t.append(holds(t_mean([-float(b) for b in broken]), -0.1))
        if trials > 1:
            here.append(holds(on_these_cases(base, new), -float(broken.mean())))
    assert np.mean(like) >= ENOUGH
    assert np.mean(t) < 0.8
    assert np.mean(here or [1]) >= ENOUGH


def test_a_suite_rate_near_1_is_covered() -> None:
    rng = np.random.default_rng(9)
    ease = rng.beta(19, 1, size=(SETS, 20))
    found = [suite_rate([(int(c), 5) for c in rng.binomial(5, p)]) for p in ease]
    assert np.mean([holds(one, 0.95) for one in found]) >= ENOUGH
