"""What certificates make of results: stamps, outcomes, corrected rates."""

import msgspec
import pytest

from judgekit.calibration.certificate import Certificate
from judgekit.calibration.decide import bar_of
from judgekit.calibration.enforce import corrected_dimension, corrected_run, enforced, joined, stamped
from judgekit.calibration.items import Item
from judgekit.calibration.measure import measure
from judgekit.calibration.standing import Standing, after_run
from judgekit.suite import CalibrationPolicy
from judgekit.types import Estimate, Grade, TrialResult

P, F, U = "PASS", "FAIL", "UNKNOWN"
GATING = Standing("r.d", "f", gating=True)
ADVISORY = Standing("r.d", "f", gating=False, advisory="refused")


def judge(verdict, case="c", dimension="d", **more):
    return Grade(case, 1, "r", "judge", dimension, verdict=verdict, advisory="uncertified", **more)


def code(verdict, case="c"):
    return Grade(case, 1, "must_include", "code", verdict=verdict, gating=True)


def result(*grades):
    return TrialResult(grades[0].case, 1, "undecided", "only advisory judges: uncertified", grades)


def paper(seen):
    return Certificate(
        rubric="r",
        dimension="d",
        judge="m",
        fingerprint="f",
        parts={},
        result="certified",
        reasons=(),
        attempt=1,
        level=0.025,
        labels="l.csv",
        rows={},
        policy=CalibrationPolicy().model_dump(mode="json"),
        measured=measure(seen, bar=bar_of(CalibrationPolicy()), tail=0.025),
        made="2026-01-01",
        judgekit="0",
    )


@pytest.mark.parametrize(
    ("verdict", "standing", "outcome"),
    [
        (F, GATING, "fail"),
        (P, GATING, "pass"),
        (U, GATING, "undecided"),
        (F, ADVISORY, "undecided"),
        (P, ADVISORY, "undecided"),
    ],
)
def test_a_judge_decides_exactly_when_it_may(verdict, standing, outcome):
    (found,) = enforced([result(judge(verdict))], [standing], {})
    assert found.outcome == outcome
    assert found.grades[0].gating == standing.gating
    assert found.grades[0].advisory == standing.advisory


def test_advisory_fail_beside_a_passing_check_does_not_fail():
    (found,) = enforced([result(code(P), judge(F))], [ADVISORY], {})
    assert found.outcome == "pass"


def test_judge_that_lost_its_say_is_stamped_advisory_again():
    before = enforced([result(judge(F))], [GATING], {})
    (after,) = enforced(before, [ADVISORY], {})
    assert after.outcome == "undecided"
    assert after.grades[0].advisory == "refused"


def test_unknown_judge_is_uncertified_and_code_is_left_alone():
    assert stamped(judge(P, gating=True), None).advisory == "uncertified"
    assert stamped(code(P), None) is not None
    assert stamped(code(P), None).gating


def item(case, label, sha="s", **more):
    return Item(case, "r.d", (("", label),), label, "test", f"row{case}", sha256=sha, **more)


def test_labels_join_by_case_variant_trial_and_text():
    items = [item("a", P), item("b", F, "other"), item("c", F, variant="v2"), item("d", U), item("e", F, trial=2)]
    hashes = {(case, 1): "s" for case in "abcdef"} | {("e", 2): "s"}
    assert joined(items, hashes, "v1") == {("a", 1): 1.0, ("e", 2): 0.0}
    assert joined(items, hashes, "v2") == {("a", 1): 1.0, ("c", 1): 0.0, ("e", 2): 0.0}


def test_rate_over_labelled_outputs_is_double_sampling_by_hand(seen_of):
    # 60 judged PASS of which 30 labelled, 27 of them PASS; 40 judged FAIL, 20 labelled, 4 of them PASS
    grades = [judge(P if i < 60 else F, case=f"c{i}") for i in range(100)]
    human = {(f"c{i}", 1): float(i < 27) for i in range(30)} | {(f"c{i}", 1): float(i < 64) for i in range(60, 80)}
    certificate = paper(seen_of({(P, P): 40, (F, F): 20, (P, F): 2}))
    found = corrected_dimension([result(g) for g in grades], "r.d", certificate, human)
    assert found.rate.value == pytest.approx(0.6 * 27 / 30 + 0.4 * 4 / 20)
    assert "double sampling" in found.rate.method
    assert found.assumes == ""


