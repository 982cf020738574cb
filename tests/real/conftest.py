"""Real judge outputs beside human labels: not part of the project, so these tests skip where they are absent."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the recorded data sets: `$JUDGEKIT_DATA`, or `shared/data` beside the checkout."""
    given = os.environ.get("JUDGEKIT_DATA")
    folder = Path(given) if given else Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no recorded data at {folder}: set JUDGEKIT_DATA to the folder that holds llmbar/, pandalm/, ...")
    return folder
