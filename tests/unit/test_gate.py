"""Every rule of the gate, each way that it can go. Summaries are made from grades, as a run makes them."""

from pathlib import Path

import pytest

from judgekit.comparison.baseline import baseline_of
from judgekit.comparison.pairs import compare, compare_with_baseline
from judgekit.comparison.prints import Prints
from judgekit.comparison.side import CaseSide, Side, side_of_run, summary_of_file
from judgekit.gate import COMPARING, decide
from judgekit.graders.outcome import case_outcome, trial_outcome
from judgekit.report.summary import CaseMark, summarize
from judgekit.suite import GatePolicy, Rule
from judgekit.types import Fault, Grade, Output, RunInfo, TrialResult

PASS, FAIL, UNKNOWN = "PASS", "FAIL", "UNKNOWN"
GONE = Fault("unreadable", "no_tag", "no verdict in <result>")


def grade(case, trial, what, *, kind="code", gating=True):
    verdict = None if what is None else what
    return Grade(
        case, trial, "tone" if kind == "judge" else "must_include", kind, "polite" if kind == "judge" else "",
        verdict=verdict, fault=None if verdict else GONE, gating=gating, reason="" if what == PASS else "missing x",
        advisory="" if gating else "uncertified",
    )  # fmt: skip


def run(cases, *, must=(), tags=None, judges=(), units=None, info=None):
    """`{"a": [PASS, FAIL]}`: one code check for each trial; `judges` are more grades."""
    trials = max((len(v) for v in cases.values()), default=1)
    results = []
    for case, verdicts in cases.items():
        for trial, verdict in enumerate(verdicts, 1):
            grades = [grade(case, trial, verdict)] + [g for g in judges if (g.case, g.trial) == (case, trial)]
            outcome, why = trial_outcome(grades)
            results.append(TrialResult(case, trial, outcome, why, tuple(grades)))
    marks = [CaseMark(c, (tags or {}).get(c, ()), c in must, fingerprint="a-b-c") for c in cases]
    about = info or RunInfo(run="r2", suite="s", variant="v2", trials=trials)
    return summarize(about, marks, results, units=units or len(results))


class Manifest:
    def __init__(self, summary):
        self.cases = tuple(CaseMark(x.case, x.tags, x.must_pass, fingerprint="a-b-c") for x in summary.lines)
        self.prints = Prints(variant=summary.info.variant)
        self.versions = {"judgekit": "0"}


def base(counts, *, must=(), tags=None, name="base"):
    cases = []
    for id_, given in counts.items():
        p, f, u = (*given, 0, 0)[:3]
        outcome = case_outcome(["pass"] * p + ["fail"] * f + ["undecided"] * u, "all")
        cases.append(
            CaseSide(id_, p, f, u, outcome, "all", (tags or {}).get(id_, ()), id_ in must, fingerprint="a-b-c")
        )
    return Side(name, "s", "v1", "r1", cases[0].trials, Prints(variant="v1"), (), tuple(cases), "0", from_file=True)


def against(summary, before):
    return compare(before, side_of_run(summary, Manifest(summary)))


def gate(*block, warn=()):
    return GatePolicy.model_validate({"block": list(block), "warn": list(warn)})


# ── rules of a run alone ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("cases", "outcome", "code"),
    [
        ({"a": [PASS], "b": [PASS]}, "pass", 0),
        ({"a": [PASS], "b": [FAIL]}, "fail", 1),
        ({"a": [PASS], "b": [UNKNOWN]}, "undecided", 3),
        ({"a": [PASS], "b": [None]}, "undecided", 3),
        ({"a": [FAIL], "b": [None]}, "fail", 1),
    ],
)
def test_without_a_gate_every_case_must_pass(cases, outcome, code):
    decision = decide(run(cases), None)
    assert (decision.outcome, decision.exit_code) == (outcome, code)


def test_nothing_graded_is_never_a_pass():
    assert decide(run({}), None).reasons == ("no case was selected",)
    assert decide(run({}), gate()).outcome == "undecided"
    assert decide(run({"a": []}, units=1), gate("must_pass")).reasons == ("nothing was graded",)
    assert decide(run({}), None).exit_code == 3


def test_an_unfinished_run_is_undecided_unless_it_already_failed():
    assert decide(run({"a": [PASS]}, units=2), gate("must_pass")).outcome == "undecided"
    assert decide(run({"a": [FAIL]}, units=2, must=("a",)), gate("must_pass")).outcome == "fail"


