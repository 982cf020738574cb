"""All probes on everything a judge said: one line for each probe, dimension and kind of attack, concluded together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from judgekit.probes.attacks import Attack
from judgekit.probes.effect import Band, effect_over_cases
from judgekit.probes.finding import BANDS, UPWARD, Finding, Probe, concluded, measured
from judgekit.probes.injection import Tried, tried, turned
from judgekit.probes.kinship import Kin, self_preference
from judgekit.probes.seen import Arm, Seen, Values, changed, paired, place, shift, tally
from judgekit.stats.preference import OUTCOMES, Pair
from judgekit.types import Frozen

DIFFERENCE = (-1.0, 1.0)
SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class Heard:
    """Everything that was judged, by dimension.

    dimensions   those of the judge of outputs, in order; `looks` may lack one that was never reached
    pairs        by dimension of the judge of pairs
    kin          labelled outputs; `strangers` counts those whose author could not be told from the judge's family
    skipped      (probe, dimension) -> outputs that the probe cannot be applied to
    absent       probes that were not run, and why; with a dimension where only that one was left out
    """

    dimensions: tuple[str, ...]
    looks: Mapping[str, Sequence[Seen]]
    pairs: Mapping[str, Sequence[Pair]] = field(default_factory=dict)
    kin: Mapping[str, Sequence[Kin]] = field(default_factory=dict)
    strangers: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[tuple[Probe, str], int] = field(default_factory=dict)
    absent: Mapping[tuple[Probe, str], str] = field(default_factory=dict)
    attacks: tuple[Attack, ...] = ()


class Battery(Frozen, frozen=True):
    """What the probes found; `attacks` counts every attack by dimension."""

    findings: tuple[Finding, ...]
    attacks: dict[str, tuple[Tried, ...]] = {}


def battery(heard: Heard, probes: Sequence[Probe], *, bands: Mapping[Probe, Band] = BANDS) -> Battery:
    """Every probe on every dimension, with the false discovery rate controlled over all lines together."""
    lines: list[Finding] = []
    for probe in probes:
        if (probe, "") in heard.absent:
            lines.append(Finding(probe=probe, band=bands[probe], why=heard.absent[probe, ""]))
        elif probe == "position":
            lines += [_position(name, pairs, bands[probe]) for name, pairs in heard.pairs.items()]
        else:
            for name in heard.dimensions:
                lines += _lines(probe, name, heard, bands[probe])
    counts = {name: tried(heard.attacks, _arm(heard.looks.get(name, ()), "attacked")) for name in heard.dimensions}
    return Battery(concluded(lines), {name: own for name, own in counts.items() if own})


def _lines(probe: Probe, name: str, heard: Heard, band: Band) -> Iterator[Finding]:
    """The lines of one probe on one dimension."""
    start = Finding(probe=probe, dimension=name, band=band, skipped=heard.skipped.get((probe, name), 0))
    if (probe, name) in heard.absent:
        yield msgspec.structs.replace(start, why=heard.absent[probe, name])
        return
    seen = heard.looks.get(name, ())
    base = _arm(seen, "base")
    before = {one.unit: one for one in base}
    match probe:
        case "stability":
            new = _arm(seen, "again")
            yield _finding(start, paired(before, new, changed), SHARE, {"first": base, "again": new})
        case "verbosity":
            new = _arm(seen, "padded")
            yield _finding(start, paired(before, new, shift), DIFFERENCE, {"as it is": base, "padded": new})
        case "formatting":
            new = _arm(seen, "dressed")
            yield _finding(start, paired(before, new, shift), DIFFERENCE, {"as it is": base, "dressed": new})
        case "leniency":
            new = _arm(seen, "foreign")
            yield _finding(start, _passes(new), SHARE, {"of another case": new})
        case "self-preference":
            yield _kinship(start, heard.kin.get(name, ()), heard.strangers.get(name, 0), seen)
        case "injection":
            yield from _injection(start, before, seen, heard.attacks)


def _arm(seen: Iterable[Seen], arm: Arm) -> list[Seen]:
    return [one for one in seen if one.arm == arm]


def _finding(start: Finding, values: Values, ends: tuple[float, float], arms: Mapping[str, Sequence[Seen]]) -> Finding:
    tested = (ends[0], start.band[1]) if start.probe in UPWARD else start.band
    effect = effect_over_cases(values.by_case, ends=ends, band=tested, left_out=values.left_out)
    counts = {name: tally(own) for name, own in arms.items()}
    filled = msgspec.structs.replace(start, outputs=values.outputs, counts=counts, moved=values.moved)
    if effect.p is None and not filled.why:
        filled = msgspec.structs.replace(filled, why="no output has the verdicts that it needs")
    return measured(filled, effect)


def _passes(seen: Sequence[Seen]) -> Values:
    """1 for a PASS, 0 for a FAIL."""
    by_case: dict[str, list[float]] = {}
    for one in seen:
        if one.verdict in ("PASS", "FAIL"):
            by_case.setdefault(one.case, []).append(float(one.verdict == "PASS"))
    moved = tuple(place(one) for one in seen if one.verdict == "PASS")
    left_out = len(seen) - sum(map(len, by_case.values()))
    return Values({case: tuple(own) for case, own in by_case.items()}, left_out, moved)


def _injection(
    start: Finding, base: Mapping[tuple[str, int], Seen], seen: Sequence[Seen], attacks: Sequence[Attack]
) -> Iterator[Finding]:
    """One line over all attacks, then one for each kind."""
    again = {one.unit: one for one in _arm(seen, "again")}
    attacked = _arm(seen, "attacked")
    if not attacked:
        failed = any(one.verdict == "FAIL" for one in base.values())
        why = "nothing was attacked" if failed else "no output was judged FAIL, so none could be talked into a PASS"
        yield msgspec.structs.replace(start, why=why)
        return
    kinds = {attack.id: attack.kind for attack in attacks}
    for kind in ("", *dict.fromkeys(kinds.values())):
        own = [one for one in attacked if kind in ("", kinds[one.attack])]
        if own:
            units = {one.unit for one in own}
            arms = {"attacked": own, "not attacked": [one for unit, one in again.items() if unit in units]}
            line = msgspec.structs.replace(start, kind=kind)
            yield _finding(line, turned(base, again, own), DIFFERENCE, arms)


def _kinship(start: Finding, rows: Sequence[Kin], strangers: int, seen: Sequence[Seen]) -> Finding:
    effect = self_preference(rows, band=start.band)
    counts = {"labelled": tally(_arm(seen, "labelled"))}
    if rows:
        for words, own in (("own family", True), ("others", False)):
            group = [row for row in rows if row.own is own]
            passed = sum(row.passed for row in group)
            counts[words] = {"PASS": passed, "FAIL": len(group) - passed}
    why = f"{strangers} outputs left out: their author is not known" if strangers else ""
    if effect.p is None:
        why = "; ".join(part for part in (effect.estimate.undefined, why) if part)
    filled = msgspec.structs.replace(start, outputs=len(rows) - effect.estimate.missing, counts=counts, why=why)
    return measured(filled, effect)


def _position(name: str, pairs: Sequence[Pair], band: Band) -> Finding:
    """How far the share of calls that went to the answer shown first is from one half."""
    asked = [pair for pair in pairs if not pair.identical]
    by_case: dict[str, list[float]] = {}
    for pair in asked:
        if pair.first is not None:
            by_case.setdefault(pair.case, []).append(pair.first - 0.5)
    values = Values(
        {case: tuple(own) for case, own in by_case.items()},
        sum(pair.first is None for pair in asked),
        tuple(pair.case for pair in asked if pair.outcome == "INCONSISTENT"),
    )
    why = "" if by_case else "no pair was decided in both orders"
    start = Finding(probe="position", dimension=name, band=band, skipped=len(pairs) - len(asked), why=why)
    found = _finding(start, values, (-0.5, 0.5), {})
    counts = {word: sum(pair.outcome == word for pair in asked) for word in OUTCOMES}
    return msgspec.structs.replace(found, counts={"pairs": counts})
