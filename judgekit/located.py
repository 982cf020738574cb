"""YAML 1.2 documents that remember their lines, so that every error can say where to look."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from judgekit.errors import InputError, Problem

Model = TypeVar("Model", bound=BaseModel)
Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """A parsed document: plain dicts, lists, text, numbers, booleans and None, with the line of each place.

    lines   key path -> line number (from 1); a path that is not there has the line of its nearest parent
    """

    file: str
    data: Any
    lines: dict[Path_, int]

    def line(self, path: Sequence[str | int]) -> int | None:
        """The line of `path`, or of the nearest parent that has one."""
        at = tuple(path)
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at)

    def problem(self, path: Sequence[str | int], what: str) -> Problem:
        """A problem at `path` of this document."""
        return Problem(self.file, self.line(path), what)


def read_text(path: Path, *, name: str | None = None) -> str:
    """The text of a file in UTF-8 (with or without BOM) or UTF-16 by its BOM, with its lines as they are.

    Raises `InputError` when the file is missing, or names the first line that is not UTF-8.
    """
    shown = name or str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(Problem(shown, None, f"cannot be read: {(error.strerror or str(error)).lower()}")) from None
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return raw.decode("utf-16")
        except UnicodeDecodeError:
            raise InputError(Problem(shown, None, "begins like UTF-16 but is not; save it as UTF-8")) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # `start` counts from after the BOM when there is one; the bytes before it hold the same newlines
        body = raw.removeprefix(b"\xef\xbb\xbf")
        line = body.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{body[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise InputError(Problem(shown, line, what)) from None


def read_yaml(text: str, *, file: str) -> Located:
    """Parse one YAML 1.2 document (`no` and `on` stay text; a duplicate key is an error).

    Raises `InputError` with the line of a syntax error.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        tree = YAML(typ="rt", pure=True).load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = str(error.problem or error.context or "is not YAML").strip().splitlines()[0]
        raise InputError(Problem(file, mark.line + 1 if mark else None, f"is not valid YAML: {what}")) from None
    except (YAMLError, ValueError) as error:
        raise InputError(Problem(file, None, f"is not valid YAML: {str(error).splitlines()[0]}")) from None
    lines: dict[Path_, int] = {}
    try:
        return Located(file, _plain(tree, (), lines), lines)
    except RecursionError:
        what = "holds itself (an alias inside its own anchor), or nests too deep"
        raise InputError(Problem(file, None, what)) from None


def _plain(node: Any, path: Path_, lines: dict[Path_, int]) -> Any:
    """Plain values from ruamel's tree, writing down the line of every key and item."""
    if isinstance(node, dict):
        lines.setdefault(path, node.lc.line + 1 if hasattr(node, "lc") else 1)
        out: dict[str, Any] = {}
        for key, value in node.items():
            here = (*path, str(key))
            if hasattr(node, "lc"):
                lines[here] = node.lc.key(key)[0] + 1
            out[str(key)] = _plain(value, here, lines)
        return out
    if isinstance(node, list):
        lines.setdefault(path, node.lc.line + 1 if hasattr(node, "lc") else 1)
        items = []
        for index, value in enumerate(node):
            here = (*path, index)
            if hasattr(node, "lc") and node.lc.data and index in node.lc.data:
                lines[here] = node.lc.item(index)[0] + 1
            items.append(_plain(value, here, lines))
        return items
    if isinstance(node, bool) or node is None:
        return node
    for kind in (str, int, float):
        if isinstance(node, kind):
            return kind(node)
    return node  # a date: the reader that wants text says "quote it"


