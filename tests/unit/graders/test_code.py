"""Each check, its reason, and when it gives no verdict."""

import pytest

from judgekit.graders.code import CHECKS, checks_of, code_grades, problems_of
from judgekit.types import Case, Expected, Fault, Grade, Message, Output


def grade(output: Output | str, *, answerable: bool | None = None, **expected: object) -> Grade:
    case = Case(id="c", input="?", expected=Expected(**expected), answerable=answerable)
    given = Output(id="c", output=output, trial=2) if isinstance(output, str) else output
    (only,) = code_grades(case, given)
    return only


def said(output: Output | str, **expected: object) -> tuple[str | None, str]:
    g = grade(output, **expected)
    return g.verdict, g.reason


def test_include_checks_name_every_term_at_fault() -> None:
    text = "You get a refund, guaranteed, 100% of it."
    assert said(text, must_include=("refund", "14 days", "receipt")) == ("FAIL", 'missing "14 days", "receipt"')
    assert said(text, must_include=("refund", "of it")) == ("PASS", 'has "refund", "of it"')
    assert said(text, must_not_include=("guarantee", "100%", "sorry")) == ("FAIL", 'contains "guarantee", "100%"')
    assert said(text, must_not_include=("sorry",)) == ("PASS", 'does not contain "sorry"')


def test_the_word_limit_says_both_numbers() -> None:
    assert said("w " * 49, max_words=25) == ("FAIL", "49 words, the limit is 25")
    assert said("w " * 25, max_words=25) == ("PASS", "25 words, the limit is 25")
    assert said("w", max_words=25) == ("PASS", "1 word, the limit is 25")


def test_every_pattern_must_match_somewhere() -> None:
    assert said("Order 12", must_match=(r"order \d+",)) == ("PASS", r'matches "order \d+"')
    assert said("Order x", must_match=(r"order \d+", "x$", "^y")) == ("FAIL", r'nothing matches "order \d+", "^y"')
    assert said("Order 12", must_match=(r"order",), case_sensitive=True)[0] == "FAIL"
    assert said("ГОДИНА 2024", must_match=(r"година\s\d{4}",))[0] == "PASS"
    assert said("cafe\u0301", must_match=("^café$",))[0] == "PASS"
    assert said("返品は14日", must_match=(r"\d+日$",))[0] == "PASS"
    assert said("الفترة ١٤ يوما", must_match=(r"\d{2}\sيوما",))[0] == "PASS"
    assert said("👍", must_match=("^.$",))[0] == "PASS"


def test_a_bad_pattern_gives_no_verdict() -> None:
    fault = grade("x", must_match=("(",)).fault
    assert fault is not None
    assert (fault.kind, fault.code) == ("failed", "check_error")


def test_equals_shows_where_two_texts_part() -> None:
    assert said(" Да.\n", equals="да.") == ("PASS", 'is "да."')
    assert said("no", equals="yes") == ("FAIL", 'expected "yes", found "no"')
    long = "again " * 20  # 120 characters; the two part at the 121st, and 20 before it are shown
    assert said(long + "left", equals=long + "right") == (
        "FAIL",
        'from character 101 on, expected "n again again again right", found "n again again again left"',
    )
    assert said(Output(id="c", output={"b": 1}), equals='{ "b": 1 }')[0] == "PASS"


def test_labels_are_compared_and_an_empty_one_is_a_label() -> None:
    assert said(Output(id="c", output="x", label=" Refund"), label="refund") == ("PASS", 'label is "Refund"')
    assert said(Output(id="c", output="x", label=""), label="refund") == ("FAIL", 'label is "", expected "refund"')


def test_each_expected_source_must_be_cited() -> None:
    out = Output(id="c", output="x", citations=("faq", "terms"))
    assert said(out, citation=("faq",)) == ("PASS", 'cites "faq"')
    assert said(out, citation=("faq", "law")) == ("FAIL", 'does not cite "law"; cites "faq", "terms"')
    assert said(Output(id="c", output="x", citations=()), citation=("faq",)) == (
        "FAIL",
        'does not cite "faq"; cites nothing',
    )


