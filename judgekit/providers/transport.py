"""The transport beneath httpx: aiohttp's connections when they are there, httpx's own in small pools when not."""

from __future__ import annotations

import itertools
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import httpx

from judgekit.errors import UsageError
from judgekit.providers.urls import is_loopback, shown_url

SHARDS = 64
"""Pools of the fallback. The cost of a call in one of httpx's pools grows with the connections in it."""

IDLE_S = 30.0
"""Seconds that an idle connection is kept: less than the usual 60 after which servers and proxies drop theirs."""


def open_transport(url: str, env: Mapping[str, str], *, fast: bool = True) -> httpx.AsyncBaseTransport:
    """Connections to the host of `url`, through the proxy and with the certificates that `env` names.

    fast   use httpx-aiohttp if it is installed; socks proxies always go through httpx

    The number of connections is not limited here: how many calls are in flight is decided above, and a pool that
    makes them wait would count the wait against their timeout.
    """
    trust = trust_of(env) if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    through = proxy_for(url, env)
    proxy = _proxy(through) if through else None
    socks = through is not None and through.lower().startswith("socks")
    if fast and not socks:
        try:
            from judgekit.providers.direct import Direct
        except ImportError:  # an installation without it: slower, and right
            return Shards(trust, proxy)
        return Direct(trust, proxy)
    return Shards(trust, proxy)


class QuietHeaders(httpx.Headers):
    """Headers that a traceback with local variables does not spell out: one of them is a key."""

    def __repr__(self) -> str:
        return f"<{len(self)} headers>"


class QuietHead(dict[str, str]):
    """The same as a plain mapping."""

    def __repr__(self) -> str:
        return f"<{len(self)} headers>"


class Shards(httpx.AsyncBaseTransport):
    """httpx's own transport, several times over, each with a pool of its own; calls go round."""

    def __init__(self, trust: ssl.SSLContext, proxy: httpx.Proxy | None, shards: int = SHARDS) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_S)
        try:
            self._inner = [
                httpx.AsyncHTTPTransport(verify=trust, trust_env=False, limits=limits, proxy=proxy)
                for _ in range(shards)
            ]
        except ImportError:
            raise UsageError("a socks proxy needs the package socksio: run `pip install 'httpx[socks]'`") from None
        self._next = itertools.cycle(self._inner)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send by the next pool."""
        return await next(self._next).handle_async_request(request)

    async def aclose(self) -> None:
        """Close every pool."""
        for inner in self._inner:
            await inner.aclose()


def trust_of(env: Mapping[str, str]) -> ssl.SSLContext:
    """The certificates to trust: SSL_CERT_FILE, REQUESTS_CA_BUNDLE or SSL_CERT_DIR if set, else those of certifi.

    Raises `UsageError` when the file is not there or holds no certificate.
    """
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "SSL_CERT_DIR"):
        path = env.get(name, "").strip()
        if not path:
            continue
        try:
            if name == "SSL_CERT_DIR":
                return ssl.create_default_context(capath=path)
            return ssl.create_default_context(cafile=path)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(f"{name}={path}: {error.strerror or 'holds no certificate'}") from None
    return httpx.create_ssl_context(trust_env=False)


def proxy_for(url: str, env: Mapping[str, str]) -> str | None:
    """The proxy for `url` by the usual variables (`https_proxy`, `all_proxy`, `no_proxy`; lower case wins)."""
    parts = urlsplit(url)
    found = _either(env, f"{parts.scheme}_proxy") or _either(env, "all_proxy")
    if not found or _direct(parts.hostname or "", parts.port, _either(env, "no_proxy")):
        return None
    return found if "://" in found else f"http://{found}"


def _direct(host: str, port: int | None, no_proxy: str) -> bool:
    """Whether `host` is called without a proxy: this machine always, and what `no_proxy` lists.

    Entries are `*`, a host, a domain with or without its leading dot, or one of these with a port.
    """
    if is_loopback(host):
        return True
    for entry in (e.strip().lower() for e in no_proxy.split(",")):
        name, _, only = entry.rpartition(":") if entry.count(":") == 1 else (entry, "", "")
        name = name.lstrip("*").lstrip(".") if entry != "*" else host
        if name and (host == name or host.endswith(f".{name}")) and (not only or only == str(port)):
            return True
    return False


def _either(env: Mapping[str, str], name: str) -> str:
    return (env.get(name) or env.get(name.upper()) or "").strip()


def _proxy(url: str) -> httpx.Proxy:
    try:
        return httpx.Proxy(url)
    except (ValueError, httpx.InvalidURL):
        shown = shown_url(url).rsplit("@", 1)[-1]
        raise UsageError(f"proxy {shown!r} is no proxy URL: write http://host:port") from None
