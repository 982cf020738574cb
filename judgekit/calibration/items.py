"""Labelled outputs: what people said of one text on one dimension, which split it is in, and what it is bound to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from judgekit.data.labels import Label, Placed, label_problem
from judgekit.errors import InputError, Problem
from judgekit.located import near
from judgekit.types import Frozen, Verdict

Split = Literal["dev", "test"]
DEV_SHARE = 0.25


class Item(Frozen, frozen=True):
    """One labelled output on one dimension.

    dimension   `rubric.dimension`
    labels      (annotator, verdict) of everybody who labelled it, by annotator
    label       what more than half of them said; None = disputed
    row         hex SHA-256 over case, variant, trial, dimension, labels and the text's hash: what a certificate keeps
    place       where its first label stands
    """

    case: str
    dimension: str
    labels: tuple[tuple[str, Verdict], ...]
    label: Verdict | None
    split: Split
    row: str
    variant: str | None = None
    trial: int | None = None
    sha256: str | None = None
    output: str | None = None
    model: str | None = None
    place: str = ""


def items_of(labels: Iterable[Label], dimension: str) -> tuple[Item, ...]:
    """The labelled outputs of one dimension (`rubric.dimension`), in the order of their first label.

    A label whose file names no dimension, or only the part behind the dot, is one of it.
    Raises `InputError` for a split that is neither `dev` nor `test`, or one case in both.
    """
    own = [label for label in labels if label.dimension in names_of(dimension)]
    splits = splits_of(own)
    groups: dict[tuple[object, ...], list[Label]] = {}
    for label in own:
        groups.setdefault((label.case, label.variant, label.trial, label.sha256), []).append(label)
    return tuple(_item(group, dimension, splits[group[0].case]) for group in groups.values())


def split_of(case: str) -> Split:
    """A quarter of all ids are dev, by a hash of the id alone: it never moves when labels are added."""
    first = int.from_bytes(hashlib.sha256(case.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return "dev" if first < DEV_SHARE * 2**64 else "test"


def case_hash(case: str) -> str:
    """What the file of attempts calls a case: it names none of the test split."""
    return hashlib.sha256(b"case\0" + case.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def text_hash(given: str, output_sha256: str) -> str:
    """What the file of attempts calls an output for its input: the same under every id."""
    text = f"text\0{given}\0{output_sha256}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def rows_of(labels: Iterable[Label], dimension: str) -> frozenset[str]:
    """The hashes of all labelled outputs of a dimension."""
    return frozenset(item.row for item in items_of(labels, dimension))


def check_dimensions(labels: Iterable[Placed], known: Iterable[str]) -> None:
    """Every label must mean one of the `rubric.dimension`s that are judged.

    Raises `InputError` that names what a label could mean, or what there is.
    """
    names = list(known)
    problems: dict[str, Problem] = {}
    for label in labels:
        fits = [name for name in names if label.dimension in names_of(name)]
        if len(fits) == 1 or label.dimension in problems:
            continue
        if not label.dimension:
            what = (
                f"the label names no dimension, and there are several: {', '.join(names)}. Add a column 'dimension', "
                "or choose one with --dimension"
            )
        elif fits:
            what = f"dimension {label.dimension!r} may be {' or '.join(fits)}; write it out"
        else:
            what = (
                f"no dimension {label.dimension!r} is judged.{near(label.dimension, names)} Known: {', '.join(names)}"
            )
        problems[label.dimension] = label_problem(label, what)
    if problems:
        raise InputError(list(problems.values()))


def names_of(dimension: str) -> tuple[str, str, str]:
    """What a label may call a `rubric.dimension`."""
    return ("", dimension, dimension.partition(".")[2])


def splits_of(labels: Iterable[Placed]) -> Mapping[str, Split]:
    """The split of each case: its column `split`, else a hash of its id. Raises `InputError` as `items_of`."""
    told: dict[str, Placed] = {}
    found: dict[str, Split] = {}
    problems = []
    for label in labels:
        word = (label.split or "").strip().lower()
        if word not in ("", "dev", "test"):
            problems.append(label_problem(label, f"split {label.split!r} is neither 'dev' nor 'test'"))
            continue
        if not word:
            found.setdefault(label.case, split_of(label.case))
            continue
        first = told.setdefault(label.case, label)
        if (first.split or "").strip().lower() != word:
            what = f"puts case {label.case!r} into {word!r}, and {first.place} into {first.split!r}: a case is in one"
            problems.append(label_problem(label, what))
        found[label.case] = "dev" if word == "dev" else "test"
    if problems:
        raise InputError(problems)
    return found


def _item(group: list[Label], dimension: str, split: Split) -> Item:
    given = tuple(sorted((label.annotator, label.verdict) for label in group))
    from judgekit.stats.annotators import consensus  # numpy: only where there are labels

    (agreed,), _ = consensus({str(at): [verdict] for at, (_, verdict) in enumerate(given)})
    first = group[0]
    bound = [first.case, first.variant, first.trial, dimension, agreed, given, first.sha256]
    label: Verdict | None = next((verdict for _, verdict in given if verdict == agreed), None)
    return Item(
        case=first.case,
        dimension=dimension,
        labels=given,
        label=label,
        split=split,
        row=hashlib.sha256(msgspec.json.encode(bound)).hexdigest(),
        variant=first.variant,
        trial=first.trial,
        sha256=first.sha256,
        output=next((one.output for one in group if one.output is not None), None),
        model=next((one.model for one in group if one.model is not None), None),
        place=first.place,
    )
