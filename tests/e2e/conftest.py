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


REPLY_RUBRIC = """
id: reply
dimensions:
  - {id: kind, criterion: "The reply greets the customer."}
"""


@pytest.fixture
def labelled_suite(suite: Callable[..., Path]) -> Callable[..., Path]:
    """A suite of n recorded outputs, people's labels of them, and a replayed judge.

    human, judge   words for output i: PASS, FAIL, UNKNOWN; of the judge also garbage (unreadable) and failed
    """

    def write(
        n: int,
        human: Callable[[int], str],
        judge: Callable[[int], str],
        name: str = "suite",
        **more: Any,
    ) -> Path:
        recordings = []
        for i in range(n):
            has = {"question_has": f"answer number {i:03d}."}
            said = judge(i)
            if said == "failed":
                recordings.append({**has, "error": {"code": "status_500", "status": 500}})
            else:
                text = f"Reasoning about {i:03d}."
                text += "" if said == "garbage" else f"\n<result>{said}</result>"
                recordings.append({**has, "reply": text})
        rows = ["case_id,output,model,label"]
        rows += [f"c{i:03d},answer number {i:03d}.,claude-sonnet-4-5,{human(i)}" for i in range(n)]
        lines = {
            "suite": "t",
            "cases": "cases.jsonl",
            "recordings": "[recordings.jsonl]",
            "variants": "{v: {outputs: outputs.jsonl}}",
            "judge": '{model: "replay:gpt-4o"}',
            "rubrics": "[rubric.yaml]",
            "labels": "labels.csv",
            **more.pop("lines", {}),
        }
        files = {
            "judgekit.yaml": "".join(f"{k}: {v}\n" for k, v in lines.items() if v is not None),
            "cases.jsonl": [{"id": f"c{i:03d}", "input": f"question {i}"} for i in range(n)],
            "outputs.jsonl": [
                {"id": f"c{i:03d}", "output": f"answer number {i:03d}.", "model": "claude-sonnet-4-5"} for i in range(n)
            ],
            "labels.csv": "\n".join(rows) + "\n",
            "recordings.jsonl": recordings,
            "rubric.yaml": REPLY_RUBRIC,
            **more,
        }
        return suite(files, name)

    return write
