"""Certificates of judges of pairs at a run: looked up by fingerprint before anything is judged, settled after it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import msgspec

from judgekit.calibration.certificate import Certificate
from judgekit.calibration.command import Said
from judgekit.calibration.fingerprint import Fingerprint
from judgekit.calibration.preferences import pair_items_of
from judgekit.calibration.standing import UNCERTIFIED, Standing, standing_of
from judgekit.data.preferences import load_preferences
from judgekit.graders.pairwise import PairInstrument
from judgekit.run.certificates import certificates_in
from judgekit.run.loaded import Suite
from judgekit.run.pairs.plan import PairPlan, parts_of


def pair_fingerprint(judge: PairInstrument) -> Fingerprint:
    """The fingerprint of a judge of pairs: equal exactly when it would be asked and read in the same way."""
    parts = parts_of(judge)
    return Fingerprint(hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest(), parts)


def pair_standings(
    suite: Suite, instruments: Sequence[PairInstrument], *, today: date, rubric: str = ""
) -> tuple[dict[str, Standing], dict[str, Certificate]]:
    """The standing of each judge of pairs by `rubric.dimension`, and the certificates that stand.

    rubric   what `--rubric` was given, for the command that would help

    Reads files, sends nothing.
    """

    def rows(paper: Certificate) -> frozenset[str]:
        labels, _ = load_preferences(paper.labels, suite.folder, columns=paper.reading.columns)
        return frozenset(item.row for item in pair_items_of(labels, paper.name))

    filed = certificates_in(suite)
    papers = {one.file: one.certificate for one in filed}
    standings, valid = {}, {}
    for judge in instruments:
        one = standing_of(
            judge.name,
            pair_fingerprint(judge),
            filed,
            rows=rows,
            policy=suite.file.calibration,
            today=today,
            suite=suite.shown,
            said=Said(rubric=rubric),
            kind="pairs",
        )
        standings[judge.name] = one
        paper = papers.get(one.file)
        if one.gating and paper is not None:
            valid[judge.name] = paper
    return standings, valid


def trusted(plan: PairPlan, *, today: date, rubric: str = "") -> PairPlan:
    """The plan with what each of its judges may do, and a notice for a certificate that does not stand."""
    standings, valid = pair_standings(plan.suite, plan.instruments, today=today, rubric=rubric)
    told = [
        f"{name} is advisory ({one.advisory}): {one.why}; {one.fix}"
        for name, one in standings.items()
        if one.advisory not in ("", UNCERTIFIED)
    ]
    by_dimension = {judge.dimension.id: judge.name for judge in plan.instruments}
    return replace(
        plan,
        standings={dimension: standings[name].advisory for dimension, name in by_dimension.items()},
        dropped={d: frozenset(valid[name].dropped) for d, name in by_dimension.items() if name in valid},
        notices=(*plan.notices, *told),
    )


def settled(
    standings: Mapping[str, str], certified: Mapping[str, frozenset[str]], dropped: Mapping[str, frozenset[str]]
) -> dict[str, str]:
    """The standings once the judges have judged.

    certified   dimension -> parameters that the provider refused when the certificate was earned
    dropped     the same in this run; a dimension that sent no call is not there
    """
    found = dict(standings)
    for dimension, before in certified.items():
        if not standings.get(dimension, UNCERTIFIED) and dropped.get(dimension, before) != before:
            found[dimension] = "other parameters"
    return found
