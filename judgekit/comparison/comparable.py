"""What makes two sides incomparable: cases, graders, rubrics, thresholds, judge or trials that differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from judgekit.comparison.side import CaseSide, Side
from judgekit.errors import UsageError
from judgekit.located import near
from judgekit.types import Frozen, Json

Kind = Literal["cases", "graders", "rubrics", "thresholds", "judge", "trials"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_NAMED = 5


class Difference(Frozen, frozen=True):
    """One thing that differs and makes counts incomparable, in words."""

    kind: Kind
    what: str


def differences(base: Side, new: Side) -> tuple[Difference, ...]:
    """Everything that differs between two sides on the cases they share, but for the variant itself."""
    ours = new.by_id
    shared = [(case, ours[case.id]) for case in base.cases if case.id in ours]
    found = [Difference(kind, what) for kind, what in _cases(shared)]
    found += _judging(base, new, shared)
    if base.trials != new.trials:
        found.append(Difference("trials", f"{base.trials} per case in {base.name}, {new.trials} in {new.name}"))
    return tuple(sorted(found, key=lambda d: KINDS.index(d.kind)))


def check_comparable(base: Side, new: Side, allow: Iterable[str] = ()) -> tuple[Difference, ...]:
    """The differences, all of which are allowed.

    Raises `UsageError` that says what else differs, or that a kind to allow is unknown.
    """
    allowed = set(allow)
    for kind in sorted(allowed):
        if kind not in KINDS:
            raise UsageError(f"--allow {kind}: no such kind.{near(kind, KINDS)} Known: {', '.join(KINDS)}")
    found = differences(base, new)
    barred = [d for d in found if d.kind not in allowed]
    if barred:
        lines = [f"{base.name} and {new.name} are not comparable:"]
        lines += [f"  {d.kind}: {d.what}" for d in barred]
        if base.prints.variant != new.prints.variant:
            lines.append("The variant differs too: change one thing at a time, or nobody can tell what did it.")
        kinds = dict.fromkeys(d.kind for d in barred)
        lines.append("To compare them all the same: " + " ".join(f"--allow {kind}" for kind in kinds))
        raise UsageError("\n".join(lines))
    return found


def _cases(shared: Sequence[tuple[CaseSide, CaseSide]]) -> Iterable[tuple[Kind, str]]:
    kinds: list[tuple[Kind, str, int]] = [
        ("cases", "what is asked changed", 0),
        ("cases", "what is checked changed", 1),
        ("thresholds", "a limit or pass rule changed", 2),
    ]
    for kind, what, part in kinds:
        changed = [base.id for base, new in shared if _part(base.fingerprint, part) != _part(new.fingerprint, part)]
        if changed:
            yield kind, f"{what} in {_named(changed)}"
    rules: dict[tuple[str, str], list[str]] = {}
    for base, new in shared:
        if base.pass_when != new.pass_when and _part(base.fingerprint, 2) == _part(new.fingerprint, 2):
            rules.setdefault((_rule(base.pass_when), _rule(new.pass_when)), []).append(base.id)
    for (before, after), ids in rules.items():
        yield "thresholds", f"pass_when was {before} and is {after} for {_named(ids)}"


def _judging(base: Side, new: Side, shared: Sequence[tuple[CaseSide, CaseSide]]) -> Iterable[Difference]:
    changed: dict[tuple[str, str], list[str]] = {}
    for one, other in shared:
        if set(one.rubrics) != set(other.rubrics):
            key = (", ".join(sorted(one.rubrics)) or "no judge", ", ".join(sorted(other.rubrics)) or "no judge")
            changed.setdefault(key, []).append(one.id)
    for (before, after), ids in changed.items():
        yield Difference("graders", f"{before} judged in {base.name}, {after} in {new.name}: {_named(ids)}")
    used = {rubric for one, other in shared for rubric in set(one.rubrics) & set(other.rubrics)}
    theirs, ours = _prints(base, used), _prints(new, used)
    for name in sorted(theirs.keys() ^ ours.keys()):
        side = base if name in theirs else new
        yield Difference("graders", f"the dimension {name} is in {side.name} only")
    both = sorted(theirs.keys() & ours.keys())
    for name in both:
        if (name in base.deciding) != (name in new.deciding):
            decides, advisory = (base, new) if name in base.deciding else (new, base)
            yield Difference("graders", f"{name} decides in {decides.name} and is advisory in {advisory.name}")
    parts: list[tuple[Kind, str]] = [("rubrics", "what is asked"), ("thresholds", "from where on it passes")]
    for part, (kind, what) in enumerate(parts):
        names = [name for name in both if _part(theirs[name], part) != _part(ours[name], part)]
        if names:
            yield Difference(kind, f"{what} changed in {_named(names)}")
    if used and base.prints.judge != new.prints.judge:
        yield Difference("judge", _judges(base, new))


def _prints(side: Side, used: set[str]) -> dict[str, str]:
    """The prints of the dimensions of some rubrics."""
    return {name: print_ for name, print_ in side.prints.rubrics.items() if name.partition(".")[0] in used}


def _judges(base: Side, new: Side) -> str:
    if base.prints.judged_by != new.prints.judged_by:
        return f"{base.prints.judged_by} in {base.name}, {new.prints.judged_by} in {new.name}"
    return f"the settings of {new.prints.judged_by} changed"


def _part(fingerprint: str, part: int) -> str:
    return [*fingerprint.split("-"), "", "", ""][part]


def _rule(pass_when: Json) -> str:
    return pass_when if isinstance(pass_when, str) else f"at_least {pass_when['at_least']}"


def _named(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
