"""The difference that people would have seen: from labels of both versions, from recalls, or not at all."""

import pytest

from judgekit.comparison.corrected import Graded, Measured, People, corrected_difference
from judgekit.comparison.pairs import compare
from judgekit.stats.tables import Table
from judgekit.types import Fault, Grade, TrialResult

P, F, U = "PASS", "FAIL", "UNKNOWN"
# recalls of human PASS 36/40 = .9 and of human FAIL 16/20 = .8
RECALLS = Table.of([[36, 4], [4, 16]], (P, F))


def judge(case, verdict, dimension="d", trial=1):
    fault = None if verdict else Fault("unreadable", "no_tag", "no verdict")
    return Grade(case, trial, "r", "judge", dimension, verdict=verdict, fault=fault, gating=True)


def check(case, verdict):
    return Grade(case, 1, "must_include", "code", verdict=verdict, gating=True)


def one(case, *grades):
    verdicts = {g.verdict for g in grades}
    outcome = "fail" if F in verdicts else "pass" if verdicts == {P} else "undecided"
    return TrialResult(case, 1, outcome, "", grades)


def version(name, verdicts, human, *, texts=None, recalls=RECALLS, fingerprint="f"):
    """verdicts: of case c0, c1, ...; human: number of a case -> 1 or 0; texts: of each case, else own ones."""
    results = [one(f"c{i}", judge(f"c{i}", verdict)) for i, verdict in enumerate(verdicts)]
    hashes = {(f"c{i}", 1): texts[i] if texts else f"{name}{i}" for i in range(len(verdicts))}
    labels = {(f"c{i}", 1): float(label) for i, label in human.items()}
    return Graded(name, results, People({"r.d": Measured(fingerprint, labels, recalls)}, hashes))


def test_labels_on_both_versions_give_the_difference_of_both_rates_by_hand():
    # v1: 60 PASS, of 30 labels 24 are PASS; 40 FAIL, of 20 labels 5 are PASS
    base = version("v1", [P] * 60 + [F] * 40, {i: i < 24 or 60 <= i < 65 for i in [*range(30), *range(60, 80)]})
    # v2: 80 PASS, of 40 labels 36 are PASS; 20 FAIL, of 10 labels 1 is PASS
    new = version("v2", [P] * 80 + [F] * 20, {i: i < 36 or i == 80 for i in [*range(40), *range(80, 90)]})
    found = corrected_difference(base, new)
    expected = (0.8 * 36 / 40 + 0.2 * 1 / 10) - (0.6 * 24 / 30 + 0.4 * 5 / 20)
    assert found.rate.value == pytest.approx(expected)
    assert found.rate.low < expected < found.rate.high
    assert found.rate.n == 100
    assert "double sampling" in found.rate.method
    assert found.assumes == ""


def test_labels_on_one_version_only_assume_equal_error_rates():
    base = version("v1", [P] * 60 + [F] * 40, {i: i < 60 for i in range(100)})
    new = version("v2", [P] * 81 + [F] * 19, {})
    found = corrected_difference(base, new)
    assert found.rate.value == pytest.approx(0.21 / (0.9 + 0.8 - 1))
    assert found.rate.n == 100
    assert "Rogan-Gladen" in found.rate.method
    assert found.assumes.startswith("equal error rates")


def test_19_labels_on_a_version_are_too_few_for_double_sampling_and_20_are_not():
    base = version("v1", [P] * 40, dict.fromkeys(range(40), 1))
    for labels, method in ((19, "Rogan-Gladen"), (20, "double sampling")):
        found = corrected_difference(base, version("v2", [P] * 40, dict.fromkeys(range(labels), 1)))
        assert method in found.rate.method


def test_labels_that_join_only_where_nothing_changed_do_not_speak_for_what_changed():
    # people labelled v1; v2 has the same text in 60 of 100 cases, and all its 40 new texts are judged PASS
    texts = [f"t{i}" for i in range(100)]
    base = version("v1", [P] * 60 + [F] * 40, {i: i < 60 for i in range(100)}, texts=texts)
    new = version("v2", [P] * 100, dict.fromkeys(range(60), 1), texts=texts[:60] + [f"new{i}" for i in range(40)])
    found = corrected_difference(base, new)
    assert "Rogan-Gladen" in found.rate.method
    assert found.assumes.startswith("equal error rates")


def test_same_texts_are_a_stratum_of_their_own():
    # 60 texts stay, all labelled; of the 40 new ones, all judged PASS, 10 are labelled and people pass 5
    texts = [f"t{i}" for i in range(100)]
    base = version("v1", [P] * 60 + [F] * 40, {i: i < 60 for i in range(100)}, texts=texts)
    people = dict.fromkeys(range(60), 1) | {i: i < 65 for i in range(60, 70)}
    new = version("v2", [P] * 100, people, texts=texts[:60] + [f"new{i}" for i in range(40)])
    found = corrected_difference(base, new)
    assert "double sampling" in found.rate.method
    assert found.rate.value == pytest.approx(0.6 + 0.4 * 5 / 10 - 0.6)


