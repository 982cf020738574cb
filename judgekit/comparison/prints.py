"""Short hashes of what a run graded and with what: they tell two comparable runs from two that are not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from judgekit.rubric import Ordinal, Rubric
from judgekit.suite import JudgeConfig
from judgekit.types import Case, Frozen, Json

LIMITS = {"max_words": 0, "min_recall": 1.0, "min_precision": 0.0, "tolerance": 0.0}
"""The thresholds among a case's checks, each with the value that means it was not given."""


class Prints(Frozen, frozen=True):
    """What a run was made with, as hashes; "" where there is none.

    variant   the version under test: prompt, model, settings, or the recorded outputs
    judge     everything of the judge but its rubrics: models, parameters, votes
    judged_by the judge in words
    rubrics   `rubric.dimension` -> `<what is asked>-<from where on it passes>`
    """

    variant: str = ""
    judge: str = ""
    judged_by: str = ""
    rubrics: dict[str, str] = {}


def case_print(case: Case) -> str:
    """`<what it asks>-<what it checks>-<its limits>`; tags, severity, must-pass and notes are in none of them."""
    expected = case.expected
    limits = {name: getattr(expected, name) for name in LIMITS}
    checks = msgspec.structs.replace(expected, **LIMITS)
    return "-".join(
        (
            short_hash([case.input, case.context, case.reference]),
            short_hash([checks, case.rubric, case.grading, case.answerable]),
            short_hash([limits, case.pass_when]),
        )
    )


def judge_print(judge: JudgeConfig) -> str:
    """Hash of what of a judge's settings can change its answer: not where its key is, nor why it may judge itself."""
    return short_hash(judge.model_dump(mode="json", exclude={"api_key_env", "allow_self", "same_as"}))


def judge_words(judge: JudgeConfig) -> str:
    """`anthropic:claude-sonnet-4-5, 3 votes`."""
    votes = f", {judge.votes} votes" if judge.votes > 1 else ""
    return " + ".join(judge.models) + votes


def rubric_prints(rubric: Rubric) -> dict[str, str]:
    """`rubric.dimension` -> `<what is asked>-<from where on it passes>`, for each dimension."""
    found = {}
    rule = rubric.pass_when if isinstance(rubric.pass_when, str) else rubric.pass_when.model_dump(mode="json")
    for dimension in rubric.dimensions:
        body = dimension.model_dump(mode="json", exclude={"severity"})
        pass_at = body["scale"].pop("pass_at") if isinstance(dimension.scale, Ordinal) else None
        asked = short_hash([rubric.template_text, body])
        found[f"{rubric.id}.{dimension.id}"] = f"{asked}-{short_hash([pass_at, rule])}"
    return found


def prints_of(variant: str, judge: JudgeConfig | None, rubrics: Iterable[Rubric]) -> Prints:
    """The prints of a run: `variant` is its hash, `rubrics` those that judged at least one of its cases."""
    used = list(rubrics) if judge is not None else []
    if judge is None or not used:
        return Prints(variant=variant[:16])
    named = {name: print_ for rubric in used for name, print_ in rubric_prints(rubric).items()}
    return Prints(variant[:16], judge_print(judge), judge_words(judge), dict(sorted(named.items())))


def short_hash(value: Json) -> str:
    """The first 8 hex digits of the SHA-256 of a value's canonical JSON: a change goes unseen once in 4 billion."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:8]
