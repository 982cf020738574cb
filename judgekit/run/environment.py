"""The environment of a command: the process's own, and a `.env` in or above the suite's folder beneath it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def environment(folder: Path, process: Mapping[str, str]) -> dict[str, str]:
    """Variables of the process; `.env` only fills what is not set there."""
    from dotenv import dotenv_values

    for place in (folder.resolve(), *folder.resolve().parents):
        file = place / ".env"
        if file.is_file():
            kept = {k: v for k, v in dotenv_values(file, interpolate=False).items() if v is not None}
            return {**kept, **process}
    return dict(process)
