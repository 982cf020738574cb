"""Rough input through the command line: one clear message or a counted missing verdict, never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import judgekit as jk

APP = """
import asyncio, sys, time

def leaves(text): sys.exit(3)
def stops(text): raise StopIteration("x")
def presses_ctrl_c(text): raise KeyboardInterrupt
def half_emoji(text): return "half \\ud83d emoji"
def endless(text):
    value = []
    value.append(value)
    return value
def deep(text):
    value = []
    for _ in range(3000): value = [value]
    return value
def wide(text): return 10 ** 5000
def speechless(text):
    class Odd(Exception):
        def __str__(self): raise RuntimeError("no words")
    raise Odd
def bad_trace(text): return {"output": "fine", "trace": [float("nan")]}
async def cancels(text): raise asyncio.CancelledError
async def waits(text): return "fine"
def hangs(text): time.sleep(60)
def prints(text): print("noise"); return "fine"
"""
FAULTS = {
    "leaves": "exception",
    "stops": "exception",
    "presses_ctrl_c": "exception",
    "speechless": "exception",
    "cancels": "exception",
    "half_emoji": "not_json",
    "endless": "not_json",
    "deep": "not_json",
    "wide": "not_json",
    "bad_trace": "not_json",
    "hangs": "timeout",
}
CASES = [{"id": f"c{i}", "input": "hi", "expected": {"must_not_include": ["Error"]}} for i in range(3)]
RUBRIC = 'id: r\ntemplate: t.j2\ndimensions:\n  - {id: d, criterion: "It greets."}\n'


def python_suite(suite, name: str, module: str, **options):
    config = "".join(f", {k}: {v}" for k, v in options.items())
    yaml = f'suite: s\ncases: cases.jsonl\nvariants:\n  v: {{python: "{module}:{name}"{config}}}\n'
    return suite({"judgekit.yaml": yaml, f"{module}.py": APP, "cases.jsonl": CASES}, name=name)


def judged(suite, *, template=None, outputs=None, recordings=None, rubric=RUBRIC, **lines):
    outputs = outputs or [{"id": "a", "output": "hello", "model": "claude-sonnet-4-5"}]
    config = {
        "suite": "s",
        "cases": "cases.jsonl",
        "recordings": "[recordings.jsonl]",
        "variants": "{v: {outputs: outputs.jsonl}}",
        "judge": '{model: "replay:gpt-4o", reask: 0}',
        "rubrics": "[r.yaml]",
        **lines,
    }
    files = {
        "judgekit.yaml": "".join(f"{k}: {v}\n" for k, v in config.items()),
        "cases.jsonl": [{"id": o["id"], "input": "q"} for o in outputs],
        "outputs.jsonl": outputs,
        "recordings.jsonl": recordings or [{"reply": "Fine.\n<result>PASS</result>"}],
        "r.yaml": rubric,
    }
    return suite({**files, **({"t.j2": template} if template is not None else {})})


def grades(folder: Path) -> dict[str, dict]:
    (run,) = (folder / "runs").iterdir()
    rows = [json.loads(line) for line in (run / "grades.jsonl").read_text(encoding="utf-8").split("\n") if line]
    return {row["case"]: row for row in rows}


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_a_function_does_is_a_missing_output_and_never_a_traceback(cli, suite, name):
    folder = python_suite(suite, name, f"rough_{name}", timeout_s=0.2 if name == "hangs" else 30)
    ran = cli("run", folder, "--json")
    assert ran.code == 3
    assert ran.json["units"] == {"planned": 3, "graded": 3, "pass": 0, "fail": 0, "undecided": 3}
    (run,) = (folder / "runs").iterdir()
    outputs = [json.loads(line) for line in (run / "outputs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [o["fault"]["code"] for o in outputs] == [FAULTS[name]] * 3


def test_an_async_function_answers(cli, suite):
    assert cli("run", python_suite(suite, "waits", "rough_waits")).code == 0


def test_a_function_that_hangs_does_not_hold_up_the_end_of_the_process(suite):
    folder = python_suite(suite, "hangs", "rough_hangs_apart", timeout_s=0.2)
    command = [sys.executable, "-m", "judgekit.cli.main", "run", str(folder)]
    assert subprocess.run(command, check=False, capture_output=True, timeout=30).returncode == 3


def test_check_keeps_stdout_for_its_document_whatever_loads(cli, suite):
    folder = python_suite(suite, "prints", "rough_prints")
    with (folder / "rough_prints.py").open("a") as file:
        file.write('print("noise at import")\nimport os; os.system("echo noise of a program")\n')
    command = [sys.executable, "-m", "judgekit.cli.main", "check", str(folder), "--json"]
    ran = subprocess.run(command, check=False, capture_output=True, timeout=30)
    assert json.loads(ran.stdout)["cases"] == 3
    assert b"noise at import" in ran.stderr
    assert b"noise of a program" in ran.stderr


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ('import sys; sys.stdout.write(\'{"output": "\\\\ud83d"}\')', "not_json"),
        ("import subprocess; subprocess.Popen(['sleep', '60']); print('fine')", "timeout"),
    ],
)
def test_whatever_a_command_does_is_a_missing_output(cli, suite, script, code):
    yaml = f"suite: s\ncases: cases.jsonl\nvariants:\n  v: {{command: ['{sys.executable}', answer.py], timeout_s: 1}}\n"
    folder = suite({"judgekit.yaml": yaml, "answer.py": script, "cases.jsonl": CASES[:1]})
    ran = cli("run", folder, "--json")
    assert (ran.code, ran.json["units"]["undecided"]) == (3, 1)
    (run,) = (folder / "runs").iterdir()
    assert json.loads((run / "outputs.jsonl").read_text())["fault"]["code"] == code


def test_json_nested_too_deep_for_a_command_stays_the_text_that_it_is(cli, suite):
    yaml = f"suite: s\ncases: cases.jsonl\nvariants:\n  v: {{command: ['{sys.executable}', answer.py]}}\n"
    script = "print('{\"a\":' + '[' * 100000 + ']' * 100000 + '}')"
    folder = suite({"judgekit.yaml": yaml, "answer.py": script, "cases.jsonl": CASES[:1]})
    assert cli("run", folder).code == 0


def test_line_marks_of_unicode_in_a_recorded_reply_end_no_line(cli, suite):
    reply = "One\u2028two\u0085three.\n<result>PASS</result>"
    folder = judged(suite, template="{{ output }} {{ verdicts }}", recordings=[{"reply": reply}])
    assert cli("run", folder).code == 3
    assert grades(folder)["a"]["verdict"] == "PASS"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% if context %}{{ output }}{% endif %}{{ verdicts }}", "does not show the output"),
        ("{{ output }}{% if context %}{{ verdicts }}{% endif %}", "how to give the verdict"),
    ],
)
def test_a_judge_that_was_not_shown_the_output_gives_no_verdict(cli, suite, template, said):
    outputs = [{"id": "a", "output": "x"}, {"id": "b", "output": "y", "context": "known"}]
    folder = judged(suite, template=template, outputs=outputs)
    assert cli("run", folder).code == 3
    found = grades(folder)
    assert found["a"]["fault"]["code"] == "template"
    assert said in found["a"]["fault"]["why"]
    assert found["b"]["verdict"] == "PASS"


def test_a_template_cannot_eat_the_machine_by_a_slip(cli, suite):
    folder = judged(suite, template="{{ 'x' * 10 ** 10 }}{{ output }}{{ verdicts }}")
    assert cli("check", folder).code == 0
    assert cli("run", folder).code == 3
    assert grades(folder)["a"]["fault"]["code"] == "template"


def test_a_criterion_that_looks_like_a_template_is_told(cli, suite):
    rubric = 'id: r\ndimensions:\n  - {id: d, criterion: "Does it mention {{ topic }}?"}\n'
    ran = cli("check", judged(suite, rubric=rubric), "--json")
    assert any("{{ topic }}" in note for note in ran.json["notices"])


def test_init_where_nothing_can_be_written_is_one_line(cli, tmp_path):
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        ran = cli("init", folder)
        assert ran.code == 2
        assert ran.err.startswith("judgekit: ")
        assert "cannot write here" in ran.err


def test_a_holdout_run_that_cannot_be_logged_does_not_start(cli, suite):
    folder = suite(
        {
            "judgekit.yaml": "suite: s\ncases: c.jsonl\nvariants: {v: {outputs: o.jsonl}}\n",
            "c.jsonl": [{"id": "a", "input": "q", "split": "holdout"}],
            "o.jsonl": [{"id": "a", "output": "x"}],
        }
    )
    (folder / "holdout.log.jsonl").mkdir()
    ran = cli("run", folder, "--holdout")
    assert ran.code == 2
    assert "a holdout run is logged" in ran.err
    assert not (folder / "runs").exists()


def test_init_names_its_folder_so_that_it_can_be_copied(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Wrote to this folder:" in cli("init").err
    assert "judgekit check 'a b'" in cli("init", "a b").err


def test_a_missing_case_file_is_named_as_seen_from_here(cli, suite, monkeypatch):
    folder = suite({"judgekit.yaml": "suite: s\ncases: nope.csv\n"})
    monkeypatch.chdir(folder.parent)
    assert cli("check", folder.name).err.startswith(f"judgekit: {Path(folder.name, 'nope.csv')}: ")


def test_check_finds_own_checks_beside_the_suite_without_a_python_variant(cli, suite):
    case = {"id": "a", "input": "q", "reference": "please", "expected": {"python": "rough_checks:polite"}}
    folder = suite(
        {
            "judgekit.yaml": "suite: s\ncases: cases.jsonl\n",
            "rough_checks.py": "def polite(text): return 'please' in text\n",
            "cases.jsonl": [case],
        }
    )
    assert cli("check", folder, "--json").json["references"] == 1


def test_an_id_that_a_terminal_would_obey_is_refused(cli, suite):
    folder = suite({"judgekit.yaml": "suite: s\ncases: c.jsonl\n", "c.jsonl": [{"id": "\x1b[2Ja", "input": "q"}]})
    ran = cli("check", folder)
    assert ran.code == 2
    assert "control character" in ran.err
    assert "\x1b" not in ran.err


def test_a_written_lock_is_not_complained_about(cli, suite):
    folder = suite({"judgekit.yaml": "suite: s\ncases: c.jsonl\n", "c.jsonl": CASES})
    cli("check", folder, "--lock")
    (folder / "c.jsonl").write_text(json.dumps(CASES[0]) + "\n")
    assert "2 ids locked without a case" in cli("check", folder).err
    assert "locked without a case" not in cli("check", folder, "--lock").err


def test_a_plan_counts_the_tokens_of_the_criterion_and_leaves_out_what_no_case_can_give(cli, suite):
    long = "It greets the customer. " * 200
    rubric = (
        f'id: r\ndimensions:\n  - {{id: d, criterion: "{long}"}}\n  - {{id: e, criterion: x, needs: [reference]}}\n'
    )
    folder = judged(suite, rubric=rubric, variants='{v: {python: "rough_plan:f"}}')
    (folder / "rough_plan.py").write_text("def f(text): return text\n")
    (calls,) = cli("plan", folder, "--json").json["calls"]
    assert calls["calls"] == 1
    assert calls["input_tokens"] > len(long) / 8


def test_every_criterion_in_plain_words_is_judged(tmp_path):
    recordings = tmp_path / "r.jsonl"
    rules = [{"system_has": "One.", "reply": "<result>PASS</result>"}, {"reply": "<result>FAIL</result>"}]
    recordings.write_text("".join(json.dumps(rule) + "\n" for rule in rules))
    judge = jk.Judge("replay:j", recordings=recordings)
    rows = [{"input": "a", "output": "x"}]
    found = jk.grade(rows, rubrics=["Says One.", "Says Two."], judge=judge).rates
    assert {name: rate.value for name, rate in found.items()} == {"criterion.meets": 1.0, "criterion-2.meets": 0.0}
    assert list(jk.grade(rows, rubrics=["Says One.", "Says One."], judge=judge).rates) == ["criterion.meets"]


@pytest.mark.parametrize(
    "given",
    [
        {"data": None},
        {"data": 5},
        {"data": {"input": "a", "output": "b"}},
        {"rubric": 5},
        {"rubric": "  "},
        {"rubric": Path("no-such.yaml")},
        {"answer": "text"},
        {"answer": len, "trials": 0},
    ],
)
def test_odd_arguments_of_grade_are_errors_of_ours(given):
    arguments = {"data": [{"input": "a"}], "rubric": "Polite, please.", "judge": jk.Judge("replay:j"), **given}
    with pytest.raises(jk.JudgekitError):
        jk.grade(arguments.pop("data"), **arguments)


def test_one_word_that_is_no_rubric_says_how_to_write_a_criterion():
    with pytest.raises(jk.JudgekitError, match="full stop"):
        jk.grade([{"input": "a", "output": "b"}], rubric="Polite", judge="replay:j")
