import pytest

from judgekit.report.passrates import pass_rates, rates_document, steps
from judgekit.report.summary import CaseMark, summarize
from judgekit.types import Fault, Grade, RunInfo, TrialResult, Vote

GONE = Fault("unreadable", "no_tag", "no verdict")


def judged(case, trial, verdict, votes=()):
    return Grade(case, trial, "tone", "judge", "polite", verdict=verdict, votes=tuple(votes), advisory="uncertified")


def summary(outcomes, *, trials, marks=None, judges=(), texts=None):
    """`{"a": "pfu"}`: a letter for each graded trial: pass, fail, undecided."""
    words = {"p": "pass", "f": "fail", "u": "undecided"}
    results = [
        TrialResult(case, trial, words[letter], "", tuple(g for g in judges if (g.case, g.trial) == (case, trial)))
        for case, letters in outcomes.items()
        for trial, letter in enumerate(letters, 1)
    ]
    marks = marks or [CaseMark(case) for case in outcomes]
    info = RunInfo(run="r", suite="s", variant="v", trials=trials)
    return summarize(info, marks, results, units=len(outcomes) * trials, texts=texts)


def test_planned_trials_are_passed_failed_undecided_or_missing():
    rates = pass_rates(summary({"a": "ppfu", "b": "p", "c": ""}, trials=5))
    counts = {c.case: (c.passed, c.decided, c.undecided, c.missing) for c in rates.cases}
    assert counts == {"a": (2, 3, 1, 1), "b": (1, 1, 0, 4), "c": (0, 0, 0, 5)}


def test_k_over_the_decided_trials_is_undefined_with_the_reason():
    rates = pass_rates(summary({"a": "ppfu"}, trials=4))
    (case,) = rates.cases
    assert case.at[2].value == pytest.approx(1.0)  # two of three pass: no pair of trials fails
    assert case.hat[2].value == pytest.approx(1 / 3)
    assert case.at[4].value is None
    assert case.at[4].undefined == "k = 4 is more than the 3 decided trials"
    assert rates.at[4].value is None


def test_pass_at_k_of_totals_is_never_made_up():
    outcomes = {f"c{i}": "p" if i < 50 else "f" for i in range(164)}
    rates = pass_rates(summary(outcomes, trials=1))
    assert rates.at[1].value == pytest.approx(50 / 164)
    assert set(rates.at) == {1}


def test_every_case_counts_once_in_the_mean_and_every_trial_in_the_clustered_rate():
    rates = pass_rates(summary({"a": "pppp", "b": "ff"}, trials=4))
    assert rates.whole.mean.value == pytest.approx(0.5)
    assert rates.whole.clustered.value == pytest.approx(4 / 6)
    # deviations 4 - 4*2/3 and 0 - 2*2/3, over 6 trials
    assert rates.whole.clustered.se == pytest.approx(((4 / 3) ** 2 + (4 / 3) ** 2) ** 0.5 / 6)
    assert (rates.whole.mean.n, rates.whole.decided) == (2, 6)


def test_parts_carry_their_own_n():
    marks = [
        CaseMark("a", tags=("category:returns", "x"), severity="high"),
        CaseMark("b", tags=("x",), severity="low"),
        CaseMark("c", severity="high"),
    ]
    rates = pass_rates(summary({"a": "p", "b": "f", "c": "u"}, trials=1, marks=marks))
    assert {k: (g.cases, g.mean.n, g.mean.missing) for k, g in rates.by_severity.items()} == {
        "high": (2, 1, 1),
        "low": (1, 1, 0),
    }
    assert {k: g.passed for k, g in rates.by_tag.items()} == {"category:returns": 1, "x": 1}
    assert list(rates.by_category) == ["returns"]


def test_the_noise_of_trials_is_the_chance_that_two_differ():
    rates = pass_rates(summary({"a": "ppf", "b": "ppp", "c": "p"}, trials=3))
    # of the three pairs of a, two differ; none of b; c has no pair
    assert rates.noise[""].between_trials.value == pytest.approx((2 / 3 + 0) / 2)
    assert rates.noise[""].between_trials.missing == 1


def test_votes_show_the_noise_of_the_judge_apart_from_that_of_the_feature():
    steady = [Vote("m", v, "PASS", "PASS") for v in (1, 2, 3)]
    split = [Vote("m", 1, "PASS", "PASS"), Vote("m", 2, "PASS", "PASS"), Vote("m", 3, "FAIL", "FAIL")]
    judges = [judged("a", 1, "PASS", steady), judged("a", 2, "PASS", split)]
    noise = pass_rates(summary({"a": "uu"}, trials=2, judges=judges)).noise["tone.polite"]
    assert noise.between_trials.value == 0
    assert noise.between_looks.value == pytest.approx((0 + 2 / 3) / 2)


def test_two_judges_of_a_panel_that_differ_are_no_noise_of_a_judge():
    votes = [Vote("m", 1, "PASS", "PASS"), Vote("n", 1, "FAIL", "FAIL")]
    noise = pass_rates(summary({"a": "u"}, trials=1, judges=[judged("a", 1, "UNKNOWN", votes)])).noise["tone.polite"]
    assert noise.between_looks.value is None
    assert "votes: 2" in noise.between_looks.undefined


def test_verdicts_that_differ_on_the_same_text_are_the_judges_noise():
    judges = [judged("a", 1, "PASS"), judged("a", 2, "FAIL"), judged("a", 3, "FAIL")]
    texts = {("a", 1): "same", ("a", 2): "same", ("a", 3): "x"}
    noise = pass_rates(summary({"a": "uuu"}, trials=3, judges=judges, texts=texts)).noise["tone.polite"]
    assert noise.between_looks.value == 1
    assert noise.between_trials.value == pytest.approx(2 / 3)
    without = pass_rates(summary({"a": "uuu"}, trials=3, judges=judges))
    assert without.noise["tone.polite"].between_looks.value is None


def test_the_document_has_no_number_without_n_and_no_nan():
    document = rates_document(pass_rates(summary({"a": "pf", "b": ""}, trials=2)))
    assert document["cases"][1]["share"] == {"value": None, "undefined": "no trial was decided", "n": 0, "missing": 0}
    assert document["pass_at_k"]["2"]["n"] == 1
    assert document["pass_at_k"]["2"]["missing"] == 1
    assert rates_document(pass_rates(summary({"a": "p"}, trials=1)))["cases"] is None


def test_few_k_are_shown_for_many_trials():
    assert steps(1) == (1,)
    assert steps(5) == (1, 2, 3, 4, 5)
    assert steps(30) == (1, 2, 3, 5, 10, 20, 30)
