import pytest

from judgekit.comparison.graduate import graduates, tag_line, tagged
from judgekit.comparison.pairs import compare
from judgekit.comparison.ratchet import lowered, ratchet

BASE = {"a": (5, 0), "b": (3, 2), "c": (0, 5)}


@pytest.mark.parametrize(
    ("new", "turns", "words"),
    [
        ({"a": (5, 0), "b": (4, 1), "c": (0, 5)}, True, "1 case with more passes: b 3/5 -> 4/5"),
        ({"a": (5, 0), "b": (3, 2), "c": (0, 5)}, False, "nothing passes more often"),
        ({"a": (4, 1), "b": (5, 0), "c": (5, 0)}, False, "1 case with fewer passes: a 5/5 -> 4/5"),
        ({"a": (5, 0), "b": (3, 0, 2), "c": (5, 0)}, False, "without enough verdicts: b 3/5 -> 3/5 (2 undecided)"),
        ({"a": (5, 0), "b": (5, 0)}, False, "1 case of the baseline not in the run: c"),
        ({"a": (5, 0), "b": (3, 2), "c": (0, 5), "d": (1, 4)}, True, "1 new case: d"),
    ],
)
def test_the_bar_goes_up_and_never_down(side, new, turns, words):
    found = ratchet(compare(side(BASE), side(new, name="v2")))
    assert found.turns is turns
    assert words in found.why


def test_what_a_forced_baseline_gives_up_is_named(side):
    new = side({"a": (4, 1), "b": (3, 2)}, name="v2", prints={"b": "aaaaaaaa-X-cccccccc"})
    assert lowered(side(BASE), new) == ("a 5/5 -> 4/5", "c is gone", "cases: what is checked changed in b")
    assert lowered(side(BASE), side(BASE)) == ()


def test_cases_that_pass_every_trial_and_guard_nothing_are_offered(side):
    counts = {"ready": (3, 0), "shaky": (2, 1), "open": (2, 0, 1), "must": (3, 0), "guards": (3, 0)}
    found = side(counts, must=("must",), tags={"guards": ("regression",)})
    assert [case.id for case in graduates(found)] == ["ready"]
    assert [case.id for case in graduates(tagged(found, {"ready"}))] == []


def test_one_or_two_passes_are_not_called_reliable(side):
    assert graduates(side({"a": (1, 0)})) == ()
    assert graduates(side({"a": (2, 0)})) == ()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('{"id": "a",  "tags": ["x"] , "n": 1}', '{"id": "a",  "tags": ["x", "regression"] , "n": 1}'),
        ('{"id": "a", "tags":[]}\r\n', '{"id": "a", "tags":["regression"]}\r\n'),
        ('{"id": "a"}\n', '{"id": "a", "tags": ["regression"]}\n'),
        ('{"id": "ж", "tags": ["é"]}', '{"id": "ж", "tags": ["é", "regression"]}'),
        # a text that looks like tags is left alone
        (
            r'{"input": "write \"tags\": [\"x\"]", "meta": {"tags": ["m"]}, "tags": ["t"]}',
            r'{"input": "write \"tags\": [\"x\"]", "meta": {"tags": ["m"]}, "tags": ["t", "regression"]}',
        ),
        # a bracket inside a tag: not safe to edit here, so it is left to people
        ('{"id": "a", "tags": ["x]"]}', None),
        ('{"id": "a", "tags": "x"}', None),
        ('{"id": "a", "tags": null}', None),
        ("not json", None),
        ('["a"]', None),
    ],
)
def test_a_line_gets_the_tag_and_nothing_else_changes(line, wanted):
    assert tag_line(line) == wanted
