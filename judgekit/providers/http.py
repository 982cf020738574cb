"""One service over HTTP: sends, reads, and learns what its models refuse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import msgspec

from judgekit._version import __version__
from judgekit.errors import CallFailed, RunStopped, UsageError
from judgekit.providers.base import Setup, split_model
from judgekit.providers.dialect import NO_FIXES, Dialect, Fixes, applied, why_cut
from judgekit.providers.faults import Place, of_body, of_status
from judgekit.providers.keys import Key, find_key
from judgekit.providers.learn import LESSONS, Memory, lesson
from judgekit.providers.said import Said, one_line, read_error
from judgekit.providers.urls import host_of, is_local, shown_url
from judgekit.types import Json, Reply, Request

if TYPE_CHECKING:
    import httpx


class Answer(msgspec.Struct, frozen=True):
    """What came back: status, headers (found by a name in lower case), and the whole body."""

    status: int
    headers: Mapping[str, str]
    raw: bytes


class _Head(NamedTuple):
    """What every request to one URL begins with."""

    url: httpx.URL
    full: httpx.Headers
    plain: Mapping[str, str]


class HttpProvider:
    """A provider that speaks `dialect` to one base URL with one key. See `Provider`."""

    def __init__(self, dialect: Dialect, setup: Setup, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._dialect = dialect
        self._setup = setup
        self._transport = transport
        self._heads: dict[str, _Head] = {}
        self._memory = Memory()
        self._base = setup.base_url or next(
            (v for v in (setup.env.get(n, "").strip() for n in dialect.base_envs) if v), dialect.base_url
        )
        if not self._base:
            raise UsageError(
                f"{dialect.name}: has no usual base URL; set `base_url` or {' or '.join(dialect.base_envs)}"
            )
        self._urls: dict[str, str] = {}
        self._key: Key | None = None

    def __repr__(self) -> str:
        return f"<{self._dialect.name} at {shown_url(self._base)}>"

    def wire(self, request: Request) -> dict[str, Json]:
        """What `request` means to the service, without secrets, without sending."""
        _, model = split_model(request.model)
        body = self._body(request, model, NO_FIXES)
        return {"provider": self._dialect.name, "url": shown_url(self._url(model)), "body": body}

    def check(self, request: Request) -> None:
        """Raise what is wrong before anything is sent: `RunStopped` for a missing key, `UsageError` for the rest."""
        self.wire(request)
        self._find_key()

    async def __call__(self, request: Request) -> Reply:
        """The reply to `request`. Raises `CallFailed` or `RunStopped`; no message holds the key."""
        key = self._find_key()
        try:
            return await self._ask(request, key)
        except (CallFailed, RunStopped) as error:
            error.why = key.hide(error.why)
            error.args = (error.why,)
            raise

    async def _ask(self, request: Request, key: Key) -> Reply:
        _, model = split_model(request.model)
        url = self._url(model)
        place = Place(request.model, shown_url(url), key.source, sum(len(m.content) for m in request.messages))
        began = self._setup.clock()
        fixes = self._memory.fixes(model)
        for _ in range(LESSONS + 1):
            body = self._body(request, model, fixes)
            answer = await self._send(url, key, body, place, proven=self._memory.answered(model))
            data, said = self._read(answer, place, key)
            if said is None:
                break
            status = said.status or 500 if answer.status // 100 == 2 else answer.status
            fix = lesson(said, request, fixes) if status in (400, 404, 422, 500) else None
            if fix is None:
                proven = self._memory.is_one_call(model, status, said, request)
                return of_status(status, answer.headers, data, said, place, proven=proven, now=self._setup.now())
            fixes = self._memory.learn(model, fixes | {fix})
        else:
            raise CallFailed(
                f"{place.model}: refuses one parameter after another: {', '.join(fixes)}", code="bad_request"
            )
        reply = self._reply(data, place, body)
        self._memory.note_answer(model)
        return msgspec.structs.replace(reply, latency_s=self._setup.clock() - began, dropped=applied(request, fixes))

    async def aclose(self) -> None:
        """Close the connections."""
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    def _url(self, model: str) -> str:
        url = self._urls.get(model)
        if url is None:
            url = self._urls[model] = self._dialect.url(self._base, model)
        return url

    def _find_key(self) -> Key:
        if self._key is None:
            own = self._setup.api_key_env
            names = (own,) if own else tuple(self._dialect.key_envs)
            host = host_of(self._url("model"))
            where = f"{self._dialect.name} at {host}"
            self._key = find_key(self._setup.env, names, where=where, optional=not own and is_local(host))
        return self._key

    def _body(self, request: Request, model: str, fixes: Fixes) -> dict[str, Json]:
        return self._dialect.body(request, model, fixes)

    def _reply(self, data: dict[str, Json], place: Place, body: dict[str, Json]) -> Reply:
        try:
            reply = self._dialect.reply(data)
        except CallFailed as failed:
            raise CallFailed(
                f"{place.model}: {failed.why}", code=failed.code, retryable=failed.retryable, status=failed.status
            ) from None
        if reply.finish == "length":
            return msgspec.structs.replace(reply, note=why_cut(reply, self._dialect.limit(body)))
        return reply

    def _read(self, answer: Answer, place: Place, key: Key) -> tuple[dict[str, Json], Said | None]:
        """The decoded body, and the error that it tells of: by its status, or inside a 200."""
        ok = answer.status // 100 == 2
        try:
            data = msgspec.json.decode(answer.raw)
            why = "" if isinstance(data, dict) else "it is no object"
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            data, why = {}, one_line(str(error), 80)
        if ok and why:
            raise of_body(place, answer.raw, answer.headers.get("content-type", ""), key.hide(why))
        said = read_error(data)
        if said is None and not ok:
            said = Said(one_line(answer.raw[:400].decode("utf-8", "replace"), 120))
        if said is not None:
            said = said._replace(text=key.hide(said.text), param=key.hide(said.param))
        return data if isinstance(data, dict) else {}, said

    async def _send(self, url: str, key: Key, body: dict[str, Json], place: Place, *, proven: bool) -> Answer:
        import httpx

        from judgekit.providers.network import of_network, timed_out
        from judgekit.providers.transport import open_transport

        if self._transport is None:
            self._transport = open_transport(url, self._setup.env)
        setup = self._setup
        head = self._head(url, key)
        post = getattr(self._transport, "post", None)  # `Direct` has a shorter way than request and response
        try:
            async with asyncio.timeout(setup.timeout_s):
                if post is None:
                    seconds = {
                        "read": setup.timeout_s,
                        "write": setup.timeout_s,
                        "connect": setup.connect_s,
                        "pool": None,
                    }
                    request = httpx.Request(
                        "POST", head.url, headers=head.full, content=encode(body), extensions={"timeout": seconds}
                    )
                    response = await self._transport.handle_async_request(request)
                else:
                    limits = {"connect_s": setup.connect_s, "read_s": setup.timeout_s, "most": setup.max_bytes}
                    response = await post(url, head.plain, encode(body), **limits)
                    if isinstance(response, tuple):
                        status, headers, raw = response
                        return Answer(status, headers, key.hide_in(raw))
                try:
                    raw = await self._whole(response, place)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise timed_out(place, setup.timeout_s) from None
        except (CallFailed, UsageError):
            raise
        except httpx.DecodingError:
            why = "its compression is broken; run again"
            raise CallFailed(f"{place.model}: {why}", code="not_json", retryable=True, status=200) from None
        except Exception as error:  # noqa: BLE001 - a transport raises what it likes: httpx's, its own, the socket's
            raise of_network(error, place, proven=proven) from None
        return Answer(response.status_code, response.headers, key.hide_in(raw))

    async def _whole(self, response: httpx.Response, place: Place) -> bytes:
        """The body, up to the cap: a server that never stops cannot fill the memory."""
        import httpx

        parts: list[bytes] = []
        size = 0
        # decoding what is not compressed costs as much as reading it
        stream = response.stream if "content-encoding" not in response.headers else None
        async for part in stream if isinstance(stream, httpx.AsyncByteStream) else response.aiter_bytes():
            size += len(part)
            if size > self._setup.max_bytes:
                raise CallFailed(
                    f"{place.model}: the answer is longer than {self._setup.max_bytes:,} bytes; set max_tokens",
                    code="too_big",
                    status=response.status_code,
                )
            parts.append(part)
        return b"".join(parts)

    def _head(self, url: str, key: Key) -> _Head:
        """The parsed URL and the headers of every request to it; to make them anew costs as much as to send."""
        known = self._heads.get(url)
        if known is None:
            import httpx

            from judgekit.providers.transport import QuietHead, QuietHeaders

            plain = QuietHead(
                {
                    "host": urlsplit(url).netloc,
                    "accept": "application/json",
                    "accept-encoding": "gzip, deflate",
                    "content-type": "application/json",
                    "user-agent": f"judgekit/{__version__}",
                    **self._dialect.headers(key.reveal(), host_of(url)),
                }
            )
            known = self._heads[url] = _Head(httpx.URL(url), QuietHeaders(plain), plain)
        return known


def encode(body: dict[str, Json]) -> bytes:
    """`body` as JSON; a lone surrogate, which UTF-8 cannot hold, goes as an escape. Raises `UsageError`."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return json.dumps(body, allow_nan=False).encode()
    except TypeError as error:
        raise UsageError(f"a parameter cannot be written as JSON: {error}") from None
