"""Tables: CSV text in any of the dialects that spreadsheets write, every cell kept as text."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from judgekit.data.rows import Row
from judgekit.errors import InputError, Problem, UsageError
from judgekit.located import read_text

DELIMITERS = ("\t", ";", ",")
NAMES = {"\t": "tab", ";": "semicolon", ",": "comma"}
SNIFFED = 50
"""How many records decide between two delimiters that both occur in the header."""

# A model's answer may be longer than the 128 KiB that the csv module allows to a cell.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


@dataclass(frozen=True, slots=True)
class Table:
    """A table as read: `columns` as the header names them, and its rows, whose cells are all text."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    delimiter: str

    def missing(self, wanted: str, mend: str) -> Problem:
        """The problem of a column that is not there; says so when the delimiter may be the reason."""
        what = f"there is no column {wanted!r}; columns: {', '.join(map(repr, self.columns))}. {mend}"
        if len(self.columns) == 1:
            what += " Only one column was seen: if the file uses another delimiter than , ; or tab, say which."
        return Problem(self.file, 1, what)


def read_source(path: Path, *, name: str | None = None, encoding: str | None = None) -> str:
    """The text of a file: UTF-8 or UTF-16 by its BOM, or in `encoding` if one is given.

    Raises `InputError` with the line of the first byte that does not fit, `UsageError` for an unknown encoding.
    """
    if encoding is None:
        return read_text(path, name=name)
    shown = name or str(path)
    try:
        raw = path.read_bytes()
        return raw.decode(encoding).removeprefix("\ufeff")
    except OSError as error:
        raise InputError(Problem(shown, None, f"cannot be read: {(error.strerror or str(error)).lower()}")) from None
    except LookupError:
        raise UsageError(f"unknown encoding {encoding!r}; write e.g. utf-8, cp1252 or utf-16") from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = raw.count(b"\n", 0, start) + 1
        raise InputError(Problem(shown, line, f"byte 0x{raw[start]:02x} is not {encoding}")) from None


def parse_table(text: str, *, file: str, delimiter: str | None = None) -> Table:
    """Read CSV text with a header; the delimiter is found among comma, semicolon and tab unless it is given.

    Cells are text, exactly as written: `NA`, `007` and `1e3` too. Blank lines and rows of empty cells only are
    passed over. Raises `InputError` listing every row whose number of cells is not that of the header.
    """
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        what = "holds a NUL byte: damaged, or UTF-16 without its mark; save the file as UTF-8"
        raise InputError(Problem(file, line, what))
    first = 1
    if told := re.match(r"(?i)sep=(.)\r?\n", text):  # Excel's own hint, a line before the header
        delimiter, text, first = delimiter or told[1], text[told.end() :], 2
    sign = delimiter or sniff(text)
    records = _records(text, sign, file, first)
    line, header = next(records, (first, []))
    if not header:
        raise InputError(Problem(file, None, "is empty; the first line names the columns"))
    columns = [cell.strip() or f"column {at}" for at, cell in enumerate(header, start=1)]
    if twice := sorted({name for name in columns if columns.count(name) > 1}):
        raise InputError(Problem(file, line, f"column {twice[0]!r} occurs twice; rename one"))
    problems, rows = [], []
    for line, cells in records:
        if len(cells) != len(columns):
            problems.append(Problem(file, line, _stray(len(cells), len(columns), sign)))
        else:
            rows.append(Row(file, line, dict(zip(columns, cells, strict=True)), "table"))
    if problems:
        raise InputError(problems)
    unnamed = [n for n, c in zip(columns, header, strict=True) if not c.strip()]
    idle = {n for n in unnamed if not any(row.values[n] for row in rows)}
    if idle:
        columns = [n for n in columns if n not in idle]
        rows = [Row(file, r.line, _without(r.values, idle), "table") for r in rows]
    return Table(file, tuple(columns), tuple(rows), sign)


def sniff(text: str) -> str:
    """The delimiter of CSV text: comma, semicolon or tab, by the header and then by even rows; comma for one column.

    A delimiter inside quotes does not count, nor does one that gives the rows uneven lengths if another does not.
    """
    best, found = (False, 0), ","
    for sign in DELIMITERS:
        try:
            sizes = [len(cells) for (_, cells), _ in zip(_records(text, sign, "", 1), range(SNIFFED), strict=False)]
        except InputError:
            continue
        if not sizes or sizes[0] < 2:
            continue
        score = (len(set(sizes)) == 1, sizes[0])
        if score > best:
            best, found = score, sign
    return found


def _records(text: str, delimiter: str, file: str, first: int) -> Iterator[tuple[int, list[str]]]:
    """Each record that holds anything, with the line on which it begins."""
    if len(delimiter) != 1:
        raise UsageError(f"a delimiter is one character, not {delimiter!r}")
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    before = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(Problem(file, before + first, _quotes(str(error)))) from None
        start, before = before + first, reader.line_num
        if any(cell.strip() for cell in cells):
            yield start, cells


def _lines(text: str) -> Iterator[str]:
    r"""The lines with their ends, split at \n, \r\n and lone \r as an editor counts them."""
    return (found[0] for found in re.finditer(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text))


def _quotes(error: str) -> str:
    if "end of data" in error:
        return 'a quoted cell that begins in this row never ends; write "" for a quote inside a quoted cell'
    return 'a quote inside a quoted cell must be doubled: write ""'


def _stray(found: int, wanted: int, sign: str) -> str:
    cells = "1 cell" if found == 1 else f"{found} cells"
    what = f"{cells}, but the header has {wanted}"
    if found > wanted:
        mark = NAMES.get(sign, repr(sign))
        return f'{what}: put a cell that holds a {mark} in quotes, and write "" for a quote in it'
    return f"{what}: write an empty cell for each value that is missing"


def _without(values: Mapping[str, str], names: set[str]) -> dict[str, str]:
    return {k: v for k, v in values.items() if k not in names}
