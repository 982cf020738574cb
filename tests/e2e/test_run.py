"""The main job through the command line: every count exact, every outcome kept apart."""

import json
from collections import Counter

import pytest

import judgekit as jk

RUBRIC = """
id: reply
dimensions:
  - {id: kind, criterion: "The reply greets the customer by the word hello."}
  - {id: exact, criterion: "The reply names a number of days."}
  - {id: brief, criterion: "The reply has at most two sentences."}
"""
CRITERIA = {
    "kind": "greets the customer by the word hello",
    "exact": "names a number of days",
    "brief": "has at most two sentences",
}


def tag(verdict: str, reason: str = "The reply does what is asked.") -> str:
    return f"{reason}\n<result>{verdict}</result>"


def base(cases, outputs, recordings, **suite):
    lines = {
        "suite": "t",
        "cases": "cases.jsonl",
        "recordings": "[recordings.jsonl]",
        "variants": "{v: {outputs: outputs.jsonl}}",
        "judge": '{model: "replay:gpt-4o"}',
        "rubrics": "[rubric.yaml]",
        **suite,
    }
    return {
        "judgekit.yaml": "".join(f"{k}: {v}\n" for k, v in lines.items() if v is not None),
        "cases.jsonl": cases,
        "outputs.jsonl": outputs,
        "recordings.jsonl": recordings,
        "rubric.yaml": RUBRIC,
    }


def grades_of(folder):
    (run,) = (folder / "runs").iterdir()
    return [json.loads(line) for line in (run / "grades.jsonl").read_text().splitlines()]


def test_each_dimension_is_one_request_that_holds_no_sibling_criterion(cli, suite):
    n = 7
    folder = suite(
        base(
            [{"id": f"c{i}", "input": f"question {i}"} for i in range(n)],
            [{"id": f"c{i}", "output": f"answer {i}", "model": "claude-sonnet-4-5"} for i in range(n)],
            [{"reply": tag("PASS")}],
        )
    )
    planned = cli("plan", folder, "--json").json
    ran = cli("run", folder, "--json")
    assert planned["to_send"] == 3 * n == ran.json["calls"]["sent"]
    assert planned["exact"]
    requests = [call["request"] for g in grades_of(folder) for call in g["calls"]]
    assert len(requests) == 3 * n
    for grade in grades_of(folder):
        (call,) = grade["calls"]
        text = "".join(m["content"] for m in call["request"]["messages"])
        assert CRITERIA[grade["dimension"]] in text
        assert all(other not in text for name, other in CRITERIA.items() if name != grade["dimension"])


def mixed(n: int):
    """Replies of five kinds in turn, as the recordings give them to case i."""
    kinds = ["PASS", "FAIL", "UNKNOWN", "garbage", "failed"]
    recordings = []
    for i in range(n):
        kind = kinds[i % 5]
        has = {"question_has": f"answer number {i:03d}."}
        if kind == "garbage":
            recordings.append({**has, "reply": "I think this is quite good."})
        elif kind == "failed":
            recordings.append({**has, "error": {"code": "status_500", "why": "the server broke", "status": 500}})
        else:
            recordings.append({**has, "reply": tag(kind)})
    return recordings


def test_two_hundred_mixed_replies_give_exactly_these_counts_everywhere(cli, suite):
    n = 200
    cases = [{"id": f"c{i:03d}", "input": f"question {i}"} for i in range(n)]
    outputs = [{"id": f"c{i:03d}", "output": f"answer number {i:03d}.", "model": "claude-sonnet-4-5"} for i in range(n)]
    files = base(cases, outputs, mixed(n))
    files["rubric.yaml"] = "id: one\ndimensions:\n  - {id: kind, criterion: The reply says hello.}\n"
    folder = suite(files)
    ran = cli("run", folder, "--json")
    expected = {
        "PASS": 40,
        "FAIL": 40,
        "UNKNOWN": 40,
        "unreadable": 40,
        "refused": 0,
        "failed": 40,
        "not_applicable": 0,
    }
    document = ran.json
    assert document["verdicts"] == expected
    assert document["graders"]["one.kind"]["counts"] == expected
    assert document["missing"] == 80
    # an advisory judge decides nothing: every case is undecided, none failed and none passed
    assert (document["passed"], document["failed"], document["undecided"]) == (0, 0, n)
    assert document["pass_rate"]["value"] is None
    assert ran.code == 3
    assert document["calls"]["sent"] == n + 40  # one re-ask for each reply that could not be read
    assert cli("plan", folder, "--json").json["to_send"] == n

    grades = grades_of(folder)
    assert Counter(g.get("verdict") or g["fault"]["kind"] for g in grades) == Counter(
        {k: v for k, v in expected.items() if v}
    )
    shown = cli("report", folder)
    assert shown.code == 3
    row = next(line for line in shown.err.splitlines() if line.startswith("one.kind"))
    assert row.split()[:6] == ["one.kind", "advisory", "40", "40", "40", "80"]
    assert cli("report", folder, "--json").json == {**document, "folder": str(next((folder / "runs").iterdir()))}

    frame = jk.grade(
        [{**c, "output": o["output"]} for c, o in zip(cases, outputs, strict=True)],
        rubric=str(folder / "rubric.yaml"),
        judge=jk.Judge("replay:gpt-4o", recordings=folder / "recordings.jsonl"),
        model="claude-sonnet-4-5",
    ).to_frame()
    assert Counter(frame["verdict"].fillna(frame["error"])) == Counter({k: v for k, v in expected.items() if v})