def test_an_unanswerable_case_must_cite_nothing() -> None:
    cited = grade(Output(id="c", output="x", citations=("faq",)), answerable=False)
    assert (cited.grader, cited.verdict) == ("no_citation", "FAIL")
    assert cited.reason == 'cites "faq", but the case is not answerable'
    assert grade(Output(id="c", output="x", citations=()), answerable=False).verdict == "PASS"
    assert grade(Output(id="c", output="x"), answerable=False).fault is not None
    assert checks_of(Case(id="c", input="?", answerable=True)) == ()


def test_recall_and_precision_say_their_numbers() -> None:
    out = Output(id="c", output="x", retrieved=("a", "b", "z", "b"))
    assert said(out, retrieved=("a", "b", "c")) == (
        "FAIL",
        'found 2 of 3 = 0.67, at least 1 expected; missing "c"',
    )
    assert said(out, retrieved=("a", "b", "c"), min_recall=0.6)[0] == "PASS"
    assert said(out, retrieved=("a", "b"), min_recall=0, min_precision=0.7) == (
        "FAIL",
        "2 of 3 retrieved are relevant = 0.67, at least 0.7 expected",
    )
    ten = tuple("abcdefghij")
    assert said(Output(id="c", output="x", retrieved=ten[:7]), retrieved=ten, min_recall=0.7)[0] == "PASS"


def test_precision_of_nothing_is_undefined_not_zero() -> None:
    nothing = Output(id="c", output="x", retrieved=())
    fault = grade(nothing, retrieved=("a",), min_recall=0, min_precision=0.5).fault
    assert fault is not None
    assert fault.code == "nothing_retrieved"
    assert said(nothing, retrieved=("a",))[0] == "FAIL"


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        ({"label": "x"}, "no_label"),
        ({"citation": ("x",)}, "no_citations"),
        ({"retrieved": ("x",)}, "no_retrieved"),
        ({"retrieved": ("x",), "min_recall": 0, "min_precision": 1}, "no_retrieved"),
    ],
)
def test_a_field_that_the_output_lacks_gives_no_verdict(expected: dict[str, object], code: str) -> None:
    fault = grade("x", **expected).fault
    assert fault is not None
    assert (fault.kind, fault.code) == ("not_applicable", code)


ALL = Expected(
    label="a",
    equals="a",
    must_include=("a",),
    must_not_include=("b",),
    must_match=("a",),
    max_words=3,
    citation=("a",),
    retrieved=("a",),
    min_precision=0.1,
    json_schema={"type": "string"},
    number=1,
    python="m:f",
)


@pytest.mark.parametrize(
    "output",
    [
        Output(id="c", trial=3, fault=Fault("failed", "timeout", "timed out after 120 s")),
        Output(id="c", trial=3, fault=Fault("refused", "filter", "")),
        Output(id="c", trial=3),
        Output(id="c", trial=3, output=float("nan")),
        Output(id="c", trial=3, output={"a": {1, 2}}),
    ],
)
def test_a_missing_output_passes_and_fails_nothing(output: Output) -> None:
    case = Case(id="c", input=(Message("user", "?"),), expected=ALL, answerable=False)
    grades = code_grades(case, output, call=lambda _output: True)
    assert [g.grader for g in grades] == list(CHECKS)
    assert {(g.verdict, g.fault.kind, g.fault.code) for g in grades if g.fault} == {(None, "failed", "no_output")}
    assert {(g.case, g.trial, g.kind, g.gating) for g in grades} == {("c", 3, "code", True)}


def test_the_reason_of_a_missing_output_is_handed_on() -> None:
    fault = grade(Output(id="c", fault=Fault("failed", "timeout", "timed out")), must_not_include=("Error",)).fault
    assert fault == Fault("failed", "no_output", "no output: timed out")


