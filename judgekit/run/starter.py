"""The small suite that `judgekit init` writes."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent.parent / "shipped" / "starter"


def starter_files() -> dict[str, bytes]:
    """Path within the suite -> content of each file."""
    found = sorted(p for p in FOLDER.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(FOLDER).as_posix(): p.read_bytes() for p in found}
