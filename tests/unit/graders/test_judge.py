"""A judge at work: one request a vote, one re-ask when unreadable, nothing sent where nothing can be judged."""

import pytest

from judgekit.errors import CallFailed
from judgekit.graders.judge import Instrument, judge_steps
from judgekit.render import compile_template
from judgekit.rubric import Dimension, Ordinal, Rubric
from judgekit.suite import JudgeConfig
from judgekit.types import Case, Fault, Output, Reply

CASE = Case(id="c", input="q", context=None)
OUTPUT = Output(id="c", output="an answer", trial=3)


def judge(*, dimension=None, **config):
    dimension = dimension or Dimension(id="d", criterion="Is polite.")
    rubric = Rubric(id="r", dimensions=(dimension,))
    template = compile_template(
        None, name="t", ordinal=dimension.scale != "binary", structured=config.get("structured", False)
    )
    return Instrument(rubric, dimension, template, JudgeConfig(**{"model": "replay:j", **config}))


def drive(instrument, rounds, case=CASE, output=OUTPUT):
    """Answer the rounds of requests in turn; the grade and the requests of each round."""
    steps, asked = judge_steps(instrument, case, output), []
    try:
        requests = next(steps)
        for answers in rounds:
            asked.append(requests)
            requests = steps.send(tuple(Reply(a) if isinstance(a, str) else a for a in answers))
    except StopIteration as end:
        return end.value, asked
    raise AssertionError(f"the judge wants another round: {requests}")


def test_a_readable_reply_is_one_request_and_a_grade():
    grade, asked = drive(judge(params={"temperature": 0}), [["Fine.\n<result>PASS</result>"]])
    ((request,),) = asked
    assert (request.model, request.trial, request.vote, request.ask) == ("replay:j", 3, 1, 1)
    assert request.params == {"temperature": 0}
    assert (grade.verdict, grade.reason, grade.name, grade.gating) == ("PASS", "Fine.", "r.d", False)
    assert grade.calls[0].reply.text.startswith("Fine.")


def test_an_unreadable_reply_is_asked_again_once_with_a_reminder():
    grade, asked = drive(judge(), [["I think it is fine."], ["Fine.\n<result>FAIL</result>"]])
    first, second = asked[0][0], asked[1][0]
    assert second.ask == 2
    assert second.messages[-1].content.startswith(first.messages[-1].content)
    assert "<result>UNKNOWN</result>" in second.messages[-1].content
    assert "I think it is fine." not in second.messages[-1].content
    assert grade.verdict == "FAIL"
    assert len(grade.calls) == 2


def test_a_reply_that_stays_unreadable_is_no_verdict():
    grade, _ = drive(judge(), [["hm"], ["hm"]])
    assert grade.verdict is None
    assert grade.fault.kind == "unreadable"
    assert len(grade.calls) == 2


def test_the_re_ask_can_be_left_out():
    grade, asked = drive(judge(reask=0), [["hm"]])
    assert (grade.fault.kind, len(asked)) == ("unreadable", 1)


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        (CallFailed("slow", code="timeout"), "failed", "timeout"),
        (CallFailed("blocked", code="content_filter"), "refused", "content_filter"),
        (Reply("I can't help with that.", finish="refused"), "refused", None),
    ],
)
def test_a_failed_or_refused_call_is_not_asked_again_and_is_no_verdict(answer, kind, code):
    grade, asked = drive(judge(), [[answer]])
    assert (grade.verdict, grade.fault.kind, len(asked)) == (None, kind, 1)
    assert code in (None, grade.fault.code)


def test_a_missing_output_is_never_sent_to_a_judge():
    grade, asked = drive(judge(), [], output=Output(id="c", fault=Fault("failed", "timeout", "slow")))
    assert asked == []
    assert (grade.fault.kind, grade.fault.code) == ("failed", "no_output")


def test_a_dimension_that_needs_a_context_is_not_applicable_without_one():
    needy = Dimension(id="d", criterion="Is supported.", needs=("context",))
    grade, asked = drive(judge(dimension=needy), [])
    assert (asked, grade.fault.kind) == ([], "not_applicable")
    with_context = Case(id="c", input="q", context="facts")
    assert drive(judge(dimension=needy), [["<result>PASS</result>"]], case=with_context)[0].verdict == "PASS"


def test_an_ordinal_level_maps_to_a_verdict():
    scale = Ordinal(levels={"0": "bad", "1": "fair", "2": "good"}, pass_at=1)
    ordinal = Dimension(id="d", criterion="Is clear.", scale=scale)
    for label, verdict in (("0", "FAIL"), ("1", "PASS"), ("2", "PASS")):
        grade, _ = drive(judge(dimension=ordinal), [[f"So.\n<result>{label}</result>"]])
        assert (grade.level, grade.verdict) == (int(label), verdict)
    unknown, _ = drive(judge(dimension=ordinal), [["<result>UNKNOWN</result>"]])
    assert (unknown.level, unknown.verdict) == (None, "UNKNOWN")


def test_votes_and_panel_are_asked_in_one_round_and_every_vote_is_kept():
    instrument = judge(model=("replay:a", "replay:b"), votes=2)
    grade, asked = drive(instrument, [[f"<result>{v}</result>" for v in ("PASS", "PASS", "FAIL", "PASS")]])
    assert [(r.model, r.vote) for r in asked[0]] == [("replay:a", 1), ("replay:a", 2), ("replay:b", 1), ("replay:b", 2)]
    assert [v.verdict for v in grade.votes] == ["PASS", "PASS", "FAIL", "PASS"]
    assert grade.verdict == "PASS"


def test_only_the_unreadable_votes_are_asked_again():
    grade, asked = drive(
        judge(votes=3), [["<result>PASS</result>", "hm", "<result>FAIL</result>"], ["<result>PASS</result>"]]
    )
    assert [(r.vote, r.ask) for r in asked[1]] == [(2, 2)]
    assert grade.verdict == "PASS"


def test_structured_judging_asks_for_reasoning_before_the_verdict():
    grade, asked = drive(judge(structured=True), [['{"reasoning": "Fine.", "verdict": "PASS"}']])
    schema = asked[0][0].schema
    assert list(schema["properties"]) == ["reasoning", "verdict"]
    assert schema["properties"]["verdict"]["enum"] == ["PASS", "FAIL", "UNKNOWN"]
    assert grade.verdict == "PASS"
