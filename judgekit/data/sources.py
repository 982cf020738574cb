"""Files of rows: CSV, JSON lines or YAML by the file's ending, read into rows that know their place."""

from __future__ import annotations

from pathlib import Path

from judgekit.data.jsonl import NotAnObject, NotLines, decode_line, raw_lines
from judgekit.data.rows import Log, Row
from judgekit.data.tables import Table, parse_table, read_source
from judgekit.errors import InputError, Problem
from judgekit.located import kind_of, read_yaml
from judgekit.types import Json

TABLES = (".csv", ".tsv", ".tab", ".txt")
LINES = (".jsonl", ".ndjson", ".json")
YAMLS = (".yaml", ".yml")


def read_rows(
    path: Path, *, name: str, log: Log, encoding: str | None = None, delimiter: str | None = None
) -> tuple[list[Row], Table | None]:
    """All rows of a file by its ending, and the table when it was one.

    Every line of JSON that is no object goes to `log`. Raises `InputError` for a file that cannot be read at all.
    """
    ending = path.suffix.lower()
    if ending in LINES:
        return read_lines(path, name=name, log=log, encoding=encoding), None
    if ending in YAMLS:
        return read_list(path, name=name, encoding=encoding), None
    if ending in TABLES:
        if ending in (".tsv", ".tab"):
            delimiter = delimiter or "\t"
        table = parse_table(read_source(path, name=name, encoding=encoding), file=name, delimiter=delimiter)
        return list(table.rows), table
    what = f"is of no known kind ({ending or 'no ending'}); name it .csv, .tsv, .jsonl, .yaml or .yml"
    raise InputError(Problem(name, None, what))


def read_lines(path: Path, *, name: str, log: Log, encoding: str | None = None) -> list[Row]:
    """The rows of a JSON lines file; what is wrong with a line goes to `log`."""
    rows = []
    for number, line in raw_lines(path, name=name, encoding=encoding):
        try:
            rows.append(Row(name, number, decode_line(line), "json"))
        except NotAnObject as why:
            log.problems.append(Problem(name, number, str(why)))
            if isinstance(why, NotLines):
                break
    return rows


def read_list(path: Path, *, name: str, encoding: str | None = None) -> list[Row]:
    """The rows of a YAML file: a list of mappings, or a mapping whose one key holds that list."""
    doc = read_yaml(read_source(path, name=name, encoding=encoding), file=name)
    data: Json = doc.data
    at: tuple[str, ...] = ()
    if isinstance(data, dict) and len(data) == 1 and isinstance(next(iter(data.values())), list):
        key = next(iter(data))
        data, at = data[key], (key,)
    if not isinstance(data, list):
        found = "one row" if isinstance(data, dict) else kind_of(data)
        raise InputError(Problem(name, doc.line(at) or 1, f"expected a list, found {found}: begin each row with '- '"))
    bad = [
        doc.problem((*at, index), f"expected keys and values, found {kind_of(item)}")
        for index, item in enumerate(data)
        if not isinstance(item, dict)
    ]
    if bad:
        raise InputError(bad)
    return [Row(name, doc.line((*at, i)), item, "yaml", doc, (*at, i)) for i, item in enumerate(data)]
