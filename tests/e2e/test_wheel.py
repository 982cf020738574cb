"""The wheel carries everything: rubrics, templates, the starter; a suite runs from any folder."""

import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command, cwd):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory):
    """An environment that holds the wheel alone; the packages it depends on are lent by this one."""
    home = tmp_path_factory.mktemp("empty")
    venv.create(home, with_pip=False)
    interpreter = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    place = Path(run(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    (place / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return interpreter


def test_the_wheel_is_what_runs(python, tmp_path):
    where = run(python, "-c", "import judgekit; print(judgekit.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(python.parents[1])


def test_every_shipped_file_is_in_the_wheel(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for path in (ROOT / "rubrics").rglob("*"):
        if path.is_file():
            assert f"judgekit/shipped/rubrics/{path.relative_to(ROOT / 'rubrics').as_posix()}" in names
    for path in (ROOT / "judgekit" / "shipped" / "starter").rglob("*"):
        if path.is_file() and "runs" not in path.parts and ".judgekit" not in path.parts:
            assert path.relative_to(ROOT).as_posix() in names
    assert "judgekit/py.typed" in names
    assert not [n for n in names if n.startswith(("tests/", "examples/")) or "/runs/" in n]


def test_a_suite_runs_from_another_folder(python, tmp_path):
    run(python, "-m", "judgekit", "init", "mine", cwd=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    document = json.loads(run(python, "-m", "judgekit", "run", "../mine", "--variant", "v2", "--json", cwd=elsewhere))
    assert document["decision"] == "pass"
    assert (elsewhere / document["folder"]).resolve().is_relative_to(tmp_path / "mine" / "runs")
    assert list(elsewhere.iterdir()) == []


def test_the_shipped_rubrics_judge_from_the_wheel(python, tmp_path):
    code = (
        "import judgekit as jk, pathlib; pathlib.Path('r.jsonl').write_text('{\"reply\": \"<result>PASS</result>\"}\\n');"
        "r = jk.grade([{'input': 'q', 'output': 'a'}], rubric='conciseness', model='gpt-5',"
        " judge=jk.Judge('replay:claude-x', recordings='r.jsonl')); print(r.results[0].grades[0].verdict)"
    )
    assert run(python, "-c", code, cwd=tmp_path).strip() == "PASS"
