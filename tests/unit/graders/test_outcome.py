"""What grades add up to: trials, cases, and rubrics that pass by a total."""

import pytest

from judgekit.graders.outcome import case_outcome, rubric_total, trial_outcome
from judgekit.rubric import Dimension, Ordinal, Rubric, Total
from judgekit.suite import AtLeast
from judgekit.types import Fault, Grade, Outcome, Verdict

TIMEOUT = Fault("failed", "timeout", "timed out")


def check(name: str, verdict: Verdict | None = None, reason: str = "", fault: Fault | None = None) -> Grade:
    return Grade("c", 1, name, "code", verdict=verdict, fault=fault, reason=reason, gating=True)


def judge(
    name: str, verdict: Verdict | None = "PASS", *, level: int | None = None, advisory: str = "", grader: str = "r"
) -> Grade:
    fault = TIMEOUT if verdict is None else None
    return Grade(
        "c", 1, grader, "judge", name, verdict, fault, level, gating=not advisory, advisory=advisory, reason="why"
    )


PASSED, FAILED = check("max_words", "PASS"), check("must_include", "FAIL", 'missing "14 days"')


@pytest.mark.parametrize(
    ("grades", "outcome"),
    [
        ([PASSED], ("pass", "")),
        ([PASSED, FAILED], ("fail", 'must_include: missing "14 days"')),
        ([FAILED, judge("a", "FAIL")], ("fail", 'must_include: missing "14 days"; r.a: why')),
        ([FAILED, judge("a", None), judge("b", "UNKNOWN")], ("fail", 'must_include: missing "14 days"')),
        ([PASSED, judge("a", "UNKNOWN")], ("undecided", "UNKNOWN from r.a")),
        ([PASSED, judge("a", None)], ("undecided", "no verdict from r.a (timed out)")),
        (
            [
                check("label", fault=TIMEOUT),
                check("equals", fault=TIMEOUT),
                judge("a", "UNKNOWN"),
                judge("b", "UNKNOWN"),
            ],
            ("undecided", "no verdict from label, equals (timed out); UNKNOWN from r.a, r.b"),
        ),
        ([PASSED, judge("a", "FAIL", advisory="uncertified")], ("pass", "")),
        ([judge("a", "PASS", advisory="uncertified")], ("undecided", "only advisory judges: uncertified")),
        (
            [judge("a", "FAIL", advisory="uncertified"), judge("b", advisory="expired")],
            ("undecided", "only advisory judges: expired, uncertified"),
        ),
        ([], ("undecided", "nothing graded")),
        ([check("python", "FAIL")], ("fail", "python: FAIL")),
    ],
)
def test_a_trial_is_decided_by_its_gating_grades(grades: list[Grade], outcome: tuple[Outcome, str]) -> None:
    assert trial_outcome(grades) == outcome


P, F, U = "pass", "fail", "undecided"


@pytest.mark.parametrize(
    ("outcomes", "pass_when", "result"),
    [
        ([P, P, P], "all", P),
        ([P, U, F], "all", F),
        ([P, U, P], "all", U),
        ([F, U, P], "any", P),
        ([F, U, F], "any", U),
        ([F, F], "any", F),
        ([P, P, U, F], {"at_least": 2}, P),
        ([P, U, F], {"at_least": 2}, U),
        ([P, F, F], {"at_least": 2}, F),
        ([P, U, F], {"at_least": 3}, F),
        ([P, P], AtLeast(at_least=2), P),
        ([], "all", U),
        ([], "any", U),
    ],
)
def test_undecided_trials_matter_only_if_they_could_change_the_case(
    outcomes: list[Outcome], pass_when: object, result: Outcome
) -> None:
    assert case_outcome(outcomes, pass_when) == result


def test_trials_that_never_ran_are_undecided() -> None:
    assert case_outcome([P, P], "all", trials=3) == U
    assert case_outcome([P, F], "all", trials=3) == F
    assert case_outcome([P], "any", trials=3) == P
    assert case_outcome([F, F], {"at_least": 2}, trials=3) == F
    assert case_outcome([], "all", trials=3) == U


