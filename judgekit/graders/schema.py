"""JSON outputs against a JSON Schema, without ever fetching one from the network."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from judgekit.graders.text import shorten
from judgekit.types import Fault, Json, Verdict

NAMED = 3
"""How many faults of one output a reason names before it only counts the rest."""


class _NotJson(ValueError):
    """The text is no JSON that two readers would read alike."""


def schema_finding(schema: dict[str, Json], output: Json) -> tuple[Verdict, str] | Fault:
    """Whether the output, parsed if it is text, fits the schema; the reason names each place and what is wrong there.

    Known `format`s are enforced. A schema that cannot be applied gives no verdict.
    """
    from jsonschema.exceptions import best_match

    try:
        value = _parsed(output) if isinstance(output, str) else output
    except _NotJson as error:
        return "FAIL", str(error)
    except (RecursionError, ValueError) as error:
        return Fault("failed", "check_error", f"the JSON cannot be read here: {shorten(str(error), 200)}")
    try:
        validator = _validator(json.dumps(schema, sort_keys=True))
        errors = sorted(validator.iter_errors(value), key=lambda e: (list(map(str, e.absolute_path)), e.message))
    except Exception as error:  # noqa: BLE001  the schema is the user's: whatever it breaks is no verdict
        return Fault("failed", "check_error", f"json_schema cannot be applied: {shorten(str(error), 200)}")
    if not errors:
        return "PASS", "fits the JSON Schema"
    nearest = [best_match([error]) or error for error in errors[:NAMED]]
    named = [f"{error.json_path}: {shorten(error.message, 200)}" for error in nearest]
    return "FAIL", "; ".join(named + ([f"and {len(errors) - NAMED} more"] if len(errors) > NAMED else []))


def schema_problems(schema: dict[str, Json]) -> list[str]:
    """What is wrong with a schema: not valid, or a `$ref` that is not in it (none is ever fetched)."""
    import referencing
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        return [f"json_schema is not valid at {error.json_path}: {shorten(error.message, 200)}"]
    except RecursionError:
        return ["json_schema is nested too deep"]
    root = referencing.Resource.from_contents(schema, default_specification=DRAFT202012)
    problems: list[str] = []

    def walk(part: Any, resolver: Any) -> None:
        reference = part.contents.get("$ref") if isinstance(part.contents, dict) else None
        if isinstance(reference, str):
            try:
                resolver.lookup(reference)
            except Unresolvable:
                mend = "copy it into $defs (nothing is fetched)" if ":" in reference else "there is no such place in it"
                problems.append(f'json_schema: $ref "{shorten(reference)}": {mend}')
        for inner in part.subresources():
            walk(inner, resolver.in_subresource(inner))

    walk(root, REGISTRY.resolver_with_root(root))
    return problems


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY

    body = json.loads(schema)
    kind = validator_for(body, default=Draft202012Validator)
    # A registry of our own: the library's default one fetches remote references.
    return kind(body, registry=REGISTRY, format_checker=kind.FORMAT_CHECKER)


def _parsed(text: str) -> Json:
    """The JSON value of a text. Raises _NotJson where a strict reader would stop."""

    def once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None) if len(set(keys)) < len(keys) else None
        if twice is not None:
            raise _NotJson(f'not usable JSON: the key "{shorten(twice)}" stands twice in one object')
        return dict(pairs)

    def never(name: str) -> Json:
        raise _NotJson(f"not JSON: {name} is no JSON value")

    if not text.strip():
        raise _NotJson("not JSON: the output is empty")
    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=never)
    except json.JSONDecodeError as error:
        fenced = " (it stands in a code fence)" if text.lstrip().startswith("```") else ""
        raise _NotJson(f"not JSON: {error.msg.lower()} at line {error.lineno} column {error.colno}{fenced}") from None
