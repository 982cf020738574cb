r"""Values: what one cell or JSON value may say for each kind of field, and what to write instead when it does not fit.

Each reader takes the value and `loose`: whether text may stand for another kind, as it must in a table. A list in a
cell is separated by `|`, with `\|` for a literal one; a cell that is a JSON list of texts is that list.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from judgekit.data.jsonl import NotAnObject, decode_line
from judgekit.data.rows import Found, Log, Row
from judgekit.errors import Problem
from judgekit.located import kind_of, near
from judgekit.types import Json

T = TypeVar("T")
D = TypeVar("D")

TRUE, FALSE = ("true", "yes", "y", "1"), ("false", "no", "n", "0")
# what a terminal would obey, and what turns the direction of the text after it, is no part of a name
_control = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
_id = re.compile(rf"[^\s{_control}](?:[^{_control}]*[^\s{_control}])?")
_whole = re.compile(r"[+-]?\d+")
_decimal = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class Wrong(ValueError):
    """A value that does not fit its field; the text follows the field's name."""


class Cells:
    """The fields of one row under our names; what does not fit is logged and read as absent."""

    def __init__(self, row: Row, found: Found, log: Log) -> None:
        self.row = row
        self.found = found
        self.log = log
        self.loose = row.form in ("table", "frame")

    def get(self, field: str, read: Callable[[Json, bool], T], default: D) -> T | D:
        """The value of `field`, or `default` when the row has none or it does not fit (which is logged)."""
        if field not in self.found:
            return default
        name, value = self.found[field]
        try:
            return read(value, self.loose)
        except Wrong as why:
            self.log.problems.append(self.problem(f"{name!r} {why}", field))
            return default

    def texts(self, field: str, read: Callable[[Json, bool], tuple[str, ...]] | None = None) -> tuple[str, ...]:
        """A list of texts; empty ones say nothing and are left out with a notice."""
        return self._filled(field, self.get(field, read or texts, ()))

    def names(self, field: str) -> tuple[str, ...] | None:
        """A list of ids, None when the row has none."""
        found = self.get(field, names, None)
        return None if found is None else self._filled(field, found)

    def identity(self, field: str) -> str | None:
        """An id: text, or a whole number in JSON, whose digits it becomes."""
        if self.row.form == "yaml":
            return self.get(field, yaml_ident, None)
        return self.get(field, ident, None)

    def problem(self, what: str, field: str) -> Problem:
        """A problem at the value of `field`."""
        name = self.found[field][0]
        return self.row.problem(what, *name.split("."))

    def _filled(self, field: str, items: tuple[str, ...]) -> tuple[str, ...]:
        if all(map(str.strip, items)):
            return items
        name = self.found[field][0]
        self.log.note(f"{self.row.place}: an empty entry in {name!r} says nothing and is left out")
        return tuple(item for item in items if item.strip())


def text(value: Json, loose: bool) -> str:  # noqa: ARG001 - every reader has this shape
    """Text as it is; a number or a boolean is never turned into one."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise Wrong("holds half a character (a lone surrogate); the text was cut inside an emoji") from None
        return value
    if isinstance(value, (list, tuple, dict)):
        raise Wrong(f"should be text, not {kind_of(list(value) if isinstance(value, tuple) else value)}")
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    raise Wrong(f'should be text but is {kind_of(value)}: quote it, as in "{shown}"')


def optional_text(value: Json, loose: bool) -> str | None:
    """As `text`, for fields where None says that there is none."""
    return text(value, loose)


def ident(value: Json, loose: bool) -> str | None:
    """An id: one line of text without blanks around it, or a whole number, which becomes its digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        raise Wrong(
            f"is the number {value!r}: an id is text or a whole number (a float has lost digits); keep it as text"
        )
    found = text(value, loose)
    if not good_id(found):
        raise Wrong(_bad_id(found))
    return found


