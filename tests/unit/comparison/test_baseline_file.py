import json

import pytest

from judgekit.comparison.baseline import baseline_of, baseline_text, parse_baseline, side_of_baseline
from judgekit.comparison.pairs import compare
from judgekit.comparison.prints import Prints
from judgekit.errors import InputError


@pytest.fixture
def text(side):
    return baseline_text(baseline_of(some(side)))


def some(side, b=(3, 1, 1)):
    prints = Prints("v", "jjjjjjjj", "openai:gpt-5", {"tone.polite": "1-2", "tone.short": "3-4"})
    return side(
        {"b": b, "a": (5, 0), "Ж 1": (0, 5)},
        must=("a",),
        tags={"b": ("regression",)},
        print_=prints,
        rubrics=("tone",),
        version="0.1.0",
    )


def test_cases_are_sorted_and_stand_on_a_line_each(text):
    lines = [line.strip() for line in text.splitlines() if '"id"' in line]
    assert [json.loads(line.rstrip(","))["id"] for line in lines] == ["a", "b", "Ж 1"]
    assert lines[1] == (
        '{"id": "b", "passed": 3, "failed": 1, "undecided": 1, "tags": ["regression"], '
        '"fingerprint": "aaaaaaaa-bbbbbbbb-cccccccc"},'
    )


def test_it_holds_counts_and_no_outputs(side, text):
    assert set(json.loads(text)) == {
        "baseline", "suite", "variant", "run", "judgekit", "trials", "pass_when", "rubrics", "deciding", "prints", "cases",
    }  # fmt: skip


def test_one_more_trial_that_fails_changes_one_line(side, text):
    other = baseline_text(baseline_of(some(side, b=(2, 2, 1))))
    changed = [(a, b) for a, b in zip(text.splitlines(), other.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert '"id": "b"' in changed[0][0]


def test_each_rubric_has_a_line_of_its_own(text):
    assert '      "tone.polite": "1-2",\n      "tone.short": "3-4"\n' in text


def test_what_was_written_is_read_back(side, text):
    read = parse_baseline(text, file="b.json")
    assert baseline_text(read) == text
    back = side_of_baseline(read, name="b.json")
    run = some(side)
    assert [pair.change for pair in compare(back, run).pairs] == ["same"] * 3
    assert back.prints == run.prints
    assert {c.id: (c.passed, c.failed, c.undecided, c.outcome, c.must_pass) for c in back.cases} == {
        c.id: (c.passed, c.failed, c.undecided, c.outcome, c.must_pass) for c in run.cases
    }


def test_a_case_with_its_own_rule_keeps_it(side):
    import dataclasses

    import msgspec

    run = some(side)
    other = msgspec.structs.replace(run.cases[0], pass_when={"at_least": 2}, outcome="pass", rubrics=())
    run = dataclasses.replace(run, cases=(other, *run.cases[1:]))
    back = side_of_baseline(parse_baseline(baseline_text(baseline_of(run)), file="b"), name="b").by_id
    assert (back["b"].pass_when, back["b"].outcome, back["b"].rubrics) == ({"at_least": 2}, "pass", ())
    assert (back["a"].pass_when, back["a"].rubrics) == ("all", ("tone",))


def test_an_empty_run_is_a_baseline_too(side):
    empty = baseline_text(baseline_of(side({})))
    assert parse_baseline(empty, file="b").cases == ()


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda t: "", "is no baseline"),
        (lambda t: "id,passed\na,1\n", "is no baseline"),
        (lambda t: '{"cases": []}', "`judgekit baseline RUN -o FILE` writes one"),
        (lambda t: "[]", "is no baseline"),
        (lambda t: t.replace('"baseline": 1', '"baseline": 2'), "form 2, this judgekit reads form 1"),
        (lambda t: t.replace('"passed": 3', '"passed": "3"'), "damaged baseline"),
        (lambda t: t.replace('"passed": 3', '"passd": 3'), "damaged baseline"),
        (lambda t: t.replace('"passed": 3', '"passed": 4'), "case 'b' counts 6 trials, not 5"),
        (lambda t: t.replace('"passed": 3, "failed": 1', '"passed": 5, "failed": -1'), "below zero"),
        (lambda t: t.replace('"pass_when": "all"', '"pass_when": "most"'), "write all, any"),
        (lambda t: t.replace('"id": "b"', '"id": "a"'), "case 'a' stands here twice"),
        (lambda t: t.replace("  ]\n", "<<<<<<< HEAD\n"), "is no baseline"),
    ],
)
def test_a_file_that_is_something_else_is_refused(text, edit, words):
    with pytest.raises(InputError) as refused:
        parse_baseline(edit(text), file="b.json")
    assert words in str(refused.value)
    assert str(refused.value).startswith("b.json")


def test_a_bad_count_is_told_with_its_line(text):
    with pytest.raises(InputError) as refused:
        parse_baseline(text.replace('"passed": 3', '"passed": 4'), file="b.json")
    (problem,) = refused.value.problems
    assert text.splitlines()[problem.line - 1].strip().startswith('{"id": "b"')