def test_must_pass_looks_at_must_pass_cases_alone():
    cases = {"a": [PASS], "b": [FAIL]}
    assert decide(run(cases, must=("a",)), gate("must_pass")).outcome == "pass"
    failed = decide(run(cases, must=("b",)), gate("must_pass"))
    assert failed.reasons == ("must_pass: 1 must-pass case failed: b (must_include: missing x)",)


def test_a_low_bound_is_required_not_a_high_rate():
    summary = run({f"c{i}": [PASS] for i in range(19)})  # Jeffreys: the lower 2.5% point of Beta(19.5, .5) is .877
    assert decide(summary, gate({"pass_rate_low": {"min": 0.87}})).outcome == "pass"
    failed = decide(summary, gate({"pass_rate_low": {"min": 0.95}}))
    assert failed.outcome == "fail"
    assert "n = 19" in failed.reasons[0]
    assert "the rate itself, 1.000, is above it" in failed.reasons[0]


@pytest.mark.parametrize(("share", "outcome"), [(0.5, "pass"), (0.49, "fail")])
def test_unknown_and_missing_have_limits_of_their_own(share, outcome):
    unknown = run({"a": [PASS], "b": [UNKNOWN]})
    missing = run({"a": [PASS], "b": [None]})
    assert decide(unknown, gate({"unknown": {"max_share": share}})).outcome == outcome
    assert decide(missing, gate({"missing": {"max_share": share}})).outcome == outcome
    assert decide(missing, gate("unknown", {"missing": {"max_share": 1.0}})).outcome == "pass"


def test_an_uncertified_judge_can_be_a_reason_of_its_own():
    summary = run({"a": [PASS]}, judges=[grade("a", 1, PASS, kind="judge", gating=False)])
    assert decide(summary, gate("must_pass")).outcome == "pass"
    assert "no certificate for tone.polite" in decide(summary, gate("uncertified")).reasons[0]
    certified = run({"a": [PASS]}, judges=[grade("a", 1, PASS, kind="judge")])
    assert decide(certified, gate("uncertified")).outcome == "pass"


def test_a_rule_that_warns_does_not_fail():
    decision = decide(run({"a": [FAIL], "b": [PASS]}), gate("must_pass", warn=["all_pass"]))
    assert decision.outcome == "pass"
    assert decision.exit_code == 0
    assert decision.warnings[0].startswith("all_pass: 1 case failed")


def test_rules_that_need_a_baseline_are_reported_when_there_is_none():
    rules = ["must_pass", "fewer_passes", "pass_rate_below_baseline", "paired_interval_below_zero",
             {"not_worse_than": {"margin": 0.1}}]  # fmt: skip
    decision = decide(run({"a": [PASS]}), gate(*rules))
    assert decision.outcome == "pass"
    assert [line.partition(":")[0] for line in decision.not_evaluated] == list(COMPARING)


def test_a_gate_of_nothing_but_unevaluated_rules_is_undecided():
    decision = decide(run({"a": [PASS]}), gate("fewer_passes"))
    assert decision.outcome == "undecided"
    assert "no rule of the gate could be evaluated" in decision.reasons[0]


def test_a_pairwise_rule_says_what_it_needs():
    assert "judgekit pairwise" in decide(run({"a": [PASS]}), gate("must_pass", "prefer")).not_evaluated[0]


# ── rules that compare ───────────────────────────────────────────────────────────────────────────────────


def fewer(cases, before, rule="fewer_passes", **more):
    summary = run(cases, **more)
    return decide(summary, gate(rule), against(summary, base(before, tags=more.get("tags"))))


def test_a_pass_less_breaks_the_gate_whatever_was_fixed():
    decision = fewer({"a": [FAIL], "b": [PASS], "c": [PASS]}, {"a": (1, 0), "b": (0, 1), "c": (0, 1)})
    assert decision.outcome == "fail"
    assert decision.reasons == ("fewer_passes: 1 pass fewer than base: a 1/1 -> 0/1 (must_include: missing x)",)


