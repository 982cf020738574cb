"""Answers that come in chunks, without a length, or with a wrong one: read whole over either transport."""

from __future__ import annotations

import asyncio
import json

import pytest
from service_shapes import OPENAI, Shape

from judgekit.errors import CallFailed
from judgekit.types import Reply

BOTH = pytest.mark.parametrize("fast", [True, False], ids=["aiohttp", "httpx"])
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


def chunked(body: bytes) -> bytes:
    parts = [body[i : i + 7] for i in range(0, len(body), 7)]
    return HEAD + b"transfer-encoding: chunked\r\n\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"  # fmt: skip


def until_closed(body: bytes) -> bytes:
    return HEAD + b"connection: close\r\n\r\n" + body


def too_short(body: bytes) -> bytes:
    return HEAD + b"content-length: %d\r\nconnection: close\r\n\r\n" % (len(body) + 10) + body


def ask(shape: Shape, raw: bytes, *, fast: bool) -> Reply:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(x.split(b":")[1]) for x in head.lower().split(b"\r\n") if x.startswith(b"content-length"))
        await reader.readexactly(length)
        writer.write(raw)
        await writer.drain()
        writer.close()

    async def main() -> Reply:
        server = await asyncio.start_server(one, "127.0.0.1", 0)
        async with server:
            provider = shape.provider(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", fast=fast)
            try:
                return await provider(shape.request())
            finally:
                await provider.aclose()

    return asyncio.run(main())


@BOTH
@pytest.mark.parametrize("form", [chunked, until_closed])
def test_answer_of_no_told_length_is_read_to_its_end(form, fast: bool) -> None:
    body = json.dumps(OPENAI.reply("Fine, as it is.")).encode()
    assert ask(OPENAI, form(body), fast=fast).text == "Fine, as it is."


@BOTH
def test_answer_shorter_than_its_length_is_no_reply(fast: bool) -> None:
    with pytest.raises(CallFailed) as caught:
        ask(OPENAI, too_short(json.dumps(OPENAI.reply("Fine.")).encode()), fast=fast)
    assert caught.value.retryable
