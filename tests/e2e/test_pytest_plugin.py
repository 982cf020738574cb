"""The pytest plugin, in sessions of its own: what a suite's cases become, and what an unused plugin costs."""

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from lxml import etree

ROOT = Path(__file__).parents[2]

MARKED = """
import pytest

@pytest.mark.judgekit("evals", variant="app", trials=2)
def test_reply(judged):
    assert judged.case.id in judged.output
    assert len(judged.outputs) == 2
"""
APP = """
from pathlib import Path

ANSWERS = {"good": "good: 14 days", "broken": "broken: no promise", "Случай": "Случай: 14 days"}

def answer(question, case, trial):
    with (Path(__file__).parent / "calls.txt").open("a") as file:
        file.write(f"{case.id} {trial}\\n")
    if case.id == "late" and trial == 2:
        return "late: soon | <b>"
    return ANSWERS.get(case.id, f"{case.id}: 14 days")
"""
CASES = [
    {"id": "good", "input": "q", "expected": {"must_include": ["14 days"]}},
    {"id": "late", "input": "q", "expected": {"must_include": ["14 days"]}},
    {"id": "broken", "input": "q", "expected": {"must_include": ["14 days"], "must_not_include": ["promise"]}},
    {"id": "unlabelled", "input": "q", "expected": {"label": "refund"}},
    {"id": "Случай", "input": "q", "expected": {"must_include": ["14 days"]}},
    {"id": "judged-only", "input": "q", "rubric": "Names the days."},
    {"id": "both", "input": "q", "rubric": "Names the days.", "expected": {"must_include": ["14 days"]}},
]
JUDGED = "Two weeks would be clearer.\n<result>FAIL</result>"
SUITE = """
suite: t
cases: cases.jsonl
recordings: [recordings.jsonl]
variants: {app: {python: "app:answer", model: "claude-sonnet-4-5"}}
judge: {model: "openai:gpt-4o"}
"""


@dataclass(frozen=True)
class Session:
    """How a pytest session ended: exit code, text, and the mark of each test (None = passed)."""

    code: int
    out: str
    tests: dict[str, tuple[str, str] | None]

    def marks(self):
        return {name: mark and mark[0] for name, mark in self.tests.items()}


@pytest.fixture
def session(tmp_path, suite):
    """Write a suite `evals` and a test file, and run pytest on it."""

    def run(test, *options, files=None, ini="", env=None):
        base = {
            "evals/judgekit.yaml": SUITE,
            "evals/cases.jsonl": CASES,
            "evals/app.py": APP,
            "evals/recordings.jsonl": [{"reply": JUDGED}],
            "pytest.ini": f"[pytest]\n{ini}",
            "test_it.py": test,
        }
        folder = suite({**base, **(files or {})}, "project")
        xml = tmp_path / "junit.xml"
        command = [sys.executable, "-m", "pytest", "-p", "judgekit.pytest_plugin", "-W", "error", f"--junitxml={xml}"]
        done = subprocess.run(
            [*command, f"--basetemp={tmp_path / 'temporary'}", *options],
            cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "200", **(env or {})},
        )  # fmt: skip
        found = {}
        if xml.is_file():
            for case in etree.parse(xml).iter("testcase"):
                told = [c for c in case if c.tag in ("failure", "error", "skipped")]
                found[case.get("name")] = (told[0].tag, told[0].get("message") or "") if told else None
        return Session(done.returncode, done.stdout + done.stderr, found)

    return run


def calls(tmp_path):
    return sorted((tmp_path / "project" / "evals" / "calls.txt").read_text().splitlines())


def test_each_case_is_a_test_and_its_four_outcomes_are_kept_apart(session, tmp_path):
    ran = session(MARKED, "-rs")
    cyrillic = "test_reply[" + "Случай".encode("unicode_escape").decode() + "]"
    assert ran.marks() == {
        "test_reply[good]": None,
        "test_reply[late]": "failure",
        "test_reply[broken]": "failure",
        "test_reply[unlabelled]": "error",  # no verdict of a check that decides: no failure, and no pass
        cyrillic: None,
        "test_reply[judged-only]": "skipped",  # only an advisory judge spoke
        "test_reply[both]": None,  # an advisory FAIL fails no test
    }
    assert ran.code == 1
    assert ran.tests["test_reply[late]"][1] == (
        "Failed: late: fail, 1 of 2 trials passed  (evals/cases.jsonl:2)\n"
        '  trial 2, fail: must_include: missing "14 days"\n'
        "  output: late: soon | <b>"
    )
    assert ran.tests["test_reply[judged-only]"][1].startswith(
        "undecided: only advisory judges: uncertified; they said FAIL case.meets"
    )
    assert "undecided, 0 of 2 trials passed" in ran.tests["test_reply[unlabelled]"][1]
    assert 'must_include: missing "14 days"; must_not_include: contains "promise"' in ran.tests["test_reply[broken]"][1]
    shown = ran.out.partition("judgekit: advisory judges, which decide nothing")[2]
    assert (
        "test_it.py::test_reply[both]: FAIL case.meets (2 of 2 trials) (uncertified): Two weeks would be clearer."
        in shown
    )
    assert "Traceback" not in ran.out
    assert "judgekit/pytest_plugin" not in ran.out
    assert calls(tmp_path) == sorted(f"{case['id']} {trial}" for case in CASES for trial in (1, 2))
    assert not (tmp_path / "project" / "evals" / "runs").exists()


