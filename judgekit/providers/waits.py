"""How long a server asks to wait, in every form that services use."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from judgekit.types import Json

_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*s\s*\Z")


def wait_of(headers: Mapping[str, str], body: Json, now: float) -> float | None:
    """Seconds to wait, >= 0 and never rounded down, or None when the server did not say.

    headers   with names in lower case: `retry-after-ms`, `retry-after` in seconds or as a date
    body      Google's error details carry a `retryDelay` such as "17s"
    now       seconds since 1970
    """
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return max(0.0, millis / 1000)
    text = headers.get("retry-after")
    if text is not None:
        seconds = _number(text)
        if seconds is None:
            seconds = _until(text, now)
        if seconds is not None:
            return max(0.0, seconds)
    return _retry_info(body)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _until(text: str, now: float) -> float | None:
    try:
        then = parsedate_to_datetime(text.strip())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:  # "-0000": the sender does not know its zone; HTTP dates are in GMT
        then = then.replace(tzinfo=UTC)
    return then.timestamp() - now


def _retry_info(body: Json) -> float | None:
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        found = _SPAN.match(delay) if isinstance(delay, str) else None
        if found:
            return float(found[1])
    return None
