"""Faults below HTTP: what a transport raised, as the failure of one call or of the run."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import httpx

from judgekit.errors import CallFailed, RunStopped
from judgekit.providers.faults import Place
from judgekit.providers.said import one_line


def of_network(error: Exception, place: Place, *, proven: bool) -> CallFailed | RunStopped:
    """What `error` means for a call to `place`; the message names the URL and says what to do.

    proven   the server has answered in this run: then nothing about it can be wrong for good
    """
    chain = list(_chain(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            found = next((str(c.verify_message) for c in chain if hasattr(c, "verify_message")), "")
            why = f" ({one_line(found, 80)})" if found else ""
            return _settled(
                f"{place.model}: the certificate of {place.url} is not trusted{why}; "
                "set SSL_CERT_FILE to your CA bundle",
                "certificate",
                proven=proven,
            )
        if isinstance(cause, socket.gaierror):
            return _failed(f"{place.model}: the host of {place.url} was not found; check base_url and the network")
        if isinstance(cause, ConnectionRefusedError):
            return _failed(f"{place.model}: nothing listens at {place.url}; start the server, or check base_url")
    if any(isinstance(cause, httpx.ProxyError) for cause in chain):
        return _failed(f"{place.model}: the proxy did not let the call to {place.url} through; check HTTPS_PROXY")
    if is_timeout(error):
        if _is_connecting(error):
            return _failed(f"{place.model}: no connection to {place.url} in time; check base_url and the network")
        return timed_out(place, None)
    detail = one_line(str(error), 80) or type(error).__name__
    return _failed(f"{place.model}: the connection to {place.url} broke ({detail}); run again")


def timed_out(place: Place, seconds: float | None) -> CallFailed:
    """The failure of a call that took too long. A reply may have been made, and be charged for."""
    within = f" within {seconds:g} s" if seconds is not None else " in time"
    return CallFailed(
        f"{place.model}: no whole answer from {place.url}{within}; raise JUDGEKIT_TIMEOUT_S, or ask for fewer tokens",
        code="timeout",
        retryable=True,
    )


def is_timeout(error: Exception) -> bool:
    """Whether time ran out. The aiohttp transport also calls a dropped connection a timeout; its cause tells."""
    cause = error.__cause__
    if cause is not None and type(cause).__module__.startswith("aiohttp"):
        return isinstance(cause, TimeoutError)
    return isinstance(error, (httpx.TimeoutException, TimeoutError))


def _is_connecting(error: Exception) -> bool:
    return isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout)) or "connection timeout" in str(error).lower()


def _failed(why: str) -> CallFailed:
    return CallFailed(why, code="connection", retryable=True)


def _settled(why: str, code: str, *, proven: bool) -> CallFailed | RunStopped:
    return CallFailed(why, code=code) if proven else RunStopped(why, code=code)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error and all that led to it, also inside groups; each once."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        todo += [one.__cause__, one.__context__, getattr(one, "certificate_error", None)]
        if isinstance(one, BaseExceptionGroup):
            todo += one.exceptions
