"""Code checks: what a case expects that a program can decide, each check one grade with its reason."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

from judgekit.graders.number import number_finding
from judgekit.graders.schema import schema_finding, schema_problems
from judgekit.graders.target import load_target, target_finding, target_problem
from judgekit.graders.text import SHOWN, fold, quoted, shorten, words
from judgekit.types import Case, Expected, Fault, Grade, Output, Verdict

__all__ = ["CHECKS", "checks_of", "code_grades", "load_target", "problems_of"]

Finding: TypeAlias = tuple[Verdict, str] | Fault
Check: TypeAlias = Callable[[Case, Output], Finding]


def code_grades(case: Case, output: Output, *, call: Callable[..., Any] | None = None) -> tuple[Grade, ...]:
    """One gating grade per check that the case has, in the order of `CHECKS`; none for `grading: rubric`.

    call   the loaded function of `expected.python` (see `load_target`)

    PASS or FAIL with a reason. A check on a field that the output does not carry is `not_applicable`; without an
    output every check is `failed`; a check that breaks is `failed` with the code `check_error`.
    """
    names = checks_of(case)
    if not names:
        return ()
    gone = _no_output(output)
    return tuple(_grade(case, output, name, gone or _finding(name, case, output, call)) for name in names)


def checks_of(case: Case) -> tuple[str, ...]:
    """The names of the checks that a case has, in the order in which they are made."""
    if case.grading == "rubric":
        return ()
    e = case.expected
    has = {
        "must_include": bool(_terms(e.must_include)),
        "must_not_include": bool(_terms(e.must_not_include)),
        "must_match": bool(_patterns(e)),
        "equals": bool(fold(e.equals)),
        "max_words": e.max_words != 0,
        "label": bool(fold(e.label)),
        "citation": bool(_terms(e.citation)),
        "no_citation": case.answerable is False,
        "recall": bool(_terms(e.retrieved)) and e.min_recall > 0,
        "precision": bool(_terms(e.retrieved)) and e.min_precision > 0,
        "number": e.number is not None,
        "json_schema": e.json_schema is not None,
        "python": bool(e.python),
    }
    return tuple(name for name, present in has.items() if present)


def problems_of(expected: Expected, *, answerable: bool | None = None) -> list[str]:
    """Everything that would make a check impossible or break it, in words; [] when there is nothing.

    Looks at the values alone: no module is imported and nothing is fetched.
    """
    e = expected
    found = []
    for pattern in _patterns(e):
        try:
            _compiled(pattern, e.case_sensitive)
        except (re.error, OverflowError, RecursionError) as error:
            found.append(f"must_match: {quoted(pattern)} is no regular expression: {error}")
    for bad in _terms(e.must_not_include):
        inside = [t for t in _terms(e.must_include) if _has(fold(t, case_sensitive=e.case_sensitive), bad, e)]
        found += [f"must_include {quoted(t)} contains must_not_include {quoted(bad)}: nothing passes" for t in inside]
    if e.max_words < 0:
        found.append(f"max_words is {e.max_words}; write how many words an output may have")
    for name, share in (("min_recall", e.min_recall), ("min_precision", e.min_precision)):
        if not 0 <= share <= 1:
            found.append(f"{name} is {share:g}; write a share from 0 to 1")
    if e.min_precision > 0 and not _terms(e.retrieved):
        found.append("min_precision needs `retrieved`: the ids that retrieval must find")
    if e.number is not None and not math.isfinite(e.number):
        found.append(f"number is {e.number}; write a finite number")
    if not (e.tolerance >= 0 and math.isfinite(e.tolerance)):
        found.append(f"tolerance is {e.tolerance:g}; write 0 or more")
    if e.tolerance > 0 and e.number is None:
        found.append("tolerance needs `number`: what the output's last number must be near")
    if answerable is False and _terms(e.citation):
        found.append(f"citation {quoted(*e.citation)} is expected, but `answerable: false` allows no citation")
    if e.json_schema is not None:
        found += schema_problems(e.json_schema)
    if e.python and target_problem(e.python):
        found.append(f"python: {target_problem(e.python)}")
    return found


# ── the checks ───────────────────────────────────────────────────────────────────────────────────────────


def _must_include(case: Case, output: Output) -> Finding:
    e, text = case.expected, fold(output.text, case_sensitive=case.expected.case_sensitive)
    missing = [term for term in _terms(e.must_include) if not _has(text, term, e)]
    return ("FAIL", f"missing {quoted(*missing)}") if missing else ("PASS", f"has {quoted(*_terms(e.must_include))}")


def _must_not_include(case: Case, output: Output) -> Finding:
    e, text = case.expected, fold(output.text, case_sensitive=case.expected.case_sensitive)
    present = [term for term in _terms(e.must_not_include) if _has(text, term, e)]
    if present:
        return "FAIL", f"contains {quoted(*present)}"
    return "PASS", f"does not contain {quoted(*_terms(e.must_not_include))}"


def _must_match(case: Case, output: Output) -> Finding:
    e, text = case.expected, unicodedata.normalize("NFC", output.text)
    try:
        missing = [p for p in _patterns(e) if not _compiled(p, e.case_sensitive).search(text)]
    except (re.error, OverflowError, RecursionError) as error:
        return Fault("failed", "check_error", f"a pattern is no regular expression: {error}")
    if missing:
        return "FAIL", f"nothing matches {quoted(*missing)}"
    return "PASS", f"matches {quoted(*_patterns(e))}"


def _equals(case: Case, output: Output) -> Finding:
    e = case.expected
    if _same(e.equals, output.text, e):
        return "PASS", f"is {quoted(e.equals)}"
    wanted, found = " ".join(e.equals.split()), " ".join(output.text.split())
    pairs = enumerate(zip(wanted, found, strict=False))
    differs = next((at for at, (a, b) in pairs if not _same(a, b, e)), min(len(wanted), len(found)))
    start = max(0, differs - 20) if max(len(wanted), len(found)) > SHOWN else 0
    place = f"from character {start + 1} on, " if start else ""
    return "FAIL", f"{place}expected {quoted(wanted[start:])}, found {quoted(found[start:])}"


def _max_words(case: Case, output: Output) -> Finding:
    n, limit = words(output.text), case.expected.max_words
    return "PASS" if n <= limit else "FAIL", f"{n} {'word' if n == 1 else 'words'}, the limit is {limit}"


def _label(case: Case, output: Output) -> Finding:
    e = case.expected
    if output.label is None:
        return _absent("label")
    if _same(e.label, output.label, e):
        return "PASS", f"label is {quoted(output.label)}"
    return "FAIL", f"label is {quoted(output.label)}, expected {quoted(e.label)}"


def _citation(case: Case, output: Output) -> Finding:
    e = case.expected
    if output.citations is None:
        return _absent("citations")
    missing = _not_among(_terms(e.citation), output.citations, e)
    if not missing:
        return "PASS", f"cites {quoted(*_terms(e.citation))}"
    instead = f"cites {quoted(*output.citations)}" if output.citations else "cites nothing"
    return "FAIL", f"does not cite {quoted(*missing)}; {instead}"


def _no_citation(_case: Case, output: Output) -> Finding:
    if output.citations is None:
        return _absent("citations")
    cited = _terms(output.citations)
    if cited:
        return "FAIL", f"cites {quoted(*cited)}, but the case is not answerable"
    return "PASS", "cites nothing, as the case is not answerable"


def _recall(case: Case, output: Output) -> Finding:
    e = case.expected
    if output.retrieved is None:
        return _absent("retrieved")
    wanted = _distinct(_terms(e.retrieved), e)
    missing = _not_among(wanted, output.retrieved, e)
    found = len(wanted) - len(missing)
    reason = f"found {found} of {len(wanted)} = {found / len(wanted):.2f}, at least {e.min_recall:g} expected"
    reason += f"; missing {quoted(*missing)}" if missing else ""
    return "PASS" if found / len(wanted) >= e.min_recall else "FAIL", reason


def _precision(case: Case, output: Output) -> Finding:
    e = case.expected
    if output.retrieved is None:
        return _absent("retrieved")
    got = _distinct(_terms(output.retrieved), e)
    if not got:
        why = "nothing was retrieved, so precision is undefined"
        return Fault("not_applicable", "nothing_retrieved", why)
    wrong = _not_among(got, _terms(e.retrieved), e)
    right = len(got) - len(wrong)
    reason = (
        f"{right} of {len(got)} retrieved are relevant = {right / len(got):.2f}, at least {e.min_precision:g} expected"
    )
    return "PASS" if right / len(got) >= e.min_precision else "FAIL", reason


def _number(case: Case, output: Output) -> Finding:
    assert case.expected.number is not None
    return number_finding(output.output, case.expected.number, case.expected.tolerance)


def _json_schema(case: Case, output: Output) -> Finding:
    assert case.expected.json_schema is not None
    return schema_finding(case.expected.json_schema, output.output)


CHECKS: dict[str, Check | None] = {
    "must_include": _must_include,
    "must_not_include": _must_not_include,
    "must_match": _must_match,
    "equals": _equals,
    "max_words": _max_words,
    "label": _label,
    "citation": _citation,
    "no_citation": _no_citation,
    "recall": _recall,
    "precision": _precision,
    "number": _number,
    "json_schema": _json_schema,
    "python": None,  # the user's own function
}
"""Every check by name, in the order in which a case's checks are made."""


