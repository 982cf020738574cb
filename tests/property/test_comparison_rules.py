"""What must hold of every comparison, whatever the counts."""

from itertools import product

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgekit.comparison.baseline import baseline_of, baseline_text, parse_baseline, side_of_baseline
from judgekit.comparison.pairs import change_of, compare, lost_passes, possible_loss
from judgekit.comparison.prints import Prints
from judgekit.comparison.rules import apply_to_comparison
from judgekit.comparison.side import CaseSide, Side
from judgekit.graders.outcome import case_outcome
from judgekit.suite import Rule

TRIALS = 4
FEWER = Rule.model_validate("fewer_passes")
triples = st.integers(0, TRIALS).flatmap(lambda p: st.integers(0, TRIALS - p).map(lambda f: (p, f, TRIALS - p - f)))


def case(id_, counts, **more):
    passed, failed, undecided = counts
    outcomes = ["pass"] * passed + ["fail"] * failed + ["undecided"] * undecided
    outcome = case_outcome(outcomes, "all")
    return CaseSide(id_, passed, failed, undecided, outcome, fingerprint="a-b-c", **more)


def side(counts, name):
    cases = tuple(case(id_, c) for id_, c in counts.items())
    return Side(name, "s", name, f"run-{name}", TRIALS, Prints(variant=name), (), cases, "0")


sides = st.dictionaries(st.sampled_from("abcdef"), triples, min_size=1)


@given(triples, triples)
def test_a_change_is_named_only_when_every_filling_of_the_gaps_agrees(before, after):
    found = change_of(case("a", before), case("a", after))
    filled = set()
    for more_before, more_after in product(range(before[2] + 1), range(after[2] + 1)):
        d = (after[0] + more_after) - (before[0] + more_before)
        filled.add((d > 0) - (d < 0))
    if found == "regression":
        assert filled == {-1}
    elif found in ("fixed", "better"):
        assert filled == {1}
    elif found == "unclear":
        assert len(filled) > 1 or filled == {0}
    else:
        assert before == after


@given(triples, triples)
def test_losses_lie_between_the_certain_and_the_possible(before, after):
    pair = compare(side({"a": before}, "v1"), side({"a": after}, "v2")).pairs[0]
    assert 0 <= lost_passes(pair) <= possible_loss(pair) <= TRIALS
    if before[2] == after[2] == 0:
        assert lost_passes(pair) == possible_loss(pair) == max(0, before[0] - after[0])


@settings(max_examples=60, deadline=None)
@given(sides, sides)
def test_swapping_the_sides_turns_every_sign(base, new):
    assume(set(base) & set(new))
    one, other = compare(side(base, "v1"), side(new, "v2")), compare(side(new, "v2"), side(base, "v1"))
    assert one.passed == other.passed[::-1]
    assert {c.id for c in one.only_in_base} == {c.id for c in other.only_in_new}
    assert {p.id for p in one.changed("regression")} == {p.id for p in other.changed("fixed", "better")}
    assert (one.sign.ups, one.sign.downs) == (other.sign.downs, other.sign.ups)
    if one.on_these.value is not None:
        assert abs(one.on_these.value + other.on_these.value) < 1e-12
        assert abs(one.on_these.low + other.on_these.high) < 1e-9


@settings(max_examples=60, deadline=None)
@given(sides)
def test_nothing_changes_against_itself(counts):
    found = compare(side(counts, "v1"), side(counts, "v1"))
    assert {pair.change for pair in found.pairs} == {"same"}
    assert apply_to_comparison(FEWER, found).word == "ok"


@settings(max_examples=100, deadline=None)
@given(sides, sides, st.dictionaries(st.sampled_from("uvwxyz"), st.just((TRIALS, 0, 0))))
def test_no_number_of_fixes_makes_up_for_a_regression(base, new, fixed):
    assume(set(base) & set(new))
    alone = apply_to_comparison(FEWER, compare(side(base, "v1"), side(new, "v2")))
    broken = dict.fromkeys(fixed, (0, TRIALS, 0))
    beside = apply_to_comparison(FEWER, compare(side(base | broken, "v1"), side(new | fixed, "v2")))
    assert alone.word == beside.word


ids = st.text(min_size=1, max_size=8).filter(lambda t: t.isprintable())


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(ids, triples, min_size=1, max_size=8),
    st.lists(ids, max_size=3),
    st.booleans(),
    st.sampled_from([None, "critical", "low"]),
)
def test_a_baseline_reads_back_as_it_was_written(counts, tags, must, severity):
    cases = tuple(case(i, c, tags=tuple(tags), must_pass=must, severity=severity) for i, c in counts.items())
    run = Side("v1", "s", "v1", "r", TRIALS, Prints(variant="v1"), ("tone.polite",), cases, "0")
    text = baseline_text(baseline_of(run))
    back = side_of_baseline(parse_baseline(text, file="b"), name="b")
    assert sorted(back.cases, key=lambda c: c.id) == sorted(cases, key=lambda c: c.id)
    assert (back.prints, back.deciding, back.trials) == (run.prints, run.deciding, run.trials)
    assert baseline_text(baseline_of(back)) == text
