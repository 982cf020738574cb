"""A command line that runs in this process, and suites written from a few lines."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judgekit.cli.main import main


@dataclass(frozen=True)
class Ran:
    """What a command printed and returned."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def suite(tmp_path: Path) -> Callable[..., Path]:
    """Write files (text as it is, lists as JSON lines) into a folder and return it."""

    def write(files: dict[str, Any], name: str = "suite") -> Path:
        folder = tmp_path / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            is_text = isinstance(content, str)
            text = content if is_text else "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content)
            target.write_text(text, encoding="utf-8")
        return folder

    return write
