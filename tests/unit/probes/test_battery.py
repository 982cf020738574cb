"""From verdicts to the lines of a report: counts by hand, and nothing folded into anything else."""

import pytest

from judgekit.probes.attacks import Attack
from judgekit.probes.battery import Heard, battery
from judgekit.probes.kinship import Kin
from judgekit.probes.seen import Seen
from judgekit.stats.preference import Pair

D = "mail.answered"
SHORT = {"P": "PASS", "F": "FAIL", "U": "UNKNOWN", ".": None}


def arm(name, verdicts, **more):
    return [Seen(f"c{i}", 1, name, SHORT[v], **more) for i, v in enumerate(verdicts)]


def lines(probe, *arms, **more):
    seen = [one for arm in arms for one in arm]
    return battery(Heard((D,), {D: seen}, **more), [probe]).findings


def one(probe, *arms, **more):
    (found,) = lines(probe, *arms, **more)
    return found


def test_stability_counts_changes_among_outputs_decided_twice():
    #                                   c2 changes; c3 and c4 hold an UNKNOWN, c5 and c6 lack a verdict
    found = one("stability", arm("base", "PFPUP.FP"), arm("again", "PFFPUP.P"))
    assert found.effect.value == pytest.approx(1 / 4)
    assert (found.effect.n, found.outputs, found.effect.missing) == (4, 4, 4)
    assert found.moved == ("c2: PASS to FAIL",)
    assert found.counts["first"] == {"PASS": 4, "FAIL": 2, "UNKNOWN": 1, "no verdict": 1}
    assert found.counts["again"] == {"PASS": 4, "FAIL": 2, "UNKNOWN": 1, "no verdict": 1}


def test_an_unknown_in_both_looks_is_counted_apart_and_not_as_stable():
    found = one("stability", arm("base", "UUU"), arm("again", "UUU"))
    assert found.effect.value is None
    assert found.result == "not probed"
    assert found.counts["again"]["UNKNOWN"] == 3


def test_padding_and_dressing_are_differences_of_pass_shares():
    base = arm("base", "FFFFPPPP")
    found = one("verbosity", base, arm("padded", "PPFFFPPP"))
    assert found.effect.value == pytest.approx((2 - 1) / 8)
    assert found.moved == ("c0: FAIL to PASS", "c1: FAIL to PASS", "c4: PASS to FAIL")
    assert one("formatting", base, arm("dressed", "FFFFFFPP")).effect.value == pytest.approx(-2 / 8)


def test_an_output_that_only_one_arm_decided_is_in_no_difference():
    found = one("verbosity", arm("base", "PPPP"), arm("padded", "PU.F"))
    assert found.effect.value == pytest.approx(-1 / 2)
    assert (found.outputs, found.effect.missing) == (2, 2)


def test_leniency_is_the_share_of_pass_on_foreign_outputs():
    found = one("leniency", arm("foreign", "PFFFFU.F"))
    assert found.effect.value == pytest.approx(1 / 6)
    assert found.effect.missing == 2
    assert found.moved == ("c0",)


ATTACKS = (Attack("order-1", "order", "{output}"), Attack("fence-1", "fence", "{output}"))


def test_injection_is_what_attacks_turn_beyond_a_second_look():
    base = arm("base", "FFFFP")
    again = arm("again", "FFFPP")  # c3 wavers by itself
    attacked = arm("attacked", "PPFP", attack="order-1") + arm("attacked", "FUF.", attack="fence-1")
    whole, order, fence = lines("injection", base, again, attacked, attacks=ATTACKS)
    # order: c0 +1, c1 +1, c2 0, c3 1-1 = 0; fence: c0 0, c2 0, c1 and c3 left out
    assert order.kind == "order"
    assert order.effect.value == pytest.approx(2 / 4)
    assert (fence.effect.value, fence.effect.n, fence.effect.missing) == (0, 2, 2)
    # over cases: c0 (1 + 0) / 2, c1 1, c2 0, c3 0
    assert whole.effect.value == pytest.approx(1.5 / 4)
    assert whole.outputs == 6
    assert whole.counts["attacked"] == {"PASS": 3, "FAIL": 3, "UNKNOWN": 1, "no verdict": 1}
    assert whole.counts["not attacked"] == {"PASS": 1, "FAIL": 3, "UNKNOWN": 0, "no verdict": 0}
    assert whole.moved == ("c0 (order-1)", "c1 (order-1)", "c3 (order-1)")


def test_a_judge_that_wavers_as_much_without_an_attack_is_not_talked_into_anything():
    base, again = arm("base", "F" * 12), arm("again", "PPPP" + "F" * 8)
    attacked = arm("attacked", "F" * 8 + "PPPP", attack="order-1")
    assert lines("injection", base, again, attacked, attacks=ATTACKS)[0].effect.value == 0


def test_attacks_that_only_make_a_wavering_judge_firm_are_neither_flagged_nor_clean():
    base, again = arm("base", "F" * 30), arm("again", "P" * 15 + "F" * 15)
    attacked = arm("attacked", "F" * 30, attack="order-1")
    whole = lines("injection", base, again, attacked, attacks=ATTACKS)[0]
    assert whole.effect.high < -0.10
    assert whole.result == "undecided"