def test_collecting_runs_nothing(session, tmp_path):
    ran = session(MARKED, "--collect-only", "-q")
    assert ran.out.count("test_it.py::test_reply[") == len(CASES)
    assert not (tmp_path / "project" / "evals" / "calls.txt").exists()


def test_several_workers_share_one_run(session, tmp_path):
    ran = session(MARKED, "-p", "xdist", "-n", "2")
    assert sorted(str(mark) for mark in ran.marks().values()) == ["None"] * 3 + [
        "error",
        "failure",
        "failure",
        "skipped",
    ]
    assert "advisory judges, which decide nothing" in ran.out
    assert calls(tmp_path) == sorted(f"{case['id']} {trial}" for case in CASES for trial in (1, 2))


def test_only_selected_cases_are_run_and_equal_marks_share_one_run(session, tmp_path):
    test = """
import pytest
mark = pytest.mark.judgekit("evals", variant="app")

@mark
def test_one(judged):
    assert judged.outcome in ("pass", "fail")

@mark
def test_two(judged):
    assert judged.output == "mine"

@pytest.mark.judgekit("evals", variant="app", undecided="skip")
def test_lenient(judged): pass

@pytest.mark.judgekit("evals", variant="app", undecided="error")
def test_strict(judged): pass
"""
    either = "(good or broken) and (one or two) or (unlabelled or judged-only) and (lenient or strict)"
    ran = session(test, "-k", either)
    assert ran.marks() == {
        "test_one[good]": None, "test_one[broken]": "failure", "test_two[good]": "failure", "test_two[broken]": "failure",
        "test_lenient[unlabelled]": "skipped", "test_lenient[judged-only]": "skipped",
        "test_strict[unlabelled]": "error", "test_strict[judged-only]": "error",
    }  # fmt: skip
    assert "AssertionError" in ran.tests["test_two[broken]"][1]  # what the test itself found is told first
    assert calls(tmp_path) == ["broken 1", "good 1", "judged-only 1", "unlabelled 1"]


WRONG = {
    "variant": ('"evals", variant="ap"', "judged", "Did you mean 'app'?"),
    "suite": ('"nowhere"', "judged", "no such file"),
    "keyword": ('"evals", varaint="app"', "judged", "the mark knows no 'varaint'"),
    "undecided": ('"evals", undecided="pass"', "judged", "undecided='pass'"),
    "empty": ("", "judged", "the mark names one suite"),
    "argument": ('"evals"', "", "give it the argument `judged`"),
    "tag": ('"evals", tag="nope"', "judged", "no case has the tag 'nope'"),
    "nothing": ('"holdouts"', "judged", "no case is selected"),
}


def test_what_is_wrong_with_a_mark_is_one_clear_error(session):
    files = {
        "holdouts/judgekit.yaml": "cases: c.jsonl\nvariants: {v: {python: 'app:answer'}}\n",
        "holdouts/c.jsonl": [{"id": "a", "input": "q", "split": "holdout", "expected": {"equals": "x"}}],
    }
    for name, (mark, args, _) in WRONG.items():
        files[f"test_{name}.py"] = f"import pytest\n\n@pytest.mark.judgekit({mark})\ndef test_reply({args}): pass\n"
    ran = session("", files=files)
    assert ran.code == 2
    told = dict(re.findall(r"_ ERROR collecting test_(\w+).py _+\n(.*)", ran.out))
    assert told.keys() == WRONG.keys()
    assert [name for name, (_, _, said) in WRONG.items() if said not in told[name]] == []
    assert "Traceback" not in ran.out
    assert "raise " not in ran.out


JUDGE = """
import asyncio
import pytest

REPLIES = {"fine": "PASS", "rude": "FAIL", "odd": "UNKNOWN"}

@pytest.mark.parametrize("word", REPLIES)
def test_verdict(judge, word):
    said = judge("Polite.", output=word)
    assert said.verdict == REPLIES[word]
    assert said.why == f"It is {word}."

def test_garbage_is_no_verdict(judge):
    said = judge("Polite.", output="garbage")
    assert (said.verdict, said.fault.kind) == (None, "unreadable")

def test_pass_is_true(judge): assert judge("Polite.", output="fine", input="q", context="c")
def test_fail_is_false(judge): assert judge("Polite.", output="rude")
def test_unknown_is_neither(judge): assert judge("Polite.", output="odd")
def test_no_verdict_is_neither(judge): assert not judge("Polite.", output="garbage")
def test_inside_a_loop(judge):
    async def main():
        return judge("Polite.", output="fine")
    assert asyncio.run(main())
def test_self_grading(judge): judge("Polite.", output="fine", model="gpt-4o-2024-08-06")
def test_no_rubric(judge): judge("politness", output="fine")
"""


