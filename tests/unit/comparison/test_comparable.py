from pathlib import Path

import msgspec
import pytest

from judgekit.comparison.comparable import KINDS, differences
from judgekit.comparison.pairs import compare
from judgekit.comparison.prints import Prints
from judgekit.errors import UsageError

JUDGED = Prints(
    "v", "jjjjjjjj", "openai:gpt-5", {"tone.polite": "11111111-22222222", "case.meets": "33333333-44444444"}
)


def judged(side, *, name="v1", deciding=(), **changes):
    prints = msgspec.structs.replace(JUDGED, **changes)
    counts = {"a": (1, 0), "b": (1, 0)}
    return side(counts, name=name, deciding=deciding, rubrics=("tone", "case"), print_=prints)


def kinds(base, new):
    return [(d.kind, d.what) for d in differences(base, new)]


def test_two_runs_of_one_suite_differ_in_nothing(side):
    assert kinds(judged(side), judged(side, name="v2", variant="w")) == []


@pytest.mark.parametrize(
    ("fingerprint", "kind", "words"),
    [
        ("XXXXXXXX-bbbbbbbb-cccccccc", "cases", "what is asked changed in b"),
        ("aaaaaaaa-XXXXXXXX-cccccccc", "cases", "what is checked changed in b"),
        ("aaaaaaaa-bbbbbbbb-XXXXXXXX", "thresholds", "a limit or pass rule changed in b"),
    ],
)
def test_a_changed_case_is_named_with_what_changed(side, fingerprint, kind, words):
    base, new = side({"a": (1, 0), "b": (1, 0)}), side({"a": (1, 0), "b": (1, 0)}, prints={"b": fingerprint})
    assert kinds(base, new) == [(kind, words)]


def test_another_judge_is_named(side):
    new = judged(side, name="v2", judge="kkkkkkkk", judged_by="openai:gpt-5-mini")
    assert kinds(judged(side), new) == [("judge", "openai:gpt-5 in v1, openai:gpt-5-mini in v2")]


def test_the_same_judge_with_other_settings_is_told_apart(side):
    new = judged(side, name="v2", judge="kkkkkkkk")
    assert kinds(judged(side), new) == [("judge", "the settings of openai:gpt-5 changed")]


def test_a_changed_criterion_and_a_changed_threshold_are_different_things(side):
    rubrics = {**JUDGED.rubrics, "tone.polite": "99999999-22222222"}
    assert kinds(judged(side), judged_with(side, rubrics)) == [("rubrics", "what is asked changed in tone.polite")]
    rubrics = {**JUDGED.rubrics, "tone.polite": "11111111-99999999"}
    assert kinds(judged(side), judged_with(side, rubrics)) == [
        ("thresholds", "from where on it passes changed in tone.polite")
    ]


def judged_with(side, rubrics):
    return judged(side, name="v2", rubrics=rubrics)


def test_no_judge_on_one_side_is_a_matter_of_graders(side):
    new = side({"a": (1, 0), "b": (1, 0)}, name="v2")
    assert kinds(judged(side), new) == [("graders", "case, tone judged in v1, no judge in v2: a, b")]


def test_a_new_dimension_is_a_matter_of_graders(side):
    new = judged_with(side, {**JUDGED.rubrics, "tone.short": "55555555-66666666"})
    assert kinds(judged(side), new) == [("graders", "the dimension tone.short is in v2 only")]


def test_a_judge_that_decides_on_one_side_only_changes_what_a_pass_is(side):
    new = judged(side, name="v2", deciding=("tone.polite",))
    assert kinds(judged(side), new) == [("graders", "tone.polite decides in v2 and is advisory in v1")]


def test_graders_of_cases_that_are_not_shared_do_not_matter(side):
    base = side({"a": (1, 0)}, print_=Prints("v"))
    new = side({"a": (1, 0)}, name="v2", print_=JUDGED)  # its judge read other cases only
    assert kinds(base, new) == []


def test_another_pass_rule_is_a_threshold(side):
    base, new = side({"a": (3, 2)}), side({"a": (3, 2)}, name="v2", pass_when={"at_least": 3})
    assert kinds(base, new) == [("thresholds", "pass_when was all and is at_least 3 for a")]


def test_the_number_of_trials_is_named(side):
    base, new = side({"a": (5, 0)}), side({"a": (3, 0)}, name="v2")
    assert kinds(base, new) == [("trials", "5 per case in v1, 3 in v2")]


def test_incomparable_sides_are_refused_with_all_reasons_and_the_way_out(side):
    base = side({"a": (5, 0)})
    new = side({"a": (3, 0)}, name="v2", prints={"a": "X-Y-Z"})
    with pytest.raises(UsageError) as refused:
        compare(base, new)
    text = str(refused.value)
    assert "v1 and v2 are not comparable:" in text
    assert "  cases: what is asked changed in a" in text
    assert "  trials: 5 per case in v1, 3 in v2" in text
    assert text.endswith("--allow cases --allow thresholds --allow trials")
    assert "The variant differs too" in text


def test_what_was_allowed_is_kept_and_told(side):
    new = side({"a": (3, 0)}, name="v2")
    found = compare(side({"a": (5, 0)}), new, allow=["trials", "cases"])
    assert [(d.kind, d.what) for d in found.allowed] == [("trials", "5 per case in v1, 3 in v2")]
    assert any("changed together with the variant: trials" in notice for notice in found.notices)


def test_allowing_one_kind_allows_no_other(side):
    new = side({"a": (3, 0)}, name="v2", prints={"a": "X-bbbbbbbb-cccccccc"})
    with pytest.raises(UsageError, match=r"--allow cases$"):
        compare(side({"a": (5, 0)}), new, allow=["trials"])


def test_an_unknown_kind_is_an_error_with_the_right_one(side):
    with pytest.raises(UsageError, match="Did you mean 'trials'"):
        compare(side({"a": (1, 0)}), side({"a": (1, 0)}, name="v2"), allow=["trial"])


def test_many_changed_cases_are_counted_not_all_named(side):
    ids = [f"c{i}" for i in range(9)]
    new = side(dict.fromkeys(ids, (1, 0)), name="v2", prints=dict.fromkeys(ids, "X-bbbbbbbb-cccccccc"))
    ((_, what),) = kinds(side(dict.fromkeys(ids, (1, 0))), new)
    assert what == "what is asked changed in c0, c1, c2, c3, c4 and 4 more"


def test_every_kind_is_documented():
    text = (Path(__file__).parents[3] / "docs" / "compare.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"| `{kind}` |" not in text] == []
