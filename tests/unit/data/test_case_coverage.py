"""What the cases test, counted, and against what users ask."""

from pathlib import Path

import pytest

from judgekit.data.coverage import count, coverage, is_negative, load_traffic
from judgekit.errors import InputError
from judgekit.types import Case, Expected

LIVE = {"lookup": 4120, "howto": 2890, "troubleshoot": 1755, "out_of_scope": 690, "unanswerable": 402}


def cases(*intents: str, kind: str = "intent") -> list[Case]:
    return [Case(f"c{n}", "x", tags=(f"{kind}:{name}",)) for n, name in enumerate(intents)]


def test_gaps_are_the_share_of_cases_minus_the_share_of_traffic(tmp_path: Path) -> None:
    path = tmp_path / "traffic.csv"
    path.write_text("intent,count\n" + "".join(f"{k},{v}\n" for k, v in LIVE.items()), encoding="utf-8")
    found = coverage(cases("lookup", "lookup", "howto", "unanswerable", "out_of_scope"), load_traffic(path))
    assert {gap.intent: f"{gap.gap:+.1%}" for gap in found.gaps} == {
        "lookup": "-1.8%",
        "howto": "-9.3%",
        "troubleshoot": "-17.8%",
        "out_of_scope": "+13.0%",
        "unanswerable": "+15.9%",
    }
    assert (found.uncovered, found.untagged) == (("troubleshoot",), 0)


def test_categories_stand_in_for_intents_and_strangers_and_untagged_cases_are_told() -> None:
    listed = [*cases("a", "b", kind="category"), Case("z", "x")]
    found = coverage(listed, {"a": 1, "c": 0})
    assert [(g.intent, g.cases, g.case_share, g.traffic_share) for g in found.gaps] == [
        ("a", 1, 0.5, 1.0),
        ("c", 0, 0.0, 0.0),
        ("b", 1, 0.5, 0.0),
    ]
    assert (found.uncovered, found.untagged) == ((), 1)


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(InputError, match="no case has an intent"):
        coverage([Case("a", "x")], {"a": 1})
    with pytest.raises(InputError, match="counts nothing"):
        coverage(cases("a"), {"a": 0})


def test_a_traffic_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("intent,count\na,1\na,2\nb,many\n,3\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        load_traffic(path, name="t.csv")
    assert [str(p).split(" ")[0] for p in error.value.problems] == ["t.csv:3:", "t.csv:4:", "t.csv:5:"]
    path.write_text("intent,n\na,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'count'"):
        load_traffic(path)


@pytest.mark.parametrize(
    ("case", "negative"),
    [
        (Case("a", "x"), False),
        (Case("a", "x", answerable=False), True),
        (Case("a", "x", answerable=True, expected=Expected(must_not_include=("y",))), False),
        (Case("a", "x", expected=Expected(must_not_include=("y",))), True),
        (Case("a", "x", expected=Expected(must_not_include=("y",), max_words=9)), True),
        (Case("a", "x", expected=Expected(must_not_include=("y",), must_include=("z",))), False),
        (Case("a", "x", expected=Expected(must_not_include=("y",), number=0.0)), False),
    ],
)
def test_a_negative_is_a_case_whose_right_answer_is_none(case: Case, negative: bool) -> None:
    assert is_negative(case) is negative


def test_counts_are_per_tag_category_and_severity() -> None:
    listed = [
        Case("a", "x", tags=("t", "category:p", "t"), severity="low", split="holdout"),
        Case("b", "x", tags=("t", "intent:q"), severity="critical"),
        Case("c", "x", must_pass=True, answerable=False),
    ]
    found = count(listed)
    assert found.tags == {"category:p": 1, "intent:q": 1, "t": 2}
    assert (found.categories, found.intents) == ({"p": 1}, {"q": 1})
    assert list(found.severities.items()) == [("critical", 1), ("low", 1), ("", 1)]
    assert (found.cases, found.must, found.negatives, found.holdout) == (3, 2, 1, 1)
    assert found.negative_share == 1 / 3
    assert count([]).negative_share is None
