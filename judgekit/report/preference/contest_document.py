"""A pairwise run as one JSON document: the shape that `pairwise --json` prints and that others rely on."""

from __future__ import annotations

import msgspec

from judgekit.graders.pairwise import Look
from judgekit.report.preference.contest import Bout, Contest, Judged
from judgekit.report.preference.document import block_document
from judgekit.report.preference.words import ranking_sentence
from judgekit.report.summary import estimate_json
from judgekit.stats.preference import Brief
from judgekit.stats.steadiness import Steadiness
from judgekit.stats.strengths import Ranking
from judgekit.types import Json


def contest_document(contest: Contest) -> dict[str, Json]:
    """The whole of a pairwise run for a program; with exactly two variants the answer stands at the top too."""
    info = contest.info
    top = bout_document(contest.main[0]) if len(contest.main) == 1 else {}
    decision = contest.decision
    return {
        "run": info.run,
        "folder": info.folder,
        "suite": info.suite,
        **top,
        "trials": info.trials,
        "repeats": contest.repeats,
        "selected": info.selected,
        "units": {"planned": contest.units, "judged": contest.judged},
        "dimensions": list(contest.dimensions),
        "comparisons": [bout_document(bout) for bout in contest.bouts],
        "ranking": {name: ranking_document(ranking) for name, ranking in contest.rankings.items()},
        "advisory": {name: why or None for name, why in contest.advisory.items()},
        "decision": decision.outcome if decision else None,
        "reasons": list(decision.reasons) if decision else [],
        "gate_warnings": list(decision.warnings) if decision else [],
        "notices": list(info.notices),
        "causes": [msgspec.to_builtins(cause) for cause in contest.causes],
        "judges": list(info.judges),
        "votes": info.votes,
        "cost": info.cost_usd,
        "calls": {"sent": info.calls_sent, "cached": info.calls_cached},
        "interrupted": info.interrupted,
        "results": [judged_document(j) for j in contest.pairs],
    }


def bout_document(bout: Bout) -> dict[str, Json]:
    """Two variants on one dimension."""
    return {
        "dimension": bout.dimension,
        **block_document(bout.block, bout.names),
        "by_tag": {tag: _tag(preference) for tag, preference in bout.by_tag.items()},
        "steadiness": None if bout.steady is None else _steady(bout.steady),
    }


def judged_document(judged: Judged) -> dict[str, Json]:
    """One pair with every look at it."""
    grade, pair = judged.grade, judged.pair
    return {
        "id": grade.case,
        "trial": grade.trial,
        "repeat": grade.repeat,
        "dimension": grade.dimension,
        "a": grade.a,
        "b": grade.b,
        "outcome": pair.outcome,
        "leaning": pair.leaning,
        "score": pair.score,
        "identical": grade.identical,
        "original": pair.original,
        "swapped": pair.swapped,
        "error": msgspec.to_builtins(grade.fault) if grade.fault else None,
        "looks": [_look(look) for look in grade.looks],
    }


def ranking_document(ranking: Ranking) -> dict[str, Json]:
    """Strengths, the strongest first, and every two variants with whether it is settled which is better."""
    if ranking.undefined:
        return {"strengths": [], "contrasts": [], "undefined": ranking.undefined}
    return {
        "meaning": ranking_sentence(ranking),
        "strengths": [
            {"variant": s.name, "pairs": s.pairs, "strength": estimate_json(s.strength)} for s in ranking.strengths
        ],
        "contrasts": [
            {"better": c.better, "worse": c.worse, "chance": estimate_json(c.chance), "resolved": c.resolved}
            for c in ranking.contrasts
        ],
    }


def _tag(p: Brief) -> dict[str, Json]:
    return {
        "pairs": p.pairs,
        **{name.lower(): n for name, n in p.counts.items()},
        "leaning": p.leaning,
        "win_rate": {**estimate_json(p.win_rate), "of": "b"},
        "inconsistent_share": estimate_json(p.inconsistent),
    }


def _steady(steady: Steadiness) -> dict[str, Json]:
    return {
        "repetition": estimate_json(steady.repetition),
        "position": estimate_json(steady.position),
        "fairness": estimate_json(steady.fairness),
        "drift": estimate_json(steady.drift),
    }


def _look(look: Look) -> dict[str, Json]:
    return {
        "judge": look.judge,
        "vote": look.vote,
        "order": "swapped" if look.swapped else "original",
        "first": look.first,
        "second": look.second,
        "label": look.label,
        "pick": look.pick,
        "reason": look.reason,
        "error": msgspec.to_builtins(look.fault) if look.fault else None,
    }
