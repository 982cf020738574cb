"""What a preference means, in words: one sentence first, and then what to beware of."""

from __future__ import annotations

from collections.abc import Iterator

from judgekit.report.numbers import plural
from judgekit.report.preference.value import Block
from judgekit.stats.preference import Preference
from judgekit.stats.strengths import Ranking
from judgekit.types import Estimate

MANY_FLIPS = 0.2
SURE = 0.05


def percent(share: float) -> str:
    """`61%`; a share that is neither none nor all is never rounded to 0 or 100."""
    shown = f"{share:.0%}"
    if shown == "0%" and share > 0:
        return "under 1%"
    return "over 99%" if shown == "100%" and share < 1 else shown


def percent_with_range(e: Estimate) -> str:
    """`61% [54, 68]`, or `undefined: why`."""
    if e.value is None or e.low is None or e.high is None:
        return f"undefined: {e.undefined}"
    return f"{percent(e.value)} [{100 * e.low:.0f}, {100 * e.high:.0f}]"


def sentence(block: Block, names: tuple[str, str]) -> str:
    """The one sentence that comes first, and what it lets one claim."""
    s = block.stats
    if s.win_rate.value is None:
        return f"Nothing can be said: none of {plural(s.pairs, 'pair')} has a preference or a tie in both orders."
    told = f"{names[1]} wins {percent_with_range(s.win_rate)} over {plural(s.win_rate.n, 'case')}, both orders averaged"
    return f"{told}; {flips(s)}. {claim(s, names)}"


def claim(s: Preference, names: tuple[str, str]) -> str:
    """What the interval of the win rate lets one say."""
    low, high = s.win_rate.low, s.win_rate.high
    if low is not None and low > 0.5:
        return f"{names[1]} is better on cases like these, by this judge."
    if high is not None and high < 0.5:
        return f"{names[0]} is better on cases like these, by this judge."
    return "The interval holds 50%: no difference is shown."


def ranking_sentence(ranking: Ranking) -> str:
    """Who is the strongest, and against whom that is settled."""
    if ranking.undefined:
        return f"no ranking: {ranking.undefined}."
    top = ranking.strengths[0].name
    own = [c for c in ranking.contrasts if top in (c.better, c.worse)]
    beaten = [c.worse for c in own if c.resolved]
    others = [c.worse if c.better == top else c.better for c in own if not c.resolved]
    if not others:
        return f"{top} is the strongest of {len(ranking.strengths)}: better than {', '.join(beaten)}."
    settled = f"better than {', '.join(beaten)}, " if beaten else ""
    return f"no variant is shown to be the strongest: {top} leads, {settled}not resolved against {', '.join(others)}."


def flips(s: Preference) -> str:
    """`14% of pairs flipped with the order, 23 of 25 of them to the first answer`."""
    n = s.first + s.second + s.undirected
    if n == 0 or s.inconsistent.value is None:
        return "no pair flipped with the order"
    told = f"{percent(s.inconsistent.value)} of pairs flipped with the order"
    if s.undirected:
        return told
    if n == 1:
        return f"{told} (one, to the {'first' if s.first else 'second'} answer)"
    top, where = (s.first, "first") if s.first >= s.second else (s.second, "second")
    share = f"{top} of {n}" if top < n else "both" if n == 2 else f"all {n}"
    return f"{told}, {share} of them to the {where} answer"


def warnings(block: Block, names: tuple[str, str]) -> Iterator[str]:
    """What a reader must not overlook, the gravest first."""
    s = block.stats
    yield from _position(s, names)
    if s.inconsistent.value is not None and s.inconsistent.value > MANY_FLIPS:
        yield (
            f"the judge contradicts itself on {percent(s.inconsistent.value)} of pairs when the order is swapped: "
            "take another judge, or a sharper criterion, before relying on this"
        )
    if s.counts["MISSING"]:
        pairs = plural(s.counts["MISSING"], "pair")
        yield f"{pairs} without a verdict in one order or in both, counted for neither side"
    if s.counts["UNKNOWN"]:
        yield f"the judge could not decide on {plural(s.counts['UNKNOWN'], 'pair')}, counted for neither side"
    yield from _length(block, names)


def _position(s: Preference, names: tuple[str, str]) -> Iterator[str]:
    """Whether the order moves the judge; two orders that differ by chance mislead nobody."""
    p, one, other = s.bias_test.p, s.original, s.swapped
    if p is None or p >= SURE:
        return
    where, n = ("first", s.first) if s.bias_test.ups > s.bias_test.downs else ("second", s.second)
    shown = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    yield f"the judge leans to the answer shown {where}: {n} of {s.first + s.second} flips ({shown})"
    assert one.value is not None
    assert other.value is not None
    if (one.value - 0.5) * (other.value - 0.5) < 0:
        first, second = percent(one.value), percent(other.value)
        yield (
            f"one order alone would mislead: {names[1]} wins {first} when {names[0]} is shown first, "
            f"and {second} when {names[1]} is"
        )


def _length(block: Block, names: tuple[str, str]) -> Iterator[str]:
    if block.length is None:
        return
    longer, equal, rate = block.length.longer_wins, block.length.at_equal_length, block.stats.win_rate
    if longer.low is not None and longer.high is not None and not longer.low <= 0.5 <= longer.high:
        which = "longer" if longer.low > 0.5 else "shorter"
        share = longer if longer.low > 0.5 else _turned(longer)
        yield f"the {which} answer wins {percent_with_range(share)} of the pairs of different length"
    if equal.low is None or equal.high is None or rate.low is None or rate.high is None:
        return
    if equal.low <= 0.5 <= equal.high and not rate.low <= 0.5 <= rate.high:
        better = names[1] if rate.low > 0.5 else names[0]
        yield f"at equal length {better} would not be shown to be better: length may be the reason for its lead"


def _turned(e: Estimate) -> Estimate:
    assert e.value is not None
    assert e.low is not None
    assert e.high is not None
    return Estimate(1 - e.value, 1 - e.high, 1 - e.low, e.n, e.missing, e.method, e.level)
