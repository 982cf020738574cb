"""Votes: a strict majority of all that were asked for; a missing vote can neither decide nor be outvoted."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.panel import join_votes
from judgekit.types import Fault, Vote

MISSING = Fault("failed", "timeout", "slow")


def votes(*words):
    return [
        Vote(judge="j", vote=i, label=w or None, verdict=w or None, fault=None if w else MISSING)
        for i, w in enumerate(words, 1)
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("PASS",), "PASS"),
        (("",), None),
        (("PASS", "PASS", "FAIL"), "PASS"),
        (("PASS", "FAIL"), "UNKNOWN"),
        (("PASS", "FAIL", "UNKNOWN"), "UNKNOWN"),
        (("UNKNOWN", "UNKNOWN", "PASS"), "UNKNOWN"),
        (("PASS", "PASS", ""), "PASS"),
        (("PASS", "", ""), None),
        (("PASS", "FAIL", ""), None),
        (("PASS", "FAIL", "UNKNOWN", ""), "UNKNOWN"),
        (("", "", ""), None),
    ],
)
def test_known_panels(words, expected):
    joined = join_votes(votes(*words))
    assert joined.verdict == expected
    assert (joined.fault is None) == (expected is not None)


def _whole(words):
    word, n = Counter(words).most_common(1)[0]
    return word if 2 * n > len(words) else "UNKNOWN"


@given(st.lists(st.sampled_from(["PASS", "FAIL", "UNKNOWN", ""]), min_size=2, max_size=6))
def test_there_is_a_verdict_exactly_when_every_filling_of_the_gaps_agrees(words):
    gaps = [i for i, w in enumerate(words) if not w]
    outcomes = set()
    for filling in product(["PASS", "FAIL", "UNKNOWN"], repeat=len(gaps)):
        filled = list(words)
        for i, w in zip(gaps, filling, strict=True):
            filled[i] = w
        outcomes.add(_whole(filled))
    joined = join_votes(votes(*words))
    assert joined.verdict == (outcomes.pop() if len(outcomes) == 1 else None)


@given(st.lists(st.sampled_from(["PASS", "FAIL", "UNKNOWN", ""]), min_size=1, max_size=7), st.randoms())
def test_the_order_of_votes_does_not_matter(words, rng):
    shuffled = list(words)
    rng.shuffle(shuffled)
    assert join_votes(votes(*words)).verdict == join_votes(votes(*shuffled)).verdict
