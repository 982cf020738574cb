from __future__ import annotations

from typing import Any

import pytest

from judgekit.providers.waits import wait_of

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "now", "wanted"),
    [
        ({"retry-after": "2"}, NOW, 2.0),
        ({"retry-after": " 2.5 "}, NOW, 2.5),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:23 GMT"}, NOW, 3.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:23 GMT"}, NOW + 0.6, 2.4),
        ({"retry-after": "Tuesday, 14-Nov-23 22:13:23 GMT"}, NOW, 3.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:23 -0000"}, NOW, 3.0),
        ({"retry-after": "Tue, 14 Nov 2023 23:13:23 +0100"}, NOW, 3.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, NOW, 0.0),
        ({"retry-after": "-5"}, NOW, 0.0),
        ({"retry-after": "86400"}, NOW, 86400.0),
        ({"retry-after": "1", "retry-after-ms": "1234"}, NOW, 1.234),
        ({"retry-after": "soon"}, NOW, None),
        ({"retry-after": "inf"}, NOW, None),
        ({"retry-after": "nan"}, NOW, None),
        ({"retry-after": ""}, NOW, None),
        ({}, NOW, None),
    ],
)
def test_wait_of_headers(headers: dict[str, str], now: float, wanted: float | None) -> None:
    got = wait_of(headers, {}, now)
    assert got == (None if wanted is None else pytest.approx(wanted, abs=1e-6))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ({"error": {"details": [{"retryDelay": "17s"}]}}, 17.0),
        ({"error": {"details": [{"reason": "X"}, {"retryDelay": "0.5s"}]}}, 0.5),
        ({"error": {"details": [{"retryDelay": "soon"}]}}, None),
        ({"error": {"details": {}}}, None),
        ({"error": "text"}, None),
        ([], None),
    ],
)
def test_wait_of_body(body: Any, wanted: float | None) -> None:
    assert wait_of({}, body, NOW) == wanted


def test_header_wins_over_body() -> None:
    assert wait_of({"retry-after": "1"}, {"error": {"details": [{"retryDelay": "9s"}]}}, NOW) == 1.0