def test_passes_lost_are_added_up_over_cases_and_trials():
    by_2 = {"fewer_passes": {"by": 2}}
    assert fewer({"a": [FAIL], "b": [PASS]}, {"a": (1, 0), "b": (1, 0)}, by_2).outcome == "pass"
    assert fewer({"a": [FAIL], "b": [FAIL]}, {"a": (1, 0), "b": (1, 0)}, by_2).outcome == "fail"
    assert fewer({"a": [PASS, FAIL, FAIL]}, {"a": (3, 0)}, by_2).outcome == "fail"
    assert fewer({"a": [PASS, PASS, FAIL]}, {"a": (3, 0)}, by_2).outcome == "pass"


def test_a_tag_narrows_the_rule():
    rule, tags = {"fewer_passes": {"tag": "regression"}}, {"a": ("regression",)}
    assert fewer({"a": [PASS], "b": [FAIL]}, {"a": (1, 0), "b": (1, 0)}, rule, tags=tags).outcome == "pass"
    assert fewer({"a": [FAIL], "b": [PASS]}, {"a": (1, 0), "b": (1, 0)}, rule, tags=tags).outcome == "fail"


def test_a_tag_that_no_case_has_is_not_evaluated():
    decision = fewer({"a": [PASS]}, {"a": (1, 0)}, {"fewer_passes": {"tag": "regresion"}})
    assert decision.outcome == "undecided"
    assert "no shared case tagged regresion" in decision.not_evaluated[0]


def test_missing_verdicts_cannot_pass_for_passes_nor_for_failures():
    decision = fewer({"a": [PASS, None]}, {"a": (2, 0)})
    assert decision.outcome == "undecided"
    assert "a 2/2 -> 1/2 (1 undecided)" in decision.reasons[0]
    assert fewer({"a": [PASS, None]}, {"a": (1, 1)}).outcome == "pass"  # one pass then, at least one now
    assert fewer({"a": [PASS, None]}, {"a": (2, 0)}, {"fewer_passes": {"by": 2}}).outcome == "pass"


def test_a_pass_rate_below_the_baseline():
    before = dict.fromkeys("abcd", (1, 0))
    one_lost = {"a": [FAIL], "b": [PASS], "c": [PASS], "d": [PASS]}
    assert fewer(one_lost, before, "pass_rate_below_baseline").outcome == "fail"
    assert fewer(one_lost, before, {"pass_rate_below_baseline": {"by": 0.25}}).outcome == "pass"
    open_ = one_lost | {"a": [None]}
    assert fewer(open_, before, "pass_rate_below_baseline").outcome == "undecided"
    assert fewer(open_, before, {"pass_rate_below_baseline": {"by": 0.25}}).outcome == "pass"


def test_a_case_that_is_never_decided_does_not_keep_the_rate_open():
    decision = fewer({"a": [PASS], "b": [None]}, {"a": (1, 0), "b": (0, 0, 1)}, "pass_rate_below_baseline")
    assert decision.outcome == "pass"


def test_an_interval_below_zero_needs_repeated_trials():
    one = fewer({"a": [FAIL], "b": [PASS]}, {"a": (1, 0), "b": (1, 0)}, "paired_interval_below_zero")
    assert "needs two trials" in one.not_evaluated[0]
    before = dict.fromkeys("abcdef", (5, 0))
    worse = {c: [PASS] + [FAIL] * 4 for c in "abcdef"}
    decision = fewer(worse, before, "paired_interval_below_zero")
    assert decision.outcome == "fail"
    assert "-0.800" in decision.reasons[0]
    assert "n = 6" in decision.reasons[0]
    slightly = {c: [PASS] * 5 for c in "abcde"} | {"f": [PASS] * 4 + [FAIL]}
    assert fewer(slightly, before, "paired_interval_below_zero").outcome == "pass"


def test_cases_without_verdicts_leave_the_interval_open():
    before = dict.fromkeys("abcdef", (5, 0))
    gone = {c: [PASS] * 5 for c in "abc"} | {c: [None] * 5 for c in "def"}
    decision = fewer(gone, before, "paired_interval_below_zero")
    assert decision.outcome == "undecided"
    assert "3 left out" in decision.reasons[0]


def test_not_worse_is_only_said_of_forty_cases():
    def all_pass(n):
        ids = [f"c{i}" for i in range(n)]
        return fewer({c: [PASS] for c in ids}, dict.fromkeys(ids, (1, 0)), {"not_worse_than": {"margin": 0.2}})

    assert all_pass(39).outcome == "undecided"
    assert "that needs 40 cases" in all_pass(39).reasons[0]
    assert all_pass(40).outcome == "pass"


