"""Laws of a preference: what must hold for any verdicts, whoever gave them."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.graders.pairwise import pick_of
from judgekit.report.preference.document import block_document
from judgekit.report.preference.panel import join
from judgekit.report.preference.value import block_of
from judgekit.stats.preference import Pair, brief, preference
from judgekit.stats.strengths import fit

SWAP = {"A": "B", "B": "A", "TIE": "TIE", "UNKNOWN": "UNKNOWN", None: None}
PICKS = st.sampled_from(["A", "B", "TIE", "UNKNOWN", None])
PAIRS = st.lists(st.builds(Pair, st.sampled_from("uvwxyz"), PICKS, PICKS), max_size=25)


def renamed(pair: Pair) -> Pair:
    """The same pair with A called B: what was the swapped order is now the original one."""
    return Pair(pair.case, SWAP[pair.swapped], SWAP[pair.original], pair.undirected)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_every_pair_comes_to_exactly_one_thing(pairs):
    s = preference(pairs)
    assert sum(s.counts.values()) == s.pairs == len(pairs)
    assert s.first + s.second + s.undirected == s.counts["INCONSISTENT"]
    assert s.leaning <= s.counts["TIE"]


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_naming_the_answers_the_other_way_round_mirrors_the_preference_and_not_the_position(pairs):
    one, other = preference(pairs), preference([renamed(p) for p in pairs])
    assert (one.counts["A"], one.counts["B"]) == (other.counts["B"], other.counts["A"])
    assert (one.first, one.second, one.leaning) == (other.first, other.second, other.leaning)
    if one.win_rate.value is not None:
        assert np.isclose(one.win_rate.value, 1 - other.win_rate.value)
        assert np.isclose(one.win_rate.low, 1 - other.win_rate.high, atol=0.02)
        assert np.isclose(one.first_position.value, other.first_position.value)
    assert one.bias_test.p == other.bias_test.p
    assert one.sign_test.p == other.sign_test.p


@given(PAIRS)
@settings(max_examples=30, deadline=None)
def test_the_brief_of_a_tag_says_what_the_whole_report_would_say_of_it(pairs):
    short, whole = brief(pairs), preference(pairs)
    for name in ("pairs", "counts", "leaning", "win_rate", "inconsistent"):
        assert getattr(short, name) == getattr(whole, name)


@given(PAIRS, st.randoms())
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_rows_is_no_matter(pairs, random):
    shuffled = list(pairs)
    random.shuffle(shuffled)
    one, other = preference(pairs), preference(shuffled)
    assert one.counts == other.counts
    assert one.win_rate.value is None or np.isclose(one.win_rate.value, other.win_rate.value)


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_every_rate_lies_in_its_interval_and_between_nothing_and_all(pairs):
    s = preference(pairs)
    for rate in (
        s.win_rate,
        s.win_rate_decided,
        s.original,
        s.swapped,
        s.consistency,
        s.inconsistent,
        s.first_position,
    ):
        if rate.value is None:
            assert rate.undefined
        else:
            assert -1e-12 <= rate.low <= rate.value <= rate.high <= 1 + 1e-12


@given(PAIRS)
@settings(max_examples=60, deadline=None)
def test_both_orders_averaged_is_what_their_average_says(pairs):
    single = [Pair(str(i), p.original, p.swapped) for i, p in enumerate(pairs) if p.score is not None]
    s = preference(single)
    if single:
        assert np.isclose(s.win_rate.value, (s.original.value + s.swapped.value) / 2)
        flips = 0.5 + (s.first - s.second) / (2 * len(single))
        assert s.leaning or np.isclose(s.first_position.value, flips)


@given(PAIRS, st.booleans())
@settings(max_examples=30, deadline=None)
def test_a_report_is_json_without_nan_whatever_was_judged(pairs, with_gold):
    block = block_of(pairs, gold=[p.original for p in pairs] if with_gold else None, lengths=[(3, 5)] * len(pairs))
    text = msgspec.json.encode(block_document(block, ("old", "new")))
    assert b"NaN" not in text
    assert msgspec.json.decode(text)["pairs"] == len(pairs)


@given(st.sampled_from(["FIRST", "SECOND", "TIE", "UNKNOWN"]))
def test_the_same_word_in_the_other_order_names_the_other_answer(label):
    assert SWAP[pick_of(label, swapped=False)] == pick_of(label, swapped=True)


@given(st.lists(st.builds(Pair, st.just("c"), PICKS, PICKS), min_size=1, max_size=7))
def test_a_missing_vote_that_is_filled_in_never_overturns_a_panel(votes):
    joined = join("c", votes).outcome
    assert joined != "MISSING" or any(v.outcome == "MISSING" for v in votes)
    if joined in ("A", "B"):
        for at, vote in enumerate(votes):
            if vote.outcome == "MISSING":
                for filled in (Pair("c", "A", "A"), Pair("c", "B", "B"), Pair("c", "TIE", "TIE")):
                    assert join("c", [*votes[:at], filled, *votes[at + 1 :]]).outcome == joined


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=3, max_size=3))
@settings(deadline=None)
def test_strengths_give_every_variant_the_wins_that_it_has(rows):
    wins = np.array(rows, dtype=float) + 0.5
    np.fill_diagonal(wins, 0)
    theta = fit(wins[None])[0]
    chance = 1 / (1 + np.exp(theta[None, :] - theta[:, None]))
    np.fill_diagonal(chance, 0)
    assert np.allclose(((wins + wins.T) * chance).sum(axis=1), wins.sum(axis=1), atol=1e-6)
    assert np.isclose(theta.sum(), 0)
