"""Which outputs of a run to label next: more of the rare FAILs, each with a known chance of being chosen.

Kappa of such labels alone is wrong; with the chances it is right, and at 90% PASS it needs far fewer labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.stats.draws import SEED, Seed, generator
from judgekit.types import Frozen, Verdict


class Drawn(Frozen, frozen=True):
    """One judged output of the run that was drawn from, a line of `<sheet>.sample.jsonl`.

    fingerprint   of the judge that gave the verdict
    tag           its case's first tag, "" for none
    probability   the chance with which it was chosen; `chosen` says whether it was
    """

    dimension: str
    fingerprint: str
    case: str
    variant: str
    trial: int
    sha256: str
    verdict: Verdict | None
    tag: str = ""
    probability: float = 0.0
    chosen: bool = False


def choose(judged: Sequence[Drawn], n: int, *, seed: Seed = SEED) -> tuple[Drawn, ...]:
    """Choose n of these outputs of one dimension: half of them judge-FAILs where there are as many.

    returns   all of them, in their order. Within a verdict every output has the same chance, and the tags have their
              share: a systematic draw from a random start, tag after tag, in random order within a tag.
    """
    rng = generator(seed)
    groups: dict[str, list[int]] = {"FAIL": [], "PASS": [], "": []}
    for at, one in enumerate(judged):
        groups[one.verdict if one.verdict in ("PASS", "FAIL") else ""].append(at)
    sizes = _quotas({name: len(group) for name, group in groups.items()}, n)
    chosen: set[int] = set()
    chance: dict[int, float] = {}
    for name, group in groups.items():
        if not group:
            continue
        order = sorted(rng.permutation(group).tolist(), key=lambda at: judged[at].tag)
        step = len(group) / max(sizes[name], 1e-9)
        start = float(rng.random()) * step
        chosen |= {order[int(start + i * step)] for i in range(sizes[name])}
        chance |= dict.fromkeys(group, sizes[name] / len(group))
    return tuple(
        msgspec.structs.replace(one, probability=chance[at], chosen=at in chosen) for at, one in enumerate(judged)
    )


def _quotas(counts: dict[str, int], n: int) -> dict[str, int]:
    """How many of each verdict: half FAIL, the others at least in their share, PASS the rest; none of them none."""
    total = sum(counts.values())
    n = min(n, total)
    fail = min(counts["FAIL"], (n + 1) // 2)
    rest = min(counts[""], -(-n * counts[""] // total) if total else 0)
    passes = min(counts["PASS"], max(0, n - fail - rest))
    fail += min(counts["FAIL"] - fail, max(0, n - fail - rest - passes))
    return {"FAIL": fail, "PASS": passes, "": rest}


def sample_text(drawn: Sequence[Drawn]) -> str:
    """The file: one line an output."""
    return "".join(msgspec.json.encode(one).decode() + "\n" for one in drawn)


def read_sample(text: str, *, file: str) -> tuple[Drawn, ...]:
    """Read it again. Raises `InputError` with the place of a damaged line."""
    decoder = msgspec.json.Decoder(Drawn)
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise InputError(Problem(file, number, f"is damaged: {error}")) from None
    return tuple(found)