def test_attacks_that_fail_on_many_cases_are_clean():
    base, again = arm("base", "F" * 40), arm("again", "F" * 40)
    attacked = arm("attacked", "F" * 40, attack="order-1")
    assert lines("injection", base, again, attacked, attacks=ATTACKS)[0].result == "clean"


def test_attacks_are_counted_one_by_one():
    attacked = arm("attacked", "PFU.P", attack="order-1")
    seen = [*arm("base", "FFFFF"), *arm("again", "FFFFF"), *attacked]
    (row,) = battery(Heard((D,), {D: seen}, attacks=ATTACKS), ["injection"]).attacks[D]
    assert (row.attack, row.tried, row.passed, row.failed, row.unknown, row.missing) == ("order-1", 5, 2, 1, 1, 1)


def test_without_a_fail_there_is_nothing_to_attack_and_it_says_so():
    found = one("injection", arm("base", "PPUP"), arm("again", "PPUP"), attacks=ATTACKS)
    assert found.result == "not probed"
    assert "no output was judged FAIL" in found.why


def test_position_is_the_distance_from_one_half():
    # 3 flips to the first, 1 to the second, 4 consistent, a missing one, an identical one
    pairs = [Pair(f"f{i}", "A", "B") for i in range(3)] + [Pair("s", "B", "A")]
    pairs += [Pair(f"a{i}", "A", "A") for i in range(2)] + [Pair(f"b{i}", "B", "B") for i in range(2)]
    pairs += [Pair("m", "A", None), Pair("same", "TIE", "TIE", identical=True)]
    (found,) = battery(Heard((), {}, pairs={"pairwise.overall": pairs}), ["position"]).findings
    # 1/2 + (FF - SS) / 2n, less 1/2
    assert found.effect.value == pytest.approx((3 - 1) / (2 * 8))
    assert (found.effect.n, found.effect.missing, found.skipped) == (8, 1, 1)
    assert found.counts["pairs"]["INCONSISTENT"] == 4
    assert found.moved == ("f0", "f1", "f2", "s")


def kin(own, human, passed, n, start=0):
    return [Kin(f"c{start + i}", own, human, i < passed) for i in range(n)]


def test_self_preference_is_measured_at_equal_human_label():
    # own family: people passed 20 of 25, others 5 of 25. The judge agrees with people in both groups but for
    # own FAILs, of which it passes 4 of 5: the raw difference of PASS shares would be huge
    rows = kin(True, "PASS", 20, 20) + kin(True, "FAIL", 4, 5, 100)
    rows += kin(False, "PASS", 5, 5, 200) + kin(False, "FAIL", 0, 20, 300)
    (found,) = battery(Heard((D,), {}, kin={D: rows}), ["self-preference"]).findings
    # PASS label: 1 - 1 = 0 with weight 25/50; FAIL label: .8 - 0 with weight 25/50
    assert found.effect.value == pytest.approx(0.8 * 0.5)
    assert found.counts["own family"] == {"PASS": 24, "FAIL": 1}
    assert found.counts["others"] == {"PASS": 5, "FAIL": 20}


def test_self_preference_says_why_it_is_undefined():
    few = kin(True, "PASS", 3, 3) + kin(False, "PASS", 20, 20, 50)
    (found,) = battery(Heard((D,), {}, kin={D: few}, strangers={D: 2}), ["self-preference"]).findings
    assert found.result == "not probed"
    assert "3 cases of its own family and 20 of others" in found.why
    assert "2 outputs left out" in found.why
    apart = kin(True, "PASS", 9, 9) + kin(False, "FAIL", 0, 9, 50)
    (found,) = battery(Heard((D,), {}, kin={D: apart}), ["self-preference"]).findings
    assert "no human label that both" in found.why


def test_what_is_left_out_is_a_line_with_its_reason():
    heard = Heard(
        (D, "mail.brief"), {}, absent={("verbosity", "mail.brief"): "left out by --skip", ("position", ""): "why"}
    )
    found = battery(heard, ["position", "verbosity"]).findings
    assert [(f.probe, f.dimension, f.result) for f in found] == [
        ("position", "", "not probed"),
        ("verbosity", D, "not probed"),
        ("verbosity", "mail.brief", "not probed"),
    ]
    assert (found[0].why, found[2].why) == ("why", "left out by --skip")


def test_trials_of_a_case_are_one_case():
    base = [Seen("a", t, "base", "PASS") for t in (1, 2, 3)] + [Seen("b", 1, "base", "PASS")]
    again = [Seen("a", t, "again", "FAIL") for t in (1, 2, 3)] + [Seen("b", 1, "again", "PASS")]
    found = one("stability", base, again)
    assert (found.effect.value, found.effect.n, found.outputs) == (0.5, 2, 4)
    assert found.moved[1] == "a, trial 2: PASS to FAIL"
