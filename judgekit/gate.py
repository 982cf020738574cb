"""The gate: rules of the suite over what a run found -> pass, fail or undecided, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgekit.comparison.finding import Finding
from judgekit.report.summary import NO_VERDICT, CaseLine, Summary
from judgekit.suite import GatePolicy, Rule
from judgekit.types import Decision

if TYPE_CHECKING:  # comparing needs draws, and so numpy, which a run without a baseline does not
    from judgekit.comparison.pairs import Comparison

ALL_PASS = GatePolicy(block=(Rule(all_pass=True),))
"""What decides when a suite has no `gate:`."""


COMPARING = ("fewer_passes", "pass_rate_below_baseline", "paired_interval_below_zero", "not_worse_than")
"""The rules that need something to compare with."""

OF_VERDICTS = ("unknown", "missing", "uncertified", "budget")
"""The rules that look at single verdicts, of which a baseline file has none."""


def decide(summary: Summary, policy: GatePolicy | None, comparison: Comparison | None = None) -> Decision:
    """Apply every rule. A broken blocking rule fails; one that cannot be told leaves the gate undecided.

    Nothing graded is undecided, whatever the rules say: it is never a pass.

    summary      of the run to decide on; in a comparison, of its new side
    comparison   of that run with a base; without it the rules that need one are reported as not evaluated
    """
    policy = policy or ALL_PASS
    if summary.graded == 0:
        what = "no case was selected" if summary.cases == 0 else "nothing was graded"
        return Decision("undecided", (what,))
    blocking = [(rule, apply(rule, summary, comparison)) for rule in policy.block]
    warning = [(rule, apply(rule, summary, comparison)) for rule in policy.warn]
    if summary.graded < summary.units:
        unfinished = Finding("undecided", f"interrupted: {summary.graded} of {summary.units} outputs were graded")
        blocking.append((Rule(budget=True), unfinished))
    if blocking and all(f.word == "no_data" for _, f in blocking):
        blocking.append((Rule(all_pass=True), Finding("undecided", "no rule of the gate could be evaluated")))
    broken = [_told(rule, f) for rule, f in blocking if f.word == "broken"]
    open_ = [_told(rule, f) for rule, f in blocking if f.word == "undecided"]
    return Decision(
        outcome="fail" if broken else "undecided" if open_ else "pass",
        reasons=tuple(broken + open_),
        warnings=(*(_told(rule, f) for rule, f in warning if f.word in ("broken", "undecided")), *_gone(comparison)),
        not_evaluated=tuple(_told(rule, f) for rule, f in blocking + warning if f.word == "no_data"),
    )


def _told(rule: Rule, finding: Finding) -> str:
    return f"{rule.name}: {finding.why}"


def _gone(comparison: Comparison | None) -> list[str]:
    """A warning for cases that guarded something, and that the new side no longer has."""
    lost = [c.id for c in comparison.only_in_base if c.must_pass or "regression" in c.tags] if comparison else []
    return [f"not in the new side, must-pass or tagged regression: {', '.join(lost)}"] if lost else []


def apply(rule: Rule, summary: Summary, comparison: Comparison | None = None) -> Finding:
    """What one rule says of a run, or of its comparison with another."""
    if rule.name in COMPARING:
        if comparison is None:
            return Finding("no_data", "needs a baseline to compare with")
        from judgekit.comparison.rules import apply_to_comparison

        return apply_to_comparison(rule, comparison)
    if comparison is not None and comparison.new.from_file and rule.name in OF_VERDICTS:
        return Finding("no_data", "a baseline file holds counts, no verdicts")
    match rule.name:
        case "all_pass":
            return _all(summary.lines, "case")
        case "must_pass":
            must = [line for line in summary.lines if line.must_pass]
            return _all(must, "must-pass case") if must else Finding("ok", "no case is marked must_pass")
        case "pass_rate_low":
            assert rule.pass_rate_low is not None
            return _rate_low(summary, rule.pass_rate_low.min)
        case "unknown":
            assert rule.unknown is not None
            verdicts = sum(summary.verdicts[k] for k in ("PASS", "FAIL", "UNKNOWN"))
            return _share("UNKNOWN", summary.verdicts["UNKNOWN"], verdicts, rule.unknown.max_share)
        case "missing":
            assert rule.missing is not None
            gone = sum(summary.verdicts[k] for k in NO_VERDICT)
            return _share("without a verdict", gone, sum(summary.verdicts.values()), rule.missing.max_share)
        case "uncertified":
            names = [g.name for g in summary.graders if g.kind == "judge" and not g.gating]
            return Finding("broken", _uncertified(names, summary)) if names else Finding("ok")
        case "budget":
            return Finding("ok")  # a run that its budget stopped is unfinished, which is said above
        case _:
            return Finding("no_data", "needs a pairwise comparison: `judgekit pairwise`")


def _uncertified(names: Sequence[str], summary: Summary) -> str:
    """Each judge that may not decide, with why and what would change it."""
    told = {one.name: f"{one.name} is advisory ({one.advisory}): {one.fix}" for one in summary.trust.standings}
    bare = [name for name in names if name not in told]
    found = [told[name] for name in names if name in told]
    if bare:
        found.append(f"no certificate for {', '.join(bare)}; `judgekit calibrate` earns one")
    return "; ".join(found)


def _all(lines: Sequence[CaseLine], what: str) -> Finding:
    failed = [line for line in lines if line.outcome == "fail"]
    undecided = [line for line in lines if line.outcome == "undecided"]
    if failed:
        return Finding("broken", f"{_count(failed, what)} failed: {_named(failed)}")
    if undecided:
        return Finding("undecided", f"{_count(undecided, what)} undecided: {_named(undecided)}")
    return Finding("ok")


def _count(lines: Sequence[CaseLine], what: str) -> str:
    return f"1 {what}" if len(lines) == 1 else f"{len(lines)} {what}s"


def _named(lines: Sequence[CaseLine], most: int = 3) -> str:
    """The first few cases with their reasons, then a count."""
    shown = [f"{line.case} ({line.why})" if line.why else line.case for line in lines[:most]]
    return "; ".join(shown) + (f"; and {len(lines) - most} more" if len(lines) > most else "")


def _rate_low(summary: Summary, minimum: float) -> Finding:
    rate = summary.pass_rate
    if rate.low is None or rate.value is None or rate.high is None:
        return Finding("undecided", f"the pass rate is undefined: {rate.undefined}")
    said = f"the lower bound of the pass rate is {rate.low:.3f}, {minimum:g} is required (n = {rate.n})"
    if rate.low >= minimum:
        return Finding("ok", said)
    if rate.value >= minimum:
        return Finding("broken", f"{said}; the rate itself, {rate.value:.3f}, is above it: more cases would tell")
    return Finding("broken", said)


def _share(what: str, n: int, total: int, most: float) -> Finding:
    if not total:
        return Finding("undecided", "nothing was graded")
    said = f"{n} of {total} grades are {what} ({n / total:.1%}), at most {most:.1%} may be"
    return Finding("broken" if n / total > most else "ok", said)
