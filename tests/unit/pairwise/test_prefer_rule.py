"""The gate rule `prefer`: a judge without a certificate decides nothing, and flips beyond the limit fail."""

import pytest

from judgekit.report.preference.contest import Bout, Contest
from judgekit.report.preference.rule import apply, prefer_decision
from judgekit.report.preference.value import block_of
from judgekit.stats.preference import Pair
from judgekit.suite import GatePolicy, Prefer, Rule
from judgekit.types import RunInfo


def bout(b=0, a=0, flips=0, tie=0, missing=0):
    picks = (
        [("B", "B")] * b + [("A", "A")] * a + [("A", "B")] * flips + [("TIE", "TIE")] * tie + [(None, "B")] * missing
    )
    return Bout("old", "new", "overall", block_of([Pair(str(i), *p) for i, p in enumerate(picks)]), {})


def contest(*bouts, advisory="", judged=10):
    return Contest(RunInfo("r", "s", "v"), ("overall",), bouts, {}, {"overall": advisory}, 1, 10, judged, (), ())


def policy(*block, warn=()):
    return GatePolicy(block=tuple(Rule(prefer=p) for p in block), warn=tuple(Rule(prefer=p) for p in warn))


@pytest.mark.parametrize(
    ("rule", "made", "word"),
    [
        (Prefer(), bout(b=30, a=5), "pass"),
        (Prefer(), bout(b=12, a=10), "fail"),
        (Prefer(), bout(b=5, a=30), "fail"),
        (Prefer(candidate="a"), bout(b=5, a=30), "pass"),
        (Prefer(low=0.9), bout(b=30, a=5), "fail"),
        (Prefer(), bout(b=30, flips=10), "fail"),
        (Prefer(max_inconsistent=0.3), bout(b=30, flips=10), "pass"),
        (Prefer(), bout(b=8, flips=2), "pass"),
        (Prefer(), bout(missing=5), "undecided"),
        (Prefer(), bout(), "undecided"),
    ],
)
def test_the_lower_end_decides_and_flips_have_a_limit(rule, made, word):
    assert apply(rule, made)[0] == word


def test_the_reason_names_the_number_and_the_bar():
    assert apply(Prefer(), bout(b=30, flips=10))[1] == "25% of pairs flipped with the order, and at most 20% may"
    assert "the lower end has to lie above 50%" in apply(Prefer(), bout(b=12, a=10))[1]


def test_a_judge_without_a_certificate_leaves_the_gate_undecided_and_says_what_it_would_say():
    for made, word in ((bout(b=30, a=5), "pass"), (bout(b=5, a=30), "fail")):
        decision = prefer_decision(contest(made, advisory="uncertified"), policy(Prefer()))
        assert decision.outcome == "undecided"
        assert decision.exit_code == 3
        assert f"by its word: {word}" in decision.reasons[0]
        assert "uncertified" in decision.reasons[0]


def test_a_certified_judge_decides():
    assert prefer_decision(contest(bout(b=30, a=5)), policy(Prefer())).outcome == "pass"
    assert prefer_decision(contest(bout(b=5, a=30)), policy(Prefer())).outcome == "fail"


def test_without_a_prefer_rule_nothing_is_decided():
    assert prefer_decision(contest(bout(b=3)), None) is None
    assert prefer_decision(contest(bout(b=3)), GatePolicy(block=(Rule(must_pass=True),))) is None


def test_a_rule_that_only_warns_never_fails():
    decision = prefer_decision(contest(bout(b=5, a=30), advisory="uncertified"), policy(warn=[Prefer()]))
    assert decision.outcome == "pass"
    assert len(decision.warnings) == 1


def test_an_interrupted_comparison_never_passes():
    decision = prefer_decision(contest(bout(b=30, a=5), judged=9), policy(Prefer()))
    assert decision.outcome == "undecided"
    assert "9 of 10" in decision.reasons[0]


def test_the_rule_is_for_two_variants():
    decision = prefer_decision(contest(bout(b=30), bout(b=30)), policy(Prefer()))
    assert decision.outcome == "undecided"
    assert "exactly two variants" in decision.reasons[0]


def test_one_broken_rule_of_two_fails():
    decision = prefer_decision(contest(bout(b=30, a=5)), policy(Prefer(), Prefer(low=0.95)))
    assert decision.outcome == "fail"
    assert len(decision.reasons) == 1
