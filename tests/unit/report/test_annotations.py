"""Annotations: at most what GitHub shows, the gate first, and the right level."""

from judgekit.report.annotations import annotate
from judgekit.types import Decision

FAIL, PASS, OPEN = Decision("fail", ("must_pass: a",)), Decision("pass"), Decision("undecided", ("all_pass: b",))


def test_a_failed_case_names_its_dimension_and_place_and_is_an_error_only_when_the_gate_failed(summary_of, grade):
    summary = summary_of({"a": [[grade("a", "reply.kind", "FAIL", reason="Rude.")]]}, must=("a",))
    places = {"a": ("evals/cases.csv", 7)}
    gate, case = annotate(summary, FAIL, places=places)
    assert gate == "::error title=judgekit%3A gate FAIL (shop%2C v2)::must_pass: a"
    assert case == "::error file=evals/cases.csv,line=7,title=a%3A FAIL (must pass)::reply.kind: Rude."
    assert annotate(summary, PASS, places=places) == [case.replace("::error", "::warning", 1)]


def test_undecided_and_advisory_are_warnings_and_the_undecided_gate_an_error(summary_of, grade):
    summary = summary_of(
        {
            "u": [[grade("u", "reply.kind", "UNKNOWN")]],
            "p": [[grade("p", "equals", "PASS"), grade("p", "reply.kind", "FAIL", reason="Cold.", gating=False)]],
            "ok": [[grade("ok", "equals", "PASS"), grade("ok", "reply.kind", "PASS", gating=False)]],
        }
    )
    assert annotate(summary, OPEN) == [
        "::error title=judgekit%3A gate UNDECIDED (shop%2C v2)::all_pass: b",
        "::warning title=u%3A undecided::UNKNOWN from reply.kind",
        "::warning title=p%3A reply.kind says FAIL::advisory (uncertified), decides nothing: Cold.",
    ]


def test_a_passing_gate_without_anything_to_say_says_nothing(summary_of, grade):
    assert annotate(summary_of({"a": [[grade("a", "equals", "PASS")]]}), PASS) == []


def test_there_are_never_more_than_github_shows_and_the_rest_is_counted(summary_of, grade):
    cases = {f"c{i}": [[grade(f"c{i}", "equals", "FAIL")]] for i in range(30)}
    cases |= {f"u{i}": [[grade(f"u{i}", "reply.kind", "UNKNOWN")]] for i in range(11)}
    found = annotate(summary_of(cases), FAIL)
    errors = [line for line in found if line.startswith("::error")]
    warnings = [line for line in found if line.startswith("::warning")]
    assert (len(errors), len(warnings)) == (10, 10)
    assert "and 22 more errors" in errors[-1]  # the gate and 30 cases, 9 shown
    assert "and 2 more warnings" in warnings[-1]


def test_ten_are_shown_without_a_count(summary_of, grade):
    cases = {f"u{i}": [[grade(f"u{i}", "reply.kind", "UNKNOWN")]] for i in range(10)}
    assert not any("more" in line for line in annotate(summary_of(cases), PASS))


def test_trials_and_advisory_verdicts_stand_beside_a_failed_case(summary_of, grade):
    first = [grade("a", "equals", "FAIL", reason="no"), grade("a", "reply.kind", "FAIL", gating=False)]
    summary = summary_of({"a": [first, [grade("a", "equals", "PASS", trial=2)]]})
    (told,) = annotate(summary, PASS)
    assert told.removeprefix("::warning title=a%3A FAIL::").split("%0A") == [
        "equals: no",
        "1 of 2 trials passed, 1 failed, 0 undecided",
        "advisory, decides nothing: FAIL reply.kind (1 of 2 trials)",
    ]


def test_what_an_output_says_cannot_command_the_job(summary_of, grade):
    summary = summary_of({"a": [[grade("a", "equals", "FAIL", reason="\n::add-mask::x\r\n::stop-commands::y")]]})
    assert all(
        line.startswith(("::error title=", "::warning title="))
        for line in "\n".join(annotate(summary, FAIL)).splitlines()
    )
