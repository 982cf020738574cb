"""A run's summary in Markdown, for a pull request or a job's page: the decision, its reasons, and what did not pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from judgekit.report.beside import beside, by_case
from judgekit.report.escapes import code
from judgekit.report.numbers import money, plural, rate, rate_with_n
from judgekit.report.summary import NO_VERDICT, CaseLine, GraderLine, Summary
from judgekit.types import Decision

MOST_CASES = 50
"""So many cases are listed, the rest is counted: a comment on GitHub holds 65,536 characters."""
MOST_ROWS = 25
SIGNS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def markdown(summary: Summary, decision: Decision, *, most: int = MOST_CASES) -> str:
    """The summary as GitHub's Markdown. Everything that the suite, the models or the outputs wrote is a code span."""
    info = summary.info
    head = f"### {SIGNS[decision.outcome]} judgekit: {decision.outcome.upper()}"
    parts = [
        f"{head} · {code(info.suite, 60)} · {code(info.variant, 60)}",
        _list(_decision(decision)),
        _counts(summary),
        _list(_notices(summary)),
        _cases(summary, most),
        _graders(summary),
        _advisory(summary),
        _causes(summary),
        _tags(summary),
        _run(summary),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _decision(decision: Decision) -> Iterator[str]:
    for label, reasons in (
        ("", decision.reasons),
        ("warning, ", decision.warnings),
        ("not evaluated, ", decision.not_evaluated),
    ):
        for reason in reasons:
            rule, colon, why = reason.partition(": ")
            is_rule = bool(colon) and rule.replace("_", "").isalpha()
            yield f"{label}**{rule}**: {code(why, 600)}" if is_rule else f"{label}{code(reason, 600)}"


def _counts(summary: Summary) -> str:
    told = f"**{summary.passed} of {plural(summary.cases, 'case')} passed**, {summary.failed} failed, "
    text = f"{told}{summary.undecided} undecided. Pass rate {rate_with_n(summary.pass_rate)}."
    if summary.info.trials > 1:
        trials = ", ".join(f"{n:,} {outcome}" for outcome, n in summary.trials.items())
        text += f" Trials: {trials}."
    if summary.graded < summary.units:
        text += f" **Interrupted**: {summary.graded} of {summary.units} outputs were graded."
    corrected = summary.trust.corrected
    if corrected is not None:
        assumes = f" Assumes {corrected.assumes}." if corrected.assumes else ""
        text += f"\n\nCorrected for the judge's errors: {rate_with_n(corrected.rate, 'output')}.{assumes}"
    return text


def _notices(summary: Summary) -> Iterator[str]:
    if summary.info.selected:
        yield f"selected: {code(summary.info.selected, 300)}"
    for notice in summary.info.notices[:MOST_ROWS]:
        yield f"note: {code(notice, 400)}"
    if len(summary.info.notices) > MOST_ROWS:
        yield f"and {len(summary.info.notices) - MOST_ROWS} more notes"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a name that starts with `#` is a column of numbers."""
    names = [name.removeprefix("#") for name in head]
    rule = ["---:" if name.startswith("#") else "---" for name in head]
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, rule, *rows))


def _cases(summary: Summary, most: int) -> str:
    lines = sorted((x for x in summary.lines if x.outcome != "pass"), key=_urgency)
    if not lines:
        return ""
    groups = by_case(summary.results)
    told = {line.case: beside(groups.get(line.case, ())) for line in lines[:most]}
    many, judged = summary.info.trials > 1, any(told.values())
    head = ("case", *(["trials passed"] if many else []), "outcome", "why", *(["advisory judges"] if judged else []))
    table = _table(head, (_case(line, many, [told[line.case]] if judged else []) for line in lines[:most]))
    more = len(lines) - most
    return f"{table}\n\nand {plural(more, 'more case')} that did not pass" if more > 0 else table


def _urgency(line: CaseLine) -> tuple[bool, bool]:
    return (line.outcome != "fail", not line.must_pass)


def _case(line: CaseLine, many: bool, advisory: Sequence[str]) -> list[str]:
    name = code(line.case, 80, cell=True) + (" (must pass)" if line.must_pass else "")
    trials = [f"{line.passed} of {line.passed + line.failed + line.undecided}"] if many else []
    told = [code(text, 160, cell=True) for text in advisory]
    return [name, *trials, line.outcome, code(line.why, 200, cell=True), *told]


def _graders(summary: Summary) -> str:
    if not summary.graders:
        return ""
    head = ("grader", "decides", "#PASS", "#FAIL", "#UNKNOWN", "#no verdict", "share of PASS [95%]", "#cases")
    table = _table(head, map(_grader, summary.graders[:MOST_ROWS]))
    more = len(summary.graders) - MOST_ROWS
    return f"{table}\n\nand {plural(more, 'more grader')}" if more > 0 else table


def _grader(line: GraderLine) -> list[str]:
    decides = "yes" if line.gating else f"no, advisory: {code(line.advisory or 'uncertified', 80, cell=True)}"
    gone = sum(line.counts[kind] for kind in NO_VERDICT)
    counts = [str(line.counts[kind]) for kind in ("PASS", "FAIL", "UNKNOWN")]
    share = rate(line.rate) if line.rate.value is not None else "-"
    return [code(line.name, 80, cell=True), decides, *counts, str(gone), share, str(line.rate.n)]


def _advisory(summary: Summary) -> str:
    """Why judges decide nothing, and the command that would change it."""
    standings = [s for s in summary.trust.standings if s.why][:MOST_ROWS]
    if not standings:
        return ""
    rows = ([code(s.name, 80, cell=True), code(s.why, 200, cell=True), code(s.fix, 200, cell=True)] for s in standings)
    table = _table(("advisory judge", "why", "what would change it"), rows)
    return f"<details><summary>Why judges are advisory</summary>\n\n{table}\n\n</details>"


def _causes(summary: Summary) -> str:
    if not summary.causes:
        return ""
    rows = ((str(c.n), c.kind, code(c.code, 40, cell=True), code(c.first, 220, cell=True)) for c in summary.causes)
    table = _table(("#n", "kind", "code", "first"), list(rows)[:MOST_ROWS])
    return f"{plural(summary.missing, 'grade')} without a verdict, which is no evidence about the outputs:\n\n{table}"


def _tags(summary: Summary) -> str:
    """Pass rates by tag, where more than one tag has decided cases."""
    decided = [(tag, e) for tag, e in summary.by_tag.items() if e.value is not None]
    if not 1 < len(decided) <= MOST_ROWS:
        return ""
    table = _table(
        ("tag", "pass rate [95%]", "#cases"), ((code(t, 60, cell=True), rate(e), str(e.n)) for t, e in decided)
    )
    return f"<details><summary>Pass rate by tag</summary>\n\n{table}\n\n</details>"


def _run(summary: Summary) -> str:
    info = summary.info
    told = []
    if info.judges:
        told.append(f"Judge: {', '.join(code(judge, 80) for judge in info.judges)}.")
    if info.calls_sent or info.calls_cached:
        told.append(f"Calls: {info.calls_sent:,} sent, {info.calls_cached:,} from the cache, {money(info.cost_usd)}.")
    if info.run:
        told.append(f"Run: {code(info.run, 120)}.")
    return " ".join(told)
