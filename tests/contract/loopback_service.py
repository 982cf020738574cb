"""A scripted HTTP service on 127.0.0.1: real sockets, and faults that no HTTP library would send."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Play:
    """One answer. `cut`: reset the connection half-way through the body. `stall`: stop sending there for good."""

    status: int = 200
    body: bytes | dict[str, Any] | list[Any] = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    cut: bool = False
    stall: bool = False
    drop: bool = False


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        return json.loads(self.raw)


class Service:
    """Plays a script, one answer a request; the last one is repeated. A function answers by what was asked."""

    def __init__(self, script: Sequence[Play] | Callable[[Seen], Play]) -> None:
        self._script = script
        self._tasks: set[asyncio.Task[Any]] = set()
        self.seen: list[Seen] = []
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        seen = Seen(path, headers, raw)
        self.seen.append(seen)
        play = (
            self._script(seen) if callable(self._script) else self._script[min(len(self.seen), len(self._script)) - 1]
        )
        if play.drop:
            _reset(writer)
            return False
        body = play.body if isinstance(play.body, bytes) else json.dumps(play.body).encode()
        extra = "".join(f"{k}: {v}\r\n" for k, v in play.headers.items())
        writer.write(
            f"HTTP/1.1 {play.status} X\r\ncontent-type: {play.content_type}\r\n{extra}content-length: {len(body)}\r\n\r\n".encode()
        )
        if play.cut or play.stall:
            writer.write(body[: len(body) // 2])
            await writer.drain()
            if play.stall:
                await asyncio.Event().wait()
            _reset(writer)
            return False
        writer.write(body)
        await writer.drain()
        return True


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close with RST, as a crashed server does, instead of politely."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
