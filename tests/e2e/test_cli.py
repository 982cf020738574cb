"""The command line as a newcomer meets it: init, check, errors that teach, streams and exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judgekit._version import __version__


def judgekit(*arguments, cwd=None, env=None):
    command = [sys.executable, "-m", "judgekit", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
        encoding="utf-8",
    )


def test_a_new_suite_checks_plans_and_runs_at_once(tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("init", "demo").code == 0
    assert cli("check", "demo").code == 0
    assert cli("plan", "demo", "--variant", "v1").code == 0
    assert cli("run", "demo", "--variant", "v2").code == 0
    assert cli("report", "--suite", "demo").code == 0


def test_init_never_overwrites(tmp_path, cli):
    (tmp_path / "judgekit.yaml").write_text("mine")
    ran = cli("init", tmp_path)
    assert ran.code == 2
    assert "nothing was written" in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["judgekit.yaml"]
    assert (tmp_path / "judgekit.yaml").read_text() == "mine"


def test_the_version_is_said_by_both_spellings(cli):
    assert judgekit("--version").stdout == judgekit("-V").stdout == f"judgekit {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rn"], "Did you mean 'run'"),
        (["run", "--varaint", "x"], "--variant"),
        (["run", "nowhere"], "judgekit init"),
        (["report", "nowhere"], "judgekit init"),
        (["run", "--trials", "0"], "greater than or equal to 1"),
    ],
)
def test_a_wrong_word_gets_one_clear_error_and_exit_2(arguments, said, tmp_path):
    ran = judgekit(*arguments, cwd=tmp_path)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


def test_all_errors_of_all_files_come_at_once_with_paths_that_open(tmp_path, cli, monkeypatch, suite):
    folder = suite(
        {
            "judgekit.yaml": "suite: t\ncases: cases.jsonl\nrecordings: [r.jsonl]\nrubrics: [no-such]\nvariants: {v: {outputs: o.jsonl}}\n",
            "cases.jsonl": '{"id": "a", "input": "x", "expected": {"must_match": "("}}\n{"id": "a", "inptu": "y"}\n',
            "r.jsonl": '{"reply": 3}\n',
        }
    )
    monkeypatch.chdir(tmp_path)
    ran = cli("check", folder.name)
    assert ran.code == 2
    for place in ("suite/cases.jsonl:2", "suite/r.jsonl:1", "no-such"):
        assert place in ran.err
    assert "inptu" in ran.err


def test_coverage_against_traffic(cli, suite):
    intents = ["lookup", "lookup", "howto", "unanswerable", "out_of_scope"]
    folder = suite(
        {
            "judgekit.yaml": "suite: t\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
            "c.jsonl": [
                {"id": f"c{i}", "question": "q", "intent": name, "must_include": ["x"]}
                for i, name in enumerate(intents)
            ],
            "o.jsonl": [{"id": "c0", "output": "x"}],
            "t.csv": "intent,count\nlookup,4120\nhowto,2890\ntroubleshoot,1755\nout_of_scope,690\nunanswerable,402\n",
        }
    )
    ran = cli("check", folder, "--traffic", folder / "t.csv")
    assert ran.code == 0
    gaps = {line.split()[0]: line.split()[-1] for line in ran.err.splitlines() if line.rstrip().endswith("%")}
    assert gaps == {
        "lookup": "-1.8%",
        "howto": "-9.3%",
        "troubleshoot": "-17.8%",
        "out_of_scope": "+13.0%",
        "unanswerable": "+15.9%",
    }
    assert "Uncovered: troubleshoot" in ran.err
    assert cli("check", folder, "--traffic", folder / "t.csv", "--json").json["uncovered"] == ["troubleshoot"]


def test_a_reference_that_fails_its_own_check_is_an_error(cli, suite):
    folder = suite(
        {
            "judgekit.yaml": "suite: t\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
            "c.jsonl": [
                {"id": "a", "input": "q", "expected": {"must_include": ["14 days"]}, "reference": "A fortnight."}
            ],
            "o.jsonl": [{"id": "a", "output": "x"}],
        }
    )
    ran = cli("check", folder)
    assert ran.code == 2
    assert "c.jsonl:1: the reference of case 'a' fails its own check must_include: missing \"14 days\"" in ran.err


def test_a_deleted_id_cannot_come_back(cli, suite):
    files = {
        "judgekit.yaml": "suite: t\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
        "c.jsonl": [
            {"id": "a", "input": "q", "expected": {"equals": "x"}},
            {"id": "b", "input": "r", "expected": {"equals": "x"}},
        ],
        "o.jsonl": [{"id": "a", "output": "x"}],
    }
    folder = suite(files)
    assert cli("check", folder, "--lock").code == 0
    suite({**files, "c.jsonl": files["c.jsonl"][:1]})
    assert cli("check", folder, "--lock").code == 0
    suite({**files, "c.jsonl": [files["c.jsonl"][0], {"id": "b", "input": "another", "expected": {"equals": "x"}}]})
    for command in ("check", "run"):
        ran = cli(command, folder)
        assert ran.code == 2
        assert "id 'b' belonged to a deleted case" in ran.err


def test_stdout_holds_results_only(tmp_path):
    assert judgekit("init", tmp_path / "s").stdout == ""
    ran = judgekit("run", tmp_path / "s", "--variant", "v1", "--json")
    assert json.loads(ran.stdout)["suite"]
    plain = judgekit("run", tmp_path / "s", "--variant", "v1")
    assert plain.stdout == ""
    assert "Pass rate" in plain.stderr


def test_a_narrow_console_gets_signs_replaced_and_no_crash(tmp_path, suite):
    folder = suite(
        {
            "judgekit.yaml": "suite: t\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
            "c.jsonl": [{"id": "é-😀", "input": "q", "expected": {"must_include": ["✓"]}}],
            "o.jsonl": [{"id": "é-😀", "output": "😀"}],
        }
    )
    command = [sys.executable, "-m", "judgekit", "run", str(folder)]
    env = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    ran = subprocess.run(command, capture_output=True, check=False, env=env)
    assert ran.returncode == 1
    assert b"Traceback" not in ran.stderr
    (run,) = (folder / "runs").iterdir()
    assert "😀" in (run / "outputs.jsonl").read_text(encoding="utf-8")


def test_the_schema_is_printed_for_editors(cli):
    assert "variants" in cli("check", "--schema").json["properties"]


def test_a_dotenv_never_overrides_the_environment(tmp_path, monkeypatch):
    from judgekit.run.environment import environment

    (tmp_path / ".env").write_text("JK_A=file\nJK_B=file\nJK_C=$JK_A\n")
    (tmp_path / "deep").mkdir()
    monkeypatch.setenv("JK_A", "process")
    found = environment(tmp_path / "deep", os.environ)
    assert (found["JK_A"], found["JK_B"], found["JK_C"]) == ("process", "file", "$JK_A")
    assert "JK_B" not in os.environ


def test_an_editor_can_open_the_place_of_an_error(tmp_path, suite):
    folder = suite(
        {"judgekit.yaml": "suite: t\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n", "c.jsonl": "{}\n"}
    )
    ran = judgekit("check", "suite", cwd=tmp_path)
    assert ran.stderr.startswith("judgekit: suite/c.jsonl:1: ")
    assert Path(tmp_path / "suite" / "c.jsonl").is_file()
    assert folder.is_dir()


def test_what_the_system_refuses_is_one_line_and_never_the_exit_code_of_a_failed_gate(tmp_path):
    assert judgekit("init", tmp_path / "s").returncode == 0
    command = [sys.executable, "-m", "judgekit", "run", str(tmp_path / "s"), "--variant", "v2", "--json"]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 4
    assert "Traceback" not in ran.stderr
    assert "No space left" in ran.stderr


def test_a_fault_of_our_own_is_told_as_one_and_exits_70(monkeypatch, cli):
    def broken(_arguments):
        raise TypeError("oops")

    monkeypatch.setattr("judgekit.cli.app.invoke", broken)
    ran = cli("check")
    assert ran.code == 70
    assert "a fault of judgekit itself, TypeError: oops" in ran.err


@pytest.mark.parametrize("columns", ["abc", "0", "-5", "3", ""])
def test_a_width_that_makes_no_sense_is_passed_over(columns, tmp_path):
    assert judgekit("init", tmp_path / "s").returncode == 0
    ran = judgekit("run", tmp_path / "s", "--variant", "v2", env={"COLUMNS": columns})
    assert "Pass rate" in ran.stderr


@pytest.mark.parametrize(
    ("judge", "said"), [("", "provider:name"), ("replay:a,replay:a", "names a model twice"), ("gpt-4", "openai:gpt-4")]
)
def test_a_judge_that_cannot_be_one_is_refused(judge, said, tmp_path, cli):
    cli("init", tmp_path / "s")
    ran = cli("run", tmp_path / "s", "--variant", "v2", "--judge", judge)
    assert ran.code == 2
    assert said in ran.err


def test_a_damaged_run_stops_nobody(tmp_path, cli):
    cli("init", tmp_path / "s")
    cli("run", tmp_path / "s", "--variant", "v2")
    (run,) = (tmp_path / "s" / "runs").iterdir()
    (run / "run.json").write_text("{")
    assert cli("run", tmp_path / "s", "--variant", "v2").code == 0


def test_what_advisory_judges_said_stands_beside_the_case(suite, cli):
    folder = suite(
        {
            "judgekit.yaml": (
                "suite: t\ncases: c.jsonl\nrecordings: [r.jsonl]\nvariants: {v: {outputs: o.jsonl}}\n"
                'judge: {model: "replay:gpt-4o"}\nrubrics: [rubric.yaml]\n'
            ),
            "rubric.yaml": "id: one\ndimensions:\n  - {id: kind, criterion: The reply says hello.}\n",
            "c.jsonl": [{"id": "a", "input": "q"}],
            "o.jsonl": [{"id": "a", "output": "x", "model": "claude-sonnet-4-5"}],
            "r.jsonl": [{"reply": "<result>FAIL</result>"}],
        }
    )
    ran = cli("run", folder)
    assert ran.code == 3
    assert any(line.startswith("a ") and "FAIL one.kind" in line for line in ran.err.splitlines())


def test_what_a_function_prints_never_gets_into_the_json(suite, cli, tmp_path):
    suite(
        {
            "judgekit.yaml": 'suite: t\ncases: c.jsonl\nvariants: {v: {python: "noisy_app_here:answer", model: gpt-5}}\n',
            "c.jsonl": [{"id": "a", "input": "q", "expected": {"equals": "x"}}],
            "noisy_app_here.py": "import os\ndef answer(q):\n    print('noise')\n    os.system('echo more')\n    return 'x'\n",
        }
    )
    ran = judgekit("run", "suite", "--json", cwd=tmp_path)
    assert json.loads(ran.stdout)["passed"] == 1
    assert "noise" in ran.stderr
    assert "more" in ran.stderr


def test_a_plain_run_loads_no_statistics_library(tmp_path):
    assert judgekit("init", tmp_path / "s").returncode == 0
    code = (
        "import sys; from judgekit.cli.main import main;"
        f"main(['run', {str(tmp_path / 's')!r}, '--variant', 'v2', '-q']);"
        "print([m for m in ('numpy', 'scipy', 'pandas', 'sklearn', 'matplotlib', 'genai_prices') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
