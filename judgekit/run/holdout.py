"""The log of holdout runs, beside the cases: a holdout set that is looked at often is no holdout set."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from judgekit.run.plan import Plan


def log_holdout(plan: Plan, *, now: datetime) -> Path:
    """Append one line to `holdout.log.jsonl` beside the suite: when, which variant, how many cases."""
    path = plan.suite.folder / "holdout.log.jsonl"
    row = {
        "at": now.isoformat(timespec="seconds"),
        "variant": plan.name,
        "cases": len(plan.cases),
        "trials": plan.trials,
        "fingerprint": plan.fingerprint,
    }
    with path.open("ab") as file:
        file.write(msgspec.json.encode(row) + b"\n")
    return path
