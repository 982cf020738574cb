"""Every way in which a call can go wrong, sorted into what the run may do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.said import Said, one_line
from judgekit.providers.waits import wait_of
from judgekit.types import Json, Reply

_TOO_LONG = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input |prompt )?tokens|prompt is too long|"
    r"(input|request|prompt)[^.]{0,40} too (long|large)|input token count|reduce the length|string_above_max_length|"
    r"request_too_large|exceed_context"
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance|credit|funds)|credit balance is too low|billing_hard_limit|billing_not_active|"
    r"perday|quota_exhausted|budget_exceeded|payment required"
)
_BAD_KEY = re.compile(r"api[_ ]key[_ ](invalid|not[_ ]valid)|api key not valid|api key expired|invalid[_ ]api[_ ]key")
_FILTER_DOWN = re.compile(r"content_filter_error|filter[^.]{0,30}(timed out|timeout|unavailable|failed)")
_FILTER = re.compile(
    r"content_filter|content[_ ]policy|responsibleaipolicyviolation|content management policy|moderation|flagged|"
    r"safety system|data_inspection_failed"
)
_DAILY = re.compile(r"per day|\b(rpd|tpd)\b")
_SHORT_S = 600.0
"""A daily limit whose wait is no longer than this is worth the wait."""


class Place(NamedTuple):
    """Where a call went, for messages: model as the user wrote it, URL without secrets, variable of the key."""

    model: str
    url: str
    key_env: str
    chars: int


def of_status(
    status: int, headers: Mapping[str, str], data: Json, said: Said, place: Place, *, proven: bool, now: float
) -> Reply:
    """Sort an answer that is an error: raises `CallFailed` or `RunStopped`, or gives a `Reply` with finish `filter`.

    proven   the model has answered in this run, or the error may be about this prompt alone: the run goes on
    now      seconds since 1970
    """
    words = said.words
    why = f": {said.text}" if said.text else ""
    wait = wait_of(headers, data, now)
    told = headers.get("x-should-retry", "").lower()

    def failed(what: str, code: str = "", *, retry: bool = False) -> CallFailed:
        again = told == "true" if told in ("true", "false") else retry
        return CallFailed(what, code=code or f"status_{status}", retryable=again, after_s=wait, status=status)

    def settled(what: str, code: str) -> CallFailed | RunStopped:
        return failed(what, code) if proven else RunStopped(what, code=code)

    if _FILTER_DOWN.search(words):
        raise failed(f"{place.model}: the service's content filter did not work{why}", "filter_failed", retry=True)
    if status in (400, 403, 422) and _FILTER.search(words):
        return Reply(text="", finish="filter", note=f"the service's content filter blocked the prompt{why}")
    if status == 401 or (status in (400, 403) and _BAD_KEY.search(words)):
        has = f"the key in {place.key_env} was refused" if place.key_env else "a key is needed"
        raise RunStopped(
            f"{place.model}: {has} by {place.url} ({status}{why}); "
            f"set {place.key_env or '`api_key_env`'} to a valid key",
            code="bad_key",
        )
    spent = _QUOTA.search(words) or (_DAILY.search(words) and (wait is None or wait > _SHORT_S))
    if status == 402 or (status in (400, 403, 429) and spent):
        raise RunStopped(
            f"{place.model}: the quota or credit of this key is used up ({status}{why}); add some, or use another key",
            code="quota",
        )
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(words)):
        raise failed(
            f"{place.model}: the prompt of {place.chars:,} characters is too long ({status}{why}); "
            "shorten the text, or choose a model with a longer context",
            "too_long",
        )
    if status == 403:
        raise settled(
            f"{place.model}: {place.url} forbids this ({status}{why}); check what the key may use",
            "forbidden",
        )
    if status in (404, 405):
        raise settled(
            f"{place.model}: not found at {place.url} ({status}{why}); check the model's name and base_url", "not_found"
        )
    if 300 <= status < 400:
        target = headers.get("location", "another place")
        raise settled(f"{place.model}: {place.url} sends on to {one_line(target)}; set base_url to that", "redirect")
    if status in (400, 422):
        raise settled(f"{place.model}: the request was refused ({status}{why}){_mend(said)}", "bad_request")
    if status == 408:
        raise failed(f"{place.model}: the service gave up waiting ({status}{why}); it is tried again", retry=True)
    if status == 429:
        asked = f", asked to wait {wait:g} s" if wait is not None else ""
        raise failed(f"{place.model}: too many requests ({status}{asked}{why}); lower the number in flight", retry=True)
    heals = status in (409, 425) or (status >= 500 and status not in (501, 505))
    raise failed(f"{place.model}: the service failed ({status}{why}); {_later(heals)}", retry=heals)


def _mend(said: Said) -> str:
    return (
        f"; change or remove parameter {said.param!r}" if said.param else "; change the judge's `params` or its prompt"
    )


def _later(heals: bool) -> str:
    return "run again later" if heals else "trying again will not help: check base_url and the request"


def of_body(place: Place, raw: bytes, content_type: str, why: str) -> CallFailed:
    """The failure of an answer of status 200 whose body is not the JSON it should be."""
    if not raw.strip():
        return CallFailed(f"{place.model}: the answer is empty; run again", code="empty", retryable=True, status=200)
    begin = one_line(raw[:200].decode("utf-8", "replace"), 60)
    page = "html" in content_type.lower() or raw.lstrip()[:1] == b"<"
    return CallFailed(
        f"{place.model}: the answer of {place.url} is not JSON but {content_type or 'of no named type'} ({why}; "
        f"begins {begin!r}); {'check base_url' if page else 'run again'}",
        code="not_json",
        retryable=not page,
        status=200,
    )
