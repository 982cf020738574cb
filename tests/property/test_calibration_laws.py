"""Laws that hold for whatever labels, verdicts and attempts."""

import json

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.calibration.attempts import MOST, Look, ledger
from judgekit.calibration.certificate import verdict_hash, verdict_of
from judgekit.calibration.decide import holm
from judgekit.calibration.enforce import enforced
from judgekit.calibration.items import items_of, rows_of
from judgekit.calibration.standing import Standing
from judgekit.data.labels import Label
from judgekit.types import Fault, Grade, TrialResult

VERDICTS = st.sampled_from(["PASS", "FAIL", "UNKNOWN"])
LABELS = st.builds(
    lambda case, verdict, annotator, trial, sha: Label(
        case, verdict, verdict, annotator=annotator, trial=trial, sha256=sha, place="l.csv:2"
    ),
    st.sampled_from("abcdef"),
    VERDICTS,
    st.sampled_from(["", "ann", "ben"]),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(["x", "y"]),
)


@given(st.lists(LABELS, max_size=12, unique_by=lambda x: (x.case, x.annotator, x.trial, x.sha256)), st.randoms())
def test_order_of_the_labels_changes_no_row(labels, random):
    before = rows_of(labels, "r.d")
    random.shuffle(labels)
    assert rows_of(labels, "r.d") == before


@given(st.lists(LABELS, min_size=1, max_size=12, unique_by=lambda x: (x.case, x.annotator, x.trial, x.sha256)))
def test_labels_of_other_outputs_change_no_row(labels):
    kept = [label for label in labels if label.case < "d"]
    assert rows_of(kept, "r.d") <= rows_of(labels, "r.d")


@given(st.lists(LABELS, max_size=12, unique_by=lambda x: (x.case, x.annotator, x.trial, x.sha256)))
def test_every_label_is_in_exactly_one_item(labels):
    assert sum(len(item.labels) for item in items_of(labels, "r.d")) == len(labels)


@given(st.lists(st.sampled_from(["attempt", "shown"]), max_size=30))
def test_no_more_than_five_attempts_are_ever_in_a_set(kinds):
    looks = [Look(kind, str(n), "", "m", {"r.d": "f"}, (f"c{n}",)) for n, kind in enumerate(kinds)]
    found = ledger(looks)
    attempts = kinds.count("attempt")
    assert found.used == attempts % MOST
    assert len(found.spent) == attempts - found.used
    assert 1 <= found.number <= MOST


@given(st.dictionaries(st.text(max_size=3), st.none() | st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_never_more_generous_than_the_level_and_never_less_than_bonferroni(chances):
    found = holm(chances, 0.05)
    for name, (tail, clears) in found.items():
        chance = chances[name]
        assert 0.05 / len(chances) - 1e-12 <= tail <= 0.05
        if clears:
            assert chance is not None
            assert chance <= tail
        elif chance is not None:
            assert chance > 0.05 / len(chances) - 1e-12


@given(st.text(max_size=20), VERDICTS | st.none())
def test_kept_verdict_is_read_back(row, verdict):
    assert verdict_of(row, verdict_hash(row, verdict)) == verdict


GRADES = st.builds(
    lambda kind, verdict, dimension: (
        Grade("c", 1, kind, "code", verdict=verdict, fault=None if verdict else _fault(), gating=True)
        if kind == "check"
        else Grade("c", 1, "r", "judge", dimension, verdict=verdict, fault=None if verdict else _fault())
    ),
    st.sampled_from(["check", "judge"]),
    VERDICTS | st.none(),
    st.sampled_from(["d", "e"]),
)


def _fault():
    return Fault("unreadable", "no_tag", "none")


@settings(max_examples=200)
@given(st.lists(GRADES, min_size=1, max_size=5, unique_by=lambda g: g.name), st.booleans(), st.booleans())
def test_advisory_verdicts_never_move_an_outcome(grades, d_decides, e_decides):
    standings = [Standing("r.d", "", gating=d_decides), Standing("r.e", "", gating=e_decides)]
    deciding = {s.name for s in standings if s.gating}
    (found,) = enforced([TrialResult("c", 1, "undecided", "", tuple(grades))], standings, {})
    flipped = tuple(
        msgspec.structs.replace(g, verdict="PASS" if g.verdict == "FAIL" else "FAIL", fault=None)
        if g.kind == "judge" and g.name not in deciding
        else g
        for g in grades
    )
    (other,) = enforced([TrialResult("c", 1, "undecided", "", flipped)], standings, {})
    assert found.outcome == other.outcome
    if found.outcome == "fail":
        assert any(g.gating and g.verdict == "FAIL" for g in found.grades)
    assert json.loads(msgspec.json.encode(found))["outcome"] == found.outcome
