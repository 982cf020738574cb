"""What an agreement means, in words: one sentence for somebody who never heard of kappa, and what to beware of."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.report.agreement.told import FAIL, PASS
from judgekit.report.agreement.value import FEW_OF_A_LABEL, FEW_PAIRS, Agreement
from judgekit.report.numbers import plural
from judgekit.types import Estimate

DOMINANT = 0.8
HIGH_AGREEMENT = 0.8
GAP = 0.25
COVERAGE = 0.9
SHOWN = 5
MOST_DIGITS = 4
WEAK = 0.4


def sentence(a: Agreement) -> str:
    """The one sentence that comes first."""
    pairs = plural(a.kappa.n, "pair")
    same = f"the same label in {_same(a)} of {pairs}"
    if a.kappa.n == 0:
        return f"Nothing can be said: {_why_nothing(a)}."
    if a.kappa.value is None:
        return (
            f"Whether the judge agrees with people beyond chance cannot be told: {a.kappa.undefined}. They gave {same}."
        )
    kappa = f"{_kind(a)} {rate(a.headline)} (0 is chance, 1 is perfect) over {pairs}"
    if stamp := only_verdict(a):
        return f"The judge says {stamp} every time, so it tells nothing: {kappa}, although both gave {same}."
    return f"{_claim(a.headline)}: {kappa}{_misses(a)}."


def warnings(a: Agreement) -> tuple[str, ...]:
    """What a reader has to know before trusting the numbers, most important first."""
    return tuple(_warnings(a))


def only_verdict(a: Agreement) -> str | None:
    """The label that the judge gave on every decided pair (a rubber stamp), or None."""
    used = [label for label in a.decided if a.judge_count(label)]
    return used[0] if len(used) == 1 else None


def label_plural(label: str, n: int) -> str:
    """`1 FAIL`, `12 FAILs`, `12 'tie'`: a label as a countable thing."""
    if label in (PASS, FAIL):
        return f"{n:,} {label}" + ("" if n == 1 else "es" if label == PASS else "s")
    return f"{n:,} {label!r}"


def rate(estimate: Estimate) -> str:
    """`0.75 [0.41, 0.94]`, with more digits where two would claim 0 or 1 for what is not; or why it is undefined."""
    numbers = (estimate.value, estimate.low, estimate.high)
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return f"undefined: {estimate.undefined}"
    digits = 2
    numbers = (estimate.value, estimate.low, estimate.high)
    while digits < MOST_DIGITS and any(_hides(n, digits) for n in numbers):
        digits += 1
    value, low, high = (_honest(n, digits) for n in numbers if n is not None)
    return f"{value} [{low}, {high}]"


def _hides(n: float | None, digits: int) -> bool:
    return n is not None and n not in (0, 1) and round(n, digits) in (0, 1)


def _honest(n: float, digits: int) -> str:
    """Rounded, but never to 0 or 1 unless it is just that."""
    last = 10.0**-digits
    if 0 < n < 1:
        n = min(max(n, last), 1 - last)
    return f"{n:.{digits}f}"


def _kind(a: Agreement) -> str:
    return f"kappa with {a.weights} weights" if a.weights else "kappa"


def _claim(kappa: Estimate) -> str:
    low, high = kappa.low or 0.0, kappa.high or 0.0
    if low > 0 and high < WEAK:
        return "The judge agrees with people, but only weakly beyond chance"
    if low > 0:
        return "The judge agrees with people beyond chance"
    if high < 0:
        return "The judge disagrees with people more than chance would; perhaps its labels are swapped"
    return "It cannot be told from these labels whether the judge does better than chance"


def _misses(a: Agreement) -> str:
    if a.pass_fail:
        missed, fails = a.count(FAIL, PASS), a.human_count(FAIL)
        alarms, passes = a.count(PASS, FAIL), a.human_count(PASS)
        wrong = f"fails {alarms:,} of {label_plural(PASS, passes)}"
        return f"; it misses {missed:,} of {label_plural(FAIL, fails)} and {wrong}"
    found = [(a.recalls[label].value, label) for label in a.decided if a.recalls[label].value is not None]
    if len(found) < 2:
        return ""
    lowest, worst = min((value or 0.0, label) for value, label in found)
    if lowest == 1:
        return ""
    of_worst = a.human_count(worst)
    return f"; it finds {a.count(worst, worst):,} of people's {label_plural(worst, of_worst)}, its weakest label"


def _same(a: Agreement) -> str:
    return f"{sum(a.count(label, label) for label in a.decided):,}"


def _why_nothing(a: Agreement) -> str:
    if a.rows == 0:
        return "the file has no rows"
    if a.missing.human == a.rows:
        who = " or ".join(map(repr, a.human))
        return f"no row has a label in {who}" if not a.missing.disputed else "people never agree on a label"
    if a.missing.judge == a.rows - a.missing.human:
        return f"no row with a human label has a verdict in {a.judge!r}"
    return "no row has a decided label on both sides"


def _warnings(a: Agreement) -> Iterator[str]:
    n = a.kappa.n
    if n and not only_verdict(a) and a.kappa.value is not None:
        yield from _paradox(a)
    if a.missing.strays:
        total = sum(a.missing.strays.values())
        shown = ", ".join(f"{value[:30]!r} ({times})" for value, times in list(a.missing.strays.items())[:SHOWN])
        more = ", ..." if len(a.missing.strays) > SHOWN else ""
        yield f"{plural(total, 'cell')} of the judge without any of the labels, taken as no verdict: {shown}{more}"
    if a.coverage.value is not None and a.coverage.value < COVERAGE:
        yield (
            f"the judge decided only {a.coverage.value:.0%} of {plural(a.coverage.n, 'row')}; were every other verdict "
            f"wrong, kappa would be {rate(a.kappa_worst_case)}"
        )
    if a.kappa.value is not None and a.cases == 1:
        yield "all pairs come from one case: they say nothing about other cases"
    elif n and a.cases < FEW_PAIRS:
        what = "cases" if a.by_case else "pairs"
        yield f"{a.cases} {what} are few: below {FEW_PAIRS} the interval is too wide to rely on the judge or to drop it"
    if n and a.kappa.value is not None:
        rare = [label for label in a.decided if 0 < a.human_count(label) < FEW_OF_A_LABEL]
        if rare:
            listed = ", ".join(label_plural(label, a.human_count(label)) for label in rare)
            yield f"people gave only {listed}: too few to see how the judge does there; label more of them"
        unseen = [label for label in a.decided if not a.human_count(label) and a.judge_count(label)]
        if unseen:
            shown = ", ".join(map(repr, unseen[:SHOWN])) + (", ..." if len(unseen) > SHOWN else "")
            finer = (
                ": its scores are finer than people's; say --pass-at N" if all("." in label for label in unseen) else ""
            )
            yield f"the judge uses {plural(len(unseen), 'label')} that people never gave ({shown}){finer}"
    yield from _among_people(a)


def _paradox(a: Agreement) -> Iterator[str]:
    """High agreement, low kappa: one label is so common that agreeing on it is easy."""
    kappa, same, n = a.kappa.value, a.agreement.value, a.kappa.n
    if kappa is None or same is None or same < HIGH_AGREEMENT or same - kappa < GAP:
        return
    most = max(a.decided, key=a.human_count)
    common = a.human_count(most) / n
    if common < DOMINANT:
        return
    yield (
        f"they agree on {same:.0%}, yet kappa is {kappa:.2f}: people said {most} in {common:.0%}, so a judge that "
        f"always says {most} would agree on {common:.0%} too. Look at the other labels, and label more of them"
    )


def _among_people(a: Agreement) -> Iterator[str]:
    if a.people is None:
        return
    alpha, gap = a.people.alpha, a.people.ceiling.difference
    if alpha.high is not None and alpha.high < 0.5:
        yield (
            f"people hardly agree with each other (alpha {rate(alpha)}): no judge can agree with all of them; "
            "mend the criterion first"
        )
    if gap.high is not None and gap.high < -0.1:
        yield f"people agree with each other clearly better than the judge agrees with them (difference {rate(gap)})"
