"""Everything that is told of a set of pairs, all in one value: overall, and for each group of them."""

from __future__ import annotations

from collections.abc import Sequence

from judgekit.data.verdicts import Recorded
from judgekit.stats.gold import Against, Gold, against_gold, between_orders
from judgekit.stats.lengths import LengthEffect, Measured, length_effect
from judgekit.stats.preference import Pair, Pick, Preference, preference
from judgekit.types import Frozen


class Block(Frozen, frozen=True):
    """One set of pairs: its preference, how both orders agree, and what gold and lengths say if they are known."""

    stats: Preference
    orders: Against
    gold: Gold | None = None
    length: LengthEffect | None = None


class Recording(Frozen, frozen=True):
    """The preference in a file of recorded verdicts.

    names    what A and B are called
    groups   one block for each value of the `by` columns, in the order of their first row
    """

    source: str
    names: tuple[str, str]
    whole: Block
    groups: dict[str, Block]
    notices: tuple[str, ...] = ()


def recording_of(
    rows: Sequence[Recorded],
    *,
    source: str,
    names: tuple[str, str] = ("A", "B"),
    gold: bool = False,
    lengths: bool = False,
    notices: Sequence[str] = (),
) -> Recording:
    """Count recorded verdicts, overall and by group.

    gold      the rows carry gold preferences
    lengths   the rows carry both answers
    """
    groups: dict[str, list[Recorded]] = {}
    for row in rows:
        if row.groups:
            groups.setdefault("/".join(row.groups), []).append(row)
    return Recording(
        source=source,
        names=names,
        whole=_block(rows, gold=gold, lengths=lengths),
        groups={name: _block(group, gold=gold, lengths=lengths) for name, group in groups.items()},
        notices=tuple(notices),
    )


def block_of(
    pairs: Sequence[Pair],
    *,
    gold: Sequence[Pick | None] | None = None,
    lengths: Sequence[tuple[int, int] | None] | None = None,
) -> Block:
    """One block of pairs; `gold` and `lengths` (characters of A and of B) go with the pairs."""
    measured = (
        [
            Measured(pair.case, pair.score, *size)
            for pair, size in zip(pairs, lengths or (), strict=True)
            if pair.score is not None and size is not None
        ]
        if lengths is not None
        else []
    )
    return Block(
        stats=preference(pairs),
        orders=between_orders(pairs),
        gold=None if gold is None else against_gold(pairs, gold),
        length=None if lengths is None else length_effect(measured),
    )


def _block(rows: Sequence[Recorded], *, gold: bool, lengths: bool) -> Block:
    pairs = [Pair(row.case, row.original, row.swapped, row.flipped) for row in rows]
    return block_of(
        pairs,
        gold=[row.gold for row in rows] if gold else None,
        lengths=[_size(row) for row in rows] if lengths else None,
    )


def _size(row: Recorded) -> tuple[int, int] | None:
    return None if row.text_a is None or row.text_b is None else (len(row.text_a), len(row.text_b))
