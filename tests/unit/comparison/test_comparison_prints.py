import msgspec
import pytest

from judgekit.comparison.prints import case_print, judge_print, judge_words, prints_of, rubric_prints
from judgekit.rubric import Dimension, Ordinal, Rubric
from judgekit.suite import JudgeConfig
from judgekit.types import Case, Expected

CASE = Case("a", "Where is my parcel?", expected=Expected(must_include=("link",), max_words=25), rubric="Polite.")


def changed_parts(**changes):
    before = case_print(CASE).split("-")
    after = case_print(msgspec.structs.replace(CASE, **changes)).split("-")
    return [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"input": "Where?"}, [0]),
        ({"context": "It is late."}, [0]),
        ({"reference": "Here."}, [0]),
        ({"expected": Expected(must_include=("LINK",), max_words=25)}, [1]),
        ({"rubric": "Polite and short."}, [1]),
        ({"grading": "deterministic"}, [1]),
        ({"expected": Expected(must_include=("link",), max_words=50)}, [2]),
        ({"expected": Expected(must_include=("link",), max_words=25, min_recall=0.5)}, [2]),
        ({"pass_when": "any"}, [2]),
        # what neither asks nor checks anything
        ({"tags": ("regression",)}, []),
        ({"must_pass": True}, []),
        ({"severity": "critical"}, []),
        ({"meta": {"owner": "x"}, "source": "mail", "added_on": "2026-01-01", "split": "dev"}, []),
        ({"context_ref": ("moved.md",)}, []),
    ],
)
def test_a_change_shows_in_its_own_part(changes, parts):
    assert changed_parts(**changes) == parts


def test_a_case_print_is_short_and_the_same_everywhere():
    parts = case_print(CASE).split("-")
    assert [len(part) for part in parts] == [8, 8, 8]
    assert case_print(CASE) == case_print(msgspec.json.decode(msgspec.json.encode(CASE), type=Case))


def ordinal(pass_at=1, criterion="clear", low="no"):
    scale = Ordinal(levels={"0": low, "1": "some", "2": "yes"}, pass_at=pass_at)
    return Rubric(id="tone", dimensions=(Dimension(id="clear", criterion=criterion, scale=scale),))


def test_where_a_scale_passes_is_a_threshold_and_its_words_are_the_rubric():
    asked, limit = rubric_prints(ordinal())["tone.clear"].split("-")
    asked_2, limit_2 = rubric_prints(ordinal(pass_at=2))["tone.clear"].split("-")
    assert (asked_2 == asked, limit_2 == limit) == (True, False)
    for other in (ordinal(criterion="very clear"), ordinal(low="not at all")):
        asked_3, limit_3 = rubric_prints(other)["tone.clear"].split("-")
        assert (asked_3 == asked, limit_3 == limit) == (False, True)


def test_the_template_is_part_of_what_is_asked_and_the_description_is_not():
    plain = rubric_prints(ordinal())
    assert rubric_prints(ordinal().model_copy(update={"template_text": "Grade {{ output }}"})) != plain
    assert rubric_prints(ordinal().model_copy(update={"description": "new words", "version": 2})) == plain


def test_where_the_key_is_kept_does_not_make_another_judge():
    judge = JudgeConfig(model="openai:gpt-5")
    assert judge_print(judge) == judge_print(JudgeConfig(model="openai:gpt-5", api_key_env="KEY", allow_self="why not"))
    for other in ({"votes": 3}, {"params": {"temperature": 0}}, {"base_url": "http://localhost"}, {"reask": 0}):
        assert judge_print(judge) != judge_print(JudgeConfig(model="openai:gpt-5", **other))


def test_a_judge_in_words():
    assert judge_words(JudgeConfig(model=("a:x", "b:y"), votes=3)) == "a:x + b:y, 3 votes"


def test_a_run_whose_cases_no_rubric_judges_has_no_judge():
    assert prints_of("v", JudgeConfig(model="openai:gpt-5"), []).judge == ""
    assert prints_of("v", None, [ordinal()]).rubrics == {}
