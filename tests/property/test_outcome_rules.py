"""Rules of outcomes that hold for every set of grades."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from judgekit.graders.outcome import case_outcome, rubric_total, trial_outcome
from judgekit.rubric import Dimension, Ordinal, Total
from judgekit.types import Fault, Grade, Outcome

WORSE: dict[str, int] = {"fail": 0, "undecided": 1, "pass": 2}
RULES = st.one_of(st.just("all"), st.just("any"), st.builds(lambda k: {"at_least": k}, st.integers(1, 5)))
OUTCOMES = st.lists(st.sampled_from(["pass", "fail", "undecided"]), max_size=5)


@st.composite
def grades(draw: st.DrawFn, *, gating: bool | None = None) -> Grade:
    verdict = draw(st.sampled_from(["PASS", "FAIL", "UNKNOWN", None]))
    decides = draw(st.booleans()) if gating is None else gating
    return Grade(
        "c",
        1,
        draw(st.sampled_from(["r", "s"])),
        "judge",
        draw(st.sampled_from("abc")),
        verdict,
        Fault("unreadable", "empty", "empty") if verdict is None else None,
        gating=decides,
        advisory="" if decides else "uncertified",
    )


def passing(grade: Grade) -> Grade:
    return Grade(grade.case, grade.trial, grade.grader, grade.kind, grade.dimension, "PASS", gating=grade.gating)


@given(st.lists(grades(), max_size=6), st.data())
def test_a_better_grade_never_makes_a_trial_worse(given_: list[Grade], data: st.DataObject) -> None:
    better = [passing(g) if data.draw(st.booleans()) else g for g in given_]
    assert WORSE[trial_outcome(better)[0]] >= WORSE[trial_outcome(given_)[0]]


@given(st.lists(grades(gating=True), min_size=1, max_size=4), st.lists(grades(gating=False), max_size=4))
def test_advisory_grades_never_change_an_outcome(gating: list[Grade], advisory: list[Grade]) -> None:
    assert trial_outcome([*advisory, *gating]) == trial_outcome(gating)
    assert trial_outcome(advisory)[0] == "undecided"


@given(OUTCOMES, RULES)
def test_a_case_is_undecided_exactly_when_its_undecided_trials_could_change_it(
    outcomes: list[Outcome], rule: object
) -> None:
    def decided(passes: int) -> bool:
        if isinstance(rule, dict):
            return passes >= rule["at_least"]
        return passes == len(outcomes) if rule == "all" else passes > 0

    ways = product(*[["pass", "fail"] if o == "undecided" else [o] for o in outcomes])
    results = {decided(way.count("pass")) for way in ways}
    expected = "undecided" if len(results) > 1 or not outcomes else "pass" if results == {True} else "fail"
    assert case_outcome(outcomes, rule) == expected


@given(OUTCOMES.filter(bool), RULES, st.data())
def test_a_better_trial_never_makes_a_case_worse(outcomes: list[Outcome], rule: object, data: st.DataObject) -> None:
    better = list(outcomes)
    better[data.draw(st.integers(0, len(better) - 1))] = "pass"
    assert WORSE[case_outcome(better, rule)] >= WORSE[case_outcome(outcomes, rule)]


SCALES = st.lists(st.integers(-2, 4), min_size=2, max_size=4, unique=True).map(sorted)
EMPTY = Fault("unreadable", "empty", "empty")


@st.composite
def rubrics(draw: st.DrawFn) -> tuple[Total, dict[str, list[int]], dict[str, int | None]]:
    names = "abcd"[: draw(st.integers(1, 4))]
    scales = {name: draw(SCALES) for name in names}
    total = Total(min_total=draw(st.integers(-4, 14)), no_level_zero_in=tuple(draw(st.sets(st.sampled_from(names)))))
    return total, scales, {name: draw(st.sampled_from([None, *scales[name]])) for name in names}


def graded(name: str, level: int | None, *, unknown: bool) -> Grade:
    if level is not None:
        return Grade("c", 1, "r", "judge", name, verdict="PASS", level=level)
    return Grade("c", 1, "r", "judge", name, "UNKNOWN" if unknown else None, None if unknown else EMPTY)


@given(rubrics(), st.booleans())
def test_a_total_agrees_with_filling_every_gap(
    drawn: tuple[Total, dict[str, list[int]], dict[str, int | None]], unknown: bool
) -> None:
    total, scales, levels = drawn

    def passes(filled: dict[str, int]) -> bool:
        at_lowest = any(filled[name] == min(scales[name]) for name in total.no_level_zero_in)
        return sum(filled.values()) >= total.min_total and not at_lowest

    dimensions = [
        Dimension(id=name, criterion="?", scale=Ordinal(levels={str(n): "" for n in scale}, pass_at=scale[-1]))
        for name, scale in scales.items()
    ]
    options = [scales[name] if level is None else [level] for name, level in levels.items()]
    results = {passes(dict(zip(levels, way, strict=True))) for way in product(*options)}
    expected = "undecided" if len(results) == 2 else "pass" if results == {True} else "fail"
    found = [graded(name, level, unknown=unknown) for name, level in levels.items()]
    assert rubric_total(found, total, dimensions)[0] == expected
