"""Labels meet what was judged by name and text, never by the order of rows; what is left over is listed."""

from typing import Any

import pytest

from judgekit.data.join import Joined, Judged, join_labels
from judgekit.data.labels import Label
from judgekit.errors import InputError
from judgekit.types import sha256_of


def label(case: str, **fields: Any) -> Label:
    return Label(case, "PASS", "PASS", **{"place": "l.csv:2", **fields})


def judged(case: str, dimension: str = "d", **fields: Any) -> Judged:
    return Judged(case, dimension, "FAIL", **fields)


def refusal(labels: list[Label], ones: list[Judged]) -> str:
    with pytest.raises(InputError) as error:
        join_labels(labels, ones)
    return str(error.value)


def pairs(joined: Joined) -> list[tuple[str, str | None, int]]:
    return [(a.case, b.variant, b.trial) for a, b in joined.pairs]


def test_leftovers_of_both_sides_are_listed() -> None:
    labels = [label(c) for c in "abcde"]
    joined = join_labels(labels, [judged(c) for c in "xedcby"])
    assert pairs(joined) == [("b", None, 1), ("c", None, 1), ("d", None, 1), ("e", None, 1)]
    assert [one.case for one in joined.only_labels] == ["a"]
    assert [one.case for one in joined.only_judged] == ["x", "y"]
    assert joined.notices == (
        "1 label(s) without a judged output: 'a'",
        "2 judged output(s) without a label: 'x', 'y'",
    )


def test_ids_keep_their_spelling_on_both_sides() -> None:
    joined = join_labels([label("1"), label("2")], [judged("2"), judged("3")])
    assert (joined.pairs[0][0].case, joined.only_labels[0].case, joined.only_judged[0].case) == ("2", "1", "3")


def test_nothing_shared_is_an_error_that_shows_both_sides() -> None:
    message = refusal([label("1"), label("2")], [judged("a")])
    assert message == "no label fits a judged output: labels are for cases '1', '2', judged were 'a'"
    assert "numbers that a spreadsheet changed" in refusal([label("7.0")], [judged("7")])
    assert "labels have the dimension 'tone', judged was 'd'" in refusal([label("a", dimension="tone")], [judged("a")])
    assert refusal([], [judged("a")]) == "there are no labels, so there is nothing to compare"


def test_a_verdict_that_is_missing_is_joined_too() -> None:
    joined = join_labels([label("a")], [Judged("a", "d", None)])
    assert joined.pairs[0][1].verdict is None


def test_a_label_of_another_text_is_an_error_at_its_place() -> None:
    message = refusal([label("a", sha256=sha256_of("old"))], [judged("a", sha256=sha256_of("new"))])
    assert message.startswith("l.csv:2: the labelled text of case 'a' is not the output that was judged")


def test_variant_trial_and_dimension_decide() -> None:
    ones = [judged("a", d, variant=v, trial=t) for d in ("d", "e") for v in ("v1", "v2") for t in (1, 2)]
    joined = join_labels([label("a", dimension="e", variant="v2", trial=2)], ones)
    assert joined.pairs[0][1] == judged("a", "e", variant="v2", trial=2)
    assert len(joined.only_judged) == 7


def test_a_label_that_fits_several_outputs_asks_for_the_missing_column() -> None:
    ones = [judged("a", trial=1, sha256=sha256_of("x")), judged("a", trial=2, sha256=sha256_of("y"))]
    assert refusal([label("a")], ones) == (
        "l.csv:2: the label of case 'a' fits 2 judged outputs (trial: 1, 2); add a column 'trial'"
    )
    assert pairs(join_labels([label("a", sha256=sha256_of("y"))], ones)) == [("a", None, 2)]


def test_one_text_in_several_trials_takes_the_first_on_one_dimension_only() -> None:
    same = sha256_of("x")
    ones = [judged("a", trial=t, sha256=same) for t in (1, 2)]
    assert pairs(join_labels([label("a", sha256=same)], ones)) == [("a", None, 1)]
    both = [judged("a", "d", sha256=same), judged("a", "e", sha256=same)]
    assert "add a column 'dimension'" in refusal([label("a", sha256=same)], both)


def test_two_labels_of_one_person_on_one_output_are_an_error_and_of_two_people_are_not() -> None:
    twice = [label("a", annotator="ann"), label("a", annotator="ann", trial=1, place="l.csv:3")]
    assert refusal(twice, [judged("a")]) == "l.csv:3: labels the same output of case 'a' as l.csv:2; keep one"
    two = [label("a", annotator="ann"), label("a", annotator="ben")]
    assert len(join_labels(two, [judged("a")]).pairs) == 2
