"""What goes wrong between here and the judge is no verdict, counted by cause; what cannot heal stops the run at once."""

import socket

import pytest

RETRY_AT_ONCE = {"retry-after": "0"}


def test_bad_key_stops_the_run_at_the_first_answer(cli, live, service):
    service.answer = lambda _: service.Play(401, {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})
    ran = cli("run", live(40), "--yes", "--json", "-j", "4")
    assert ran.code == 4
    assert len(service.seen) <= 4
    (told,) = [line for line in ran.err.splitlines() if "refused" in line]
    assert "OPENAI_API_KEY" in told
    assert service.url in told
    assert ran.json["passed"] == ran.json["failed"] == 0


def test_key_that_is_mended_goes_on_in_the_same_run(cli, live, service):
    good = {"yet": False}
    service.answer = lambda asked: service.judged(asked) if good["yet"] else service.Play(401, {"error": "no"})
    folder = live(5)
    stopped = cli("run", folder, "--yes", "--json")
    good["yet"] = True
    rest = cli("run", folder, "--yes", "--json")
    assert rest.json["run"] == stopped.json["run"]
    assert [g["verdict"] for r in rest.json["results"] for g in r["grades"]] == [
        "PASS", "FAIL", "PASS", "UNKNOWN", "PASS",
    ]  # fmt: skip


def test_path_that_is_not_there_is_told_with_its_url(cli, live, service):
    service.answer = lambda _: service.Play(404, {"error": {"message": "no such path"}})
    ran = cli("run", live(30), "--yes", "-j", "3")
    assert ran.code == 4
    assert len(service.seen) <= 3
    assert f"{service.url}/chat/completions" in ran.err


def test_judge_model_that_does_not_exist_is_told_in_the_words_of_the_provider(cli, live, service):
    words = "The model `judge-1` does not exist or you do not have access to it."
    service.answer = lambda _: service.Play(404, {"error": {"message": words, "code": "model_not_found"}})
    ran = cli("run", live(30), "--yes", "-j", "3")
    assert ran.code == 4
    assert "openai:judge-1" in ran.err
    assert words in ran.err


def test_dead_server_is_no_verdict_for_each_output_and_says_what_to_do(cli, live):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    folder = live(2, judge={"base_url": f"http://127.0.0.1:{port}/v1"})
    ran = cli("run", folder, "--yes", "--json")
    assert ran.code == 3
    assert (ran.json["passed"], ran.json["failed"], ran.json["undecided"], ran.json["missing"]) == (0, 0, 2, 2)
    (cause,) = ran.json["causes"]
    assert (cause["kind"], cause["n"]) == ("failed", 2)
    assert "nothing listens at" in cause["first"]
    assert str(port) in cause["first"]


def test_overloaded_twice_then_answered_is_a_verdict(cli, live, service):
    def answer(asked):
        tries = service.numbers.count(asked.number)
        return service.Play(529, {"error": {"message": "overloaded"}}, RETRY_AT_ONCE) if tries < 3 else service.judged(asked)  # fmt: skip

    service.answer = answer
    ran = cli("run", live(2), "--yes", "--json")
    assert [g["verdict"] for r in ran.json["results"] for g in r["grades"]] == ["PASS", "FAIL"]
    assert sorted(service.numbers) == [0, 0, 0, 1, 1, 1]
    assert ran.json["calls"]["sent"] == 6


@pytest.mark.parametrize(
    "header", [{"retry-after": "0.4"}, {"retry-after-ms": "400"}, {"retry-after": "0", "retry-after-ms": "400"}],
    ids=["seconds", "milliseconds", "both"],
)  # fmt: skip
def test_wait_that_the_server_asks_for_is_kept(header, cli, live, service):
    service.answer = lambda asked: (
        service.Play(429, {"error": {"message": "slow down"}}, header)
        if len(service.seen) == 1
        else service.judged(asked)
    )
    ran = cli("run", live(1), "--yes", "--json")
    first, second = (asked.at for asked in service.seen)
    assert second - first >= 0.4
    assert ran.json["missing"] == 0


def test_what_cannot_heal_is_sent_once_and_the_run_goes_on(cli, live, service):
    def answer(asked):
        if asked.number == 2:
            return service.Play(413, {"error": {"message": "too large"}})
        return service.judged(asked)

    service.answer = answer
    ran = cli("run", live(4), "--yes", "--json", "-j", "1")
    assert service.numbers == [0, 1, 2, 3]
    assert [c["code"] for c in ran.json["causes"]] == ["too_long"]


def test_each_kind_of_fault_is_counted_by_cause_and_none_is_a_verdict(cli, live, service):
    broken = {
        0: service.Play(500, {"error": {"message": "boom"}}, RETRY_AT_ONCE),
        1: service.Play(500, {"error": {"message": "boom"}}, RETRY_AT_ONCE),
        2: service.Play(413, {"error": {"message": "too large"}}),
        3: service.Play(body=service.completion("", finish="content_filter")),
        4: service.Play(body=service.completion("I would rather not.")),
        5: service.Play(body=service.completion("Reasons <result>PASS</result>", finish="length")),
        6: service.Play(body=service.completion("")),
    }
    service.answer = lambda asked: broken.get(asked.number) or service.judged(asked)
    folder = live(9)
    ran = cli("run", folder, "--yes", "--json")
    grades = {r["id"]: g for r in ran.json["results"] for g in r["grades"]}
    assert [i for i in range(9) if grades[f"c{i:03d}"]["verdict"] is not None] == [7, 8]
    assert {(c["kind"], c["code"]): c["n"] for c in ran.json["causes"]} == {
        ("failed", "status_500"): 2,
        ("failed", "too_long"): 1,
        ("refused", "filter"): 1,
        ("unreadable", "no_tag"): 1,
        ("unreadable", "truncated"): 1,
        ("unreadable", "empty"): 1,
    }
    told = cli("report", folder / "runs" / ran.json["run"])
    assert "2 failed (status_500)" in told.out + told.err
    assert "boom" in told.out + told.err