def test_an_empty_output_is_graded_as_empty_text() -> None:
    assert said("", must_include=("a",)) == ("FAIL", 'missing "a"')
    assert said("", must_not_include=("a",))[0] == "PASS"
    assert said("", max_words=1) == ("PASS", "0 words, the limit is 1")


def test_a_case_for_judges_alone_has_no_code_checks() -> None:
    assert code_grades(Case(id="c", input="?", expected=ALL, grading="rubric"), Output(id="c", output="a")) == ()
    assert code_grades(Case(id="c", input="?", expected=ALL, grading="deterministic"), Output(id="c", output="a"))


@pytest.mark.parametrize("empty", ["", " ", "\u00a0\n", "\u200b", "\ufeff \u00ad"])
def test_an_empty_term_is_no_check(empty: str) -> None:
    blank = Expected(must_include=(empty,), must_not_include=(empty,), equals=empty, label=empty, citation=(empty,))
    assert code_grades(Case(id="c", input="?", expected=blank), Output(id="c", output="text")) == ()
    assert said("a refund", must_include=("refund", empty)) == ("PASS", 'has "refund"')
    assert said("a refund", must_not_include=(empty, "x"))[0] == "PASS"
    assert said("a refund", must_match=("refund", ""))[0] == "PASS"


@pytest.mark.parametrize(
    ("expected", "start"),
    [
        ({"must_match": ("(",)}, 'must_match: "(" is no regular expression: missing )'),
        ({"must_match": ("a{99999999999999999999}",)}, 'must_match: "a{99999999999999999999}" is no regular'),
        (
            {"must_include": ("14 Days",), "must_not_include": ("days",)},
            'must_include "14 Days" contains must_not_include "days": nothing passes',
        ),
        ({"max_words": -1}, "max_words is -1"),
        ({"min_recall": 1.5, "retrieved": ("a",)}, "min_recall is 1.5"),
        ({"min_precision": -0.5}, "min_precision is -0.5"),
        ({"min_recall": float("nan")}, "min_recall is nan"),
        ({"min_precision": 0.5}, "min_precision needs `retrieved`"),
        ({"number": 1.0, "tolerance": -1.0}, "tolerance is -1"),
        ({"tolerance": 1.0}, "tolerance needs `number`"),
        ({"number": float("inf")}, "number is inf"),
        ({"json_schema": {"type": "strong"}}, "json_schema is not valid at $.type: 'strong'"),
        (
            {"json_schema": {"$ref": "https://example.com/x.json"}},
            'json_schema: $ref "https://example.com/x.json": copy',
        ),
        ({"json_schema": {"$ref": "#/$defs/no"}}, 'json_schema: $ref "#/$defs/no": there is no such place'),
        ({"python": "polite"}, 'python: "polite" is no Python function; write module:function'),
        ({"python": "checks.py:polite"}, 'python: "checks.py:polite" names a file; write checks:polite'),
    ],
)
def test_impossible_expectations_are_found_before_anything_is_sent(expected: dict[str, object], start: str) -> None:
    (problem,) = problems_of(Expected(**expected))
    assert problem.startswith(start)


def test_all_problems_are_listed_and_a_sound_case_has_none() -> None:
    assert len(problems_of(Expected(must_match=("(", "["), max_words=-1))) == 3
    sound = Expected(must_match=(r"^(?!.*guarantee)",), min_recall=0.5, retrieved=("a",), number=0, tolerance=0.5)
    assert problems_of(sound) == []
    assert problems_of(ALL) == []
    assert problems_of(Expected(citation=("faq",)), answerable=False) == [
        'citation "faq" is expected, but `answerable: false` allows no citation'
    ]
    assert problems_of(Expected(must_include=("Days",), must_not_include=("days",), case_sensitive=True)) == []
