"""What the text checks call the same, in any script."""

import unicodedata

import pytest

from judgekit.graders.code import code_grades
from judgekit.graders.text import fold, shorten, words
from judgekit.types import Case, Expected, Output


def verdict(text: str, **expected: object) -> str | None:
    (grade,) = code_grades(Case(id="c", input="?", expected=Expected(**expected)), Output(id="c", output=text))
    return grade.verdict


SAME = [
    ("14 days", "Within 14\u00a0days."),
    ("14 days", "within 14\n   days"),
    ("14\u3000days", "within 14 days"),
    ("refund", "REFUND"),
    ("ВРЪЩАНЕ", "Имате право на връщане."),
    ("Straße", "in der STRASSE"),
    ("GRÖSSE", "Größe 42"),
    ("ΟΔΟΣ", "η οδος μας"),
    ("οδός", "ΟΔΌΣ"),
    ("istanbul", "İSTANBUL'da"),
    ("İstanbul", "istanbul"),
    ("café", "cafe\u0301"),
    ("cafe\u0301", "CAFÉ"),
    ("don't", "Please don’t."),
    ('"14 дни"', "Имате „14 дни“ за връщане"),
    ("e-mail", "e\u2011mail"),
    ("14-21", "14–21 days"),
    ("Rückgabe", "Rück\u00adgabe"),
    ("refund", "re\u200bfund"),
    ("استرداد", "يمكنك \u200fاسترداد\u200e المبلغ"),
    ("返品", "返品は14日以内です"),
    ("返品 14日", "返品\u300014日"),
    ("❤", "Thanks ❤\ufe0f"),
    ("❤\ufe0f", "Thanks ❤"),
    ("👩‍💻", "hi 👩‍💻!"),
    ("ﬁ", "ﬁle"),
]
DIFFERENT = [
    ("cafe", "café"),
    ("sik", "sık sık"),  # Turkish: one is a swear word, the other means often
    ("14日", "１４日"),
    ("می‌خواهم", "میخواهم"),
    ("👍🏽", "👍"),
    ("14 days", "14days"),
    ("كتاب", "كِتَاب"),
    ("a—b", "a-b"),
]


@pytest.mark.parametrize(("term", "text"), SAME)
def test_terms_are_found_whatever_the_script_and_typography(term: str, text: str) -> None:
    assert verdict(text, must_include=(term,)) == "PASS"
    assert verdict(text, must_not_include=(term,)) == "FAIL"


@pytest.mark.parametrize(("term", "text"), DIFFERENT)
def test_other_writing_is_not_equated(term: str, text: str) -> None:
    assert verdict(text, must_include=(term,)) == "FAIL"
    assert verdict(text, must_not_include=(term,)) == "PASS"


def test_case_counts_only_when_asked_for() -> None:
    assert verdict("the refund", must_include=("Refund",)) == "PASS"
    assert verdict("the refund", must_include=("Refund",), case_sensitive=True) == "FAIL"
    assert verdict("връщане", must_include=("Връщане",), case_sensitive=True) == "FAIL"
    assert verdict("STRASSE", must_include=("Straße",), case_sensitive=True) == "FAIL"
    assert verdict("Don’t wait 14\u00a0days", must_include=("Don't wait 14 days",), case_sensitive=True) == "PASS"


def test_folding_is_the_same_for_every_normal_form() -> None:
    for text in ("Größe ΐ İ Å 각 é", "Ǆ ß ﬀ"):
        assert len({fold(unicodedata.normalize(form, text)) for form in ("NFC", "NFD")}) == 1


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 0),
        ("  \n\t ", 0),
        ("one", 1),
        ("one  two\nthree\tfour", 4),
        ("едно\u00a0две\u2003три\u3000четири\u2028пет", 5),
        ("Größe 42 – gut", 4),
        ("مرحبا بك", 2),
        ("返品は14日以内です", 1),
        ("👍 👍🏽", 2),
    ],
)
def test_words_are_what_stands_between_white_space(text: str, n: int) -> None:
    assert words(text) == n


def test_shortened_text_is_one_line_within_its_limit() -> None:
    assert shorten("a\n b") == "a b"
    assert shorten("x" * 80) == "x" * 80
    assert shorten("x" * 81) == "x" * 79 + "…"
    assert shorten("   " * 500 + "x", 10) == "…"
