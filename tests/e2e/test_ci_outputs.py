"""What a run leaves for CI: the job summary, annotations at the line of a case, JUnit and Markdown of a stored run."""

import re
import shutil
from pathlib import Path

import pytest
from lxml import etree

EXAMPLES = Path(__file__).parents[2] / "examples"
GITHUB = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE")


@pytest.fixture(autouse=True)
def _not_on_github(monkeypatch):
    for name in GITHUB:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def shop(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES / "shop", tmp_path / "repo" / "shop", ignore=shutil.ignore_patterns("runs"))
    monkeypatch.chdir(tmp_path / "repo")
    return Path("shop")


@pytest.fixture
def on_github(tmp_path, monkeypatch):
    """A job whose workspace is the repository."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repo"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    return tmp_path / "summary.md"


def commands(text):
    return [line for line in text.splitlines() if line.startswith(("::error", "::warning"))]


def test_a_broken_promise_fails_the_job_and_is_annotated_at_its_line(cli, shop, on_github):
    on_github.write_text("what an earlier step wrote\n")
    ran = cli("run", shop, "--variant", "v2", "-q")
    assert ran.code == 1
    gate, first, second = commands(ran.err)
    assert gate.startswith(
        "::error title=judgekit%3A gate FAIL (shop%2C v2)::must_pass: 2 must-pass cases failed: wholesale"
    )
    # line 1 of the table holds the names; wholesale is its seventh case, by-friday the eighth
    assert (
        first
        == '::error file=shop/cases.csv,line=8,title=wholesale%3A FAIL (must pass)::must_not_include: contains "%25"'
    )
    assert second.startswith("::error file=shop/cases.csv,line=9,title=by-friday%3A FAIL (must pass)::")
    lines = on_github.read_text().splitlines()
    assert lines[:2] == ["what an earlier step wrote", "### ❌ judgekit: FAIL · `shop` · `v2`"]


def test_a_passing_run_has_no_errors_and_still_a_summary(cli, shop, on_github):
    ran = cli("run", shop, "--variant", "v3", "-q")
    assert (ran.code, commands(ran.err)) == (0, [])
    assert "**8 of 8 cases passed**" in on_github.read_text()


def test_what_the_gate_lets_pass_is_a_warning(cli, shop, on_github):
    ran = cli("run", shop, "--variant", "v1", "-q")
    assert ran.code == 0
    assert [line.split(",title=")[0] for line in commands(ran.err)] == [
        "::warning file=shop/cases.csv,line=2",
        "::warning file=shop/cases.csv,line=4",
    ]


def test_with_json_stdout_holds_json_alone(cli, shop, on_github):
    ran = cli("run", shop, "--variant", "v2", "--json")
    assert ran.json["decision"] == "fail"
    assert len(commands(ran.err)) == 3


def test_the_summary_needs_no_actions_and_annotations_no_summary(cli, shop, on_github, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert commands(cli("run", shop, "--variant", "v2", "-q").err) == []
    assert on_github.is_file()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY")
    assert len(commands(cli("run", shop, "--variant", "v2", "-q").err)) == 3


def test_a_summary_that_cannot_be_written_changes_no_decision_and_is_told(cli, shop, on_github, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "nowhere" / "s.md"))
    ran = cli("run", shop, "--variant", "v3", "-q")
    assert ran.code == 0
    assert "The job summary could not be written" in ran.err


def test_an_output_cannot_command_the_job(cli, suite, on_github):
    """The words of an output or of a judge are printed only where GitHub reads no commands."""
    folder = suite(
        {
            "judgekit.yaml": "cases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
            "c.jsonl": [{"id": "c", "input": "q", "expected": {"python": "own_check:check"}}],
            "o.jsonl": [{"id": "c", "output": "x"}],
            "own_check.py": "def check(output):\n    return False, '\\n::add-mask::secret ' + 'x ' * 90 + '::add-mask::more'\n",
        }
    )
    ran = cli("run", folder, "-q")
    token = re.search(r"^::stop-commands::([0-9a-f]{32})$", ran.err, re.MULTILINE)[1]
    before, rest = ran.err.split(f"::stop-commands::{token}\n")
    between, after = rest.split(f"\n::{token}::\n")
    assert "add-mask" in between
    loose = [line for line in (before + "\n" + after).splitlines() if line.lstrip().startswith("::") or "##[" in line]
    assert loose == commands(after)
    assert len(loose) == 2
    again = cli("report", folder)
    assert re.search(r"^::stop-commands::(?!" + token + ")", again.err, re.MULTILINE)


def test_a_stored_run_is_told_as_markdown_with_the_exit_code_of_the_gate(cli, shop):
    assert cli("run", shop, "--variant", "v2", "-q").code == 1
    shown = cli("report", shop, "--markdown")
    assert shown.code == 1
    assert shown.out.startswith("### ❌ judgekit: FAIL · `shop` · `v2`\n")
    assert shown.err == ""


def test_a_stored_run_is_written_as_junit(cli, shop, tmp_path):
    cli("run", shop, "--variant", "v2", "-q")
    file = tmp_path / "deep" / "junit.xml"
    shown = cli("report", shop, "--junit", file)
    assert shown.code == 1
    assert "Gate: FAIL" in shown.err
    suite = etree.parse(file).getroot()[0]
    failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
    assert failed == {"gate", "wholesale: must_not_include", "by-friday: must_not_include"}
    assert suite.get("errors") == "0"
    # cases.csv: eight rows with `has`, eight with `max_words`, four with `has_not`; and the gate
    assert int(suite.get("tests")) == 1 + 8 + 8 + 4


def test_json_and_markdown_cannot_share_stdout(cli, shop):
    cli("run", shop, "--variant", "v3", "-q")
    ran = cli("report", shop, "--json", "--markdown")
    assert (ran.code, ran.out) == (2, "")
    assert "--json and --markdown" in ran.err


def test_a_junit_file_that_cannot_be_written_is_one_line(cli, shop, tmp_path):
    cli("run", shop, "--variant", "v3", "-q")
    ran = cli("report", shop, "--junit", tmp_path)
    assert ran.code == 2
    assert "cannot be written" in ran.err
    assert "Traceback" not in ran.err


def test_an_uncertified_judge_is_skipped_in_junit_and_never_a_failure(cli, tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES / "support", tmp_path / "support", ignore=shutil.ignore_patterns("runs"))
    monkeypatch.chdir(tmp_path)
    cli("run", "support", "--variant", "v1", "--trials", "1", "-q")
    cli("report", "support", "--junit", "j.xml")
    cases = etree.parse("j.xml").getroot()[0].findall("testcase")
    judged = [c for c in cases if "support-reply." in c.get("name") or "case.meets" in c.get("name")]
    assert judged
    assert {c[0].tag for c in judged} == {"skipped"}
    assert all("advisory (uncertified), decides nothing" in c[0].get("message") for c in judged)
