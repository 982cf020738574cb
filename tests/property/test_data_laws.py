"""Laws of reading that must hold for any file: what is written comes back, and two ways of reading agree."""

import contextlib
import csv
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from judgekit.data import cases as cases_module
from judgekit.data.cases import case_of, load_cases
from judgekit.data.cells import good_id, join_list, split_list
from judgekit.data.contexts import Contexts
from judgekit.data.jsonl import NotAnObject, decode_line, single_keys
from judgekit.data.rows import Log, Row
from judgekit.data.tables import parse_table
from judgekit.errors import InputError, JudgekitError
from judgekit.types import SEVERITIES, Case, Expected, Message

characters = st.characters(exclude_categories=["Cs"])
texts = st.text(characters, max_size=8)
words = st.text(characters, min_size=1, max_size=6).filter(str.strip)
ids = words.filter(good_id)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def tuples(items: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(items, max_size=3).map(tuple)


checks = st.builds(
    Expected,
    label=texts,
    equals=texts,
    must_include=tuples(words),
    must_not_include=tuples(words),
    must_match=tuples(st.sampled_from([r"\d+", "a|b", "^x"])),
    max_words=st.integers(0, 500),
    citation=tuples(ids),
    retrieved=tuples(ids),
    min_recall=st.floats(0, 1),
    min_precision=st.floats(0, 1),
    json_schema=st.none() | st.dictionaries(texts, json_values, max_size=2),
    number=st.none() | st.floats(-1e9, 1e9),
    tolerance=st.floats(0, 10),
    python=texts,
    case_sensitive=st.booleans(),
)
chats = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts), min_size=1, max_size=3)
cases = st.builds(
    Case,
    id=ids,
    input=texts | chats.map(tuple),
    context=st.none() | texts,
    expected=checks | st.just(Expected()),
    reference=st.none() | texts,
    rubric=texts,
    rubrics=tuples(words),
    tags=tuples(words),
    must_pass=st.booleans(),
    severity=st.none() | st.sampled_from(SEVERITIES),
    grading=st.sampled_from(["deterministic", "rubric", "both"]),
    answerable=st.none() | st.booleans(),
    pass_when=st.none() | st.sampled_from(["all", "any", {"at_least": 2}]),
    split=st.none() | texts,
    source=st.none() | texts,
    added_on=st.none() | texts,
    meta=st.dictionaries(texts, json_values, max_size=2),
)


def slow(line: bytes) -> Case | list[str]:
    """A case by the explaining path alone, or what it says against the line."""
    log = Log()
    try:
        found = case_of(Row("f", 1, decode_line(line), "json"), log, Contexts(Path()))
    except NotAnObject as why:
        return [str(why)]
    return [str(p) for p in log.problems] or found  # type: ignore[return-value]


def fast(line: bytes) -> Case | None:
    """A case by the fast path, None where it leaves the line to the other."""
    try:
        case = cases_module._decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return case if cases_module._plain(case) and single_keys(line, {}) else None


@given(cases)
def test_a_case_that_was_written_is_read_as_the_same_case_both_ways(case: Case) -> None:
    line = msgspec.json.encode(case)
    assert slow(line) == case
    assert fast(line) in (case, None)


names = st.sampled_from(
    ["id", "input", "expected", "must_include", "tags", "meta", "max_words", "severity", "answerable", "rubric", "x"]
)
odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats()
    | st.sampled_from(["", " ", "a", "critical", "\ud800"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(names, odd, max_size=5), st.booleans())
def test_whatever_the_fast_way_takes_the_slow_way_reads_alike(row: dict[str, Any], named: bool) -> None:
    line = json.dumps(row | ({"id": "i", "input": "x"} if named else {})).encode()
    found = fast(line)
    if found is not None:
        assert slow(line) == found


@given(st.binary(max_size=60) | st.text(st.sampled_from('{}[]",:\\ \t1ainput\x00é'), max_size=40).map(str.encode))
def test_no_line_of_any_bytes_ends_in_another_error(line: bytes) -> None:
    found = fast(line)
    said = slow(line)
    assert found is None or said == found


pairs = st.lists(
    st.tuples(st.sampled_from(["a", "b", 'q"', "c d", "é", "\\", ":"]), st.sampled_from(["x", ":", '":', '"a":'])),
    max_size=4,
)


@given(st.lists(st.tuples(pairs, st.sampled_from(["", " ", "\t"]), st.booleans()), max_size=5))
def test_equal_keys_are_never_taken_for_single(lines: list[tuple[list[tuple[str, str]], str, bool]]) -> None:
    shapes: dict[int, list[bytes]] = {}
    for items, gap, ascii_only in lines:
        cells = [[json.dumps(text, ensure_ascii=ascii_only) for text in pair] for pair in items]
        line = ("{" + ", ".join(f"{k}{gap}:{gap}{v}" for k, v in cells) + "}").encode()
        keys = [key for key, _ in items]
        if len(set(keys)) < len(keys):
            assert not single_keys(line, shapes)
        else:
            single_keys(line, shapes)


@given(st.text(st.sampled_from(" a\t\n\r\0\x1b\u00a0\u200c\u2028\u202eé"), max_size=5))
def test_an_id_is_good_when_it_is_one_line_without_blanks_around_it(name: str) -> None:
    controls = set("\t\n\r\0\x1b\u2028\u202e")
    assert good_id(name) == (name != "" and name == name.strip() and not set(name) & controls)


@given(st.lists(texts, max_size=5))
def test_a_list_written_as_a_cell_comes_back(items: list[str]) -> None:
    assert list(split_list(join_list(items))) == items


cell_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=10)


@given(
    st.lists(st.lists(cell_texts, min_size=3, max_size=3), max_size=5),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_a_table_written_by_the_csv_module_comes_back_cell_by_cell(rows: list[list[str]], sign: str, end: str) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=sign, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([["id", "b", "c"], *rows])
    for delimiter in (None, sign):
        table = parse_table(buffer.getvalue(), file="t.csv", delimiter=delimiter)
        assert [list(row.values.values()) for row in table.rows] == [r for r in rows if any(c.strip() for c in r)]


@given(st.text(st.sampled_from('a,;\t"\n\r |\0'), max_size=30))
def test_no_table_text_ends_in_another_error(text: str) -> None:
    with contextlib.suppress(InputError):
        assert all(len(row.values) > 0 for row in parse_table(text, file="t.csv").rows)


@given(st.lists(st.binary(max_size=25), max_size=4), st.sampled_from(["c.jsonl", "c.csv", "c.yaml"]))
def test_no_file_of_any_bytes_ends_in_a_traceback(lines: list[bytes], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / name).write_bytes(b"\n".join(lines))
        with contextlib.suppress(JudgekitError):
            assert len(load_cases(name, Path(folder))) > 0
