"""Coverage: what the cases test, counted, and how that differs from what users ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.data import cells
from judgekit.data.aliases import Columns
from judgekit.data.cells import Cells
from judgekit.data.rows import Log
from judgekit.data.sources import read_rows
from judgekit.errors import InputError, Problem
from judgekit.types import SEVERITIES, Case

TRAFFIC = {"intent": "intent", "category": "intent", "count": "count"}
POSITIVE = ("label", "equals", "must_include", "must_match", "citation", "retrieved", "json_schema", "number", "python")
"""Checks that demand something of an answer."""


@dataclass(frozen=True)
class Counts:
    """What a set of cases holds; each dict is sorted by its key, severities from critical to low.

    tags         all tags, those of categories and intents too
    categories   `category:x` tags by x; `intents` likewise
    severities   cases without one under ""
    must         cases that have to pass
    negatives    cases in which the right answer is to give none, see `is_negative`
    """

    cases: int
    tags: dict[str, int]
    categories: dict[str, int]
    intents: dict[str, int]
    severities: dict[str, int]
    must: int
    negatives: int
    holdout: int

    @property
    def negative_share(self) -> float | None:
        """Share of negatives in [0, 1]; None without cases."""
        return self.negatives / self.cases if self.cases else None


def is_negative(case: Case) -> bool:
    """Whether the right answer is to give none: not answerable; or, where that is not said, checks that only forbid.

    A case that only forbids has `must_not_include` and no check that demands something. Its rubric is not read.
    """
    if case.answerable is not None:
        return not case.answerable
    checks = case.expected
    return bool(checks.must_not_include) and not any(_demands(getattr(checks, name)) for name in POSITIVE)


def _demands(value: object) -> bool:
    return value is not None and value not in ("", (), {})


def count(cases: Iterable[Case]) -> Counts:
    """Count cases per tag, category, intent and severity."""
    listed = list(cases)
    tags = Counter(tag for case in listed for tag in dict.fromkeys(case.tags))
    severities: Counter[str] = Counter(case.severity or "" for case in listed)
    return Counts(
        cases=len(listed),
        tags=dict(sorted(tags.items())),
        categories=_after("category:", tags),
        intents=_after("intent:", tags),
        severities={name: severities[name] for name in (*SEVERITIES, "") if severities[name]},
        must=sum(case.must for case in listed),
        negatives=sum(map(is_negative, listed)),
        holdout=sum(case.holdout for case in listed),
    )


def _after(prefix: str, tags: Mapping[str, int]) -> dict[str, int]:
    return {tag.removeprefix(prefix): n for tag, n in sorted(tags.items()) if tag.startswith(prefix)}


@dataclass(frozen=True)
class Gap:
    """One intent: its cases and its traffic, as counts and as shares in [0, 1]."""

    intent: str
    cases: int
    traffic: int
    case_share: float
    traffic_share: float

    @property
    def gap(self) -> float:
        """Share of the cases minus share of the traffic, in [-1, 1]; negative: tested less than it is asked."""
        return self.case_share - self.traffic_share


@dataclass(frozen=True)
class Coverage:
    """Cases against traffic, by intent.

    gaps        in the order of the traffic file, then the intents that only cases have
    uncovered   intents with traffic and without a case
    untagged    cases without an intent; they are in no share
    """

    gaps: tuple[Gap, ...]
    uncovered: tuple[str, ...]
    untagged: int


def coverage(cases: Iterable[Case], traffic: Mapping[str, int]) -> Coverage:
    """Compare the cases' intents with the counts of live traffic.

    The intents of a case are its `intent:x` tags, or its `category:x` tags if it has none; a case with several
    counts once for each. Shares are over the cases' intents and over all traffic. Raises `InputError` when
    no traffic was counted or no case has an intent.
    """
    listed = [_intents(case) for case in cases]
    found = Counter(intent for intents in listed for intent in intents)
    total, live = found.total(), sum(traffic.values())
    if not live:
        raise InputError(Problem("", None, "the traffic file counts nothing: every count is 0"))
    if not total:
        raise InputError(
            Problem("", None, "no case has an intent: give cases an 'intent' or tags such as intent:howto")
        )
    names = [*traffic, *sorted(set(found) - set(traffic))]
    gaps = tuple(
        Gap(name, found[name], traffic.get(name, 0), found[name] / total, traffic.get(name, 0) / live) for name in names
    )
    uncovered = tuple(gap.intent for gap in gaps if gap.traffic and not gap.cases)
    return Coverage(gaps, uncovered, sum(not intents for intents in listed))


def _intents(case: Case) -> list[str]:
    for prefix in ("intent:", "category:"):
        if found := [tag.removeprefix(prefix) for tag in dict.fromkeys(case.tags) if tag.startswith(prefix)]:
            return found
    return []


def load_traffic(path: Path, *, name: str | None = None) -> dict[str, int]:
    """Read a traffic file: a table (or JSON lines, YAML) with the columns `intent` and `count`.

    Raises `InputError` for an intent that occurs twice and for a count that is no whole number.
    """
    log = Log()
    shown = name or str(path)
    rows, table = read_rows(path, name=shown, log=log)
    names = table.columns if table else [key for row in rows for key in row.values]
    chosen = Columns(names, TRAFFIC, {}, shown)
    log.problems += chosen.problems
    lacking = [field for field in ("intent", "count") if field not in chosen.of]
    for field in lacking:
        mend = "A traffic file has the columns intent and count."
        log.problems.append(table.missing(field, mend) if table else Problem(shown, None, f"no {field!r}. {mend}"))
    log.check()
    out: dict[str, int] = {}
    for row in rows:
        read = Cells(row, chosen.found(row), log)
        intent, number = read.get("intent", cells.text, ""), read.get("count", cells.whole, None)
        for field in ("intent", "count"):
            if field not in read.found:
                log.problems.append(row.problem(f"{field!r} is missing"))
        if intent.strip() in out:
            log.problems.append(row.problem(f"intent {intent.strip()!r} occurs twice; add the counts up"))
        out[intent.strip()] = number or 0
    log.check()
    return out
