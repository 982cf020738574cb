"""The log of holdout runs, beside the cases: a holdout set that is looked at often is no holdout set."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.run.loaded import shown_path
from judgekit.run.plan import Plan


def log_holdout(plan: Plan, *, now: datetime) -> Path:
    """Append one line to `holdout.log.jsonl` beside the suite: when, which variant, how many cases.

    Raises `InputError` when it cannot be written: no look at a holdout goes unrecorded.
    """
    path = plan.suite.folder / "holdout.log.jsonl"
    row = {
        "at": now.isoformat(timespec="seconds"),
        "variant": plan.name,
        "cases": len(plan.cases),
        "trials": plan.trials,
        "fingerprint": plan.fingerprint,
    }
    try:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
    except OSError as error:
        what = f"cannot be written, and a holdout run is logged: {(error.strerror or '').lower()}"
        raise InputError(Problem(shown_path(path), None, what)) from None
    return path
