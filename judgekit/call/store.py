"""The file of kept replies: one SQLite table, safe under `kill -9` and with several processes at once."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.types import Reply

SCHEMA = 1
"""Version of the table, in `user_version`; a file with a higher one was written by a newer judgekit."""

APPLICATION_ID = 0x6A6B6331
"""Marks a SQLite file as a cache of ours, so that no other database is ever taken for one."""

BATCH = 64
"""Replies in one transaction, at most."""

WRITER_WAITS_S, READER_WAITS_S = 30.0, 2.0
"""How long another process may hold the file. The reader waits on the event loop, so it does not wait long."""

_TABLE = """create table if not exists reply (
    key text primary key, model text not null, body blob not null, sum integer not null, at real not null)"""
_FIND = "select body, sum from reply where key = ?"
_ROW = "(?,?,?,?,?)"

Warn = Callable[[str], None]
Clock = Callable[[], float]
Row = tuple[str, str, bytes, int, float]
_Waiting = tuple[Row, "asyncio.Future[None]"]

_decode = msgspec.json.Decoder(Reply).decode
_encode = msgspec.json.Encoder().encode


def checksum(key: str, body: bytes) -> int:
    """CRC-32 of a row: finds a damaged reply, also one that is still valid JSON, or that stands under another key."""
    return zlib.crc32(body, zlib.crc32(key.encode()))


def unpack(key: str, body: bytes, found_sum: int) -> Reply:
    """The reply in a row. Raises `ValueError` or `TypeError` when it is damaged."""
    if checksum(key, body) != found_sum:
        raise ValueError("the checksum does not match")
    return _decode(body)


class Store:
    """Replies by key. Opened with `Store.open`; one event loop uses it, any number of processes share the file.

    Reading is one look-up on the caller's thread (some 10 us). Writing happens on a thread of its own: everything that
    waits is written as one statement, which is one transaction, and `put` returns once it is committed. A committed
    reply survives `kill -9`; only a power cut can take the last ones (SQLite in WAL mode with `synchronous=NORMAL`),
    and never leaves half a row.
    """

    def __init__(
        self, path: Path, reader: sqlite3.Connection | None, writer: sqlite3.Connection | None, clock: Clock, warn: Warn
    ) -> None:
        self.path = path
        self._reader = reader
        self._writer = writer
        self._clock = clock
        self._warn = warn
        self._warned: set[str] = set()
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        if writer is not None:
            self._thread = threading.Thread(target=self._write_all, name="judgekit-cache", daemon=True)
            self._thread.start()

    @classmethod
    def open(cls, path: Path, *, warn: Warn, clock: Clock = time.time, read_only: bool = False) -> Self:
        """Open the file, and make it unless `read_only`.

        warn    called, once for each kind of trouble, with one line for people
        clock   seconds since 1970, written beside each reply for `prune`

        A place that cannot be written to is used as far as it can be read, with a warning. Raises `InputError` when
        the file is no cache, is damaged as a whole, or was written by a newer judgekit.
        """
        if read_only:
            holds = path.exists() and path.stat().st_size > 0
            return cls(path, connect_to_read(path) if holds else None, None, clock, warn)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = connect(path)
        except (OSError, sqlite3.OperationalError) as error:
            what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            reader = _reader_if_any(path)
            rest = "earlier replies are used, new ones are not kept" if reader else "the run goes on without it"
            warn(f"the cache {path} cannot be written ({what.lower()}): {rest}")
            return cls(path, reader, None, clock, warn)
        reader = sqlite3.connect(path, timeout=READER_WAITS_S, isolation_level=None, check_same_thread=False)
        reader.execute("pragma query_only = on")
        return cls(path, reader, writer, clock, warn)

    def get(self, key: str) -> Reply | None:
        """The reply kept under `key`; None when there is none, or when it is damaged (with one warning)."""
        if self._reader is None:
            return None
        try:
            row = self._reader.execute(_FIND, (key,)).fetchone()
        except sqlite3.Error as error:
            self._warn_once("read", f"the cache {self.path} cannot be read ({error}): the calls are sent instead")
            return None
        if row is None:
            return None
        try:
            return unpack(key, *row)
        except (ValueError, TypeError):  # msgspec's errors and UnicodeDecodeError are ValueErrors
            self._warn_once(
                "damaged",
                f"the cache {self.path} holds a damaged reply: the call is sent again and the reply replaced "
                "(`judgekit cache verify` lists all of them)",
            )
            return None

    async def put(self, key: str, model: str, reply: Reply) -> None:
        """Keep `reply` under `key`, in place of any other; returns once it is committed."""
        if self._thread is None:
            return
        body = _encode(reply)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put(((key, model, body, checksum(key, body), self._clock()), done))
        await done

    def close(self) -> None:
        """Write what waits, and close the file. Closing twice is fine."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _write_all(self) -> None:
        """The writer thread: commits whatever waits, until it is told to end."""
        while True:
            batch, more = _next_batch(self._queue)
            if batch:
                failure = self._write([row for row, _ in batch])
                self._tell([done for _, done in batch], failure)
            if not more:
                return

    def _write(self, rows: list[Row]) -> sqlite3.Error | None:
        assert self._writer is not None
        try:
            # one statement is one transaction, and one hand-over of the interpreter lock
            values = ",".join([_ROW] * len(rows))
            sql = f"insert or replace into reply (key, model, body, sum, at) values {values}"  # noqa: S608
            self._writer.execute(sql, [cell for row in rows for cell in row])
        except sqlite3.Error as error:
            return error
        return None

    def _tell(self, waiting: list[asyncio.Future[None]], failure: sqlite3.Error | None) -> None:
        for loop in {done.get_loop() for done in waiting}:
            mine = [done for done in waiting if done.get_loop() is loop]
            try:
                loop.call_soon_threadsafe(self._release, mine, failure)
            except RuntimeError:  # the loop is closed: nobody waits any more, and the rows are written
                continue

    def _release(self, waiting: list[asyncio.Future[None]], failure: sqlite3.Error | None) -> None:
        if failure is not None:
            self._warn_once("write", f"the cache {self.path} cannot be written ({failure}): new replies are not kept")
        for done in waiting:
            if not done.done():
                done.set_result(None)

    def _warn_once(self, kind: str, message: str) -> None:
        if kind not in self._warned:
            self._warned.add(kind)
            self._warn(message)


