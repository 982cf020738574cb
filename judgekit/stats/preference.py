"""Which of two answers a judge prefers when it saw each pair in both orders, and how far it followed the position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from judgekit.stats.counts import CASE_POSTERIOR
from judgekit.stats.draws import SEED, Seed
from judgekit.stats.paired import ExactTest, binomial_p, sign_test
from judgekit.stats.rates import case_mean
from judgekit.types import Estimate, Frozen

Pick: TypeAlias = Literal["A", "B", "TIE", "UNKNOWN"]
"""What a judge preferred in one order, by answer and never by position."""

Outcome: TypeAlias = Literal["A", "B", "TIE", "UNKNOWN", "INCONSISTENT", "MISSING"]
"""What a pair came to over both orders. INCONSISTENT: the preference followed the position. MISSING: no verdict."""

OUTCOMES: tuple[Outcome, ...] = ("A", "B", "TIE", "INCONSISTENT", "UNKNOWN", "MISSING")
MOST_LEFT_OUT = 0.5
"""Above this share of pairs left out, a win rate over the decided ones says more of the judge than of the answers."""

_SCORES = {"A": 0.0, "TIE": 0.5, "B": 1.0}


class Pair(Frozen, frozen=True):
    """Two answers to the same case, as one judge saw them in both orders.

    case         the unit of every interval and test; pairs of one case depend on each other
    original     its pick when A was shown first, None = no verdict
    swapped      its pick when B was shown first
    undirected   the pair flipped, and it is not known which way (both picks are None then)
    identical    both answers are the same text: a tie that no judge was asked about, so it says nothing of the judge
    """

    case: str
    original: Pick | None = None
    swapped: Pick | None = None
    undirected: bool = False
    identical: bool = False

    @property
    def outcome(self) -> Outcome:
        """A, B or TIE need both orders; A in one order and TIE in the other is TIE, counted as leaning too."""
        if self.undirected:
            return "INCONSISTENT"
        if self.original is None or self.swapped is None:
            return "MISSING"
        picks = {self.original, self.swapped}
        if "UNKNOWN" in picks:
            return "UNKNOWN"
        if picks == {"A", "B"}:
            return "INCONSISTENT"
        return "TIE" if "TIE" in picks else self.original

    @property
    def leaning(self) -> bool:
        """A preference in one order and TIE in the other."""
        return self.outcome == "TIE" and self.original != self.swapped

    @property
    def score(self) -> float | None:
        """How far B is preferred: each order 0, .5 or 1, averaged; None where an order has no preference or tie."""
        if self.undirected:
            return 0.5
        first, second = _SCORES.get(self.original or ""), _SCORES.get(self.swapped or "")
        return None if first is None or second is None else (first + second) / 2

    @property
    def first(self) -> float | None:
        """The share of its two calls that went to the answer shown first, a TIE being half of one."""
        if self.undirected or self.score is None:
            return None
        return (1 - _SCORES[self.original or ""] + _SCORES[self.swapped or ""]) / 2

    @property
    def flip(self) -> int:
        """1: FIRST in both orders, -1: SECOND in both orders, 0: no flip, or one of unknown direction."""
        return 0 if self.outcome != "INCONSISTENT" or self.undirected else 1 if self.original == "A" else -1


class Brief(Frozen, frozen=True):
    """The least that is told of a set of pairs, e.g. those of one tag; fields as in `Preference`."""

    pairs: int
    counts: dict[str, int]
    leaning: int
    win_rate: Estimate
    inconsistent: Estimate


class Preference(Frozen, frozen=True):
    """What a judge said of a set of pairs. `pairs` is the sum of `counts`; every rate is of B.

    counts             pairs by `OUTCOMES`; `leaning` is a part of TIE
    first, second      flips to the answer shown first, and to the one shown second; `undirected`: not known which
    first_calls        single calls that went to the first answer, of the `calls` that preferred one (ties are out)
    win_rate           each order 0, .5 or 1, averaged over both orders and then over cases
    win_rate_decided   over the pairs that came to A, B or TIE only; `left_out` is the share of all pairs that it omits
    original, swapped  B's rate in one order alone: what somebody who asks once would have seen
    identical          pairs of equal texts: among the ties, and no part of what is said of the judge below
    consistency        share of pairs with the same answer in both orders, of those with an answer in both
    inconsistent       share of INCONSISTENT among the same pairs
    first_position     share of calls that went to the first answer; 1/2 = no lean
    bias_test          flips to the first answer against flips to the second, by cases
    sign_test          cases in which B is preferred against those in which A is
    """

    pairs: int
    cases: int
    counts: dict[str, int]
    leaning: int
    identical: int
    first: int
    second: int
    undirected: int
    first_calls: int
    calls: int
    win_rate: Estimate
    win_rate_decided: Estimate
    left_out: float
    original: Estimate
    swapped: Estimate
    consistency: Estimate
    inconsistent: Estimate
    first_position: Estimate
    bias_test: ExactTest
    sign_test: ExactTest


def preference(pairs: Sequence[Pair], *, level: float = 0.95, seed: Seed = SEED) -> Preference:
    """Everything about a set of pairs that were judged in both orders.

    win_rate     Each order counts 0, .5 or 1. Leaving flips out instead would exaggerate: noise makes a judge flip
                 on close pairs first, so what is left looks more one-sided than the answers are.
    bias_test    Exact binomial of FIRST/FIRST against SECOND/SECOND among flips, one vote per case. There is no test
                 over single calls: the two calls of a pair that does not flip are opposite by construction.
    first_position   1/2 + (FF - SS) / 2n over pairs, a tie in one order being half a flip
    undefined    a rate without a pair that carries it says why
    """
    outcomes = [pair.outcome for pair in pairs]
    counts = Counter(outcomes)
    answered = [(p, o) for p, o in zip(pairs, outcomes, strict=True) if o in ("A", "B", "TIE", "INCONSISTENT")]
    decided = [(p.case, _SCORES[o]) for p, o in answered if o != "INCONSISTENT"]
    asked = [(p, o) for p, o in answered if not p.identical]
    scores = [(p.case, p.score) for p in pairs]
    flips = [p.flip for p in pairs]
    left_out = 1 - len(decided) / len(pairs) if pairs else 0.0
    picks = [(p.case, p.original, p.swapped) for p in pairs]
    calls = [(a == "A") for _, a, _ in picks if a in ("A", "B")] + [b == "B" for _, _, b in picks if b in ("A", "B")]

    def mean(values: Iterable[tuple[str, float | None]]) -> Estimate:
        return _over_cases(list(values), level, seed)

    return Preference(
        pairs=len(pairs),
        cases=len({p.case for p in pairs}),
        counts={name: counts[name] for name in OUTCOMES},
        leaning=sum(p.leaning for p in pairs),
        identical=sum(p.identical for p in pairs),
        first=flips.count(1),
        second=flips.count(-1),
        undirected=sum(p.undirected for p in pairs),
        first_calls=sum(calls),
        calls=len(calls),
        win_rate=mean(scores),
        win_rate_decided=_decided(decided, left_out, len(pairs), level, seed),
        left_out=left_out,
        original=mean((c, _SCORES.get(a or "")) for c, a, _ in picks),
        swapped=mean((c, _SCORES.get(b or "")) for c, _, b in picks),
        consistency=mean((p.case, float(o != "INCONSISTENT" and not p.leaning)) for p, o in asked),
        inconsistent=mean((p.case, float(o == "INCONSISTENT")) for p, o in asked),
        first_position=mean((p.case, p.first) for p, _ in asked),
        bias_test=_bias(pairs),
        sign_test=sign_test([value - 0.5 for value in _by_case(scores)]),
    )


def brief(pairs: Sequence[Pair], *, level: float = 0.95, seed: Seed = SEED) -> Brief:
    """Counts, win rate and flips alone; the same numbers as `preference` gives."""
    outcomes = [pair.outcome for pair in pairs]
    counts = Counter(outcomes)
    flipped = [
        (p.case, float(o == "INCONSISTENT"))
        for p, o in zip(pairs, outcomes, strict=True)
        if o in ("A", "B", "TIE", "INCONSISTENT") and not p.identical
    ]
    return Brief(
        pairs=len(pairs),
        counts={name: counts[name] for name in OUTCOMES},
        leaning=sum(p.leaning for p in pairs),
        win_rate=_over_cases([(p.case, p.score) for p in pairs], level, seed),
        inconsistent=_over_cases(flipped, level, seed),
    )


def _decided(
    decided: Sequence[tuple[str, float | None]], left_out: float, pairs: int, level: float, seed: Seed
) -> Estimate:
    if decided and left_out > MOST_LEFT_OUT:
        why = f"{left_out:.0%} of the pairs would be left out, and more than half is too many"
        return Estimate(n=len(decided), missing=pairs - len(decided), method=CASE_POSTERIOR, level=level, undefined=why)
    return _over_cases(decided, level, seed, missing=pairs - len(decided))


def _bias(pairs: Sequence[Pair]) -> ExactTest:
    """Each case votes once, by the direction of most of its flips."""
    lean: dict[str, int] = {}
    for pair in pairs:
        lean[pair.case] = lean.get(pair.case, 0) + pair.flip
    first, second = sum(v > 0 for v in lean.values()), sum(v < 0 for v in lean.values())
    if first + second == 0:
        untold = any(p.undirected for p in pairs)
        why = "it is not known which way the pairs flipped" if untold else "no case flipped more one way than the other"
        return ExactTest(None, 0, 0, len(lean), why)
    return ExactTest(binomial_p(first, second), first, second, len(lean) - first - second)


def _over_cases(
    values: Sequence[tuple[str, float | None]], level: float, seed: Seed, *, missing: int | None = None
) -> Estimate:
    """Mean over cases of the mean of a case's pairs; `n` counts cases, `missing` pairs without a value."""
    without = sum(value is None for _, value in values) if missing is None else missing
    found = case_mean(_by_case(values), missing=without, level=level, seed=seed)
    if found.undefined:
        return Estimate(missing=without, level=level, method=CASE_POSTERIOR, undefined="no pair carries it")
    return found


def _by_case(values: Iterable[tuple[str, float | None]]) -> list[float]:
    groups: dict[str, list[float]] = {}
    for case, value in values:
        if value is not None:
            groups.setdefault(case, []).append(value)
    return [sum(group) / len(group) for group in groups.values()]