def near(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` when `name` is close to one of `known`, else ""."""
    found = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f" Did you mean {found[0]!r}?" if found else ""


def load_model(model: type[Model], doc: Located) -> Model:
    """Check `doc` against a pydantic model; every problem is listed with its line and what to write instead.

    Raises `InputError`.
    """
    if not isinstance(doc.data, dict):
        raise InputError(Problem(doc.file, 1, f"expected keys and values, found {kind_of(doc.data)}"))
    try:
        return model.model_validate(doc.data)
    except ValidationError as error:
        told = [_explain(model, doc, dict(e)) for e in error.errors(include_url=False)]
        raise InputError(list(dict.fromkeys(told))) from None


def kind_of(value: Any) -> str:
    """`a number`, `a list` ...: what a value is, in a reader's words."""
    if isinstance(value, bool):
        return "true/false"
    names: list[tuple[Any, str]] = [
        (type(None), "nothing"),
        (str, "text"),
        ((int, float), "a number"),
        (list, "a list"),
        (dict, "keys and values"),
    ]
    return next((name for kind, name in names if isinstance(value, kind)), f"a {type(value).__name__}")


def _explain(model: type[BaseModel], doc: Located, error: dict[str, Any]) -> Problem:
    where = [part for part in error["loc"] if _is_place(doc.data, error["loc"], part)]
    name = ".".join(str(part) for part in where)
    kind, value = error["type"], error.get("input")
    if kind == "extra_forbidden":
        key = str(error["loc"][-1])
        at = where[:-1] if where and where[-1] == key else where
        known = _fields_at(model, at)
        shown = ".".join(str(part) for part in (*at, key))
        return doc.problem(where, f"unknown key {shown!r}.{near(key, known) or ' Known: ' + ', '.join(sorted(known))}")
    if kind == "missing":
        return doc.problem(where[:-1], f"{name!r} is missing")
    if kind == "string_type" and not isinstance(value, (list, dict)):
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        return doc.problem(where, f'{name!r} should be text but is {kind_of(value)}: quote it, as in "{shown}"')
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input should be ")
    if error["type"] == "value_error":
        return doc.problem(where, f"{name!r} {message}" if name else message)
    message = _PLAIN.get(kind, message)
    found = "" if isinstance(value, (list, dict, tuple)) else f", found {value!r}"
    return doc.problem(where, f"{name!r} should be {message[:1].lower() + message[1:]}{found}")


_PLAIN = {
    "too_short": "a list with at least one item",
    "string_too_short": "text that is not empty",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "tuple_type": "a list",
    "list_type": "a list",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}
"""What pydantic's words mean to somebody who writes YAML."""


def _is_place(data: Any, loc: tuple[Any, ...], part: Any) -> bool:
    """Pydantic puts the names of union members into `loc`; keep only the parts that are places in the data."""
    index = loc.index(part)
    for step in loc[:index]:
        if (isinstance(data, dict) and step in data) or (
            isinstance(data, list) and isinstance(step, int) and step < len(data)
        ):
            data = data[step]
    if isinstance(data, dict):
        return part in data or (part == loc[-1] and isinstance(part, str) and part.islower())
    return isinstance(data, list) and isinstance(part, int)


def _fields_at(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys that are known at `path` of a model (through dicts, lists and optional members)."""
    kinds: list[Any] = [model]
    for step in path:
        kinds = [inner for kind in kinds for inner in _step(kind, step)]
    return [
        name
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, BaseModel)
        for name, field in kind.model_fields.items()
        for name in [field.alias or name]
    ]


def _step(kind: Any, step: str | int) -> list[Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        field = next((f for n, f in kind.model_fields.items() if (f.alias or n) == step), None)
        return _members(field.annotation) if field else []
    args = [a for a in getattr(kind, "__args__", ()) if a is not Ellipsis]
    return _members(args[-1]) if args else []


def _members(annotation: Any) -> list[Any]:
    """The members of a union that may hold keys, each as it stands; anything else as itself."""
    import types
    import typing

    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [m for arg in typing.get_args(annotation) for m in _members(arg)]
    if typing.get_origin(annotation) is typing.Annotated:
        return _members(typing.get_args(annotation)[0])
    return [annotation]
