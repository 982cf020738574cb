"""The policy over tables: certified, refused, inconclusive, and why."""

import pytest

from judgekit.calibration.decide import bar_of, decide, holm
from judgekit.calibration.measure import measure, recheck
from judgekit.errors import JudgekitError
from judgekit.suite import CalibrationPolicy

POLICY = CalibrationPolicy()
P, F, U = "PASS", "FAIL", "UNKNOWN"


def ruling(seen, policy=POLICY, tail=0.025):
    measured = measure(seen, bar=bar_of(policy), tail=tail)
    clears = measured.below is not None and measured.below <= tail
    return decide(measured, policy, tail=tail, clears=clears)


def said(ruled, words):
    return any(words in reason for reason in ruled.reasons)


def test_good_judge_is_certified(seen_of):
    assert ruling(seen_of({(P, P): 50, (P, F): 3, (F, P): 2, (F, F): 25})).result == "certified"


def test_perfect_judge_on_the_least_labels_is_certified(seen_of):
    assert ruling(seen_of({(P, P): 20, (F, F): 10})).result == "certified"


def test_whole_interval_under_the_bar_is_refused(seen_of):
    ruled = ruling(seen_of({(P, P): 35, (P, F): 25, (F, P): 12, (F, F): 18}))
    assert ruled.result == "refused"
    assert said(ruled, "whole interval of kappa lies under 0.50")


@pytest.mark.parametrize("counts", [{(P, P): 35, (F, P): 15}, {(P, P): 95, (F, P): 5}, {(P, F): 35, (F, F): 15}])
def test_one_verdict_only_is_refused(seen_of, counts):
    ruled = ruling(seen_of(counts))
    assert ruled.result == "refused"
    assert said(ruled, "one verdict only")


def test_people_of_one_label_are_inconclusive_not_perfect(seen_of):
    ruled = ruling(seen_of({(P, P): 60}))
    assert ruled.result == "inconclusive"
    assert said(ruled, "people used one label only (PASS)")


def test_no_labels_at_all_are_inconclusive():
    assert ruling([]).result == "inconclusive"


def test_too_few_of_a_label_are_named(seen_of):
    ruled = ruling(seen_of({(P, P): 60, (F, F): 4}))
    assert ruled.result == "inconclusive"
    assert said(ruled, "people said FAIL 4 times, at least 5")
    assert said(ruling(seen_of({(P, P): 60, (F, F): 1})), "people said FAIL once, at least 5")


def test_too_few_pairs_and_too_few_cases_are_inconclusive(seen_of):
    assert said(ruling(seen_of({(P, P): 19, (F, F): 10})), "too few outputs were decided by both sides, at least 30")
    clustered = ruling(seen_of({(P, P): 40, (F, F): 20}, per_case=4))
    assert clustered.result == "inconclusive"
    assert said(clustered, "too few cases, at least 20")


def test_judge_that_misses_half_of_the_fails_is_not_certified_by_its_kappa(seen_of):
    # recall of FAIL is 22 of 38: its lower bound lies under 0.50, although kappa clears the bar
    counts = {(P, P): 262, (F, P): 16, (F, F): 22}
    measured = measure(seen_of(counts), bar=0.5, tail=0.025)
    assert measured.below is not None
    assert measured.below <= 0.025
    ruled = ruling(seen_of(counts))
    assert ruled.result == "inconclusive"
    assert said(ruled, "recall of human FAILs")


def test_abstentions_count_against_coverage_and_never_as_errors(seen_of):
    half = ruling(seen_of({(P, P): 40, (F, F): 20, (P, U): 20, (F, U): 20}))
    assert half.result == "refused"
    assert said(half, "decided too few")
    few = ruling(seen_of({(P, P): 40, (F, F): 20, (P, U): 3, (F, None): 3}))
    assert few.result == "certified"


def test_coverage_at_the_limit_is_enough(seen_of):
    assert ruling(seen_of({(P, P): 60, (F, F): 30, (P, U): 10})).result == "certified"
    assert ruling(seen_of({(P, P): 60, (F, F): 29, (P, U): 10})).result == "refused"


def test_people_who_disagree_among_themselves_are_told_to_mend_the_criterion():
    from judgekit.calibration.items import Item
    from judgekit.calibration.measure import Seen

    seen = []
    for i in range(120):
        ann, ben = (P if i % 2 else F), (P if i % 3 else F)
        cas = ann if i % 4 else ben
        votes = [ann, ben, cas]
        label = max((P, F), key=votes.count)
        labels = (("ann", ann), ("ben", ben), ("cas", cas))
        seen.append(Seen(Item(f"c{i}", "r.d", labels, label, "test", f"r{i}"), label))
    ruled = ruling(seen, CalibrationPolicy(kappa_low=0.95))
    assert ruled.result == "refused"
    assert said(ruled, "annotators themselves")


