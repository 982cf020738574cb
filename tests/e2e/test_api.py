"""judgekit in Python: frames, dicts and files in, a frame out, inside a running event loop too."""

import asyncio

import pandas as pd
import pytest

import judgekit as jk


@pytest.fixture
def recordings(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(
        '{"question_has": "good", "reply": "Fine.\\n<result>PASS</result>"}\n'
        '{"question_has": "bad", "reply": "Rude.\\n<result>FAIL</result>"}\n'
        '{"reply": "<result>UNKNOWN</result>"}\n'
    )
    return path


ROWS = [{"input": "q1", "output": "good"}, {"input": "q2", "output": "bad"}, {"input": "q3", "output": "odd"}]
RUBRIC = "Polite. Promises no refund."


def test_a_frame_in_and_a_frame_out(recordings):
    judge = jk.Judge("replay:claude-sonnet-4-5", recordings=recordings)
    r = jk.grade(pd.DataFrame(ROWS), rubric=RUBRIC, judge=judge, model="openai:gpt-5-mini")
    frame = r.to_frame()
    assert frame["verdict"].tolist() == ["PASS", "FAIL", "UNKNOWN"]
    assert frame["input"].tolist() == ["q1", "q2", "q3"]
    assert frame["reason"].tolist()[:2] == ["Fine.", "Rude."]
    (rate,) = r.rates.values()
    assert (rate.value, rate.n, rate.missing) == (0.5, 2, 1)
    assert r.pass_rate.value is None
    assert "advisory" in str(r)


def test_theirs_are_mapped_to_ours(recordings):
    rows = [{"Question": r["input"], "Reply": r["output"]} for r in ROWS]
    judge = jk.Judge("replay:claude-sonnet-4-5", recordings=recordings)
    columns = {"input": "Question", "output": "Reply"}
    r = jk.grade(rows, rubric=RUBRIC, judge=judge, model="gpt-5-mini", columns=columns)
    assert [x.grades[0].verdict for x in r.results] == ["PASS", "FAIL", "UNKNOWN"]


def test_a_function_gives_answers_over_trials(recordings):
    judge = jk.Judge("replay:claude-sonnet-4-5", recordings=recordings)

    async def answer(question, trial):
        return "good" if question == "q1" or trial == 2 else "bad"

    cases = [{"input": "q1"}, {"input": "q2"}]
    r = jk.grade(cases, answer=answer, trials=3, rubric=RUBRIC, judge=judge, model="gpt-5-mini")
    assert [x.grades[0].verdict for x in r.results] == ["PASS", "PASS", "PASS", "FAIL", "PASS", "FAIL"]


def test_it_works_inside_a_running_loop_twice_and_has_an_async_twin(recordings):
    judge = jk.Judge("replay:claude-sonnet-4-5", recordings=recordings)

    async def notebook():
        first = jk.grade(ROWS, rubric=RUBRIC, judge=judge, model="gpt-5-mini")
        second = await jk.grade.aio(ROWS, rubric=RUBRIC, judge=judge, model="gpt-5-mini")
        return first, second

    first, second = asyncio.run(notebook())
    assert first.to_dict()["results"] == second.to_dict()["results"]


def test_code_checks_need_no_judge():
    rows = [{"id": "a", "input": "q", "output": "in 14 days", "expected": {"must_include": ["14 days"]}}]
    assert jk.grade(rows).pass_rate.value == 1.0


def test_rows_of_one_case_are_its_trials():
    rows = [
        {"id": "a", "input": "q", "output": o, "trial": t, "expected": {"equals": "x"}} for t, o in ((1, "x"), (2, "y"))
    ]
    r = jk.grade(rows)
    assert [(x.trial, x.outcome) for x in r.results] == [(1, "pass"), (2, "fail")]
    assert (r.summary.cases, r.summary.failed) == (1, 1)


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ([], {}, "nothing to grade"),
        ([{"input": "q", "reply_text": "x"}], {}, "no column 'output'"),
        (ROWS, {"rubric": RUBRIC}, "needs a judge"),
        (ROWS, {"rubric": "suport-reply", "judge": "replay:claude-x"}, "support-reply"),
        (ROWS, {"rubric": RUBRIC, "judge": "openai:gpt-5", "model": "gpt-5"}, "its own work"),
        (ROWS, {"trials": 3}, "trials"),
        (ROWS, {"in_flight": 0}, "in_flight"),
        (ROWS, {"max_calls": -1}, "max_calls"),
        (ROWS, {"rubrics": "conciseness"}, "rubric='conciseness'"),
        (ROWS, {"rubric": RUBRIC, "judge": 5}, "jk.Judge"),
    ],
)
def test_what_cannot_be_graded_is_one_clear_error(data, options, said):
    with pytest.raises(jk.JudgekitError, match=said):
        jk.grade(data, **options)


def test_nothing_is_written_unless_asked(recordings, tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    judge = jk.Judge("replay:claude-sonnet-4-5", recordings=recordings)
    jk.grade(ROWS, rubric=RUBRIC, judge=judge, model="gpt-5-mini")
    assert list(work.iterdir()) == []
    jk.grade(ROWS, rubric=RUBRIC, judge=judge, model="gpt-5-mini", runs="runs")
    assert [p.name for p in work.iterdir()] == ["runs"]


def test_the_callers_data_is_left_as_it_was(recordings):
    frame = pd.DataFrame(ROWS)
    before = frame.copy(deep=True)
    jk.grade(frame, rubric=RUBRIC, judge=jk.Judge("replay:claude-x", recordings=recordings), model="gpt-5-mini")
    pd.testing.assert_frame_equal(frame, before)
