"""Outputs chosen by verdict: a known chance for each, and statistics of all outputs, not of the chosen ones."""

from collections import Counter

import numpy as np
import pytest

from judgekit.calibration.items import Item
from judgekit.calibration.measure import Seen, measure, recheck
from judgekit.calibration.sample import Drawn, choose, read_sample, sample_text
from judgekit.errors import InputError

P, F, U = "PASS", "FAIL", "UNKNOWN"


def judged(verdicts, tags=("x",)):
    return [
        Drawn("r.d", "f", f"c{i}", "v", 1, f"sha{i}", verdict, tags[i % len(tags)])
        for i, verdict in enumerate(verdicts)
    ]


def chosen(drawn):
    return [one for one in drawn if one.chosen]


def test_half_are_fails_and_every_verdict_has_its_chance():
    drawn = choose(judged([P] * 160 + [F] * 40), 60)
    assert Counter(one.verdict for one in chosen(drawn)) == {P: 30, F: 30}
    assert {(one.verdict, one.probability) for one in drawn} == {(P, 30 / 160), (F, 30 / 40)}


def test_rare_fails_are_all_taken_and_the_rest_is_filled_up():
    drawn = choose(judged([P] * 195 + [F] * 5), 60)
    assert Counter(one.verdict for one in chosen(drawn)) == {P: 55, F: 5}
    assert len(chosen(choose(judged([F] * 50 + [P] * 5), 40))) == 40
    assert len(chosen(choose(judged([F, P, U, None]), 60))) == 4


def test_abstentions_and_missing_verdicts_have_a_chance_too():
    drawn = choose(judged([P] * 150 + [F] * 30 + [U] * 10 + [None] * 10), 60)
    counts = Counter(one.verdict for one in chosen(drawn))
    assert counts[U] + counts[None] == 6
    assert all(one.probability > 0 for one in drawn)
    assert len(chosen(drawn)) == 60


def test_tags_have_their_share_within_a_verdict():
    drawn = choose(judged([P] * 300 + [F] * 300, tags=("a", "b", "b")), 60)
    for verdict in (P, F):
        tags = Counter(one.tag for one in chosen(drawn) if one.verdict == verdict)
        assert tags["a"] in (9, 10, 11)
        assert tags["a"] + tags["b"] == 30


def test_every_output_is_chosen_as_often_as_its_probability_says():
    outputs = judged([P] * 40 + [F] * 10, tags=("a", "b", "c"))
    rng = np.random.default_rng(3)
    times = np.zeros(50)
    for _ in range(2000):
        times += [one.chosen for one in choose(outputs, 20, seed=rng)]
    expected = np.array([one.probability for one in choose(outputs, 20)])
    error = np.sqrt(expected * (1 - expected) / 2000)
    assert (np.abs(times / 2000 - expected) <= 4.5 * error + 1e-12).all()


def test_text_and_back():
    drawn = choose(judged([P, F, None]), 2)
    assert read_sample(sample_text(drawn), file="s") == drawn
    with pytest.raises(InputError, match="s:1: is damaged"):
        read_sample("{}\n", file="s")


def world():
    """200 outputs: 160 judged PASS (of which people fail 10%), 40 judged FAIL (of which people pass 20%)."""
    verdicts = [P] * 160 + [F] * 40
    people = [F if i % 10 == 0 else P for i in range(160)] + [P if i % 5 == 0 else F for i in range(40)]
    drawn = choose(judged(verdicts), 60)
    seen = [
        Seen(
            Item(one.case, "r.d", (("", people[i]),), people[i], "test", one.case, sha256=one.sha256),
            one.verdict,
            probability=one.probability,
        )
        for i, one in enumerate(drawn)
        if one.chosen
    ]
    return verdicts, people, drawn, seen


@pytest.mark.parametrize("same_judge", [True, False])
def test_kappa_is_that_of_all_outputs(same_judge):
    from sklearn.metrics import cohen_kappa_score

    _, _, drawn, seen = world()
    population = drawn if same_judge else ()
    found = measure(seen, bar=0.5, tail=0.025, drawn_from=population)
    human, judge = [one.item.label for one in seen], [one.verdict for one in seen]
    weights = [160 / 30 if v == P else 40 / 30 for v in judge]
    assert found.kappa.value == pytest.approx(cohen_kappa_score(human, judge, sample_weight=weights))
    assert abs(found.kappa.value - cohen_kappa_score(human, judge)) > 0.01
    assert found.chosen
    assert found.n == 60
    recheck(seen, found, drawn_from=population)


def test_interval_covers_the_truth_where_the_naive_one_does_not():
    verdicts, people, drawn, seen = world()
    from sklearn.metrics import cohen_kappa_score

    truth = cohen_kappa_score(people, verdicts)
    found = measure(seen, bar=0.5, tail=0.025, drawn_from=drawn)
    assert found.kappa.low < truth < found.kappa.high
    assert found.coverage == 1


def test_unweighted_table_of_all_outputs_is_left_as_it_was(seen_of):
    seen = seen_of({(P, P): 40, (P, F): 3, (F, P): 2, (F, F): 20})
    assert not measure(seen, bar=0.5, tail=0.025).chosen
