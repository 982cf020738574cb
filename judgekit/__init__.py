"""judgekit: LLM-as-judge grading with calibration. A judge has no say until humans and numbers gave it one.

Names load when they are first used, so that `import judgekit` stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from judgekit._version import __version__

if TYPE_CHECKING:
    from judgekit.api import Judge, Results, agreement, calibrate, grade, pairwise
    from judgekit.calibration.certificate import Certificate
    from judgekit.errors import JudgekitError
    from judgekit.rubric import Rubric
    from judgekit.run.loaded import Suite, load_suite
    from judgekit.types import Case, Estimate, Grade, Output, Verdict

_HOME = {
    "Case": "judgekit.types",
    "Certificate": "judgekit.calibration.certificate",
    "Estimate": "judgekit.types",
    "Grade": "judgekit.types",
    "Judge": "judgekit.api",
    "JudgekitError": "judgekit.errors",
    "Output": "judgekit.types",
    "Results": "judgekit.api",
    "Rubric": "judgekit.rubric",
    "Suite": "judgekit.run.loaded",
    "Verdict": "judgekit.types",
    "agreement": "judgekit.api",
    "calibrate": "judgekit.api",
    "grade": "judgekit.api",
    "load_suite": "judgekit.run.loaded",
    "pairwise": "judgekit.api",
}

__all__ = [
    "Case",
    "Certificate",
    "Estimate",
    "Grade",
    "Judge",
    "JudgekitError",
    "Output",
    "Results",
    "Rubric",
    "Suite",
    "Verdict",
    "__version__",
    "agreement",
    "calibrate",
    "grade",
    "load_suite",
    "pairwise",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'judgekit' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
