"""Labelled pairs: what people preferred of two texts on one dimension, which split it is in, what it is bound to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from judgekit.calibration.items import Split, names_of, splits_of
from judgekit.data.preferences import TURNED, Choice, Preferred
from judgekit.stats.annotators import consensus
from judgekit.types import Frozen


class PairItem(Frozen, frozen=True):
    """One pair of answers on one dimension, A and B as in its first label.

    labels   (annotator, choice) of everybody who labelled it, by annotator
    label    what more than half of them said; None = disputed
    row      hex SHA-256 over case, trial, dimension, labels and both texts' hashes; it does not depend on which of
             the two answers is called A
    first    its first label: texts, hashes, models
    """

    dimension: str
    labels: tuple[tuple[str, Choice], ...]
    label: Choice | None
    split: Split
    row: str
    first: Preferred

    @property
    def case(self) -> str:
        """The case that both answers are to."""
        return self.first.case


def pair_items_of(labels: Iterable[Preferred], dimension: str) -> tuple[PairItem, ...]:
    """The labelled pairs of one dimension (`rubric.dimension`), in the order of their first label.

    Two rows that hold the same texts the other way round are the same pair. A label whose file names no dimension, or
    only the part behind the dot, is one of it. Raises `InputError` for a wrong split, or one case in both.
    """
    own = [label for label in labels if label.dimension in names_of(dimension)]
    splits = splits_of(own)
    groups: dict[tuple[object, ...], list[Preferred]] = {}
    for label in own:
        groups.setdefault((label.case, label.trial, label.pair), []).append(label)
    return tuple(_item(group, dimension, splits[group[0].case]) for group in groups.values())


def _item(group: list[Preferred], dimension: str, split: Split) -> PairItem:
    first = group[0]
    given = tuple(sorted((one.annotator, _seen_as(one, first.a_sha256)) for one in group))
    bound = [
        "pair",
        first.case,
        first.trial,
        dimension,
        sorted((one.annotator, _seen_as(one, first.pair[0])) for one in group),
        first.pair,
    ]
    (agreed,), _ = consensus({str(at): [choice] for at, (_, choice) in enumerate(given)})
    return PairItem(
        dimension=dimension,
        labels=given,
        label=next((choice for _, choice in given if choice == agreed), None),
        split=split,
        row=hashlib.sha256(msgspec.json.encode(bound)).hexdigest(),
        first=first,
    )


def _seen_as(label: Preferred, a: str) -> Choice:
    """The choice where the text with hash `a` is called A."""
    return label.choice if label.a_sha256 == a else TURNED[label.choice]
