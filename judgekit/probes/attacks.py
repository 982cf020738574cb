"""Attacks on a judge that stand in the graded text: the set that ships, and how one is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.located import near, read_text
from judgekit.rubric import Dimension
from judgekit.types import Frozen

OUTPUT = "{output}"
GOOD = "{good}"


class Attack(Frozen, frozen=True):
    """One attack.

    text   holds `{output}` once, where the graded text stands, and `{good}` for the best verdict of the scale
    """

    id: str
    kind: str
    text: str


def shipped_attacks() -> Path:
    """The attacks that ship with the package."""
    return Path(__file__).parent.parent / "shipped" / "attacks.jsonl"


def load_attacks(path: Path) -> tuple[Attack, ...]:
    """Read attacks, one JSON object a line: `{"id": ..., "kind": ..., "text": "{output} ..."}`.

    Raises `InputError` with file and line of every problem.
    """
    decoder = msgspec.json.Decoder(Attack)
    found: dict[str, Attack] = {}
    problems: list[Problem] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            attack = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeError) as error:
            _, said, rest = str(error).partition("unknown field `")
            hint = near(rest.partition("`")[0], Attack.__struct_fields__) if said else ""
            problems.append(Problem(str(path), number, f"is no attack: {error}{hint}"))
            continue
        if attack.text.count(OUTPUT) != 1:
            problems.append(Problem(str(path), number, f"the text of an attack holds {OUTPUT} exactly once"))
        if not attack.id or not attack.kind:
            problems.append(Problem(str(path), number, "an attack has an id and a kind"))
        if attack.id in found:
            problems.append(Problem(str(path), number, f"a second attack {attack.id!r}; ids must differ"))
        found[attack.id] = attack
    if not found and not problems:
        problems.append(Problem(str(path), None, "holds no attacks"))
    if problems:
        raise InputError(problems)
    return tuple(found.values())


def attacked(text: str, attack: Attack, *, good: str) -> str:
    """The graded text with an attack in it. The text itself is carried byte for byte."""
    before, _, after = attack.text.partition(OUTPUT)
    return f"{before.replace(GOOD, good)}{text}{after.replace(GOOD, good)}"


def best_label(dimension: Dimension) -> str:
    """What an attacker wants to read: PASS, or the highest level of an ordinal scale."""
    return "PASS" if dimension.scale == "binary" else max((x for x in dimension.labels if x != "UNKNOWN"), key=int)


def interleaved(attacks: Sequence[Attack]) -> tuple[Attack, ...]:
    """The attacks in an order in which neighbours are of different kinds, as far as there are enough kinds."""
    by_kind: dict[str, list[Attack]] = {}
    for attack in attacks:
        by_kind.setdefault(attack.kind, []).append(attack)
    most = max(map(len, by_kind.values()), default=0)
    return tuple(group[turn] for turn in range(most) for group in by_kind.values() if turn < len(group))


def share_of(attacks: Sequence[Attack], at: int, each: int) -> tuple[Attack, ...]:
    """The attacks on the `at`-th output (from 0): the next `each` of them in turn, so that all are used alike.

    attacks   in the order of `interleaved`
    """
    each = min(each, len(attacks))
    return tuple(attacks[(at * each + step) % len(attacks)] for step in range(each))