def test_missing_verdicts_leave_not_worse_open():
    ids = [f"c{i}" for i in range(60)]
    cases = {c: [PASS if i < 45 else None] for i, c in enumerate(ids)}
    decision = fewer(cases, dict.fromkeys(ids, (1, 0)), {"not_worse_than": {"margin": 0.15}})
    assert decision.outcome == "undecided"
    assert "15 left out" in decision.reasons[0]


def test_not_worse_is_shown_refuted_or_open():
    n = 60
    before = {f"c{i}": (1, 0) for i in range(n)}

    def with_lost(lost, margin=0.1):
        cases = {f"c{i}": [FAIL if i < lost else PASS] for i in range(n)}
        return fewer(cases, before, {"not_worse_than": {"margin": margin}}).outcome

    assert with_lost(0) == "pass"
    assert with_lost(4) == "undecided"  # 4 of 60 is -.067, and the interval reaches beyond -.1
    assert with_lost(30) == "fail"
    assert with_lost(4, margin=0.3) == "pass"


def test_must_pass_looks_at_every_case_of_the_new_side_shared_or_not():
    summary = run({"a": [PASS], "new": [FAIL]}, must=("new",))
    decision = decide(summary, gate("must_pass"), against(summary, base({"a": (1, 0)})))
    assert decision.outcome == "fail"


def test_a_guard_that_was_taken_out_is_a_warning():
    summary = run({"a": [PASS]})
    before = base({"a": (1, 0), "m": (1, 0), "r": (1, 0), "x": (1, 0)}, must=("m",), tags={"r": ("regression",)})
    decision = decide(summary, gate("fewer_passes"), against(summary, before))
    assert decision.outcome == "pass"
    assert decision.warnings == ("not in the new side, must-pass or tagged regression: m, r",)


def test_a_baseline_file_as_the_new_side_has_counts_and_no_verdicts():
    new = base({"a": (1, 0), "b": (0, 1)}, name="new.json")
    comparison = compare(base({"a": (1, 0), "b": (1, 0)}), new)
    policy = gate("fewer_passes", "unknown", "missing", "uncertified", "budget")
    decision = decide(summary_of_file(new), policy, comparison)
    assert decision.outcome == "fail"
    assert [line.partition(":")[0] for line in decision.not_evaluated] == [
        "unknown",
        "missing",
        "uncertified",
        "budget",
    ]
    assert decide(summary_of_file(new), gate("all_pass"), comparison).outcome == "fail"


def test_a_run_that_just_ended_is_held_against_the_committed_file():
    summary = run({"a": [FAIL], "b": [PASS]}, tags={"a": ("regression",)})
    before = base({"a": (1, 0), "b": (0, 1)}, tags={"a": ("regression",)})
    outputs = {("a", 1): Output("a", "what was said")}
    found = compare_with_baseline(summary, Manifest(summary), baseline_of(before), name="b.json", outputs=outputs)
    assert found.passed == (1, 1)
    assert found.changed("regression")[0].evidence.output == "what was said"
    decision = decide(summary, gate({"fewer_passes": {"tag": "regression"}}), found)
    assert decision.reasons[0].startswith("fewer_passes: 1 pass fewer than b.json tagged regression: a 1/1 -> 0/1")


def test_an_interrupted_run_is_undecided_against_a_baseline_too():
    summary = run({"a": [PASS], "b": []}, units=2)
    decision = decide(summary, gate("fewer_passes"), against(summary, base({"a": (1, 0), "b": (1, 0)})))
    assert decision.outcome == "undecided"
    assert any("interrupted: 1 of 2" in reason for reason in decision.reasons)


def test_every_rule_of_the_schema_is_known_to_the_gate():
    summary = run({"a": [PASS]})
    for name in Rule.model_fields:
        rule = {"not_worse_than": {"margin": 0.1}, "pass_rate_low": {"min": 0.1}}.get(name)
        policy = gate({name: rule} if rule else name)
        assert decide(summary, policy, against(summary, base({"a": (1, 0)}))).outcome in ("pass", "fail", "undecided")


def test_every_rule_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
    assert [name for name in Rule.model_fields if f"`{name}" not in text] == []
