"""Outputs: what a variant answered, read from files, dicts or frames that other tools wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

import msgspec

from judgekit.data import cells
from judgekit.data.aliases import OUTPUT, Columns
from judgekit.data.cells import Cells, Wrong, good_id
from judgekit.data.derive import Derived
from judgekit.data.jsonl import NotAnObject, NotLines, decode_line, many_values, raw_lines, single_keys
from judgekit.data.messages import chat, is_parts, parts_text
from judgekit.data.rows import Form, Log, Row, expand, memory_rows
from judgekit.data.sources import LINES, read_rows
from judgekit.data.tables import Table
from judgekit.errors import InputError, Problem
from judgekit.types import Fault, Finish, Json, Output, Usage

FINISHES: dict[str, Finish] = {word: word for word in get_args(Finish)} | {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "completed": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "refusal": "refused",
    "content_filter": "filter",
    "safety": "filter",
    "tool_calls": "tool",
    "tool_use": "tool",
    "function_call": "tool",
}
"""Words of providers for why a reply ended -> ours."""

T = TypeVar("T")
MISSING = Fault("failed", "missing", "the output is missing")
_decode = msgspec.json.Decoder(Output).decode


@dataclass(frozen=True)
class OutputSet:
    """Outputs in the order of their files, no (id, variant, trial) twice.

    places    `file:line` of each output
    notices   what reading has to say: ignored columns, outputs that are missing
    """

    outputs: tuple[Output, ...]
    notices: tuple[str, ...]
    places: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.outputs)

    def __iter__(self) -> Iterator[Output]:
        return iter(self.outputs)


class _Collector:
    def __init__(self) -> None:
        self.outputs: list[Output] = []
        self.places: list[str] = []
        self.seen: dict[tuple[str, str | None, int], str] = {}
        self.log = Log()

    def add(self, output: Output, file: str, line: int | None) -> None:
        key = (output.id, output.variant, output.trial)
        place = f"{file}:{line}" if line else file
        if key in self.seen:
            variant = f" of variant {output.variant!r}" if output.variant else ""
            what = f"id {output.id!r}{variant}, trial {output.trial} is already given at {self.seen[key]}"
            self.log.problems.append(Problem(file, line, f"{what}; number the trials or name the variants"))
        self.seen.setdefault(key, place)
        self.outputs.append(output)
        self.places.append(place)

    def finish(self, source: str) -> OutputSet:
        self.log.check()
        if not self.outputs:
            raise InputError(Problem(source, None, "holds no outputs"))
        gone = [place for o, place in zip(self.outputs, self.places, strict=True) if o.fault is MISSING]
        if gone:
            shown = ", ".join(gone[:3]) + (" ..." if len(gone) > 3 else "")
            many = "1 output is" if len(gone) == 1 else f"{len(gone)} outputs are"
            self.log.note(f"{many} missing (empty cell or null) and will have no verdict: {shown}")
        return OutputSet(tuple(self.outputs), tuple(self.log.notices), tuple(self.places))


def load_outputs(
    paths: str | Path | Sequence[str | Path],
    base: Path = Path(),
    *,
    columns: Mapping[str, str] = {},
    encoding: str | None = None,
    delimiter: str | None = None,
) -> OutputSet:
    """Read outputs from files or globs (relative to `base`): JSON lines, CSV or YAML.

    columns   ours -> theirs, as in {"output": "Reply"}; other names are found by themselves, extra ones are ignored
              with one notice per file

    Rows without an id get one derived from their input. Raises `InputError` with every problem of every file.
    """
    out = _Collector()
    for path, name in expand(paths, base):
        try:
            if path.suffix.lower() in LINES and encoding is None and not columns:
                with many_values():
                    _read_fast(path, name, out)
            else:
                rows, table = read_rows(path, name=name, log=out.log, encoding=encoding, delimiter=delimiter)
                _read_slowly(rows, name, out, columns, table)
        except InputError as error:
            out.log.problems.extend(error.problems)
    return out.finish(str(paths) if isinstance(paths, (str, Path)) else ", ".join(map(str, paths)))


def outputs_from_rows(
    rows: Iterable[Mapping[str, Json]], *, columns: Mapping[str, str] = {}, form: Form = "rows"
) -> OutputSet:
    """Outputs from dicts (or the rows of a frame, `form="frame"`), as `load_outputs` reads them from a file."""
    out = _Collector()
    _read_slowly(memory_rows(rows, form), "rows", out, columns, None)
    return out.finish("rows")


def _read_fast(path: Path, name: str, out: _Collector) -> None:
    """Decode lines in our own names at once; from the first other line on, the whole file goes the slow way."""
    shapes: dict[int, list[bytes]] = {}
    found: list[tuple[Output, int]] = []
    rows: list[Row] = []
    slow = False
    for number, line in raw_lines(path, name=name):
        if not slow:
            try:
                output = _decode(line)
                slow = not (_plain(output) and single_keys(line, shapes))
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                slow = True
            if not slow:
                found.append((output, number))
                continue
        try:
            rows.append(Row(name, number, decode_line(line), "json"))
        except NotAnObject as why:
            out.log.problems.append(Problem(name, number, str(why)))
            if isinstance(why, NotLines):
                break
    for output, number in found:
        out.add(output, name, number)
    _read_slowly(rows, name, out, {}, None, before=bool(found))


def _plain(output: Output) -> bool:
    return (
        output.output.__class__ is str
        and output.fault is None
        and output.trial >= 1
        and good_id(output.id)
        and all(map(good_id, output.citations or ()))
        and all(map(good_id, output.retrieved or ()))
    )


def _read_slowly(
    rows: Sequence[Row],
    file: str,
    out: _Collector,
    columns: Mapping[str, str],
    table: Table | None,
    *,
    before: bool = False,
) -> None:
    if not rows:
        return
    names = table.columns if table else (key for row in rows for key in row.values)
    chosen = Columns(names, OUTPUT, columns, file)
    out.log.problems.extend(chosen.problems)
    if "output" not in chosen.of and not (before or chosen.problems):
        like = next((n for n in chosen.names if OUTPUT.get(n.strip().lower()) == "output"), "NAME")
        mend = f"Name it output, reply, answer or text, or map it: --columns output={like}"
        shown = ", ".join(map(repr, chosen.names))
        what = f"there is no column with the outputs; columns: {shown}. {mend}"
        out.log.problems.append(table.missing("output", mend) if table else Problem(file, None, what))
        return
    if chosen.problems:
        return
    derived = Derived() if "id" not in chosen.of and "input" in chosen.of else None
    if notice := chosen.notice(file):
        out.log.note(notice)
    for row in rows:
        _add(row, chosen, out, derived)
    if derived:
        out.log.note(f"{file}: no id column: ids are derived from the inputs")


def _add(row: Row, chosen: Columns, out: _Collector, derived: Derived | None) -> None:
    before = len(out.log.problems)
    output = output_of(row, chosen, out.log, derived)
    if output is not None and len(out.log.problems) == before:
        out.add(output, row.file, row.line)


def output_of(row: Row, chosen: Columns, log: Log, derived: Derived | None) -> Output | None:
    """The output of one row; every problem goes to `log`, None when there is no id or no output."""
    found = chosen.found(row)
    read = Cells(row, found, log)
    variant = read.get("variant", cells.text, None)
    trial = read.get("trial", cells.positive, 1)
    name = read.identity("id")
    if derived:
        given = read.get("input", chat, None)
        name = None if given is None else derived.next(given, (variant, trial))
    wanted = "input" if derived else "id"
    if wanted not in found:
        log.problems.append(row.problem(f"{wanted!r} is missing"))
    column = chosen.of.get("output")
    fault = read.get("fault", _fault, None)
    if column not in row.values and fault is None:
        log.problems.append(row.problem("'output' is missing; write null if there was none, \"\" if it was empty"))
    value = read.get("output", _output, None)
    if "output" not in found and fault is None:
        fault = MISSING
    if "output" in found and fault is not None:
        log.problems.append(read.problem("an output cannot have both 'output' and 'fault'", "output"))
    if name is None:
        return None
    return Output(
        id=name,
        output=value,
        variant=variant,
        trial=trial,
        model=read.get("model", cells.text, None),
        label=read.get("label", cells.text, None),
        citations=read.names("citations"),
        retrieved=read.names("retrieved"),
        context=read.get("context", cells.text, None),
        trace=read.get("trace", _trace, None),
        finish=read.get("finish", _finish, None),
        fault=fault,
        usage=read.get("usage", _usage, None),
        cost_usd=read.get("cost_usd", cells.amount, None),
        cached=read.get("cached", cells.flag, default=False),
    )


def _output(value: Json, loose: bool) -> Json:
    """Text, JSON, or message parts that are all text."""
    if is_parts(value):
        return parts_text(value, loose)
    return cells.text(value, loose) if isinstance(value, str) else cells.json_value(value, loose)


def _trace(value: Json, loose: bool) -> Json:
    """JSON; a cell that is none is the text it is."""
    if isinstance(value, str) and loose and value.lstrip()[:1] in ("[", "{"):
        try:
            return decode_line(b'{"trace":' + value.encode() + b"}")["trace"]
        except (NotAnObject, UnicodeEncodeError):
            return cells.text(value, loose)
    return cells.json_value(value, loose)


def _finish(value: Json, loose: bool) -> Finish:
    word = cells.text(value, loose).strip().lower()
    if word not in FINISHES:
        raise Wrong(f"should be one of {', '.join(get_args(Finish))}; found {cells.shown(value)}")
    return FINISHES[word]


def _fault(value: Json, loose: bool) -> Fault:
    return _struct(value, Fault, loose)


def _usage(value: Json, loose: bool) -> Usage:
    return _struct(value, Usage, loose)


def _struct(value: Json, kind: type[T], loose: bool) -> T:
    try:
        return msgspec.convert(cells.mapping(value, loose), kind)
    except msgspec.ValidationError as error:
        raise Wrong(f"is not what a run writes: {error}") from None
