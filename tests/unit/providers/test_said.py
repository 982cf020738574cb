from __future__ import annotations

from typing import Any

import pytest

from judgekit.providers.said import one_line, read_error


@pytest.mark.parametrize(
    ("body", "text", "status"),
    [
        ({"error": {"message": "no", "code": "x"}}, "no", None),
        ({"error": {"message": "no", "code": 429}}, "no", 429),
        ({"error": {"message": "no", "code": "503"}}, "no", 503),
        ({"error": "plain"}, "plain", None),
        ([{"error": {"message": "in a list", "code": 400}}], "in a list", 400),
        ({"object": "error", "message": "old", "code": 40401}, "old", None),
        ({"detail": "fast"}, "fast", None),
        ({"detail": [{"loc": ["body", "n"], "msg": "bad", "type": "t"}]}, "bad body.n", None),
        ({"message": "gate"}, "gate", None),
        ({"error": {"message": "outer", "metadata": {"raw": "inner"}}}, "outer: inner", None),
        ({"choices": [{"error": {"message": "cut off", "code": 502}, "finish_reason": "error"}]}, "cut off", 502),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "busy", None),
    ],
)
def test_error_is_found_in_every_shape(body: Any, text: str, status: int | None) -> None:
    said = read_error(body)
    assert said is not None
    assert (said.text, said.status) == (text, status)


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "x"}}], "error": None},
        {"content": [], "message": "not an error"},
        {"choices": []},
        {},
        [],
        "text",
        None,
        {"error": {}},
    ],
)
def test_reply_is_no_error(body: Any) -> None:
    assert read_error(body) is None


@pytest.mark.parametrize(
    "error", [{"message": None}, {"message": 5}, {"message": {"a": 1}}, {"message": ["x"]}, 7, True]
)
def test_odd_errors_are_still_text(error: Any) -> None:
    said = read_error({"error": error})
    assert said is not None
    assert isinstance(said.text, str)


def test_text_is_one_printable_line_of_bounded_length() -> None:
    assert one_line("a\n\tb\x1b[31mc\u2028d") == "a b [31mc d"
    assert one_line("x" * 500, 10) == "x" * 10 + "..."
