"""The committed baseline: counts per case and what they were made with, sorted, one case per line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

import msgspec

from judgekit.comparison.prints import Prints
from judgekit.comparison.side import CaseSide, Side
from judgekit.errors import InputError, Problem
from judgekit.graders.outcome import case_outcome
from judgekit.types import Frozen, Json, Outcome, Severity

FORM = 1
"""The form of the file. A judgekit that writes another one says so instead of guessing."""


class BaselineCase(Frozen, frozen=True, kw_only=True):
    """A line of the file. What is left out is zero, absent, or as the head of the file says."""

    id: str
    passed: int
    failed: int
    undecided: int = 0
    must_pass: bool = False
    severity: Severity | None = None
    tags: tuple[str, ...] = ()
    pass_when: Json = None
    rubrics: tuple[str, ...] | None = None
    fingerprint: str


class Baseline(Frozen, frozen=True, kw_only=True):
    """The file as a value.

    rubrics     what judged every case whose line does not say otherwise
    pass_when   what holds for every case whose line does not say otherwise
    """

    baseline: int
    suite: str
    variant: str
    run: str
    judgekit: str
    trials: int
    pass_when: Json
    rubrics: tuple[str, ...]
    deciding: tuple[str, ...]
    prints: Prints
    cases: tuple[BaselineCase, ...]


def baseline_of(side: Side) -> Baseline:
    """A side as what is committed."""
    rubrics = _most(case.rubrics for case in side.cases) or ()
    rule = _most(case.pass_when for case in side.cases) or "all"
    cases = [
        BaselineCase(
            id=case.id,
            passed=case.passed,
            failed=case.failed,
            undecided=case.undecided,
            must_pass=case.must_pass,
            severity=case.severity,
            tags=case.tags,
            pass_when=None if case.pass_when == rule else case.pass_when,
            rubrics=None if case.rubrics == rubrics else case.rubrics,
            fingerprint=case.fingerprint,
        )
        for case in sorted(side.cases, key=lambda case: case.id)
    ]
    return Baseline(
        baseline=FORM,
        suite=side.suite,
        variant=side.variant,
        run=side.run,
        judgekit=side.version,
        trials=side.trials,
        pass_when=rule,
        rubrics=rubrics,
        deciding=tuple(sorted(side.deciding)),
        prints=side.prints,
        cases=tuple(cases),
    )


def _most(values: Iterable[Json]) -> Json:
    """The most frequent value, None for no value; the same one whatever the order of equals."""
    counts = Counter(json.dumps(msgspec.to_builtins(v), sort_keys=True) for v in values)
    if not counts:
        return None
    found = json.loads(max(sorted(counts), key=counts.__getitem__))
    return tuple(found) if isinstance(found, list) else found


def baseline_text(baseline: Baseline) -> str:
    """The file: the same baseline is the same text, and one more trial that fails changes one line."""
    head: dict[str, Json] = msgspec.to_builtins(baseline)
    cases = [msgspec.to_builtins(case) for case in baseline.cases]
    # `omit_defaults` is for the cases; the head always says everything
    head["prints"] = {name: getattr(baseline.prints, name) for name in Prints.__struct_fields__}
    lines = [f"  {_compact(name)}: {_spread(value)}" for name, value in head.items() if name != "cases"]
    rows = ",\n".join(f"    {_compact(case)}" for case in cases)
    body = f"[\n{rows}\n  ]" if rows else "[]"
    return "{\n" + ",\n".join([*lines, f'  "cases": {body}']) + "\n}\n"


def _spread(value: Json, indent: str = "    ") -> str:
    """A list on one line, an object with a line for each key."""
    if not isinstance(value, dict) or not value:
        return _compact(value)
    rows = ",\n".join(f"{indent}{_compact(k)}: {_spread(v, indent + '  ')}" for k, v in value.items())
    return f"{{\n{rows}\n{indent[:-2]}}}"


def _compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def parse_baseline(text: str, *, file: str) -> Baseline:
    """A baseline out of its text.

    Raises `InputError` when the text is something else, of another form, or counts what cannot be counted.
    """
    try:
        raw = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise InputError(Problem(file, line, f"is no baseline: {getattr(error, 'msg', error)}")) from None
    if not isinstance(raw, dict) or "baseline" not in raw:
        raise InputError(Problem(file, 1, "is no baseline: `judgekit baseline RUN -o FILE` writes one"))
    if raw["baseline"] != FORM:
        what = f"is a baseline of form {raw['baseline']!r}, this judgekit reads form {FORM}: write it again"
        raise InputError(Problem(file, None, what))
    try:
        baseline = msgspec.convert(raw, Baseline)
    except msgspec.ValidationError as error:
        raise InputError(Problem(file, None, f"is a damaged baseline: {error}")) from None
    problems = [Problem(file, _line(text, case.id), why) for case in baseline.cases if (why := _wrong(case, baseline))]
    counts = Counter(case.id for case in baseline.cases)
    problems += [
        Problem(file, _line(text, id_), f"case {id_!r} stands here twice") for id_, n in counts.items() if n > 1
    ]
    if problems:
        raise InputError(problems)
    return baseline


def _wrong(case: BaselineCase, baseline: Baseline) -> str:
    if min(case.passed, case.failed, case.undecided) < 0:
        return f"case {case.id!r} has a count below zero"
    total = case.passed + case.failed + case.undecided
    if total != baseline.trials:
        return f"case {case.id!r} counts {total} trials, not {baseline.trials}: keep one side of a merge whole"
    try:
        case_outcome((), baseline.pass_when if case.pass_when is None else case.pass_when)
    except ValueError as error:
        return f"case {case.id!r}: {error}"
    return ""


def _line(text: str, case: str) -> int | None:
    start = '{"id": ' + _compact(case)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith(start):
            return number
    return None


def side_of_baseline(baseline: Baseline, *, name: str) -> Side:
    """A baseline as a side of a comparison."""
    cases = []
    for case in baseline.cases:
        rule = baseline.pass_when if case.pass_when is None else case.pass_when
        outcomes: list[Outcome] = ["pass"] * case.passed
        outcomes += ["fail"] * case.failed
        outcomes += ["undecided"] * case.undecided
        cases.append(
            CaseSide(
                id=case.id,
                passed=case.passed,
                failed=case.failed,
                undecided=case.undecided,
                outcome=case_outcome(outcomes, rule),
                pass_when=rule,
                tags=case.tags,
                must_pass=case.must_pass,
                severity=case.severity,
                fingerprint=case.fingerprint,
                rubrics=baseline.rubrics if case.rubrics is None else case.rubrics,
            )
        )
    return Side(
        name=name,
        suite=baseline.suite,
        variant=baseline.variant,
        run=baseline.run,
        trials=baseline.trials,
        prints=baseline.prints,
        deciding=baseline.deciding,
        cases=tuple(cases),
        version=baseline.judgekit,
        from_file=True,
    )
