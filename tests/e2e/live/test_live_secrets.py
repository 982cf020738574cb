"""A planted key is found in no file and no stream that a run leaves, whatever the server does with it."""

import json

import pytest

CANARY = "sk-canary-3fd9c27be1"


def echo_reply(service, asked):
    return service.Play(body=service.completion(f"You sent {asked.headers['authorization']}.\n<result>PASS</result>"))


def echo_thoughts(service, asked):
    body = service.completion("Fine.\n<result>PASS</result>")
    body["choices"][0]["message"]["reasoning_content"] = f"The caller's header is {asked.headers['authorization']}."
    return service.Play(body={**body, "model": f"judge for {asked.headers['authorization']}"})


def echo_error(status):
    def play(service, asked):
        said = {"error": {"message": f"bad key {asked.headers['authorization']}", "param": CANARY, "code": CANARY}}
        return service.Play(status, said, {"retry-after": "0", "x-echo": asked.headers["authorization"]})

    return play


def echo_garbage(service, asked):
    return service.Play(200, f"<html>{json.dumps(asked.headers)}</html>".encode(), {"content-type": CANARY})


def echo_error_inside(service, asked):
    return service.Play(200, {"error": {"message": f"key {CANARY} is bad", "code": 500}}, {"retry-after": "0"})


def echo_redirect(service, asked):
    return service.Play(302, b"", {"location": f"https://example.com/?key={CANARY}"})


PLAYS = {
    "reply": echo_reply,
    "thoughts": echo_thoughts,
    **{str(s): echo_error(s) for s in (400, 401, 402, 403, 404, 413, 422, 429, 500)},
    "no JSON": echo_garbage,
    "error in a 200": echo_error_inside,
    "redirect": echo_redirect,
}


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS.keys())
@pytest.mark.parametrize("form", ["--json", "--all"])
def test_key_is_in_nothing_that_a_run_leaves(form, play, cli, live, service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"  {CANARY}\n")
    service.answer = lambda asked: play(service, asked)
    folder = live(3)
    ran = cli("run", folder, "--yes", form, "--record", folder / "rec.jsonl")
    assert service.seen, ran.err
    assert {asked.headers["authorization"] for asked in service.seen} == {f"Bearer {CANARY}"}
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert {"run.json", "outputs.jsonl", "cache.sqlite", "rec.jsonl"} <= {file.name for file in files}
    assert [file.name for file in files if CANARY.encode() in file.read_bytes()] == []
    assert CANARY not in ran.out
    assert CANARY not in ran.err


def test_verdict_of_a_server_that_repeats_the_key_still_counts(cli, live, service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    service.answer = lambda asked: echo_reply(service, asked)
    ran = cli("run", live(2), "--yes", "--json")
    assert [g["verdict"] for r in ran.json["results"] for g in r["grades"]] == ["PASS", "PASS"]


def test_key_broken_over_two_lines_is_said_without_the_key(cli, live, service, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{CANARY}\n{CANARY}")
    ran = cli("run", live(2), "--yes")
    assert ran.code == 4
    assert "OPENAI_API_KEY" in ran.err
    assert CANARY not in ran.err + ran.out
    assert service.seen == []


def test_key_in_a_dotenv_file_is_used_and_stays_there(cli, live, service, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    folder = live(2, **{".env": f"OPENAI_API_KEY={CANARY}\n"})
    ran = cli("run", folder, "--yes", "--json")
    assert {asked.headers["authorization"] for asked in service.seen} == {f"Bearer {CANARY}"}
    holders = [f.name for f in folder.rglob("*") if f.is_file() and CANARY.encode() in f.read_bytes()]
    assert holders == [".env"]
    assert CANARY not in ran.out + ran.err
