"""The cache key of a request: everything that can change the answer, and nothing that cannot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias
from urllib.parse import SplitResult, urlsplit, urlunsplit

import msgspec

from judgekit.types import Json, Reply, Request, Sender

WIRE_VERSION = 1
"""Raised when the same request would be sent in another form, so that older replies are not taken for it."""

KEY_PARTS = ("version", "provider", "url", "body", "trial", "vote", "ask")
"""What a key is made of, in this order. `body` holds model, messages, effective parameters and schema."""

_DEFAULT_PORTS = {"http": 80, "https": 443}

KeyOf: TypeAlias = Callable[[Request], str]


class Provider(Protocol):
    """A sender that can say, without sending, what it would send."""

    def wire(self, request: Request) -> dict[str, Json]:
        """`{"provider", "url", "body"}` without secrets; pure: it does not depend on what was sent before."""
        ...

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`."""
        ...


def request_key(wire: Mapping[str, Json], request: Request) -> str:
    """Hex SHA-256 of the canonical JSON of `KEY_PARTS`: the same parts give the same key on every machine.

    wire      what the provider would send: `{"provider", "url", "body"}`
    request   gives trial, vote and ask; its label, and the name of its key's variable, change nothing
    """
    parts = [
        WIRE_VERSION,
        wire["provider"],
        normal_url(wire["url"]),
        wire["body"],
        request.trial,
        request.vote,
        request.ask,
    ]
    return hashlib.sha256(_canonical(parts)).hexdigest()


def _canonical(parts: Json) -> bytes:
    try:
        return msgspec.json.encode(parts, order="deterministic")
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot hold but an escape can
        return json.dumps(parts, sort_keys=True, allow_nan=False, separators=(",", ":")).encode()


_urls: dict[str, str] = {"": ""}


def normal_url(url: str) -> str:
    """`url` in one spelling: scheme and host in lower case, no default port, no user, no slash at the end.

    The query stays as it is: an `?api-version=` is another service.
    """
    known = _urls.get(url)
    if known is None:
        if len(_urls) > 1000:
            _urls.clear()
        known = _urls[url] = _normal_url(urlsplit(url))
    return known


def _normal_url(parts: SplitResult) -> str:
    scheme = parts.scheme.lower()
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, _DEFAULT_PORTS.get(scheme)) else f":{parts.port}"
    return urlunsplit((scheme, host + port, parts.path.rstrip("/"), parts.query, ""))


class Keyed:
    """A sender that writes the request's key on the reply, for a run without a cache."""

    def __init__(self, inner: Sender, key_of: KeyOf) -> None:
        self._inner = inner
        self._key_of = key_of

    async def __call__(self, request: Request) -> Reply:
        """The reply of the wrapped sender, with its key."""
        reply = await self._inner(request)
        return msgspec.structs.replace(reply, key=self._key_of(request))