def test_a_missing_verdict_is_neither_in_the_numerator_nor_in_the_denominator(cli, suite):
    replies = [tag("PASS")] * 8 + [tag("FAIL"), "I think it is good."]
    folder = suite(
        base(
            [{"id": f"c{i}", "input": "q"} for i in range(10)],
            [{"id": f"c{i}", "output": f"answer {i}", "model": "claude-sonnet-4-5"} for i in range(10)],
            [{"question_has": f"answer {i}", "reply": r} for i, r in enumerate(replies)],
        )
        | {"rubric.yaml": "id: one\ndimensions:\n  - {id: kind, criterion: The reply says hello.}\n"}
    )
    share = cli("run", folder, "--json").json["graders"]["one.kind"]["share_of_pass"]
    assert share["value"] == pytest.approx(8 / 9)
    assert (share["n"], share["missing"]) == (9, 1)


def test_the_record_of_an_unreadable_grade_holds_output_prompt_reply_and_finish(cli, suite):
    folder = suite(
        base(
            [{"id": "c", "input": "the question"}],
            [{"id": "c", "output": "the answer", "model": "claude-sonnet-4-5"}],
            [{"reply": "It covers the refund rule and", "finish": "length"}],
        )
    )
    cli("run", folder, "-q")
    for grade in grades_of(folder):
        assert grade["fault"]["kind"] == "unreadable"
        assert grade["fault"]["code"] == "truncated"
        call = grade["calls"][0]
        assert call["reply"]["text"] == "It covers the refund rule and"
        assert call["reply"]["finish"] == "length"
        assert "the answer" in call["request"]["messages"][-1]["content"]
    (run,) = (folder / "runs").iterdir()
    assert json.loads((run / "outputs.jsonl").read_text())["output"] == "the answer"


def test_a_judge_that_is_the_graded_model_stops_the_run_before_any_call(cli, suite):
    files = base(
        [{"id": "c", "input": "q"}],
        [{"id": "c", "output": "a", "model": "openai/gpt-4o-2024-08-06"}],
        [{"reply": tag("PASS")}],
    )
    folder = suite(files)
    ran = cli("run", folder)
    assert ran.code == 2
    assert "gpt-4o" in ran.err
    assert "allow_self" in ran.err
    assert not (folder / "runs").exists()

    allowed = suite(
        {**files, "judgekit.yaml": files["judgekit.yaml"].replace('o"}', 'o", allow_self: "a smoke test"}')}, "b"
    )
    ran = cli("run", allowed, "--json")
    assert any("a smoke test" in notice for notice in ran.json["notices"])
    assert "a smoke test" in cli("report", allowed).err


def test_code_checks_run_alone_without_a_judge(cli, suite):
    folder = suite(
        base(
            [{"id": "c", "input": "q", "expected": {"must_include": ["14 days"]}}],
            [{"id": "c", "output": "within 14\u00a0days", "model": "claude-sonnet-4-5"}],
            [],
        )
    )
    ran = cli("run", folder, "--judge", "none", "--json")
    assert ran.code == 0
    assert ran.json["calls"]["sent"] == 0
    assert [g["grader"] for g in ran.json["results"][0]["grades"]] == ["must_include"]


def test_a_missing_output_is_no_verdict_even_of_a_negative_check(cli, suite):
    folder = suite(
        base(
            [{"id": "c", "input": "q", "expected": {"must_not_include": ["Error"]}}, {"id": "d", "input": "r"}],
            [{"id": "d", "output": "a", "model": "claude-sonnet-4-5"}],
            [{"reply": tag("PASS")}],
        )
    )
    document = cli("run", folder, "--json").json
    grades = [g for r in document["results"] if r["id"] == "c" for g in r["grades"]]
    assert grades
    assert {(g["verdict"], g["error"]["kind"]) for g in grades} == {(None, "failed")}
    assert document["decision"] == "undecided"


def test_nothing_selected_is_undecided_and_never_a_pass(cli, suite):
    files = base(
        [{"id": "c", "input": "q", "split": "holdout", "expected": {"equals": "a"}}],
        [{"id": "c", "output": "a", "model": "claude-sonnet-4-5"}],
        [],
        rubrics=None,
        judge=None,
    )
    folder = suite(files)
    assert cli("run", folder).code == 3
    ran = cli("run", folder, "--holdout", "--json")
    assert (ran.code, ran.json["passed"]) == (0, 1)
    log = (folder / "holdout.log.jsonl").read_text().splitlines()
    assert len(log) == 1
    assert json.loads(log[0])["cases"] == 1


