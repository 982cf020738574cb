"""JSON lines: one object a line, each fault told with its own line and reason."""

from __future__ import annotations

import codecs
import gc
import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgekit.data.tables import read_source
from judgekit.errors import InputError, Problem
from judgekit.types import Json

UTF8, UTF16 = codecs.BOM_UTF8, (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# Every `"key":` of a line whose key is a plain word; a key of any other kind comes out as b"".
_keys = re.compile(rb'"(?:(\w+)"\s*:|\s*:)').findall
# A quote with a blank after it: a key whose colon does not follow at once, or a quote within a text.
_gap = re.compile(rb'"[ \t\r]').search
_surrogate = re.compile(r"\\u[dD][89a-fA-F]").search


class NotAnObject(ValueError):
    """A line that is not one JSON object; the text says why, without the line's content."""


class NotLines(NotAnObject):
    """The file as a whole is no JSON lines file: to go on would tell the same of every line."""


def raw_lines(path: Path, *, name: str | None = None, encoding: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank with its number (blank ones counted), as UTF-8, without holding the whole file.

    Raises `InputError` for a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(3)
            if encoding is None and head[:2] not in UTF16:
                file.seek(len(UTF8) if head == UTF8 else 0)
                for number, line in enumerate(file, start=1):
                    if not line.isspace():
                        yield number, line
                return
    except OSError as error:
        what = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise InputError(Problem(name or str(path), None, what)) from None
    text = read_source(path, name=name, encoding=encoding)
    for number, whole in enumerate(text.split("\n"), start=1):
        if whole and not whole.isspace():
            yield number, whole.encode("utf-8", "surrogatepass")


@contextmanager
def many_values() -> Iterator[None]:
    """No garbage collection while many values are made that all stay: it would look at each of them again and again.

    This halves the time of decoding; nothing here makes a cycle.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def single_keys(line: bytes, shapes: dict[int, list[bytes]]) -> bool:
    """Whether no two keys of this line can be equal; False means "perhaps": ask `decode_line`.

    shapes   the keys of an earlier line by their number, kept here, since most lines of a file have the same ones
    """
    parts = line.split(b'":')
    shape = shapes.get(len(parts))
    if shape and all(map(bytes.endswith, parts, shape)) and (line.count(b":") == len(shape) or not _gap(line)):
        return True  # each place that can end a key ends the one that stood there before, and those are different
    keys = _keys(line)
    if len(set(keys)) < len(keys) or b"" in keys:
        return False
    if len(keys) == len(parts) - 1:
        shapes[len(parts)] = [b'"' + key for key in keys]
    return True


def decode_line(line: bytes) -> dict[str, Json]:
    """The object of one line, strictly: one object, no key twice, no NaN, every number finite, whole ones exact.

    Raises `NotAnObject` with the reason.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotAnObject(f"byte 0x{line[error.start]:02x} is not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        raise NotLines("holds a NUL byte: damaged, or UTF-16 without its mark; save the file as UTF-8")
    try:
        value = json.loads(text, object_pairs_hook=_single, parse_constant=_no_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        if _part(text.strip()):
            mend = "write one object a line, without [ ] and commas"
            raise NotLines(f"looks like a part of a JSON document over several lines; {mend}") from None
        raise NotAnObject(_why(text, error)) from None
    except RecursionError:
        raise NotAnObject("is nested too deeply") from None
    except NotAnObject:
        raise
    except ValueError:
        raise NotAnObject("holds a number of more than 4,300 digits; quote it") from None
    if not isinstance(value, dict):
        hint = " (a JSON array? write one object a line, without [ ] and commas)" if isinstance(value, list) else ""
        raise NotAnObject(f"expected an object {{...}}, found {_kind(value)}{hint}")
    if _surrogate(text) and _halves(value):
        raise NotAnObject("holds half a character (a lone \\ud800-\\udfff escape); the text was cut inside an emoji")
    return value


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotAnObject(f"key {twice!r} occurs twice in one object; keep one")
    return out


def _no_constant(name: str) -> Any:
    raise NotAnObject(f"{name} is not JSON; write null")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise NotAnObject(f"the number {digits} is out of range; quote it if it is text")
    return value


def _halves(value: Json) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _part(body: str) -> bool:
    """Whether a line is a piece of a pretty-printed document, or of an array that goes on on the next line."""
    brackets = body.rstrip(",") in ("[", "{", "]", "}")
    return brackets or re.match(r'"[^"]*"\s*:', body) is not None or (body[:1] == "[" and body[-1:] in (",", "}"))


def _why(text: str, error: json.JSONDecodeError) -> str:
    """The reason in words for the mistakes that people make, with the column for the others."""
    if error.msg == "Extra data":
        rest = text[error.pos :].strip()
        if rest.startswith("{"):
            return "two objects on one line; write one object a line"
        if rest.startswith(","):
            return "ends in a comma: in JSON lines each line is an object of its own, without a comma after it"
        return f"more text after the object (column {error.colno})"
    if re.search(r",\s*$", text[: error.pos]) and text[error.pos : error.pos + 1] in ("}", "]"):
        return f"a comma before the closing bracket (column {error.colno}); remove it"
    if error.msg.startswith("Illegal trailing comma"):
        return f"a comma before the closing bracket (column {error.colno}); remove it"
    if error.msg.startswith("Invalid control character"):
        return f"a raw tab or line break inside a text (column {error.colno}); write \\t or \\n"
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return "the object is not closed on this line; a line break inside a text is written \\n"
    reason = error.msg[:1].lower() + error.msg[1:]
    return f"is not valid JSON: {reason} (column {error.colno})"


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true/false"
    return {str: "text", int: "a number", float: "a number", list: "a list"}[type(value)]