def yaml_ident(value: Json, loose: bool) -> str | None:
    """As `ident`, but YAML reads 007 as 7, so that only text will do."""
    return ident(text(value, loose), loose)


def good_id(value: str) -> bool:
    """Whether `value` can be an id."""
    if value.isprintable():  # the quick way for nearly all: the only blank that is printable is the space
        return value != "" and value[0] != " " and value[-1] != " "
    return _id.fullmatch(value) is not None


def _bad_id(value: str) -> str:
    if not value.strip():
        return "is empty: an id is text that names the case for ever"
    if value != value.strip():
        return f"has blanks around it: {value!r}; write {value.strip()!r}"
    return f"holds a tab, a line break or another control character: {value[:40]!r}"


def texts(value: Json, loose: bool) -> tuple[str, ...]:
    """A list of texts, or a cell that holds one."""
    if isinstance(value, str) and loose:
        return split_list(value)
    if isinstance(value, str):
        raise Wrong(f"should be a list: write [{json.dumps(value, ensure_ascii=False)}]")
    if not isinstance(value, (list, tuple)):
        raise Wrong(f"should be a list of texts, found {kind_of(value)}")
    return tuple(text(item, loose) for item in value)


def text_or_texts(value: Json, loose: bool) -> tuple[str, ...]:
    """As `texts`; one text alone is a list of one."""
    return (text(value, loose),) if isinstance(value, str) and not loose else texts(value, loose)


def names(value: Json, loose: bool) -> tuple[str, ...] | None:
    """A list of ids (whole numbers become their digits), one id alone, or a cell that holds a list."""
    if isinstance(value, bool):
        raise Wrong("should name what is expected, as in [doc-1]; true/false does not say which")
    if isinstance(value, str):
        listed = _json_list(value) if loose else None
        if listed is None:
            return split_list(value) if loose else (text(value, loose),)
        value = listed
    if isinstance(value, (int, float)):
        value = [value]
    if not isinstance(value, (list, tuple)):
        raise Wrong(f"should be a list of ids, found {kind_of(value)}")
    return tuple(text(item, loose) if isinstance(item, str) else str(ident(item, loose)) for item in value)


def split_list(cell: str) -> tuple[str, ...]:
    r"""The entries of a cell: separated by `|`, a literal one written `\|`; blanks around an entry are dropped.

    A cell that is a JSON list of texts is that list, entry by entry as written.
    """
    listed = _json_list(cell)
    if listed is not None and all(isinstance(item, str) for item in listed):
        return tuple(listed)
    if not cell.strip():
        return ()
    # a backslash before anything else is itself, so that patterns such as \d and paths need no doubling
    return tuple(part.replace(r"\|", "|").strip() for part in re.split(r"(?<!\\)\|", cell))


def join_list(items: Iterable[str]) -> str:
    """The cell that `split_list` reads as `items`."""
    entries = list(items)
    plain = "|".join(item.replace("|", r"\|") for item in entries)
    return plain if split_list(plain) == tuple(entries) else json.dumps(entries, ensure_ascii=False)