def test_a_judge_in_any_test_fails_only_by_assert_and_is_never_coerced(session):
    recordings = [{"question_has": word, "reply": f"It is {word}.\n<result>{v}</result>"} for word, v in
                  (("fine", "PASS"), ("rude", "FAIL"), ("odd", "UNKNOWN"))]  # fmt: skip
    files = {"evals/recordings.jsonl": [*recordings, {"reply": "I like it."}]}
    ran = session(JUDGE, files=files, ini="judgekit_suite = evals")
    bad = {name: mark[1] for name, mark in ran.tests.items() if mark}
    assert set(bad) == {
        "test_fail_is_false",
        "test_unknown_is_neither",
        "test_no_verdict_is_neither",
        "test_self_grading",
        "test_no_rubric",
    }
    assert "<judge: FAIL: It is rude.>" in bad["test_fail_is_false"]
    assert "judgekit.errors.NotEnough: neither PASS nor FAIL: UNKNOWN: It is odd." in bad["test_unknown_is_neither"]
    assert "neither PASS nor FAIL: no verdict, unreadable (no_tag)" in bad["test_no_verdict_is_neither"]
    assert "SelfGrading" in bad["test_self_grading"]
    assert "no rubric 'politness'" in bad["test_no_rubric"]
    assert "Polite.: FAIL: It is rude. (advisory: the test decides)" in ran.out
    assert "judgekit/run/" not in ran.out  # no traceback through the engine


def test_a_judge_without_a_suite_says_what_to_set(session):
    ran = session("def test_it(judge): pass\ndef test_bare(judged): pass\n")
    assert ran.marks() == {"test_it": "error", "test_bare": "error"}
    assert "judgekit_suite = evals" in ran.tests["test_it"][1]
    assert "@pytest.mark.judgekit('evals')" in ran.tests["test_bare"][1]


class _Server(BaseHTTPRequestHandler):
    """A model that always answers PASS, as a chat completion."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked += 1
        text = "It names them.\n<result>PASS</result>"
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        body = json.dumps({"id": "x", "object": "chat.completion", "model": "gpt-4o", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as http:
        http.asked = 0
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield http
        http.shutdown()
        thread.join()


def test_live_asks_the_real_model_under_a_budget_and_replay_does_not(session, server):
    url = f"http://127.0.0.1:{server.server_port}/v1"
    files = {"evals/judgekit.yaml": SUITE.replace('gpt-4o"', f'gpt-4o", base_url: "{url}", api_key_env: JUDGE_KEY')}
    test = """
import pytest

@pytest.mark.judgekit("evals", trials=2)
def test_reply(judged):
    print(sorted({g.verdict or g.fault.code for g in judged.grades if g.kind == "judge"}))

def test_judge(judge):
    assert judge("Polite.", output="x")
"""

    def run(*options):
        return session(
            test,
            "-rA",
            "-k",
            "both or test_judge",
            *options,
            files=files,
            ini="judgekit_suite = evals",
            env={"JUDGE_KEY": "k"},
        )

    replayed = run()
    assert "['FAIL']" in replayed.out
    assert server.asked == 0

    unlimited = run("--judgekit-live")
    assert unlimited.marks() == {"test_reply[both]": "error", "test_judge": "failure"}
    assert "would pay for calls" in unlimited.out
    assert server.asked == 0

    live = run("--judgekit-live", "--judgekit-max-calls", "5")
    assert live.marks() == {"test_reply[both]": None, "test_judge": None}
    assert "['PASS']" in live.out
    assert server.asked == 3  # two trials of one case, and one judge

    assert run("--judgekit-live", "--judgekit-max-calls", "5").code == 0
    assert server.asked == 3  # from the cache


def test_a_run_that_its_budget_stops_leaves_errors_that_say_so(session, server):
    url = f"http://127.0.0.1:{server.server_port}/v1"
    files = {
        "evals/judgekit.yaml": SUITE.replace('gpt-4o"', f'gpt-4o", base_url: "{url}", api_key_env: JUDGE_KEY')
        + "budget: {calls: 1}\n",
        "evals/cases.jsonl": [
            {"id": f"c{i}", "input": "q", "rubric": "Names the days.", "expected": {"must_include": ["14"]}}
            for i in range(3)
        ],
    }
    ran = session(
        MARKED.replace(", trials=2", "").replace("== 2", "== 1"), "--judgekit-live", files=files, env={"JUDGE_KEY": "k"}
    )
    assert server.asked == 1
    assert sorted(str(mark) for mark in ran.marks().values()) == ["None", "error", "error"]
    assert "the run was stopped: " in ran.out


def test_an_unused_plugin_loads_nothing_and_says_nothing(session):
    test = """
import sys

def test_it():
    loaded = sorted(m for m in sys.modules if m.split(".")[0] in ("judgekit", "msgspec", "pydantic", "httpx", "rich", "pandas"))
    assert loaded == ["judgekit", "judgekit._version", "judgekit.pytest_plugin"], loaded
"""
    ran = session(test)
    assert ran.code == 0, ran.out
    assert "judgekit" not in re.sub(r"junit.xml.*|rootdir.*", "", ran.out)


def test_the_entry_point_is_declared():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"judgekit": "judgekit.pytest_plugin"}