@pytest.mark.parametrize(
    "bad", ["most", None, {"at_least": 0}, {"at_least": True}, {"at_least": 2.0}, {"atleast": 2}, 2, {}]
)
def test_an_unknown_pass_rule_is_an_error(bad: object) -> None:
    with pytest.raises(ValueError, match="write all, any, or"):
        case_outcome([P], bad)


TOTAL = Total(min_total=4, no_level_zero_in=("a",))
SCALE = Ordinal(levels={"0": "bad", "1": "so", "2": "good"}, pass_at=1)
RUBRIC = Rubric(
    id="kb",
    dimensions=tuple(Dimension(id=i, criterion="?", scale=SCALE) for i in ("a", "b", "c")),
    pass_when=TOTAL,
)


def levels(*found: int | str | None, advisory: str = "") -> list[Grade]:
    """Grades of a, b, c: a level, None for no verdict, "?" for UNKNOWN."""
    return [
        judge(name, "UNKNOWN", grader="kb", advisory=advisory)
        if isinstance(level, str)
        else judge(name, None if level is None else SCALE_VERDICT[level], level=level, grader="kb", advisory=advisory)
        for name, level in zip("abc", found, strict=False)
    ]


SCALE_VERDICT: dict[int, Verdict] = {0: "FAIL", 1: "PASS", 2: "PASS", 9: "PASS"}


@pytest.mark.parametrize(
    ("grades", "result"),
    [
        (levels(2, 2, 0), ("pass", "total 4, at least 4 expected")),
        (levels(1, 1, 1), ("fail", "total 3, at least 4 expected")),
        (levels(0, 2, 2), ("fail", "lowest level in a")),
        (levels(2, 2, None), ("pass", "total 4 to 6, at least 4 expected")),
        (levels(2, 2), ("pass", "total 4 to 6, at least 4 expected")),
        (levels(2, "?", 1), ("undecided", "total 3 to 5, at least 4 expected; no level for b")),
        (levels(1, 0, "?"), ("fail", "total 1 to 3, at least 4 expected")),
        (levels("?", 2, 2), ("undecided", "total 4 to 6, at least 4 expected; no level for a")),
        (levels(0, None, None), ("fail", "lowest level in a")),
        (levels(9, 2, 2), ("undecided", "total 4 to 6, at least 4 expected; no level for a")),
    ],
)
def test_a_total_is_decided_when_every_way_to_fill_the_gaps_agrees(
    grades: list[Grade], result: tuple[Outcome, str]
) -> None:
    assert rubric_total(grades, TOTAL, RUBRIC.dimensions) == result


def test_two_grades_of_one_dimension_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"two grades of the dimension kb\.a"):
        rubric_total([*levels(1), *levels(2)], TOTAL, RUBRIC.dimensions)


def test_a_rubric_without_a_total_is_decided_by_its_dimensions() -> None:
    plain = RUBRIC.model_copy(update={"pass_when": "all"})
    assert trial_outcome(levels(2, 2, 0), totals={"kb": plain}) == ("fail", "kb.c: why")
    with pytest.raises(ValueError, match="'x' is binary"):
        rubric_total([], TOTAL, [Dimension(id="x", criterion="?")])


def test_the_total_decides_in_place_of_its_dimensions() -> None:
    totals = {"kb": RUBRIC}
    assert trial_outcome(levels(2, 2, 0), totals=totals) == ("pass", "")
    assert trial_outcome(levels(2, 2, 0))[0] == "fail"
    assert trial_outcome(levels(1, 1, 1), totals=totals) == ("fail", "kb: total 3, at least 4 expected")
    assert trial_outcome([*levels(2, 2, None), FAILED], totals=totals)[0] == "fail"
    assert trial_outcome(levels(2, "?", 1), totals=totals) == (
        "undecided",
        "no total from kb (total 3 to 5, at least 4 expected; no level for b)",
    )
    assert trial_outcome([PASSED], totals=totals) == ("pass", "")


def test_a_total_gates_only_if_all_its_dimensions_do() -> None:
    mixed = [*levels(1, 1), *levels(0, 0, 1, advisory="uncertified")[2:]]
    assert trial_outcome(mixed, totals={"kb": RUBRIC}) == ("undecided", "only advisory judges: uncertified")
    assert trial_outcome([*mixed, PASSED], totals={"kb": RUBRIC}) == ("pass", "")
