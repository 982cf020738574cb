"""Code checks on texts that nobody prepared."""

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.code import checks_of, code_grades, problems_of
from judgekit.graders.number import last_number, number_finding
from judgekit.graders.text import fold, words
from judgekit.types import Case, Expected, Fault, Output

TEXT = st.text(max_size=60)
TERMS = st.lists(TEXT, max_size=3).map(tuple)
JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
                    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5)  # fmt: skip


def expectations() -> st.SearchStrategy[Expected]:
    return st.builds(
        Expected,
        label=TEXT,
        equals=TEXT,
        must_include=TERMS,
        must_not_include=TERMS,
        must_match=TERMS,
        max_words=st.integers(0, 9),
        citation=TERMS,
        retrieved=TERMS,
        min_precision=st.sampled_from([0.0, 0.5]),
        number=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        case_sensitive=st.booleans(),
        json_schema=st.sampled_from([None, {"type": "object"}]),
    )


OUTPUTS = st.builds(
    Output,
    id=st.just("c"),
    output=JSON,
    label=st.none() | TEXT,
    citations=st.none() | TERMS,
    retrieved=st.none() | TERMS,
)


@given(expectations(), OUTPUTS, st.sampled_from([None, True, False]))
def test_every_check_of_a_case_gives_one_grade_and_a_reason(
    e: Expected, output: Output, answerable: bool | None
) -> None:
    case = Case(id="c", input="?", expected=e, answerable=answerable)
    grades = code_grades(case, output)
    assert tuple(g.grader for g in grades) == checks_of(case)
    assert all((g.reason if g.verdict else g.fault and g.fault.why) for g in grades)
    assert all("\n" not in g.reason for g in grades)
    problems_of(e)


@given(expectations())
def test_without_an_output_nothing_passes(e: Expected) -> None:
    case = Case(id="c", input="?", expected=e, answerable=False)
    output = Output(id="c", fault=Fault("failed", "exit_1", "exit 1"))
    assert {g.verdict for g in code_grades(case, output)} == {None}


@given(TEXT, TEXT, TEXT, st.booleans())
def test_a_term_in_the_text_is_found_and_the_two_checks_are_opposites(
    before: str, term: str, after: str, sensitive: bool
) -> None:
    def verdict(**terms: Any) -> str | None:
        case = Case(id="c", input="?", expected=Expected(**terms, case_sensitive=sensitive))
        return next((g.verdict for g in code_grades(case, Output(id="c", output=f"{before} {term} {after}"))), None)

    has, lacks = verdict(must_include=(term,)), verdict(must_not_include=(term,))
    if fold(term):
        assert (has, lacks) == ("PASS", "FAIL")
    else:
        assert (has, lacks) == (None, None)


@given(TEXT, st.booleans())
def test_folding_twice_is_folding_once(text: str, sensitive: bool) -> None:
    once = fold(text, case_sensitive=sensitive)
    assert fold(once, case_sensitive=sensitive) == once


@given(
    st.lists(st.text(alphabet="aБßΣع日👍", min_size=1, max_size=5), max_size=8),
    st.sampled_from(" \n\t\u00a0\u2003\u3000\u2028"),
)
def test_words_are_counted_whatever_stands_between_them(given_: list[str], space: str) -> None:
    assert words(space.join(given_)) == len(given_)


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9),
    TEXT.filter(lambda t: not any(c.isdecimal() for c in t)),
)
def test_a_number_in_english_grouping_reads_back(number: Decimal, before: str) -> None:
    written = f"{abs(number):,.3f}"
    found = last_number(f"{before} = {'-' if number < 0 else ''}{written} ")
    assert found is not None
    assert found.value == number


@given(TEXT, st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e300))
def test_any_text_can_be_asked_for_a_number(text: str, number: float, tolerance: float) -> None:
    assert number_finding(text, number, tolerance)
