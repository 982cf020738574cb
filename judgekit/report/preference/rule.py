"""The gate rule `prefer`: the candidate has to win by more than chance, and the judge has to stand by its word."""

from __future__ import annotations

from judgekit.report.numbers import plural
from judgekit.report.preference.contest import Bout, Contest
from judgekit.report.preference.words import percent, percent_with_range
from judgekit.suite import GatePolicy, Prefer
from judgekit.types import Decision, Estimate


def prefer_decision(contest: Contest, policy: GatePolicy | None) -> Decision | None:
    """What the `prefer` rules of a gate say of a pairwise run; None without such a rule.

    A judge without a certificate decides nothing: the gate is undecided, and the reason says what the rule would say.
    """
    block = [rule.prefer for rule in policy.block if rule.prefer is not None] if policy else []
    warn = [rule.prefer for rule in policy.warn if rule.prefer is not None] if policy else []
    if not block and not warn:
        return None
    if len(contest.main) != 1:
        why = f"prefer: {plural(len(contest.main), 'comparison')} in this run; the rule is for exactly two variants"
        return Decision("undecided", (why,) if block else (), (why,) if warn else ())
    bout = contest.main[0]
    reasons, outcome = [], "pass"
    for rule in block:
        word, why = apply(rule, bout)
        advisory = contest.advisory[bout.dimension]
        if advisory and word != "undecided":
            word, why = (
                "undecided",
                f"the judge is advisory ({advisory}) and decides nothing; by its word: {word}. {why}",
            )
        if word != "pass":
            reasons.append(f"prefer: {why}")
            outcome = "fail" if "fail" in (word, outcome) else "undecided"
    if contest.judged < contest.units:
        reasons.append(f"interrupted: {contest.judged} of {contest.units} outputs were compared")
        outcome = "fail" if outcome == "fail" else "undecided"
    warnings = [f"prefer: {why}" for word, why in (apply(rule, bout) for rule in warn) if word != "pass"]
    return Decision(outcome, tuple(reasons), tuple(warnings))  # type: ignore[arg-type]


def apply(rule: Prefer, bout: Bout) -> tuple[str, str]:
    """`pass`, `fail` or `undecided` with the reason.

    The win rate counts both orders, and its lower end has to lie above `low`; the share of pairs that flipped is a
    plain count, and must not lie above `max_inconsistent`.
    """
    s = bout.block.stats
    name = bout.b if rule.candidate == "b" else bout.a
    rate = s.win_rate if rule.candidate == "b" else _other(s.win_rate)
    if rate.value is None or rate.low is None or s.inconsistent.value is None:
        return "undecided", f"nothing to decide on: {rate.undefined}"
    flipped = f"{percent(s.inconsistent.value)} of pairs flipped with the order"
    won = f"{name} wins {percent_with_range(rate)}"
    if s.inconsistent.value > rule.max_inconsistent:
        return "fail", f"{flipped}, and at most {percent(rule.max_inconsistent)} may"
    if rate.low <= rule.low:
        return "fail", f"{won}, and the lower end has to lie above {percent(rule.low)}"
    return "pass", f"{won}, {flipped}"


def _other(e: Estimate) -> Estimate:
    """The win rate of A."""
    if e.value is None or e.low is None or e.high is None:
        return e
    return Estimate(1 - e.value, 1 - e.high, 1 - e.low, e.n, e.missing, e.method, e.level)