def _json_list(cell: str) -> list[Json] | None:
    if not cell.lstrip().startswith("["):
        return None
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def flag(value: Json, loose: bool) -> bool:
    """True or false; in a cell also yes/no and 1/0."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if loose and isinstance(value, (str, int)) else None
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise Wrong(f"should be true or false, found {shown(value)}")


def whole(value: Json, loose: bool) -> int:
    """A whole number, 0 or more."""
    found = value
    if isinstance(value, str) and loose and _whole.fullmatch(value.strip()) and len(value) < 20:
        found = int(value)
    if loose and isinstance(value, float) and value.is_integer():
        found = int(value)  # a frame column with gaps holds whole numbers as floats
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise Wrong(f"should be a whole number, 0 or more, found {shown(value)}")
    return found


def positive(value: Json, loose: bool) -> int:
    """A whole number, 1 or more."""
    found = whole(value, loose)
    if found < 1:
        raise Wrong("counts from 1, found 0")
    return found


def number(value: Json, loose: bool) -> float:
    """A finite number; a comma for a decimal point is told, not guessed."""
    found = value
    if isinstance(value, str) and loose:
        if _decimal.fullmatch(value.strip()):
            found = float(value)
        elif _decimal.fullmatch(value.strip().replace(",", ".")):
            raise Wrong(f"should be a number with a decimal point: write {value.strip().replace(',', '.')}")
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise Wrong(f"should be a number, found {shown(value)}")
    try:
        if math.isfinite(float(found)):
            return float(found)
    except OverflowError:
        pass
    raise Wrong(f"should be a finite number, found {str(value)[:20]}")


def amount(value: Json, loose: bool) -> float:
    """A number, 0 or more."""
    if (found := number(value, loose)) < 0:
        raise Wrong(f"should be 0 or more, found {shown(value)}")
    return found


def share(value: Json, loose: bool) -> float:
    """A number from 0 to 1."""
    found = number(value, loose)
    if not 0 <= found <= 1:
        raise Wrong(f"should be a share from 0 to 1, found {shown(value)}")
    return found


def one_of(allowed: tuple[T, ...]) -> Callable[[Json, bool], T]:
    """A reader of one of these words, in any letter case."""

    def read(value: Json, loose: bool) -> T:
        word = text(value, loose).strip().lower()
        for item in allowed:
            if item == word:
                return item
        listed = ", ".join(map(str, allowed))
        raise Wrong(f"should be one of {listed}; found {shown(value)}.{near(word, map(str, allowed))}")

    return read


def mapping(value: Json, loose: bool) -> dict[str, Json]:
    """Keys and values; in a cell as a JSON object."""
    if isinstance(value, str) and loose:
        try:
            return decode_line(value.encode("utf-8", "surrogatepass"))
        except NotAnObject as why:
            raise Wrong(f"should be a JSON object: {why}") from None
    if not isinstance(value, dict):
        raise Wrong(f"should be keys and values, found {shown(value)}")
    return {str(key): json_value(item, loose) for key, item in value.items()}


def json_value(value: Json, loose: bool) -> Json:  # noqa: ARG001 - every reader has this shape
    """Anything that JSON can hold, as it is."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise Wrong("holds NaN or infinity, which JSON has not; write null") from None
    except TypeError:
        raise Wrong(f"holds {_stranger(value)}, which JSON has not: quote it") from None
    return value


def _stranger(value: Json) -> str:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in inner:
        if found := _stranger(item):
            return found
    known = isinstance(value, (str, int, float, bool, dict, list, tuple)) or value is None
    return "" if known else kind_of(value)


def patterns(value: Json, loose: bool) -> tuple[str, ...]:
    """A list of regular expressions that compile."""
    found = texts(value, loose)
    for pattern in found:
        try:
            re.compile(pattern)
        except re.error as error:
            raise Wrong(f"holds {pattern!r}, which is no regular expression: {error}") from None
    return found


def pass_rule(value: Json, loose: bool) -> Json:
    """`all`, `any` or `{at_least: n}`."""
    if isinstance(value, str) and value.strip().startswith("{"):
        value = mapping(value, loose)
    if isinstance(value, str) and value.strip() in ("all", "any"):
        return value.strip()
    if isinstance(value, dict) and set(value) == {"at_least"}:
        try:
            return {"at_least": positive(value["at_least"], loose)}
        except Wrong as why:
            raise Wrong(f"at_least {why}") from None
    raise Wrong(f"should be all, any or {{at_least: n}}, found {shown(value)}")


def shown(value: Json) -> str:
    """A value as an error shows it: the start of a text, the kind of anything that holds others."""
    if isinstance(value, (list, tuple, dict)):
        return kind_of(list(value) if isinstance(value, tuple) else value)
    return repr(value if not isinstance(value, str) else value[:60])
