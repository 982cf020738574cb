"""Joining labels to what was judged: by case, variant, trial, dimension and text, never by the order of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judgekit.data.labels import Label, label_problem
from judgekit.errors import InputError, Problem
from judgekit.types import Frozen, Verdict

SHOWN = 3


class Judged(Frozen, frozen=True):
    """One judged output on one dimension.

    verdict   None where the judge gave none (unreadable, refused, failed): it is joined all the same
    sha256    hash of the text that was judged, None if it is not known (then only the names decide)
    """

    case: str
    dimension: str
    verdict: Verdict | None
    variant: str | None = None
    trial: int = 1
    sha256: str | None = None


@dataclass(frozen=True)
class Joined:
    """Pairs of a label and what it was given for, and what is left over on both sides, in the order of the input."""

    pairs: tuple[tuple[Label, Judged], ...]
    only_labels: tuple[Label, ...]
    only_judged: tuple[Judged, ...]

    @property
    def notices(self) -> tuple[str, ...]:
        """One sentence for each side that has leftovers, with the first few by name."""
        labels = list(dict.fromkeys(label.case for label in self.only_labels))
        judged = list(dict.fromkeys(one.case for one in self.only_judged))
        return tuple(
            f"{count} {what}: {_few(cases)}"
            for count, what, cases in (
                (len(self.only_labels), "label(s) without a judged output", labels),
                (len(self.only_judged), "judged output(s) without a label", judged),
            )
            if count
        )


def join_labels(labels: Iterable[Label], judged: Iterable[Judged]) -> Joined:
    """Join each label to the one judged output that it was given for.

    What a label does not say (variant, trial, dimension) fits anything, but must leave one candidate; a label with
    a text takes the candidate with this text, the first if the same text occurs in several trials.

    Raises `InputError` for a label whose text is not the one that was judged, for one that fits several outputs, for
    two labels of one person on one output, and when labels and judged outputs share nothing at all.
    """
    left, right = list(labels), list(judged)
    by_case: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(right):
        by_case[one.case].append(at)
    pairs: list[tuple[Label, Judged]] = []
    lone: list[Label] = []
    problems: list[Problem] = []
    used: dict[tuple[int, str], Label] = {}
    for label in left:
        names = [at for at in by_case.get(label.case, ()) if _named(label, right[at])]
        fits = [at for at in names if label.sha256 is None or right[at].sha256 in (None, label.sha256)]
        if not names:
            lone.append(label)
        elif not fits:
            problems.append(label_problem(label, _other_text(label, [right[at] for at in names])))
        elif len(fits) > 1 and not _same(label, [right[at] for at in fits]):
            problems.append(label_problem(label, _several(label, [right[at] for at in fits])))
        else:
            first = used.setdefault((fits[0], label.annotator), label)
            if first is not label:
                what = f"labels the same output of case {label.case!r} as {first.place}; keep one"
                problems.append(label_problem(label, what))
            pairs.append((label, right[fits[0]]))
    if problems:
        raise InputError(problems)
    if not pairs:
        raise InputError(Problem("", None, _nothing(left, right)))
    taken = {at for at, _ in used}
    return Joined(tuple(pairs), tuple(lone), tuple(one for at, one in enumerate(right) if at not in taken))


def _named(label: Label, one: Judged) -> bool:
    return (
        label.dimension in ("", one.dimension)
        and label.variant in (None, one.variant)
        and label.trial in (None, one.trial)
    )


def _same(label: Label, fits: Sequence[Judged]) -> bool:
    """Whether these are one text on one dimension, so that it does not matter which of them is taken."""
    return label.sha256 is not None and {(one.dimension, one.sha256) for one in fits} == {
        (fits[0].dimension, label.sha256)
    }


def _other_text(label: Label, fits: Sequence[Judged]) -> str:
    which = "the output" if len(fits) == 1 else f"any of the {len(fits)} outputs"
    return (
        f"the labelled text of case {label.case!r} is not {which} that was judged: a label belongs to one text; "
        "label the new output, or judge the labelled one"
    )


def _several(label: Label, fits: Sequence[Judged]) -> str:
    apart = [
        (name, sorted({str(value) for value in values}))
        for name, values in (
            ("dimension", [one.dimension for one in fits]),
            ("variant", [one.variant for one in fits]),
            ("trial", [one.trial for one in fits]),
        )
    ]
    told = "; ".join(f"{name}: {', '.join(values)}" for name, values in apart if len(values) > 1)
    wanted = " and ".join(f"'{name}'" for name, values in apart if len(values) > 1) or "'trial'"
    return f"the label of case {label.case!r} fits {len(fits)} judged outputs ({told}); add a column {wanted}"


def _nothing(labels: Sequence[Label], judged: Sequence[Judged]) -> str:
    if not labels or not judged:
        side = "labels" if not labels else "judged outputs"
        return f"there are no {side}, so there is nothing to compare"
    known = {one.case for one in judged}
    if any(label.case in known for label in labels):
        ours = sorted({label.dimension for label in labels if label.dimension})
        theirs = sorted({one.dimension for one in judged})
        return (
            "the cases fit, but no label fits a judged output by variant, trial and dimension: "
            f"labels have the dimension {_few(ours)}, judged was {_few(theirs)}"
        )
    what = (
        f"no label fits a judged output: labels are for cases {_few([label.case for label in labels])}, "
        f"judged were {_few([one.case for one in judged])}"
    )
    if any(label.case.removesuffix(".0") in known or label.case.lstrip("0") in known for label in labels):
        what += "; the ids look like numbers that a spreadsheet changed: format the column as text"
    return what


def _few(items: Sequence[str]) -> str:
    single = list(dict.fromkeys(items))
    shown = ", ".join(map(repr, single[:SHOWN])) or "none"
    return shown + (f" and {len(single) - SHOWN} more" if len(single) > SHOWN else "")
