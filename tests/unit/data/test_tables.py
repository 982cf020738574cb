"""CSV in the dialects that spreadsheets write: every cell is text, and what does not fit is told with its line."""

from pathlib import Path

import pytest

from judgekit.data.tables import parse_table, read_source, sniff
from judgekit.errors import InputError, UsageError


def cells(text: str, **options: str) -> list[dict[str, str]]:
    return [dict(row.values) for row in parse_table(text, file="t.csv", **options).rows]


def refusal(text: str, **options: str) -> str:
    with pytest.raises(InputError) as error:
        parse_table(text, file="t.csv", **options)
    return str(error.value)


def test_words_for_missing_are_text_and_only_an_empty_cell_is_empty() -> None:
    rows = cells("id,label\nNA,PASS\nn2,None\nn3,null\nn4,n/a\nn5,\n")
    assert [(r["id"], r["label"]) for r in rows] == [
        ("NA", "PASS"),
        ("n2", "None"),
        ("n3", "null"),
        ("n4", "n/a"),
        ("n5", ""),
    ]


def test_ids_that_look_like_numbers_stay_five_different_texts() -> None:
    assert [r["id"] for r in cells("id,x\n007,\n7,\n1e3,\n0x1,\n1_000,\n")] == ["007", "7", "1e3", "0x1", "1_000"]


@pytest.mark.parametrize("header", ["id,label", '"id","label"'])
def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path, header: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf" + header.encode() + b"\r\na,PASS\r\n")
    assert cells(read_source(path)) == [{"id": "a", "label": "PASS"}]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_its_mark_is_read(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(("\ufeff" + "id\tlabel\r\nä\tPASS\r\n").encode(codec))
    assert cells(read_source(path)) == [{"id": "ä", "label": "PASS"}]


def test_a_codepage_file_is_refused_at_the_line_of_its_first_bad_byte_and_read_when_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,x\na,1\nb,10 – 20\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"t\.csv:3: byte 0x96"):
        read_source(path, name="t.csv")
    assert cells(read_source(path, encoding="cp1252"))[1] == {"id": "b", "x": "10 – 20"}


def test_an_unknown_encoding_is_a_usage_error_and_a_wrong_one_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"id\n\xff\n")
    with pytest.raises(UsageError, match="unknown encoding 'utf-99'"):
        read_source(path, encoding="utf-99")
    with pytest.raises(InputError, match=r"t\.csv:2: byte 0xff is not ascii"):
        read_source(path, name="t.csv", encoding="ascii")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("id;label;score\n1;PASS;0,5\n2;FAIL;1,5\n", ";"),
        ("id\tlabel\na\tb, c; d\n", "\t"),
        ("id,label\na;b,c\n", ","),
        ('"id, or; name",label\nx,y\n', ","),
        ('"a;b;c;d";e\n1;2\n', ";"),
        ("id\na\n", ","),
        ("", ","),
    ],
)
def test_the_delimiter_is_found(text: str, sign: str) -> None:
    assert sniff(text) == sign


def test_a_decimal_comma_stays_as_written() -> None:
    assert cells("id;score\n1;0,5\n") == [{"id": "1", "score": "0,5"}]


def test_the_delimiter_that_excel_names_is_used_and_lines_still_count() -> None:
    table = parse_table("sep=;\r\nid;x\r\na;1\r\n", file="t.csv")
    assert (table.delimiter, table.rows[0].line, dict(table.rows[0].values)) == (";", 3, {"id": "a", "x": "1"})


def test_another_delimiter_can_be_told() -> None:
    assert cells("id|x\na|1\n", delimiter="|") == [{"id": "a", "x": "1"}]


def test_one_column_alone_hints_at_the_delimiter() -> None:
    table = parse_table("id|x\na|1\n", file="t.csv")
    assert "Only one column was seen" in str(table.missing("x", ""))


def test_a_stray_cell_shifts_nothing_and_is_told_with_its_line() -> None:
    message = refusal('id,meta\n1,{"a": 1, "b": 2}\n2,ok\n3\n')
    assert message.splitlines()[0].startswith("t.csv:2: 3 cells, but the header has 2: put a cell that holds a comma")
    assert message.splitlines()[1].startswith("t.csv:4: 1 cell, but the header has 2")


def test_a_quoted_json_cell_is_one_cell() -> None:
    assert cells('id,meta\n1,"{""a"": 1, ""b"": 2}"\n') == [{"id": "1", "meta": '{"a": 1, "b": 2}'}]


def test_lines_are_counted_through_quoted_line_breaks_and_blank_lines() -> None:
    table = parse_table('id,x\n\na,"1\n2"\n\n  \nb,3\n,\n', file="t.csv")
    assert [(row.line, row.values["id"]) for row in table.rows] == [(3, "a"), (7, "b")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_gives_the_same_rows_and_lines(end: str) -> None:
    table = parse_table(end.join(["id,x", "a,1", "b,2"]), file="t.csv")
    assert [(row.line, dict(row.values)) for row in table.rows] == [
        (2, {"id": "a", "x": "1"}),
        (3, {"id": "b", "x": "2"}),
    ]


def test_a_line_break_inside_a_cell_is_kept_as_it_is() -> None:
    assert cells('id,x\r\na,"1\r\n2\n3"\r\n')[0]["x"] == "1\r\n2\n3"


def test_a_cell_longer_than_the_csv_module_allows_by_default_is_read() -> None:
    assert len(cells(f"id,x\na,{'y' * 300_000}\n")[0]["x"]) == 300_000


def test_an_open_quote_names_the_line_where_it_begins() -> None:
    assert refusal('id,x\na,1\nb,"open\nc,2\n').startswith("t.csv:3: a quoted cell that begins in this row never ends")


def test_a_quote_that_is_not_doubled_is_told() -> None:
    assert refusal('id,x\na,"say "hi" now"\n').startswith("t.csv:2: a quote inside a quoted cell must be doubled")


def test_a_column_twice_an_empty_file_and_a_nul_byte_are_refused() -> None:
    assert "column 'id' occurs twice" in refusal("id,id\n1,2\n")
    assert "is empty" in refusal("\n\n")
    assert refusal("id,x\na,\0\n").startswith("t.csv:2: holds a NUL byte")


def test_an_unnamed_column_without_a_value_is_passed_over_and_one_with_values_gets_a_name() -> None:
    assert cells("id,x,\na,1,\n") == [{"id": "a", "x": "1"}]
    assert cells(",id\n0,a\n") == [{"column 1": "0", "id": "a"}]


def test_names_of_columns_lose_the_blanks_around_them() -> None:
    assert cells("id , x\na,1\n") == [{"id": "a", "x": "1"}]


def test_a_missing_file_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.csv: cannot be read"):
        read_source(tmp_path / "gone.csv", name="gone.csv", encoding="cp1252")
