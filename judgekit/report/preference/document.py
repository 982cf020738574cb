"""A preference as JSON: the shape that `preference --json` and `pairwise --json` print and that others rely on."""

from __future__ import annotations

from judgekit.report.preference.value import Block, Recording
from judgekit.report.preference.words import sentence, warnings
from judgekit.report.summary import estimate_json
from judgekit.stats.gold import Against, Gold
from judgekit.stats.lengths import LengthEffect
from judgekit.stats.paired import ExactTest
from judgekit.types import Json


def recording_document(recording: Recording) -> dict[str, Json]:
    """A file of recorded verdicts for a program."""
    return {
        "source": recording.source,
        **block_document(recording.whole, recording.names),
        "by": {name: block_document(block, recording.names) for name, block in recording.groups.items()},
        "notices": list(recording.notices),
    }


def block_document(block: Block, names: tuple[str, str]) -> dict[str, Json]:
    """One set of pairs; rates are of B, undefined numbers are null with the reason."""
    s = block.stats
    return {
        "meaning": sentence(block, names),
        "warnings": list(warnings(block, names)),
        "names": {"a": names[0], "b": names[1]},
        "pairs": s.pairs,
        "cases": s.cases,
        "a": s.counts["A"],
        "b": s.counts["B"],
        "tie": s.counts["TIE"],
        "leaning": s.leaning,
        "identical": s.identical,
        "unknown": s.counts["UNKNOWN"],
        "inconsistent": s.counts["INCONSISTENT"],
        "missing": s.counts["MISSING"],
        "consistency": estimate_json(s.consistency),
        "inconsistent_share": estimate_json(s.inconsistent),
        "first_position": {
            **estimate_json(s.first_position),
            "flips": {"first": s.first, "second": s.second, "undirected": s.undirected},
            "calls": {"first": s.first_calls, "of": s.calls},
        },
        "win_rate": {**estimate_json(s.win_rate), "of": "b"},
        "win_rate_decided": {**estimate_json(s.win_rate_decided), "of": "b", "left_out": s.left_out},
        "win_rate_by_order": {"original": estimate_json(s.original), "swapped": estimate_json(s.swapped)},
        "bias_test": exact_document(s.bias_test, "first", "second"),
        "sign_test": exact_document(s.sign_test, "b", "a"),
        "orders": against_document(block.orders),
        "gold": None if block.gold is None else gold_document(block.gold),
        "length": None if block.length is None else length_document(block.length),
    }


def exact_document(test: ExactTest, ups: str, downs: str) -> dict[str, Json]:
    """An exact test; `ups` and `downs` name the two sides, counted in cases."""
    told: dict[str, Json] = {"p": test.p, ups: test.ups, downs: test.downs, "same": test.same}
    return {**told, "undefined": test.undefined} if test.undefined else told


def against_document(against: Against) -> dict[str, Json]:
    """Two columns of picks; table rows are gold (or the original order), columns the judge."""
    return {
        "n": against.n,
        "right": against.right,
        "labels": list(against.labels),
        "table": [list(row) for row in against.table],
        "agreement": estimate_json(against.agreement),
        "kappa": estimate_json(against.kappa),
    }


def gold_document(gold: Gold) -> dict[str, Json]:
    """The judge against gold: each order alone, and what both came to."""
    return {
        "pairs": gold.pairs,
        "without": gold.without,
        "accuracy": gold.accuracy,
        "both_right": gold.both_right,
        "original": _order(gold.original, gold.pairs),
        "swapped": _order(gold.swapped, gold.pairs),
        "decided": against_document(gold.decided),
        "one_sided": against_document(gold.one_sided),
        "as_tie": against_document(gold.as_tie),
    }


def _order(against: Against, pairs: int) -> dict[str, Json]:
    """`accuracy` is over all pairs with gold: a missing verdict is not right; `agreement` is over those with one."""
    return {"accuracy": against.right / pairs if pairs else None, **against_document(against)}


def length_document(length: LengthEffect) -> dict[str, Json]:
    """Length beside preference."""
    return {
        "mean": {"a": length.mean_a, "b": length.mean_b},
        "longer_wins": estimate_json(length.longer_wins),
        "odds_per_doubling": estimate_json(length.odds_per_doubling),
        "at_equal_length": {**estimate_json(length.at_equal_length), "of": "b"},
    }
