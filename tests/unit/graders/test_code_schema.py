"""JSON outputs against a schema: every fault has its place, and nothing is fetched."""

import pytest

from judgekit.graders.schema import schema_finding, schema_problems
from judgekit.types import Fault, Json

PERSON = {
    "type": "object",
    "properties": {"име": {"type": "string"}, "items": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
    "required": ["име"],
    "$defs": {"n": {"type": "integer", "minimum": 1}},
}


def test_text_and_json_are_checked_alike() -> None:
    assert schema_finding(PERSON, '{"име": "Мария", "items": [1, 2]}') == ("PASS", "fits the JSON Schema")
    assert schema_finding(PERSON, {"име": "太郎 👍", "items": []})[0] == "PASS"  # type: ignore[index]


def test_the_reason_names_each_place() -> None:
    found = schema_finding(PERSON, {"items": [1, "x", 0]})
    assert isinstance(found, tuple)
    assert found[0] == "FAIL"
    assert found[1].split("; ") == [
        "$: 'име' is a required property",
        "$.items[1]: 'x' is not of type 'integer'",
        "$.items[2]: 0 is less than the minimum of 1",
    ]
    many = schema_finding(PERSON, {"име": "a", "items": [0] * 10})
    assert isinstance(many, tuple)
    assert many[1].endswith("; and 7 more")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON: the output is empty"),
        ("Sure! {}", "not JSON: expecting value at line 1 column 1"),
        ("```json\n{}\n```", "not JSON: expecting value at line 1 column 1 (it stands in a code fence)"),
        ('{"a": NaN}', "not JSON: NaN is no JSON value"),
        ('{"a": 1, "a": 2}', 'not usable JSON: the key "a" stands twice in one object'),
        ('{"a": 1,}', "not JSON: "),
    ],
)
def test_text_that_is_no_json_fails_with_the_reason(text: str, reason: str) -> None:
    found = schema_finding({"type": "object"}, text)
    assert isinstance(found, tuple)
    assert found[0] == "FAIL"
    assert found[1].startswith(reason)


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, "9" * 5000])
def test_json_that_python_cannot_read_gives_no_verdict(text: str) -> None:
    found = schema_finding({"type": "array"}, text)
    assert isinstance(found, Fault)
    assert found.code == "check_error"


def test_remote_references_are_refused_never_fetched() -> None:
    remote = {"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}
    assert "nothing is fetched" in schema_problems(remote)[0]
    found = schema_finding(remote, {"a": 1})
    assert isinstance(found, Fault)
    assert found.code == "check_error"
    assert "127.0.0.1" in found.why


@pytest.mark.parametrize(
    "schema",
    [
        PERSON,
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"enum": [{"$ref": "https://example.com"}]},
        {"properties": {"$ref": {"type": "string"}}},
        {"$id": "https://example.com/a", "$defs": {"b": {"$id": "b", "type": "string"}}, "$ref": "b"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"x": {}}, "$ref": "#/definitions/x"},
        {},
    ],
)
def test_references_inside_a_schema_are_fine(schema: dict[str, Json]) -> None:
    assert schema_problems(schema) == []


def test_a_schema_that_never_ends_gives_no_verdict() -> None:
    found = schema_finding({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "1")
    assert isinstance(found, Fault)
    assert found.code == "check_error"


def test_known_formats_are_enforced() -> None:
    assert schema_finding({"format": "date"}, '"2024-02-30"')[0] == "FAIL"  # type: ignore[index]
    assert schema_finding({"format": "date"}, '"2024-02-29"')[0] == "PASS"  # type: ignore[index]


def test_the_nearest_fault_of_alternatives_is_named() -> None:
    schema: dict[str, Json] = {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "array"}]}
    found = schema_finding(schema, "{}")
    assert isinstance(found, tuple)
    assert found[1] == "$: 'a' is a required property"
