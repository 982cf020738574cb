"""JSON lines: each fault is told with its own line and a reason that a person understands."""

from pathlib import Path

import pytest

from judgekit.data.jsonl import NotAnObject, decode_line, raw_lines, single_keys


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[]", "expected an object {...}, found a list"),
        ('"x"', "expected an object {...}, found text"),
        ("null", "expected an object {...}, found null"),
        ("3", "found a number"),
        ("true", "found true/false"),
        ('{"a":1}{"a":2}', "two objects on one line"),
        ('{"a":1} {"a":2}', "two objects on one line"),
        ('{"a":1},', "ends in a comma"),
        ('{"a":1} x', "more text after the object (column 9)"),
        ("[", "a part of a JSON document over several lines"),
        ("  {", "a part of a JSON document over several lines"),
        ('  "id": "a",', "a part of a JSON document over several lines"),
        ('[{"a":1}]', "a JSON array? write one object a line"),
        ('{"a":1,}', "a comma before the closing bracket"),
        ('{"a":[1,]}', "a comma before the closing bracket"),
        ('{"a":NaN}', "NaN is not JSON; write null"),
        ('{"a":-Infinity}', "-Infinity is not JSON"),
        ('{"a":1e999}', "out of range"),
        ('{"a":1,"a":2}', "key 'a' occurs twice"),
        ('{"a":{"b":1,"\\u0062":2}}', "key 'b' occurs twice"),
        ('{"a":"\x00"}', "NUL byte"),
        ('{"a":"\\ud83d"}', "half a character"),
        ('{"a":"x\ty"}', "a raw tab or line break"),
        ('{"a": ', "not closed on this line"),
        ('{"a": "b', "not closed on this line"),
        ("{'a': 1}", "is not valid JSON"),
        ("id,input", "is not valid JSON"),
        ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"a":' + "9" * 5000 + "}", "more than 4,300 digits"),
    ],
)
def test_what_is_no_object_is_told_with_its_reason(line: str, reason: str) -> None:
    with pytest.raises(NotAnObject) as error:
        decode_line(line.encode())
    assert reason in str(error.value)


def test_the_reason_never_dumps_the_content_of_a_row() -> None:
    with pytest.raises(NotAnObject) as error:
        decode_line(b'{"secret words": "of a customer"')
    assert "secret" not in str(error.value)


def test_a_byte_that_is_not_utf_8_is_named() -> None:
    with pytest.raises(NotAnObject, match="byte 0x96"):
        decode_line(b'{"a":"\x96"}')


def test_a_long_number_and_a_whole_emoji_are_kept_exactly() -> None:
    assert decode_line(b'{"id":10124420001034504343,"e":"\\ud83d\\ude00"}') == {"id": 10124420001034504343, "e": "😀"}


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\r\n   \n{"a":2}')
    assert [(n, decode_line(line)) for n, line in raw_lines(path)] == [(1, {"a": 1}), (4, {"a": 2})]


def test_a_line_separator_of_unicode_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"a":"x\u2028y\x85z"}\n', encoding="utf-8")
    assert [decode_line(line) for _, line in raw_lines(path)] == [{"a": "x\u2028y\x85z"}]


def test_utf_16_and_a_told_encoding_give_the_same_lines(tmp_path: Path) -> None:
    wide, narrow = tmp_path / "w.jsonl", tmp_path / "n.jsonl"
    wide.write_bytes('\ufeff{"a":"ä"}\n\n{"a":"b"}\n'.encode("utf-16-le"))
    narrow.write_bytes('{"a":"ä"}\n\n{"a":"b"}\n'.encode("latin-1"))
    wanted = [(1, {"a": "ä"}), (3, {"a": "b"})]
    assert [(n, decode_line(x)) for n, x in raw_lines(wide)] == wanted
    assert [(n, decode_line(x)) for n, x in raw_lines(narrow, encoding="latin-1")] == wanted


@pytest.mark.parametrize(
    ("line", "single"),
    [
        (b'{"a":1,"b":{"c":"x"}}', True),
        (b'{"a":1,"a":2}', False),
        (b'{"a" : 1, "a"\t: 2}', False),
        (b'{"a":1,"\\u0061":2}', False),  # an escape may hide an equal key
        (b'{"x y":1,"x y":2}', False),
        (b'{"a":1,"t":"he said \\"a\\": yes","a":2}', False),
    ],
)
def test_a_line_whose_keys_may_be_equal_never_counts_as_single(line: bytes, single: bool) -> None:
    assert single_keys(line, {}) is single


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":1,"a":2}',
        b'{"a":1,"b" :2,"b":3}',
        b'{"a":1,"b":2,"a"\t:3}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":1,"t":"\\"b\\":","a":2}',
    ],
)
def test_what_was_learnt_from_other_lines_hides_no_equal_keys(line: bytes) -> None:
    shapes: dict[int, list[bytes]] = {}
    for other in (b'{"a":1}', b'{"a":1,"b":2}', b'{"a":1,"b":2,"t":"x"}', b'{"a":1,"b":2,"t":"x","c":4}'):
        assert single_keys(other, shapes)
    assert not single_keys(line, shapes)
