"""What a user's function or command returned -> an `Output`; what cannot be one is a fault, never a repr."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from judgekit.providers.python import sdk_text
from judgekit.types import Fault, Output

MALFORMED = object()
"""Stands for NaN and infinity, which JSON does not have."""

DEEPEST = 200
"""How deep an output may be nested: what other programs read as JSON as well."""

WIDEST_BITS = 4096
"""How wide a whole number may be."""

TEXT_KEYS = ("output", "reply", "answer", "text")


def as_output(value: Any, base: Output) -> Output:
    """Turn `value` into an output of the same case, trial, variant and model as `base`.

    value   text; an `Output`; a dict with output (or reply, answer, text) and any of label, citations, retrieved,
            context, trace, model, finish; another dict or list is the output itself, as JSON; or a reply object of an
            SDK (`.output_text`, `.content`, `.choices[0].message.content`)
    """
    found = _read(value, base)
    if found.fault is not None:
        return found
    said = (found.output, found.label, found.citations, found.retrieved, found.context, found.trace, found.model)
    bad = not_json(said)
    return _fault(base, "not_json", f"the output holds {bad}, which JSON cannot hold") if bad else found


def _read(value: Any, base: Output) -> Output:
    if isinstance(value, Output):
        return msgspec.structs.replace(
            value, id=base.id, variant=base.variant, trial=base.trial, model=value.model or base.model
        )
    if isinstance(value, str):
        return msgspec.structs.replace(base, output=value)
    if value is None:
        return _fault(base, "returned_none", "returned None, which is no output")
    if isinstance(value, Mapping):
        return _from_mapping(dict(value), base)
    if isinstance(value, (list, tuple, bool, int, float)):
        return msgspec.structs.replace(base, output=list(value) if isinstance(value, tuple) else value)
    text = sdk_text(value)
    if text is not None:
        return msgspec.structs.replace(base, output=text)
    kind = type(value).__qualname__
    if type(value).__module__ != "builtins":
        kind = f"{type(value).__module__}.{kind}"
    return _fault(base, "not_an_output", f"returned a {kind}; return text, a dict or a judgekit.Output")


def _from_mapping(value: dict[str, Any], base: Output) -> Output:
    key = next((k for k in TEXT_KEYS if k in value), None)
    if key is None:
        return msgspec.structs.replace(base, output=value)
    fields: dict[str, Any] = {}
    problems = []
    for name in ("citations", "retrieved"):
        given = value.get(name)
        if given is None:
            continue
        if not isinstance(given, (list, tuple)) or not all(isinstance(v, (str, int)) for v in given):
            problems.append(f"{name!r} must be a list of ids")
            continue
        fields[name] = tuple(str(v) for v in given)
    for name in ("label", "context", "model"):
        given = value.get(name)
        if given is None:
            continue
        if not isinstance(given, str):
            problems.append(f"{name!r} must be text")
            continue
        fields[name] = given
    fields["trace"] = value.get("trace")
    if value.get("finish") == "length":
        fields["finish"] = "length"
    if problems:
        return _fault(base, "malformed_output", f"the output's {'; '.join(problems)}")
    if value[key] is None:
        return _fault(base, "returned_none", f"{key!r} is null, which is no output")
    return msgspec.structs.replace(base, output=value[key], **fields)


def not_json(value: Any) -> str:
    """What keeps a value from being written as JSON, in words; "" if nothing does."""
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if depth > DEEPEST:
            return f"lists or objects within each other over more than {DEEPEST} levels"
        if isinstance(item, (list, tuple)):
            waiting += [(inner, depth + 1) for inner in item]
        elif isinstance(item, Mapping):
            waiting += [(inner, depth + 1) for inner in item.values()]
            odd = next((key for key in item if not isinstance(key, str)), None)
            bad = f"the key {odd!r}" if odd is not None else next(filter(None, map(_not_json, item)), "")
            if bad:
                return bad
        else:
            bad = _not_json(item)
            if bad:
                return bad
    return ""


def _not_json(value: Any) -> str:
    """The same of a value without parts."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "half an emoji (a lone surrogate)"
        return ""
    if isinstance(value, int):
        return "" if value.bit_length() <= WIDEST_BITS else "a number of thousands of digits"
    if value is MALFORMED or (isinstance(value, float) and not math.isfinite(value)):
        return "NaN or infinity"
    return "" if isinstance(value, float) else f"a {type(value).__name__}"


def pick(output: Output, path: str | None) -> Output:
    """The part of a JSON output at `path` (`answer.text`, `items.0.name`); a path that is not there is a fault."""
    if path is None or output.fault is not None:
        return output
    value = output.output
    for step in path.split("."):
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.lstrip("-").isdigit() and -len(value) <= int(step) < len(value):
            value = value[int(step)]
        else:
            return _fault(output, "no_field", f"the output has no {path!r} (stopped at {step!r})")
    return msgspec.structs.replace(output, output=value)


def _fault(base: Output, code: str, why: str) -> Output:
    return msgspec.structs.replace(base, output=None, fault=Fault("failed", code, why))
