"""The shape of the house: what may import what, what loads when, and that everything public is documented."""

import subprocess
import sys
from pathlib import Path

import pytest

import judgekit
from judgekit.rubric import shipped_rubrics

ROOT = Path(__file__).parent.parent
HEAVY = ("pandas", "sklearn", "scipy", "matplotlib", "numpy", "httpx", "jsonschema", "genai_prices", "rich")


def _python(code: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **options)


def test_imports_go_one_way():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_judgekit_loads_nothing_heavy():
    code = f"import sys, judgekit; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert _python(code).stdout.strip() == "[]"


def test_naming_the_public_values_loads_nothing_heavy():
    heavy = tuple(m for m in HEAVY if m != "rich")
    code = (
        "import sys; from judgekit import Case, Estimate, Grade, JudgekitError, Output, Rubric, Verdict;"
        f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    assert _python(code).stdout.strip() == "[]"


def test_importing_does_nothing(tmp_path):
    code = (
        "import os, logging, warnings; before = (dict(os.environ), list(warnings.filters), logging.root.level);"
        "import judgekit; from judgekit import grade, load_suite;"
        "print(before == (dict(os.environ), list(warnings.filters), logging.root.level), os.listdir())"
    )
    assert _python(code, cwd=tmp_path).stdout.strip() == "True []"


def test_all_is_what_can_be_had():
    for name in judgekit.__all__:
        assert getattr(judgekit, name) is not None
    assert dir(judgekit) == sorted(judgekit.__all__)
    with pytest.raises(AttributeError, match="no attribute 'grad'"):
        _ = judgekit.grad


def _commands() -> list[str]:
    from judgekit.cli.app import commands

    return commands()


def test_every_command_is_documented():
    text = (ROOT / "docs" / "commands.md").read_text()
    missing = [name for name in _commands() if f"`judgekit {name}" not in text]
    assert not missing


def test_every_command_explains_itself():
    from typer.testing import CliRunner

    from judgekit.cli.app import app

    for name in _commands():
        result = CliRunner().invoke(app, [name, "--help"])
        assert result.exit_code == 0
        assert len(result.output.strip().splitlines()) > 4


def test_every_shipped_rubric_is_documented():
    text = (ROOT / "docs" / "rubrics.md").read_text()
    assert [name for name in shipped_rubrics() if f"`{name}`" not in text] == []


def test_every_example_is_run_by_a_test():
    tests = "".join(p.read_text() for p in (ROOT / "tests").rglob("test_*.py"))
    examples = [p for p in (ROOT / "examples").iterdir() if p.is_dir() or p.suffix == ".py"]
    assert examples
    assert [p.name for p in examples if p.name not in tests and p.stem not in tests and p.name != "__pycache__"] == []


def test_modules_stay_small():
    long = {
        str(p.relative_to(ROOT)): n
        for p in (ROOT / "judgekit").rglob("*.py")
        if (n := len(p.read_text().splitlines())) > 400
    }
    assert long == {}


def test_nothing_points_at_the_package_of_others():
    words = ["README.md", "CHANGELOG.md", *[str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")]]
    texts = {w: (ROOT / w).read_text() for w in words}
    texts |= {str(p): p.read_text() for p in (ROOT / "judgekit").rglob("*.py")}
    forbidden = "pip install " + "judgekit"
    assert [name for name, text in texts.items() if forbidden in text] == []
