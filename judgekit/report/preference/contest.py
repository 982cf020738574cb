"""What a pairwise run came to: each two variants on each dimension and tag, the judge's steadiness, the ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from judgekit.graders.pairwise import PairGrade
from judgekit.report.preference.panel import pair_of, votes_of
from judgekit.report.preference.value import Block, block_of
from judgekit.report.summary import CaseMark, Cause
from judgekit.stats.preference import Brief, Pair, brief
from judgekit.stats.steadiness import Steadiness, steadiness
from judgekit.stats.strengths import Duel, Ranking, rank
from judgekit.types import Decision, Fault, Frozen, RunInfo


class Bout(Frozen, frozen=True):
    """Two variants on one dimension.

    by_tag      the same for the cases of each tag
    steady      what repeats tell; None without repeats
    """

    a: str
    b: str
    dimension: str
    block: Block
    by_tag: dict[str, Brief]
    steady: Steadiness | None = None

    @property
    def names(self) -> tuple[str, str]:
        """A and B."""
        return (self.a, self.b)


class Judged(Frozen, frozen=True):
    """One pair with what it came to; `grade` holds every look at it."""

    grade: PairGrade
    pair: Pair


class Contest(Frozen, frozen=True):
    """A pairwise run.

    bouts       every two variants on every dimension; the first dimension gives the answer
    rankings    per dimension, where three or more variants met
    advisory    per dimension, why its judge may not decide; "" with a certificate
    units       (case, trial) units that were to be judged; `judged` is how many were
    decision    what the suite's `prefer` rules say; None without one
    """

    info: RunInfo
    dimensions: tuple[str, ...]
    bouts: tuple[Bout, ...]
    rankings: dict[str, Ranking]
    advisory: dict[str, str]
    repeats: int
    units: int
    judged: int
    causes: tuple[Cause, ...]
    pairs: tuple[Judged, ...]
    decision: Decision | None = None

    @property
    def main(self) -> tuple[Bout, ...]:
        """The bouts on the first dimension."""
        return tuple(bout for bout in self.bouts if bout.dimension == self.dimensions[0])


def contest_of(
    info: RunInfo,
    grades: Sequence[PairGrade],
    *,
    duels: Sequence[tuple[str, str]],
    dimensions: Sequence[str],
    marks: Sequence[CaseMark],
    repeats: int,
    units: int,
    judged: int,
    advisory: Mapping[str, str] | None = None,
) -> Contest:
    """Count a pairwise run. Pairs that were never reached are not counted; `judged` and `units` tell them."""
    groups: dict[tuple[str, str, str], list[Judged]] = {
        (a, b, dimension): [] for dimension in dimensions for a, b in duels
    }
    for grade in grades:
        groups[grade.a, grade.b, grade.dimension].append(Judged(grade, pair_of(grade)))
    tags = {mark.id: mark.tags for mark in marks}
    names = {name for duel in duels for name in duel}
    rankings = {}
    if len(names) > 2:
        for dimension in dimensions:
            rankings[dimension] = rank(list(_duels(j for key, g in groups.items() if key[2] == dimension for j in g)))
    return Contest(
        info=info,
        dimensions=tuple(dimensions),
        bouts=tuple(_bout(key, group, tags, repeats) for key, group in groups.items()),
        rankings=rankings,
        advisory={d: (advisory or {}).get(d, "uncertified") for d in dimensions},
        repeats=repeats,
        units=units,
        judged=judged,
        causes=_causes(grades),
        pairs=tuple(j for group in groups.values() for j in group),
    )


def _duels(judged: Iterable[Judged]) -> Iterable[Duel]:
    for j in judged:
        if j.pair.score is not None:
            yield Duel(j.grade.case, j.grade.a, j.grade.b, j.pair.score)


def _bout(key: tuple[str, str, str], group: Sequence[Judged], tags: Mapping[str, Sequence[str]], repeats: int) -> Bout:
    a, b, dimension = key
    sizes = [_size(j.grade) for j in group]
    by_tag: dict[str, list[Pair]] = {}
    for j in group:
        for tag in tags.get(j.grade.case, ()):
            by_tag.setdefault(tag, []).append(j.pair)
    return Bout(
        a=a,
        b=b,
        dimension=dimension,
        block=block_of([j.pair for j in group], lengths=sizes),
        by_tag={tag: brief(by_tag[tag]) for tag in sorted(by_tag)},
        steady=_steady(group) if repeats > 1 else None,
    )


def _size(grade: PairGrade) -> tuple[int, int] | None:
    return None if grade.length_a is None or grade.length_b is None else (grade.length_a, grade.length_b)


def _steady(group: Sequence[Judged]) -> Steadiness:
    """Over each judge's own looks; identical outputs are no question and say nothing of a judge."""
    pairs, units = [], []
    for j in group:
        members = dict.fromkeys((look.judge, look.vote - _first_vote(j.grade)) for look in j.grade.looks)
        for member, pair in zip(members, votes_of(j.grade), strict=True):
            pairs.append(pair)
            units.append((j.grade.case, j.grade.trial, *member))
    return steadiness(pairs, units)


def _first_vote(grade: PairGrade) -> int:
    return min(look.vote for look in grade.looks)


def _causes(grades: Sequence[PairGrade]) -> tuple[Cause, ...]:
    """Why verdicts are missing, most frequent first, each with the words of its first occurrence."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for grade in grades:
        found: list[tuple[Fault, str]] = [(grade.fault, "")] if grade.fault is not None else []
        found += [
            (look.fault, f", {'swapped' if look.swapped else 'original'} order")
            for look in grade.looks
            if look.fault is not None
        ]
        for fault, where in found:
            key = (fault.kind, fault.code)
            counts[key] += 1
            told = f"{grade.case}, trial {grade.trial}, {grade.a} and {grade.b}, {grade.dimension}{where}: {fault.why}"
            first.setdefault(key, told)
    return tuple(Cause(kind, code, n, first[kind, code]) for (kind, code), n in counts.most_common())
