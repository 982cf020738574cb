"""The command that would help: what the suite says is not said again, all else is, quoted for a shell."""

import shlex

import pytest

from judgekit.calibration.certificate import Certificate, Reading
from judgekit.calibration.command import Said, certify_command, said_by
from judgekit.suite import JudgeConfig, SuiteFile


def paper(reading=None, labels="labels.csv"):
    return Certificate(
        rubric="r", dimension="d", judge="m", fingerprint="f", parts={}, result="refused", reasons=(), attempt=1,
        level=0.025, labels=labels, reading=reading or Reading(), rows={}, policy={}, made="2026-01-01", judgekit="1",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("suite", "where"),
    [("", ""), (".", ""), ("judgekit.yaml", ""), ("a/judgekit.yaml", " a"), ("a/b", " a/b"), ("my dir", " 'my dir'")],
)
def test_the_suite_is_where_it_was_typed(suite, where):
    assert certify_command(suite, "r.d") == f"judgekit calibrate{where} --dimension r.d --certify"


def test_what_the_suite_says_is_not_said_again():
    file = SuiteFile.model_validate(
        {"cases": "c", "labels": "labels.csv", "columns": {"output": "Reply"},
         "calibration": {"annotators": ("A", "B"), "pass": ("ok",), "fail": ("bad",), "pass_at": 2}}
    )  # fmt: skip
    reading = Reading({"output": "Reply"}, ("A", "B"), ("ok",), ("bad",), 2)
    assert certify_command("", "r.d", paper(reading), said_by(file)) == "judgekit calibrate --dimension r.d --certify"


def test_what_it_does_not_say_is_said_and_quoted():
    reading = Reading({"label": "What they said"}, ("Ann B", "ben"), ("ok", "fine"), ("no",), 1.5)
    words = shlex.split(certify_command("s/judgekit.yaml", "r.d", paper(reading, "more/x.csv"), Said()))
    assert words == [
        "judgekit", "calibrate", "s", "--dimension", "r.d", "--labels", "s/more/x.csv", "--annotators", "Ann B,ben",
        "--pass", "ok,fine", "--fail", "no", "--pass-at", "1.5", "--columns", "label=What they said", "--certify",
    ]  # fmt: skip


def test_labels_of_no_annotators_are_not_read_by_the_suites():
    said = Said(labels="labels.csv", annotators=("A",))
    assert "--annotators" not in certify_command("", "r.d", paper(), said)


@pytest.mark.parametrize(("model", "told"), [("m:a", ""), ("m:b", "m:b"), (("m:a", "m:b"), "m:a,m:b")])
def test_another_judge_than_the_suites_is_named(model, told):
    file = SuiteFile.model_validate({"cases": "c", "judge": {"model": "m:a"}})
    assert said_by(file, JudgeConfig(model=model)).judge == told
