"""A run against a judge over HTTP: every call sent once, kept, and found again; whatever can change an answer asks."""

import json

import pytest

EXPECTED = {0: "PASS", 1: "FAIL", 2: "PASS", 3: "UNKNOWN"}


def verdicts(ran):
    return [grade["verdict"] for result in ran.json["results"] for grade in result["grades"]]


def test_every_output_is_judged_by_one_request_and_its_cost_is_counted(cli, live, service):
    folder = live(6, prices={"openai:judge-1": {"input": 1, "output": 2}})
    ran = cli("run", folder, "--yes", "--json")
    assert ran.code == 3, ran.err  # nobody has certified this judge
    assert verdicts(ran) == [EXPECTED[i % 4] for i in range(6)]
    assert sorted(service.numbers) == list(range(6))
    assert ran.json["calls"] == {"sent": 6, "cached": 0}
    # 100 tokens in at 1 dollar and 30 out at 2 dollars per million, six times
    assert ran.json["cost"] == pytest.approx(6 * (100 * 1 + 30 * 2) / 1e6)


def test_second_run_sends_nothing_costs_nothing_and_says_the_same(cli, live, service):
    folder = live(6, prices={"openai:judge-1": {"input": 1, "output": 2}})
    first = cli("run", folder, "--yes", "--json")
    second = cli("run", folder, "--json")  # nothing is paid for, so nobody has to say yes
    assert len(service.seen) == 6
    assert second.json["calls"] == {"sent": 0, "cached": 6}
    assert second.json["cost"] == 0
    assert second.json["results"] == first.json["results"]
    assert second.json["run"] != first.json["run"]


def test_plan_tells_what_is_cached_and_sends_nothing(cli, live, service):
    folder = live(6)
    before = cli("plan", folder, "--json").json
    assert before["to_send"] == 6
    assert not (folder / ".judgekit").exists()  # looking makes no file
    cli("run", folder, "--yes", "--json", "--limit", "4")
    after = cli("plan", folder, "--json").json
    assert [(c["calls"], c["cached"]) for c in after["calls"]] == [(6, 4)]
    assert after["to_send"] == 2
    assert len(service.seen) == 4


@pytest.mark.parametrize(
    "change",
    [
        ("rubric.yaml", "greets the customer", "greets the buyer"),
        ("judgekit.yaml", '"openai:judge-1"', '"openai:judge-2"'),
        ("judgekit.yaml", '"model":', '"params": {"temperature": 0.5}, "model":'),
        ("judgekit.yaml", '"model":', '"params": {"max_tokens": 400}, "model":'),
        ("judgekit.yaml", "/v1", "/v2"),
        ("judgekit.yaml", "http://127.0.0.1", "http://localhost"),
        ("outputs.jsonl", "answer number", "Answer: answer number"),
    ],
    ids=["rubric", "model", "temperature", "max_tokens", "path of the URL", "host of the URL", "outputs"],
)
def test_whatever_can_change_the_answer_is_asked_again(change, cli, live, service):
    folder = live(4)
    cli("run", folder, "--yes", "--json")
    file, old, new = change
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    ran = cli("run", folder, "--yes", "--json")
    assert ran.json["calls"] == {"sent": 4, "cached": 0}, ran.err
    assert len(service.seen) == 8


def test_slash_at_the_end_of_the_url_is_the_same_judge(cli, live, service):
    folder = live(3)
    cli("run", folder, "--yes", "--json")
    text = (folder / "judgekit.yaml").read_text()
    (folder / "judgekit.yaml").write_text(text.replace("/v1", "/v1/"))
    assert cli("run", folder, "--json").json["calls"] == {"sent": 0, "cached": 3}


def test_trials_of_a_case_are_calls_of_their_own_and_stay_what_they_were(cli, live, service):
    folder = live(1, trials=5, **{"outputs.jsonl": [
        {"id": "c000", "trial": t, "output": "answer number 000.", "model": "claude-sonnet-4-5"} for t in range(1, 6)
    ]})  # fmt: skip
    said = iter(["PASS", "FAIL", "PASS", "PASS", "FAIL"])
    service.answer = lambda _: service.Play(body=service.completion(f"So.\n<result>{next(said)}</result>"))
    first = cli("run", folder, "--yes", "--json", "-j", "1")
    second = cli("run", folder, "--yes", "--json", "-j", "1")
    assert verdicts(first) == verdicts(second) == ["PASS", "FAIL", "PASS", "PASS", "FAIL"]
    assert len(service.seen) == 5


def test_two_cases_with_one_prompt_share_the_call_and_not_the_result(cli, live, service):
    folder = live(2, **{
        "cases.jsonl": [
            {"id": "c000", "input": "question", "expected": {"must_include": ["number"]}},
            {"id": "c001", "input": "question", "expected": {"must_include": ["nowhere to be found"]}},
        ],
        "outputs.jsonl": [
            {"id": i, "output": "answer number 000.", "model": "claude-sonnet-4-5"} for i in ("c000", "c001")
        ],
    })  # fmt: skip
    ran = cli("run", folder, "--yes", "--json")
    assert len(service.seen) == 1
    assert [r["outcome"] for r in ran.json["results"]] == ["pass", "fail"]
    assert ran.json["calls"] == {"sent": 1, "cached": 1}


