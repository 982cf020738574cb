"""The connections of aiohttp beneath httpx, and a shorter way for what is sent most: a POST, read whole."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport
from httpx_aiohttp.transport import AiohttpResponseStream, map_aiohttp_exceptions

IDLE_S = 30.0
"""Seconds that an idle connection is kept: less than the usual 60 after which servers and proxies drop theirs."""


class Direct(AiohttpTransport):
    """A transport of httpx that can also `post` without an httpx request and response around the call.

    Those two cost as much as the call itself. Connections, proxy, certificates and errors are the same either way.
    """

    def __init__(self, trust: ssl.SSLContext, proxy: httpx.Proxy | None) -> None:
        def session() -> aiohttp.ClientSession:
            # cookies would tie calls to each other; httpx undoes the compression
            return aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=trust, limit=0, keepalive_timeout=IDLE_S),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )

        super().__init__(verify=trust, proxy=proxy, client=session)
        self._timeouts: dict[tuple[float, float], aiohttp.ClientTimeout] = {}

    async def post(
        self, url: str, head: Mapping[str, str], body: bytes, *, connect_s: float, read_s: float, most: int
    ) -> httpx.Response | tuple[int, Mapping[str, str], bytes]:
        """Status, headers (found by a name in any case) and body of the answer.

        An answer that is compressed, longer than `most` bytes or of no told length is a response yet to be read.
        Raises the exceptions of httpx.
        """
        timeout = self._timeouts.get((connect_s, read_s))
        if timeout is None:
            timeout = aiohttp.ClientTimeout(sock_connect=connect_s, sock_read=read_s)
            self._timeouts[connect_s, read_s] = timeout
        if not isinstance(self.client, aiohttp.ClientSession):
            self.client = self.get_client()
        proxy = self.proxy
        with map_aiohttp_exceptions():
            answer = await self.client.post(
                url,
                data=body,
                headers=head,
                allow_redirects=False,
                timeout=timeout,
                proxy=str(proxy.url) if proxy else None,
                proxy_auth=aiohttp.BasicAuth(*proxy.auth) if proxy and proxy.auth else None,
                proxy_headers=proxy.headers if proxy else None,
            )
            length = answer.content_length
            if length is not None and length <= most and "content-encoding" not in answer.headers:
                return answer.status, answer.headers, await answer.read()
        return httpx.Response(answer.status, headers=list(answer.raw_headers), stream=AiohttpResponseStream(answer))