def test_undecided_verdicts_are_left_out_of_the_recalls_and_counted():
    base = version("v1", [P, P, F, U, None], {})
    new = version("v2", [P, F, F, P, P], {})
    found = corrected_difference(base, new)
    assert found.rate.value == pytest.approx(-(1 / 3) / 0.7)
    assert (found.rate.n, found.rate.missing) == (3, 2)


def test_another_judge_has_other_error_rates():
    base = version("v1", [P] * 10, {}, fingerprint="f")
    found = corrected_difference(base, version("v2", [F] * 10, {}, fingerprint="g"))
    assert found.rate.value is None
    assert "error rates are not equal" in found.rate.undefined


def test_another_judge_does_not_matter_where_both_versions_are_labelled():
    base = version("v1", [P] * 30, dict.fromkeys(range(30), 1), fingerprint="f")
    found = corrected_difference(base, version("v2", [F] * 30, dict.fromkeys(range(30), 0), fingerprint="g"))
    assert found.rate.value == -1


def test_recalls_of_chosen_labels_or_of_a_useless_judge_correct_nothing():
    base, new = version("v1", [P] * 10, {}), version("v2", [F] * 10, {}, recalls=None)
    assert "chosen by verdict" in corrected_difference(base, new).rate.undefined
    useless = Table.of([[20, 20], [20, 20]], (P, F))
    found = corrected_difference(base, version("v2", [F] * 10, {}, recalls=useless))
    assert found.rate.value is None
    assert "1 or less" in found.rate.undefined


def test_several_graders_need_labels_for_all_of_them():
    def checked(name, failing, human):
        # a check fails the first outputs whatever people say; the judge passes everything
        results = [one(f"c{i}", check(f"c{i}", F if i < failing else P), judge(f"c{i}", P)) for i in range(40)]
        labels = {(f"c{i}", 1): float(label) for i, label in human.items()}
        hashes = {(f"c{i}", 1): f"{name}{i}" for i in range(40)}
        return Graded(name, results, People({"r.d": Measured("f", labels, RECALLS)}, hashes))

    base = checked("v1", 20, {i: i < 35 for i in range(40)})  # people pass 15 of the 20 that the check passes
    new = checked("v2", 10, {i: i < 34 for i in range(40)})  # and 24 of 30
    assert corrected_difference(base, new).rate.value == pytest.approx((24 - 15) / 40)
    found = corrected_difference(base, checked("v2", 10, {}))
    assert found.rate.value is None
    assert "several graders decide together" in found.rate.undefined


def test_totals_of_levels_are_not_taken_for_verdicts():
    base = version("v1", [P] * 5, {})
    total = TrialResult("c0", 1, "pass", "", (judge("c0", F),))  # by its total it passes all the same
    found = corrected_difference(base, Graded("v2", [total], base.people))
    assert found.rate.value is None
    assert "totals" in found.rate.undefined


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (Graded("v2", [one("c0", check("c0", P))], People()), "v2: no judge with a certificate decides"),
        (Graded("v2", [one("c0", judge("c0", P))], People(why="no labels")), "v2: no labels"),
        (Graded("v2", [one("c0", judge("c0", P, "other"))], People()), "different judge dimensions"),
    ],
)
def test_what_nobody_can_correct_is_undefined_with_the_reason(new, why):
    found = corrected_difference(version("v1", [P], {}), new)
    assert found.rate.value is None
    assert why in found.rate.undefined


def test_a_baseline_file_and_a_side_without_labels_say_so(side):
    file = side({"a": (1, 0)}, name="baseline.json", from_file=True, deciding=("r.d",))
    run = side({"a": (1, 0)}, name="v2", deciding=("r.d",))
    assert "baseline.json: a baseline file holds counts" in compare(file, run).corrected.rate.undefined
    assert "were not read" in compare(run, run).corrected.rate.undefined


def test_only_shared_cases_are_corrected(side):
    results = [one(f"c{i}", judge(f"c{i}", P if i < 30 else F)) for i in range(40)]
    hashes = {(f"c{i}", 1): f"t{i}" for i in range(40)}
    labels = {(f"c{i}", 1): float(i < 30) for i in range(40)}
    people = People({"r.d": Measured("f", labels, RECALLS)}, hashes)
    rest = {"deciding": ("r.d",), "results": tuple(results), "people": people}
    counts = {f"c{i}": (int(i < 30), int(i >= 30)) for i in range(40)}
    base = side({k: v for k, v in counts.items() if k not in ("c38", "c39")}, **rest)
    found = compare(base, side(counts, name="v2", **rest)).corrected.rate
    assert found.value == 0
    assert found.n == 2 * 38