def test_input_and_output_do_not_run_together(cli, live, service):
    folder = live(2, **{
        "cases.jsonl": [{"id": "c000", "input": "ab"}, {"id": "c001", "input": "a"}],
        "outputs.jsonl": [
            {"id": "c000", "output": "c answer number 000.", "model": "claude-sonnet-4-5"},
            {"id": "c001", "output": "bc answer number 000.", "model": "claude-sonnet-4-5"},
        ],
    })  # fmt: skip
    cli("run", folder, "--yes", "--json")
    assert len(service.seen) == 2


def test_cache_that_is_off_writes_no_file_and_asks_again(cli, live, service):
    folder = live(3)
    for _ in range(2):
        ran = cli("run", folder, "--yes", "--json", "--no-cache")
        assert ran.json["calls"] == {"sent": 3, "cached": 0}
    assert not (folder / ".judgekit").exists()
    assert len(service.seen) == 6


def test_failed_calls_are_asked_again_and_only_they(cli, live, service):
    folder = live(10)
    broken = {2, 5, 7}

    def answer(asked):
        if asked.number in broken:
            return service.Play(500, {"error": {"message": "down"}}, {"retry-after": "0"})
        return service.judged(asked)

    service.answer = answer
    first = cli("run", folder, "--yes", "--json")
    assert [c["code"] for c in first.json["causes"]] == ["status_500"]
    assert first.json["missing"] == 3
    broken.clear()
    service.seen.clear()
    second = cli("run", folder, "--yes", "--json")
    assert sorted(service.numbers) == [2, 5, 7]
    assert verdicts(second) == [EXPECTED[i % 4] for i in range(10)]


def test_unreadable_reply_is_kept_until_retry_missing_asks_for_another(cli, live, service):
    folder = live(5)
    vague = {1, 3}

    def answer(asked):
        if asked.number in vague:
            return service.Play(body=service.completion("I would rather not say."))
        return service.judged(asked)

    service.answer = answer
    first = cli("run", folder, "--yes", "--json")
    assert sorted(service.numbers) == [0, 1, 1, 2, 3, 3, 4]  # each vague one was asked once more
    assert [c["kind"] for c in first.json["causes"]] == ["unreadable"]
    service.seen.clear()
    assert cli("run", folder, "--json").json["calls"]["sent"] == 0
    vague.clear()
    again = cli("run", folder, "--yes", "--json", "--retry-missing")
    assert sorted(service.numbers) == [1, 3]
    assert verdicts(again) == [EXPECTED[i % 4] for i in range(5)]


def test_recording_of_a_live_run_replays_it_without_a_server(cli, live, service):
    folder = live(6)
    vague = {4}
    service.answer = lambda asked: (
        service.Play(body=service.completion("No idea.")) if asked.number in vague else service.judged(asked)
    )
    first = cli("run", folder, "--yes", "--json", "--record", folder / "rec.jsonl")
    sent = len(service.seen)
    with (folder / "judgekit.yaml").open("a") as file:
        file.write('recordings: ["rec.jsonl"]\n')
    service.answer = lambda _: service.Play(500, {})
    second = cli("run", folder, "--json", "--replay")
    assert second.json["results"] == first.json["results"]
    assert len(service.seen) == sent == 7
    assert len((folder / "rec.jsonl").read_text().splitlines()) == 7


def test_answers_of_a_model_are_asked_for_judged_and_kept(cli, live, service):
    def answer(asked):
        if asked.body["model"] == "writer":
            number = asked.body["messages"][-1]["content"].removeprefix("question ")
            return service.Play(body=service.completion(f"answer number {int(number):03d}."))
        return service.judged(asked)

    service.answer = answer
    folder = live(
        4,
        **{
            "variants": {"w": {"system": "p.md", "model": "openai:writer", "base_url": service.url}},
            "p.md": "Be kind.",
        },
    )
    first = cli("run", folder, "--yes", "--json")
    assert verdicts(first) == ["PASS", "FAIL", "PASS", "UNKNOWN"]
    assert first.json["calls"] == {"sent": 8, "cached": 0}
    assert cli("run", folder, "--json").json["results"] == first.json["results"]
    assert len(service.seen) == 8


def test_run_folder_keeps_each_call_with_its_key_and_cost(cli, live, service):
    folder = live(2, prices={"openai:judge-1": {"input": 1, "output": 2}})
    ran = cli("run", folder, "--yes", "--json")
    lines = (folder / "runs" / ran.json["run"] / "grades.jsonl").read_text().splitlines()
    calls = [call for line in lines for call in json.loads(line)["calls"]]
    assert len({call["reply"]["key"] for call in calls}) == 2
    assert [call["reply"]["cost_usd"] for call in calls] == [pytest.approx(0.00016)] * 2