def test_a_stopped_run_goes_on_and_asks_only_for_what_is_missing(cli, suite):
    folder = suite(
        base(
            [{"id": f"c{i}", "input": f"q{i}"} for i in range(4)],
            [{"id": f"c{i}", "output": f"answer {i}", "model": "claude-sonnet-4-5"} for i in range(4)],
            [{"reply": tag("PASS")}],
        )
    )
    whole = cli("run", folder, "--json").json
    (run,) = (folder / "runs").iterdir()
    # as a hard stop leaves it: two units whole, the third cut in the middle of a line, no end in the manifest
    lines = (run / "grades.jsonl").read_text().splitlines(keepends=True)
    (run / "grades.jsonl").write_text("".join(lines[:6]) + lines[6][:40])
    manifest = json.loads((run / "run.json").read_text())
    del manifest["run"]["finished"]
    (run / "run.json").write_text(json.dumps(manifest))

    again = cli("run", folder, "--json")
    assert "going on with" in again.err
    assert "torn last line" in again.err
    assert again.json["calls"]["sent"] == 12 - 6
    assert again.json["results"] == whole["results"]
    assert len(list((folder / "runs").iterdir())) == 1
    assert cli("run", folder, "--json").json["run"] != whole["run"]


def test_failed_calls_are_asked_again_when_a_run_goes_on_and_unreadable_ones_only_when_told(cli, suite):
    rows = [{"id": f"c{i}", "input": "q"} for i in range(3)]
    outputs = [{"id": f"c{i}", "output": f"answer {i}", "model": "claude-sonnet-4-5"} for i in range(3)]
    replies = [{"question_has": "answer 0", "error": {"code": "timeout"}}, {"question_has": "answer 1", "reply": "hm"}]
    files = base(rows, outputs, [*replies, {"reply": tag("PASS")}])
    files["rubric.yaml"] = "id: one\ndimensions:\n  - {id: kind, criterion: The reply says hello.}\n"
    folder = suite(files)
    cli("run", folder)
    again = cli("run", folder, "--retry-missing", "--json")
    assert again.json["calls"]["sent"] == 3  # the failed one, and the unreadable one with its re-ask


@pytest.mark.parametrize("tag_name", ["nope", "reglession"])
def test_an_unknown_tag_is_an_error_not_an_empty_run(cli, suite, tag_name):
    folder = suite(base([{"id": "c", "input": "q", "tags": ["regression"]}], [], []))
    (folder / "outputs.jsonl").write_text('{"id": "c", "output": "a", "model": "claude-sonnet-4-5"}\n')
    ran = cli("run", folder, "--tag", tag_name)
    assert ran.code == 2
    assert tag_name in ran.err
    assert ("Did you mean 'regression'?" in ran.err) == (tag_name == "reglession")


def test_an_output_whose_grading_was_cut_short_is_not_reached_and_never_a_pass(cli, suite):
    folder = suite(
        base(
            [{"id": f"c{i}", "input": "q", "expected": {"must_include": ["answer"]}} for i in range(3)],
            [{"id": f"c{i}", "output": f"answer {i}", "model": "claude-sonnet-4-5"} for i in range(3)],
            [{"reply": tag("PASS")}],
        )
    )
    ran = cli("run", folder, "--max-calls", 4, "-j", 1, "--json")
    assert ran.code == 4
    assert ran.json["units"]["graded"] == 1
    reported = cli("report", folder, "--json").json
    assert reported["units"]["graded"] == 1
    assert reported["passed"] == ran.json["passed"] == 1
    assert reported["decision"] == "undecided"
    assert cli("run", folder, "--json").json["passed"] == 3


def test_a_function_beside_the_suite_can_be_the_model_and_the_judge(cli, suite):
    folder = suite(
        {
            "judgekit.yaml": (
                'suite: t\ncases: c.jsonl\nvariants: {v: {model: "python:my_models_here:answer"}}\n'
                'judge: {model: "python:my_models_here:judge"}\nrubrics: [rubric.yaml]\n'
            ),
            "rubric.yaml": "id: one\ndimensions:\n  - {id: kind, criterion: The reply says hello.}\n",
            "c.jsonl": [{"id": "a", "input": "hello"}, {"id": "b", "input": "bye"}],
            "my_models_here.py": (
                "def answer(messages):\n    return messages[-1]['content'] * 2\n"
                "def judge(messages):\n"
                "    word = 'PASS' if 'hellohello' in messages[-1]['content'] else 'FAIL'\n"
                "    return f'It is so.\\n<result>{word}</result>'\n"
            ),
        }
    )
    ran = cli("run", folder, "--json")
    assert [g["verdict"] for r in ran.json["results"] for g in r["grades"]] == ["PASS", "FAIL"]
    assert not (folder / ".judgekit").exists()
