"""The workflows in docs/ci.md: valid YAML, and every command in them takes the options that it is given."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from ruamel.yaml import YAML

from judgekit.cli.app import app

TEXT = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
WORKFLOWS = [YAML(typ="safe").load(block) for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)]


def commands(workflow):
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            yield from (
                line.strip() for line in step.get("run", "").splitlines() if line.strip().startswith("judgekit ")
            )


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=[w["name"] for w in WORKFLOWS])
def test_each_command_of_a_documented_workflow_can_be_given(workflow):
    found = list(commands(workflow))
    assert len(found) >= 3
    group = typer.main.get_command(app)
    for line in found:
        words = shlex.split(re.split(r" \|\| | > ", line)[0])[1:]
        command = group.commands[words[0]]
        command.make_context(words[0], words[1:], resilient_parsing=False)  # refuses an option that is not there


def test_there_are_two_tiers_and_only_the_nightly_one_has_keys():
    first, second = WORKFLOWS
    assert "--replay" in " ".join(commands(first))
    assert "secrets." not in str(first)
    assert "--max-cost" in " ".join(commands(second))
    assert "--update-if-better" in " ".join(commands(second))
