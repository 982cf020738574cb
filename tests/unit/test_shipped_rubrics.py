import re
from pathlib import Path

import pytest

from judgekit.located import load_model, read_yaml
from judgekit.rubric import (
    CASE_CRITERION,
    UNKNOWN,
    Dimension,
    Example,
    Ordinal,
    Rubric,
    Total,
    load_rubric,
    shipped_rubrics,
)

DOCS = (Path(__file__).parents[2] / "docs" / "rubrics.md").read_text(encoding="utf-8")
RUBRICS = {name: load_rubric(path) for name, path in shipped_rubrics().items()}
DIMENSIONS = [pytest.param(r, d, id=f"{r.id}.{d.id}") for r in RUBRICS.values() for d in r.dimensions]


def test_the_promised_rubrics_ship():
    assert set(RUBRICS) == {
        "completeness",
        "conciseness",
        "correctness",
        "groundedness",
        "instruction-following",
        "knowledge-base",
        "safe-refusal",
        "support-reply",
        "tool-use",
    }


@pytest.mark.parametrize("name", RUBRICS)
def test_a_rubric_is_named_like_its_file_and_says_what_it_is_for(name):
    assert RUBRICS[name].id == name
    assert RUBRICS[name].description


@pytest.mark.parametrize("name", RUBRICS)
def test_a_rubric_and_its_dimensions_are_documented(name):
    row = next(line for line in DOCS.splitlines() if line.startswith(f"| `{name}` |"))
    for dimension in RUBRICS[name].dimensions:
        assert f"`{dimension.id}`" in row


@pytest.mark.parametrize(("rubric", "dimension"), DIMENSIONS)
def test_every_verdict_of_a_dimension_has_a_worked_example_with_its_reason(rubric, dimension):
    assert {e.verdict for e in dimension.examples} == set(dimension.labels)
    for example in dimension.examples:
        assert example.input
        assert example.output
        assert len(example.reason.split()) >= 4


@pytest.mark.parametrize(("rubric", "dimension"), DIMENSIONS)
def test_a_dimension_that_needs_more_than_the_output_shows_it_in_its_examples(rubric, dimension):
    if dimension.needs:
        assert all(e.context for e in dimension.examples)


@pytest.mark.parametrize(("rubric", "dimension"), DIMENSIONS)
def test_no_example_is_given_twice(rubric, dimension):
    seen = [(e.input, e.context, e.output) for e in dimension.examples]
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(("rubric", "dimension"), DIMENSIONS)
def test_a_criterion_says_when_each_verdict_is_due(rubric, dimension):
    for verdict in (UNKNOWN,) if isinstance(dimension.scale, Ordinal) else ("PASS", "FAIL", UNKNOWN):
        assert re.search(rf"\b{verdict}\b", dimension.criterion), verdict


@pytest.mark.parametrize(("rubric", "dimension"), DIMENSIONS)
def test_a_criterion_stands_alone(rubric, dimension):
    """It is judged in a request of its own: nothing in it may point to a sibling or to another part of the file."""
    text = " ".join((dimension.criterion, *(e.reason for e in dimension.examples)))
    if isinstance(dimension.scale, Ordinal):
        text += " ".join(dimension.scale.levels.values())
    for sibling in rubric.dimensions:
        if sibling.id != dimension.id:
            assert not re.search(rf"\b{re.escape(sibling.id)}\b", text, re.IGNORECASE), sibling.id
    assert not re.search(r"other (criteri|dimension)|see above|see below|as before|this file", text, re.IGNORECASE)


def test_support_reply_has_the_dimensions_that_the_examples_use():
    ids = [d.id for d in RUBRICS["support-reply"].dimensions]
    assert ids == ["polite", "answers-everything", "next-steps", "no-promises"]


def test_knowledge_base_has_six_criteria_of_two_points_and_its_pass_rule():
    rubric = RUBRICS["knowledge-base"]
    assert [d.id for d in rubric.dimensions] == ["correct", "grounded", "complete", "clear", "cited", "safe"]
    assert all(d.labels == ("0", "1", "2", "UNKNOWN") for d in rubric.dimensions)
    assert [d.verdict("1") for d in rubric.dimensions] == ["PASS"] * 6
    assert rubric.pass_when == Total(min_total=9, no_level_zero_in=("correct", "grounded", "safe"))


@pytest.mark.parametrize(
    ("name", "needs"),
    [("groundedness", {"context"}), ("correctness", {"reference"}), ("tool-use", {"trace"}), ("completeness", set())],
)
def test_a_rubric_names_the_material_that_it_cannot_do_without(name, needs):
    assert all(set(d.needs) == needs for d in RUBRICS[name].dimensions)


def test_the_rubric_in_the_docs_loads():
    found = re.search(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    rubric = load_model(Rubric, read_yaml(found[1], file="docs/rubrics.md"))
    assert [d.labels[:-1] for d in rubric.dimensions] == [("PASS", "FAIL"), ("0", "1", "2")]


@pytest.mark.parametrize("model", [Rubric, Dimension, Ordinal, Example, Total])
def test_every_key_of_a_rubric_file_is_documented(model):
    keys = {name for name, field in model.model_fields.items() if not field.exclude}
    assert {key for key in keys if not re.search(rf"[`.{{ ]{key}[`:]", DOCS)} == set()


def test_the_built_in_rubric_is_documented_word_for_word():
    assert f'"{CASE_CRITERION}"' in DOCS
