"""False certificates stay at or under 5% for each set of test labels, however often one tries."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[3] / "bench" / "certify.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("bench_certify", BENCH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


REPEATS = 150
MOST = 0.05 + 3 * (0.05 * 0.95 / REPEATS) ** 0.5


@pytest.mark.parametrize("attempts", [1, 10])
def test_chosen_variants_at_the_bar(bench, attempts):
    world = bench.World(60, 0.7, 0.5)
    assert bench.false_by_variants(world, attempts, REPEATS) <= MOST


def test_more_labels_for_the_same_judge(bench):
    world = bench.World(120, 0.7, 0.5)
    rate = bench.false_by_more_labels(world, (40, 60, 80, 100, 120), REPEATS)
    assert rate <= MOST


def test_judges_under_the_bar_are_hardly_ever_certified_by_the_default_policy(bench):
    rate = bench.chance_of_certificate(bench.judge_of(0.3, 0.7), 100, bench.POLICY, bench.level(1))
    assert rate == 0


def test_a_judge_of_the_world_has_its_kappa(bench):
    import numpy as np

    rng = np.random.default_rng(1)
    world = bench.World(200_000, 0.7, 0.5, 0.6)
    labels = world.labels(rng)
    table = bench.table_of(labels, world.verdicts(labels, rng, rng.random(world.n)))
    p = table / table.sum()
    expected = (p.sum(axis=0) * p.sum(axis=1)).sum()
    assert (np.trace(p) - expected) / (1 - expected) == pytest.approx(0.5, abs=0.01)
