"""Laws of the probes: what a text keeps, what an exchange never does, and what swapping the arms does to an effect."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from judgekit.probes.attacks import attacked, load_attacks, share_of, shipped_attacks
from judgekit.probes.dressing import dressed
from judgekit.probes.effect import benjamini_hochberg, effect_over_cases
from judgekit.probes.mismatch import Written, exchanged
from judgekit.probes.padding import padded
from judgekit.probes.prose import prose, sentences
from judgekit.probes.seen import Seen, paired, shift

TEXT = st.text(st.characters(codec="utf-8"), max_size=80)
VERDICT = st.sampled_from(["PASS", "FAIL", "UNKNOWN", None])
ATTACKS = load_attacks(shipped_attacks())


def solid(text):
    return "".join(text.split())


@given(TEXT)
def test_sentences_lose_nothing_but_blanks(text):
    assert solid("".join(sentences(text))) == solid(text)


@given(TEXT.filter(lambda t: prose(t) is not None))
def test_padding_keeps_the_text_and_repeats_it(text):
    new = padded(text)
    assert new.startswith(text)
    assert solid(new) == 2 * solid(text)


@given(TEXT)
def test_dressing_changes_no_word(text):
    new = dressed(text)
    if new is not None:
        bare = [line.removeprefix("- ") for line in new.splitlines()]
        bare[0] = bare[0].removeprefix("**").removesuffix("**")
        assert solid("".join(bare)) == solid(text)


@given(TEXT, st.sampled_from(ATTACKS))
def test_an_attacked_text_holds_the_whole_text(text, attack):
    assert text in attacked(text, attack, good="PASS")


@given(st.integers(0, 500), st.integers(1, 80))
def test_no_output_meets_an_attack_twice(at, each):
    own = share_of(ATTACKS, at, each)
    assert len({a.id for a in own}) == len(own) == min(each, len(ATTACKS))


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.integers(1, 3)), st.tuples(st.sampled_from("qrs"), st.sampled_from("xyz"))
    )
)
def test_an_exchange_is_always_of_another_case_question_and_answer(rows):
    outputs = {unit: Written(*pair) for unit, pair in rows.items()}
    for unit, other in exchanged(outputs).items():
        assert unit[0] != other[0]
        assert outputs[unit].asked != outputs[other].asked
        assert outputs[unit].answered != outputs[other].answered


@given(
    st.dictionaries(st.tuples(st.sampled_from("abcdef"), st.integers(1, 3)), st.tuples(VERDICT, VERDICT), min_size=1)
)
@settings(max_examples=30)
def test_swapping_the_arms_negates_the_effect_and_keeps_p(rows):
    old = {unit: Seen(*unit, "base", a) for unit, (a, _) in rows.items()}
    new = {unit: Seen(*unit, "padded", b) for unit, (_, b) in rows.items()}
    one = paired(old, new.values(), shift)
    other = paired(new, old.values(), shift)
    assert one.left_out == other.left_out
    a = effect_over_cases(one.by_case, ends=(-1, 1), band=(-0.1, 0.1))
    b = effect_over_cases(other.by_case, ends=(-1, 1), band=(-0.1, 0.1))
    if a.estimate.value is None:
        assert b.estimate.value is None
        return
    assert abs(a.estimate.value + b.estimate.value) < 1e-12
    # the draws are others, so the ends agree up to the noise of 20,000 draws
    assert abs(a.estimate.low + b.estimate.high) < 0.03
    assert abs(a.p - b.p) < 0.03


@given(st.lists(st.floats(0, 1), max_size=20))
def test_adjusted_p_is_never_smaller_and_keeps_the_order(p):
    adjusted = benjamini_hochberg(p)
    assert all(a >= b - 1e-12 and a <= 1 for a, b in zip(adjusted, p, strict=True))
    pairs = sorted(zip(p, adjusted, strict=True))
    assert all(x[1] <= y[1] + 1e-12 for x, y in pairwise(pairs))