# ── their parts ──────────────────────────────────────────────────────────────────────────────────────────


def _finding(name: str, case: Case, output: Output, call: Callable[..., Any] | None) -> Finding:
    check = CHECKS[name]
    if check is not None:
        return check(case, output)
    if call is None:
        return Fault("failed", "check_error", f"the function {case.expected.python} was not loaded")
    return target_finding(call, case, output)


def _grade(case: Case, output: Output, name: str, finding: Finding) -> Grade:
    verdict, reason = (None, "") if isinstance(finding, Fault) else finding
    fault = finding if isinstance(finding, Fault) else None
    return Grade(case.id, output.trial, name, "code", verdict=verdict, fault=fault, reason=reason, gating=True)


def _no_output(output: Output) -> Fault | None:
    """The fault of every check when there is no text to check: a negative check must not pass on nothing."""
    if output.fault is not None:
        return Fault("failed", "no_output", f"no output: {output.fault.why or output.fault.code}")
    if output.output is None:
        return Fault("failed", "no_output", "no output")
    try:
        output.text  # noqa: B018  rendering is what may fail
    except (ValueError, TypeError, RecursionError) as error:
        return Fault("failed", "no_output", f"the output is not JSON: {shorten(str(error), 200)}")
    return None


def _absent(field: str) -> Fault:
    return Fault("not_applicable", f"no_{field}", f"the output carries no `{field}`")


def _terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    """The terms that say something: an empty one would be found in every text."""
    return tuple(term for term in terms if fold(term))


def _patterns(e: Expected) -> tuple[str, ...]:
    return tuple(pattern for pattern in e.must_match if pattern.strip())


@lru_cache(maxsize=4096)
def _compiled(pattern: str, case_sensitive: bool) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFC", pattern), 0 if case_sensitive else re.IGNORECASE)


def _has(folded: str, term: str, e: Expected) -> bool:
    return fold(term, case_sensitive=e.case_sensitive) in folded


def _same(a: str, b: str, e: Expected) -> bool:
    return fold(a, case_sensitive=e.case_sensitive) == fold(b, case_sensitive=e.case_sensitive)


def _not_among(wanted: tuple[str, ...], found: tuple[str, ...], e: Expected) -> tuple[str, ...]:
    there = {fold(item, case_sensitive=e.case_sensitive) for item in found}
    return tuple(item for item in wanted if fold(item, case_sensitive=e.case_sensitive) not in there)


def _distinct(items: tuple[str, ...], e: Expected) -> tuple[str, ...]:
    return tuple({fold(item, case_sensitive=e.case_sensitive): item for item in items}.values())
