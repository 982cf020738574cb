from __future__ import annotations

from typing import Any

import pytest

from judgekit.providers.openai import is_strict


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (closed(reasoning=TEXT, verdict={"enum": ["PASS", "FAIL"]}), True),
        (closed(type=TEXT, properties=TEXT), True),  # names of properties are not keywords
        (closed(inner=closed(a=TEXT)), True),
        (closed(items={"type": "array", "items": closed(a=TEXT)}), True),
        ({**closed(a=TEXT), "additionalProperties": True}, False),
        ({k: v for k, v in closed(a=TEXT).items() if k != "additionalProperties"}, False),
        ({**closed(a=TEXT, b=TEXT), "required": ["a"]}, False),
        (closed(inner={"type": "object"}), False),
        (closed(items={"type": "array", "items": {"type": "object"}}), False),
        (closed(either={"anyOf": [TEXT, {"type": "object"}]}), False),
        (closed(either={"oneOf": [TEXT]}), False),
        ({**closed(a={"$ref": "#/$defs/x"}), "$defs": {"x": {"type": "object"}}}, False),
        ({"type": "object"}, False),
    ],
)
def test_strict_mode_is_asked_for_only_by_a_schema_that_keeps_its_rules(schema: dict[str, Any], strict: bool) -> None:
    assert is_strict(schema) is strict