def test_few_labels_or_an_unlabelled_stratum_fall_back_to_the_recalls(seen_of):
    grades = [judge(P if i < 60 else F, case=f"c{i}") for i in range(100)]
    certificate = paper(seen_of({(P, P): 36, (P, F): 4, (F, P): 2, (F, F): 18}))
    only_pass = {(f"c{i}", 1): 1.0 for i in range(40)}
    for human in ({("c0", 1): 1.0}, only_pass):
        found = corrected_dimension([result(g) for g in grades], "r.d", certificate, human)
        assert found.rate.value == pytest.approx((0.6 + 0.9 - 1) / (0.9 + 0.9 - 1))
        assert "unchanged recalls" in found.assumes


def test_one_deciding_judge_gives_the_rate_of_the_run():
    from judgekit.calibration.enforce import Corrected

    own = Corrected(Estimate(0.7, 0.6, 0.8, 50))
    alone = enforced([result(judge(P))], [GATING], {})
    assert corrected_run(alone, {"r.d": {}}, {"r.d": own}) == own
    assert corrected_run(alone, {}, {}) is None
    mixed = enforced([result(code(P), judge(P))], [GATING], {})
    together = corrected_run(mixed, {"r.d": {}}, {"r.d": own})
    assert together is not None
    assert together.rate.value is None
    assert "several graders decide" in together.rate.undefined


def test_whole_outputs_are_labelled_by_their_checks_and_all_judges():
    from judgekit.calibration.enforce import Corrected

    own = Corrected(Estimate(0.7, 0.6, 0.8, 50))
    # 40 outputs: half fail a check whatever people say; people pass 15 of the other 20, the judge all of them
    results = [result(code(F if i < 20 else P, f"c{i}"), judge(P, f"c{i}")) for i in range(40)]
    final = enforced(results, [GATING], {})
    human = {"r.d": {(f"c{i}", 1): float(i < 20 or i >= 25) for i in range(40)}}
    found = corrected_run(final, human, {"r.d": own})
    assert found is not None
    assert found.rate.value == pytest.approx(15 / 40)


# ── after a run ──────────────────────────────────────────────────────────────────────────────────────────


def test_range_takes_the_say_only_when_the_whole_interval_is_outside(seen_of):
    certificate = paper(seen_of({(P, P): 66, (P, F): 4, (F, P): 4, (F, F): 26}))
    assert certificate.measured is not None
    high = certificate.measured.range.high
    assert high is not None
    assert high < 1

    def after(low, value, up):
        rate = Estimate(value, low, up, 50)
        return after_run(GATING, certificate, pass_rate=rate, dropped=None, suite="")

    assert after(high - 0.01, 1.0, 1.0).gating
    outside = after(high + 0.001, 1.0, 1.0)
    assert not outside.gating
    assert outside.advisory == "pass rate out of range"
    assert not after(0.0, 0.0, 0.001).gating
    assert after(0.5, 0.6, 0.7).gating


def test_dropped_parameters_are_compared_only_where_calls_were_made(seen_of):
    certificate = msgspec.structs.replace(paper(seen_of({(P, P): 40, (F, F): 20})), dropped=("seed",))
    rate = Estimate(0.6, 0.5, 0.7, 50)

    def after(dropped):
        return after_run(GATING, certificate, pass_rate=rate, dropped=dropped, suite="").gating

    assert after(frozenset({"seed"}))
    assert after(None)
    assert not after(frozenset())
    assert not after(frozenset({"seed", "temperature"}))


def test_advisory_stays_advisory(seen_of):
    rate = Estimate(0.6, 0.5, 0.7, 50)
    certificate = paper(seen_of({(P, P): 40, (F, F): 20}))
    assert after_run(ADVISORY, certificate, pass_rate=rate, dropped=None, suite="") == ADVISORY
