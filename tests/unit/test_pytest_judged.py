"""A graded case as a test sees it."""

from judgekit.pytest_plugin.judged import Judged
from judgekit.report.summary import CaseLine
from judgekit.types import Case, Fault, Grade, Output, TrialResult


def judged(results, outputs=(), *, trials=None, **more):
    n = trials or len(results)
    passed = sum(r.outcome == "pass" for r in results)
    failed = sum(r.outcome == "fail" for r in results)
    line = CaseLine("c", "fail", passed, failed, n - passed - failed, why="first")
    return Judged(Case("c", "q"), line, tuple(results), tuple(outputs), **more)


def trial(number, outcome="fail", grades=()):
    return TrialResult("c", number, outcome, "" if outcome == "pass" else f"why {number}", tuple(grades))


def test_of_many_trials_the_first_are_told_and_the_rest_counted():
    results = [trial(1, "pass"), *(trial(n) for n in range(2, 10))]
    assert judged(results, place="c.csv:2").told().splitlines() == [
        "c: fail, 1 of 9 trials passed  (c.csv:2)",
        *(f"  trial {n}, fail: why {n}" for n in range(2, 7)),
        "  and 3 more trials",
    ]


def test_trials_that_were_not_reached_and_the_stop_are_told():
    told = judged([trial(1)], trials=3, stopped="the budget is used up").told()
    assert "  not reached: 2 of 3\n  the run was stopped: the budget is used up" in told


def test_a_missing_output_has_no_text_and_its_fault_is_in_the_reason():
    one = judged([trial(1)], [Output("c", fault=Fault("failed", "exception", "app raised"))])
    assert one.output == ""
    assert "output:" not in one.told()


def test_an_output_cannot_move_the_cursor_of_a_terminal():
    one = judged([trial(1)], [Output("c", output="\x1b[2Jgone " + "x" * 999)])
    line = one.told().splitlines()[-1]
    assert line.startswith("  output: ␛[2Jgone xxx")
    assert line.endswith("…")


def test_a_code_check_makes_a_case_more_than_advisory():
    aside = Grade("c", 1, "r", "judge", dimension="d", verdict="FAIL", reason="Cold.", advisory="uncertified")
    check = Grade("c", 1, "equals", "code", verdict="PASS", gating=True)
    assert judged([trial(1, grades=[aside])]).only_advisory
    assert not judged([trial(1, grades=[aside, check])]).only_advisory
    assert not judged([trial(1)]).only_advisory  # nothing graded it: no reason to skip
    assert judged([trial(1, grades=[aside])]).against == "FAIL r.d (uncertified): Cold."
    assert judged([trial(1, grades=[check])]).against == ""