def _next_batch(waiting: queue.SimpleQueue[_Waiting | None]) -> tuple[list[_Waiting], bool]:
    """What waits, at least one row and at most `BATCH`; and whether more may come."""
    batch: list[_Waiting] = []
    item = waiting.get()
    while item is not None:
        batch.append(item)
        if len(batch) == BATCH:
            return batch, True
        try:
            item = waiting.get_nowait()
        except queue.Empty:
            return batch, True
    return batch, False


def connect(path: Path) -> sqlite3.Connection:
    """A connection that may write; makes the file and its table if need be.

    Raises `InputError` when it is not a cache that this version can use, `sqlite3.OperationalError` when it cannot
    be written.
    """
    connection = sqlite3.connect(path, timeout=WRITER_WAITS_S, isolation_level=None, check_same_thread=False)
    try:
        if not _is_ours(connection, path):
            _make(connection)
            _is_ours(connection, path)
        connection.execute("pragma synchronous = normal")
        connection.execute("begin immediate")  # finds a file that may not be written before a reply depends on it
        connection.execute("rollback")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that only reads an existing file, wherever that lies.

    Raises `InputError` when it is not a cache that this version can use.
    """
    try:
        return _read_as(path, "mode=ro")
    except sqlite3.OperationalError as error:
        wal = path.with_name(f"{path.name}-wal")
        if wal.exists() and wal.stat().st_size:
            raise _no_cache(path, f"cannot be read ({error})") from None
    try:  # in a folder where SQLite may not put its files beside it
        return _read_as(path, "immutable=1")
    except sqlite3.OperationalError as error:
        raise _no_cache(path, f"cannot be read ({error})") from None


def _read_as(path: Path, how: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(uri, uri=True, timeout=READER_WAITS_S, isolation_level=None, check_same_thread=False)
    try:
        ours = _is_ours(connection, path)
    except BaseException:
        connection.close()
        raise
    if not ours:
        connection.close()
        raise _no_cache(path, "is empty")
    return connection


def _reader_if_any(path: Path) -> sqlite3.Connection | None:
    try:
        return connect_to_read(path) if path.is_file() else None
    except (OSError, InputError):
        return None


def _make(connection: sqlite3.Connection) -> None:
    """Lay out a new file, whoever else does so at the same time."""
    for attempt in range(200):
        try:
            connection.execute("pragma journal_mode = wal")
            break
        except sqlite3.OperationalError as error:
            # switching to WAL does not wait for another process that is just doing the same
            if "locked" not in str(error) or attempt == 199:
                raise
            time.sleep(0.02)
    connection.execute("begin immediate")
    connection.execute(_TABLE)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute(f"pragma user_version = {SCHEMA}")
    connection.execute("commit")


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """True for a cache of this version, False for a file with nothing in it; anything else raises `InputError`."""
    try:
        connection.execute("begin")  # one look: another process may just be laying the file out
        (mark,) = connection.execute("pragma application_id").fetchone()
        (version,) = connection.execute("pragma user_version").fetchone()
        (tables,) = connection.execute("select count(*) from sqlite_master").fetchone()
        connection.execute("commit")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise _no_cache(path, f"is damaged or no cache ({error})") from None
    if mark == 0 and tables == 0:
        return False
    if mark != APPLICATION_ID:
        raise _no_cache(path, "is a database, but no cache of judgekit")
    if version > SCHEMA:
        raise _no_cache(path, "was written by a newer judgekit")
    return True


def _no_cache(path: Path, what: str) -> InputError:
    return InputError(Problem(str(path), None, f"{what}; move it away, or name another place for the cache"))
