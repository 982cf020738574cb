"""The walk of examples/calibrate: every command of its README, in order, in a copy, with what it is said to print."""

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "calibrate"


@dataclass
class Command:
    """A command of the README, its exit code there, and the lines that it is said to print."""

    words: list[str]
    code: int = 0
    said: list[str] = field(default_factory=list)


def commands() -> list[Command]:
    found: list[Command] = []
    for block in re.findall(r"```console\n(.*?)```", (EXAMPLE / "README.md").read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if not line.startswith("$ "):
                found[-1].said.append(line)
                continue
            text, _, note = line[2:].partition("  # exit ")
            found.append(Command(shlex.split(text), int(note or 0)))
    return found


def squeezed(text):
    return " ".join(text.split())


@pytest.fixture
def walk(tmp_path, monkeypatch):
    """A copy without what somebody's own walk left there, as the working folder."""
    litter = shutil.ignore_patterns("runs", "certificates", "*.attempts.jsonl", "*.bak", ".judgekit")
    shutil.copytree(EXAMPLE, tmp_path / "examples" / "calibrate", ignore=litter)
    shutil.copytree(tmp_path / "examples" / "calibrate", tmp_path / "walk")
    monkeypatch.chdir(tmp_path / "walk")
    return tmp_path / "walk"


def test_walk_prints_what_its_readme_says(cli, walk):
    first, *rest = commands()
    assert first.words == ["cp", "-r", "examples/calibrate", "walk", "&&", "cd", "walk"]  # what the fixture did
    assert len(rest) == 11
    for command in rest:
        program, *arguments = command.words
        if program != "judgekit":
            subprocess.run(command.words, check=True, cwd=walk)
            continue
        ran = cli(*arguments)
        assert ran.code == command.code, (command.words, ran.out, ran.err)
        told = squeezed(ran.out + ran.err)
        for line in command.said:
            assert squeezed(line) in told, (command.words, line, ran.out + ran.err)


def test_example_starts_with_the_vague_criterion_and_without_a_certificate():
    assert (EXAMPLE / "rubric.yaml").read_bytes() == (EXAMPLE / "rubrics" / "vague.yaml").read_bytes()
    assert not (EXAMPLE / "certificates").exists()


def certified(cli, walk, rubric="mended"):
    shutil.copy(walk / "rubrics" / f"{rubric}.yaml", walk / "rubric.yaml")
    return cli("calibrate", "--certify", "--json")


def judge_grades(ran):
    return {
        result["id"]: grade
        for result in ran.json["results"]
        for grade in result["grades"]
        if grade["dimension"] == "taken-seriously"
    }


def test_same_fail_stops_the_build_only_with_a_certificate(cli, walk):
    shutil.copy(walk / "rubrics" / "mended.yaml", walk / "rubric.yaml")
    before = cli("run", "--variant", "replies", "--json")
    assert certified(cli, walk).code == 0
    after = cli("run", "--variant", "replies", "--json")
    (walk / "rubric.yaml").write_text(
        (walk / "rubric.yaml").read_text(encoding="utf-8").replace("it deals", "it  deals")
    )
    changed = cli("run", "--variant", "replies", "--json")
    assert [ran.code for ran in (before, after, changed)] == [0, 1, 0]
    for ran, gating in ((before, False), (after, True), (changed, False)):
        grade = judge_grades(ran)["f21"]
        assert (grade["verdict"], grade["gating"]) == ("FAIL", gating)
    assert judge_grades(before)["f21"]["advisory"] == "uncertified"
    assert judge_grades(changed)["f21"]["advisory"] == "stale: the criterion changed"


def test_vague_criterion_is_refused_and_the_mended_one_then_needs_more(cli, walk):
    """Whoever opens the test labels with the vague criterion has used up attempt 1: the next one is held to more."""
    vague = certified(cli, walk, "vague")
    assert (vague.code, vague.json["decision"], vague.json["attempt"]) == (1, "refused", 1)
    mended = certified(cli, walk)
    assert (mended.code, mended.json["decision"], mended.json["attempt"]) == (0, "certified", 2)
    assert mended.json["level"] == pytest.approx(0.05 / 6)


def test_a_label_changed_after_certification_takes_the_say_away(cli, walk):
    certified(cli, walk)
    text = (walk / "labels.csv").read_text(encoding="utf-8")
    first = text.index("f02,")
    at = text.index("FAIL", first)
    (walk / "labels.csv").write_text(text[:at] + "PASS" + text[at + 4 :], encoding="utf-8")
    ran = cli("run", "--variant", "replies", "--json")
    assert ran.code == 0
    assert judge_grades(ran)["f21"]["advisory"] == "labels changed"