def test_strict_raises_the_bar_and_never_lowers_it(seen_of):
    assert bar_of(CalibrationPolicy(strict=True)) == 0.60
    assert bar_of(CalibrationPolicy(strict=True, kappa_low=0.7)) == 0.7
    assert bar_of(POLICY) == 0.50
    counts = {(P, P): 50, (P, F): 7, (F, P): 4, (F, F): 29}
    assert ruling(seen_of(counts)).result == "certified"
    assert ruling(seen_of(counts), CalibrationPolicy(strict=True)).result == "inconclusive"


def test_later_attempts_ask_for_more(seen_of):
    seen = seen_of({(P, P): 38, (P, F): 3, (F, P): 3, (F, F): 16})
    assert ruling(seen, tail=0.025).result == "certified"
    assert ruling(seen, tail=0.05 / 30).result == "inconclusive"


def test_reasons_hold_no_number_of_the_judge(seen_of):
    for counts in ({(P, P): 35, (P, F): 25, (F, P): 12, (F, F): 18}, {(P, P): 27, (P, F): 8, (F, P): 5, (F, F): 12}):
        seen = seen_of(counts)
        measured = measure(seen, bar=0.5, tail=0.025)
        told = " ".join(ruling(seen).reasons)
        for value in (measured.kappa.value, measured.kappa.low, measured.kappa.high, measured.fail_recall.value):
            assert f"{value:.2f}" not in told.replace("0.50", "")


# ── several dimensions ───────────────────────────────────────────────────────────────────────────────────


def test_holm_by_hand():
    found = holm({"a": 0.02, "b": 0.008, "c": 0.012}, 0.025)
    # sorted: b .008 <= .025/3, c .012 <= .025/2, a .02 <= .025
    assert [found[x][1] for x in "abc"] == [True, True, True]
    assert found["b"][0] == pytest.approx(0.025 / 3)
    assert found["a"][0] == pytest.approx(0.025)


def test_holm_stops_at_the_first_that_does_not_clear():
    found = holm({"a": 0.001, "b": 0.013, "c": 0.014}, 0.025)
    assert [found[x][1] for x in "abc"] == [True, False, False]
    assert holm({"a": None}, 0.025)["a"][1] is False
    assert holm({"a": None, "b": 0.001}, 0.025)["b"][1] is True


def test_one_dimension_is_decided_at_the_whole_level():
    assert holm({"a": 0.025}, 0.025) == {"a": (0.025, True)}


# ── the second opinion ───────────────────────────────────────────────────────────────────────────────────


def test_recheck_agrees_with_scikit_learn_and_notices_a_difference(seen_of):
    import msgspec

    seen = seen_of({(P, P): 30, (P, F): 3, (F, P): 4, (F, F): 20, (P, U): 2, (None, P): 3, (U, P): 2})
    measured = measure(seen, bar=0.5, tail=0.025)
    recheck(seen, measured)
    kappa = msgspec.structs.replace(measured.kappa, value=(measured.kappa.value or 0) + 1e-6)
    with pytest.raises(JudgekitError, match="scikit-learn"):
        recheck(seen, msgspec.structs.replace(measured, kappa=kappa))
    with pytest.raises(JudgekitError, match="in the table"):
        recheck(seen[1:], measured)


def test_measured_numbers_by_hand(seen_of):
    # known answer: 36 9 / 0 5 has agreement .82, expected .676, kappa .4444
    m = measure(seen_of({(P, P): 36, (P, F): 9, (F, F): 5, (P, U): 1, (None, P): 4}), bar=0.5, tail=0.025)
    assert m.kappa.value == pytest.approx(4 / 9)
    assert m.agreement.value == pytest.approx(0.82)
    assert (m.n, m.judged, m.disputed, m.missing) == (50, 55, 4, 0)
    assert m.table == ((36, 9, 1), (0, 5, 0), (0, 0, 0))
    assert m.coverage == pytest.approx(54 / 55)
    assert m.pass_recall.value == pytest.approx(0.8)
    assert m.fail_recall.value == 1
    assert m.fail_precision.value == pytest.approx(5 / 14)
    # P P F F P F against P U F P P U: 0.50 on decided pairs, 0.25 with UNKNOWN as a class
    pairs = [(P, P), (P, U), (F, F), (F, P), (P, P), (F, U)]
    counts: dict[tuple[str, str], int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    few = measure(seen_of(counts), bar=0.5, tail=0.025)
    assert few.kappa.value == pytest.approx(0.5)
    assert few.kappa_all_labels.value == pytest.approx(0.25)
    assert few.coverage == pytest.approx(4 / 6)
