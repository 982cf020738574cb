"""A judge of pairs against gold preferences: each order alone, and what both orders came to."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from judgekit.stats.agreement import kappa
from judgekit.stats.draws import SEED, Seed
from judgekit.stats.preference import Pair, Pick
from judgekit.stats.rates import case_mean
from judgekit.stats.tables import Table, count
from judgekit.types import Estimate, Frozen

LABELS = ("A", "B", "TIE")


class Against(Frozen, frozen=True):
    """A column of picks against another one.

    table       rows gold (or the original order), columns the judge, in the order of `labels`
    right, n    rows that agree, of those where both sides said A, B or TIE
    agreement   right / n, with the case posterior
    """

    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    right: int
    n: int
    agreement: Estimate
    kappa: Estimate


class Gold(Frozen, frozen=True):
    """A judge of pairs against gold.

    pairs               pairs with a gold preference; `without` have none and are left out
    original, swapped   each order alone
    accuracy            mean share right of both orders, over all pairs: a missing verdict is not right
    both_right          pairs right in both orders, over all pairs
    decided             A, B and TIE of both orders, INCONSISTENT left out
    one_sided           only the pairs that came to A or B, where gold is A or B too
    as_tie              INCONSISTENT counted as TIE, which is what many tools do
    """

    pairs: int
    without: int
    original: Against
    swapped: Against
    accuracy: float | None
    both_right: float | None
    decided: Against
    one_sided: Against
    as_tie: Against


def against_gold(pairs: Sequence[Pair], gold: Sequence[Pick | None], *, level: float = 0.95, seed: Seed = SEED) -> Gold:
    """Compare pairs with gold preferences (A, B, TIE, or None where there is none).

    undefined   as `judgekit.stats.agreement.kappa`; accuracies are None without a gold pair
    """
    rows = [(p, g) for p, g in zip(pairs, gold, strict=True) if g in LABELS]
    cases = [p.case for p, _ in rows]
    wanted = [g for _, g in rows]
    outcomes: list[str | None] = [p.outcome for p, _ in rows]
    tied = ["TIE" if o == "INCONSISTENT" else o for o in outcomes]
    sided = [g if g != "TIE" else None for g in wanted]

    def against(human: Sequence[str | None], judge: Sequence[str | None]) -> Against:
        return compared(human, judge, cases, level=level, seed=seed)

    right = sum((p.original == g) + (p.swapped == g) for p, g in rows)
    both = sum(p.original == g == p.swapped for p, g in rows)
    return Gold(
        pairs=len(rows),
        without=len(pairs) - len(rows),
        original=against(wanted, [p.original for p, _ in rows]),
        swapped=against(wanted, [p.swapped for p, _ in rows]),
        accuracy=right / (2 * len(rows)) if rows else None,
        both_right=both / len(rows) if rows else None,
        decided=against(wanted, outcomes),
        one_sided=against(sided, [o if o in ("A", "B") else None for o in outcomes]),
        as_tie=against(wanted, tied),
    )


def between_orders(pairs: Sequence[Pair], *, level: float = 0.95, seed: Seed = SEED) -> Against:
    """The swapped order against the original one: a judge that follows the answers agrees with itself."""
    asked = [p for p in pairs if not p.identical]
    picks = [p.original for p in asked], [p.swapped for p in asked]
    found = compared(*picks, [p.case for p in asked], level=level, seed=seed)
    if found.n == 0 or not found.kappa.undefined:
        return found
    why = "in one order the judge gave the same answer every time"
    return msgspec.structs.replace(found, kappa=msgspec.structs.replace(found.kappa, undefined=why))


def compared(
    human: Sequence[str | None], judge: Sequence[str | None], cases: Sequence[str], *, level: float, seed: Seed
) -> Against:
    """Two columns of picks; what is not A, B or TIE on one side is left out and counted as missing."""
    clean = [[value if value in LABELS else None for value in side] for side in (human, judge)]
    table = count(*clean, labels=LABELS, cases=cases).occurring()
    shares: dict[str, list[float]] = {}
    for case, h, j in zip(cases, *clean, strict=True):
        if h is not None and j is not None:
            shares.setdefault(case, []).append(float(h == j))
    right = int(table.tally.trace())
    return Against(
        labels=table.labels,
        table=tuple(tuple(int(v) for v in row) for row in table.tally),
        right=right,
        n=table.n,
        agreement=_rate(shares, table, level, seed),
        kappa=kappa(table, level=level, seed=seed),
    )


def _rate(shares: dict[str, list[float]], table: Table, level: float, seed: Seed) -> Estimate:
    return case_mean([sum(s) / len(s) for s in shares.values()], missing=table.missing, level=level, seed=seed)
