"""The gate rules that need something to compare with: what each says of a comparison, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from judgekit.comparison.finding import Finding
from judgekit.comparison.pairs import Comparison, Pair, TrialCounts, counts, lost_passes, possible_loss, repeated
from judgekit.stats.paired import on_cases_like_these, on_these_cases
from judgekit.suite import Rule
from judgekit.types import Estimate

Counting = Callable[..., tuple[TrialCounts, TrialCounts]]
ENOUGH_CASES = 40
"""Under so many cases, "not worse" on cases like these is not decided: the interval says too little of rare harm."""


def apply_to_comparison(rule: Rule, comparison: Comparison) -> Finding:
    """What a rule says of a comparison. Raises KeyError for a rule that needs none."""
    if rule.fewer_passes is not None:
        return _fewer(comparison, rule.fewer_passes.tag, rule.fewer_passes.by)
    if rule.pass_rate_below_baseline is not None:
        return _rate_below(comparison, rule.pass_rate_below_baseline.by)
    if rule.not_worse_than is not None:
        return _not_worse(comparison, rule.not_worse_than.margin)
    if rule.paired_interval_below_zero is not None:
        return _interval_below(comparison)
    raise KeyError(rule.name)


def told(pairs: Sequence[Pair], most: int = 3) -> str:
    """`sup-05 5/5 -> 3/5 (missing "Settings")`, the first few, then a count."""
    shown = []
    for pair in pairs[:most]:
        reason = f" ({pair.reason})" if pair.reason else ""
        shown.append(f"{pair.id} {share(pair, 0)} -> {share(pair, 1)}{reason}")
    more = len(pairs) - most
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")


def share(pair: Pair, side: Literal[0, 1]) -> str:
    """`3/5`, with the undecided trials named."""
    case = (pair.base, pair.new)[side]
    return f"{case.passed}/{case.trials}" + (f" ({case.undecided} undecided)" if case.undecided else "")


def _fewer(comparison: Comparison, tag: str | None, by: int) -> Finding:
    """Passes lost, added up over the cases that lost some: a case that was mended makes up for none of them."""
    pairs = [pair for pair in comparison.pairs if tag is None or tag in pair.tags]
    among = f" tagged {tag}" if tag else ""
    if not pairs:
        return Finding("no_data", f"no shared case{among}")
    worse = sorted((pair for pair in pairs if pair.change == "regression"), key=lambda pair: not pair.must_pass)
    lost = sum(map(lost_passes, worse))
    if lost >= by:
        limit = f", {by - 1} allowed" if by > 1 else ""
        plural = "pass" if lost == 1 else "passes"
        return Finding("broken", f"{lost} {plural} fewer than {comparison.base.name}{among}{limit}: {told(worse)}")
    unclear = [pair for pair in pairs if pair.change == "unclear"]
    if unclear and sum(map(possible_loss, pairs)) >= by:
        return Finding("undecided", f"trials without a verdict may hide fewer passes{among}: {told(unclear)}")
    return Finding("ok", f"{lost} passes lost{among}")


def _rate_below(comparison: Comparison, by: float) -> Finding:
    """Cases that pass, over the shared cases; the undecided ones are filled both ways, and both must agree."""
    pairs = [p for p in comparison.pairs if "undecided" not in (p.base.outcome, p.new.outcome) or p.change != "same"]
    if not pairs:
        return Finding("undecided", "no shared case was decided")
    before = [sum(pair.base.outcome == word for pair in pairs) for word in ("pass", "undecided")]
    after = [sum(pair.new.outcome == word for pair in pairs) for word in ("pass", "undecided")]
    n = len(pairs)
    lowest, highest = (after[0] - sum(before)) / n, (sum(after) - before[0]) / n
    said = (
        f"{after[0]} of {n} cases pass, {before[0]} of {n} did in {comparison.base.name}; "
        f"the rate may fall by {by:g} at most"
    )
    slack = 1e-9  # 0.9 - 0.8 is a little more than 0.1
    if highest < -by - slack:
        return Finding("broken", said)
    if lowest < -by - slack:
        return Finding("undecided", f"{said}; {before[1] + after[1]} undecided could decide it")
    return Finding("ok", said)


def _interval_below(comparison: Comparison) -> Finding:
    if comparison.new.trials < 2 or comparison.base.trials < 2:
        return Finding("no_data", "needs two trials or more per case: one says nothing of the noise between trials")
    worst, found, best = _filled(comparison, on_these_cases, repeated)
    if found.value is None or found.high is None:
        return Finding("undecided", f"the difference is undefined: {found.undefined}")
    said = f"the mean difference on these cases is {_shown(found)}"
    if all(e.high is not None and e.high < 0 for e in (found, best)):
        return Finding("broken", f"{said}: below zero")
    if worst.high is not None and worst.high >= 0:
        return Finding("ok", said)
    return Finding("undecided", f"{said}; trials without a verdict could put it below zero, or not")


def _not_worse(comparison: Comparison, margin: float) -> Finding:
    worst, found, best = _filled(comparison, on_cases_like_these, counts)
    if found.value is None or found.low is None:
        return Finding("undecided", f"the difference is undefined: {found.undefined}")
    said = f"the mean difference on cases like these is {_shown(found)}, its interval must lie above {-margin:g}"
    if found.n < ENOUGH_CASES:
        return Finding("undecided", f"{said}; that needs {ENOUGH_CASES} cases")
    if worst.low is not None and worst.low > -margin:
        return Finding("ok", said)
    if all(e.high is not None and e.high < -margin for e in (found, best)):
        return Finding("broken", said)
    return Finding("undecided", f"{said}: it is not shown; more cases or trials would tell")


def _filled(
    comparison: Comparison, method: Callable[[TrialCounts, TrialCounts], Estimate], count: Counting
) -> tuple[Estimate, Estimate, Estimate]:
    """The estimate with the unclear cases at their worst, as they are, and at their best."""
    found = method(*count(comparison.pairs))
    if not comparison.changed("unclear"):
        return found, found, found
    worst, best = (method(*count(comparison.pairs, fill=fill)) for fill in ("worst", "best"))
    return worst, found, best


def _shown(estimate: Estimate) -> str:
    left_out = f", {estimate.missing} left out" if estimate.missing else ""
    return f"{estimate.value:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}] (n = {estimate.n}{left_out})"
