"""Looking after the file of kept replies: what is in it, whether it is whole, and making it smaller."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from judgekit.call.store import connect, connect_to_read, unpack
from judgekit.errors import InputError, Problem
from judgekit.types import Frozen


class CacheStats(Frozen, frozen=True, omit_defaults=False):
    """What a cache holds.

    replies         how many
    bytes           size of the file, with what is not yet folded into it
    oldest, newest  when the first and last of them came, in seconds since 1970; None for an empty cache
    models          replies by model, most first
    """

    replies: int
    bytes: int
    oldest: float | None
    newest: float | None
    models: dict[str, int]


class CacheCheck(Frozen, frozen=True, omit_defaults=False):
    """Whether a cache is whole.

    replies   how many were looked at
    damaged   keys of the replies that cannot be used: they are misses, and are replaced when next asked for
    file      what SQLite says is wrong with the file itself, a line each
    """

    replies: int
    damaged: tuple[str, ...]
    file: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Nothing is damaged."""
        return not self.damaged and not self.file


class CachePrune(Frozen, frozen=True, omit_defaults=False):
    """What pruning did: replies removed and kept, and the size of the file in bytes before and after."""

    removed: int
    kept: int
    bytes_before: int
    bytes_after: int


def stats(path: Path) -> CacheStats:
    """What the cache holds. Raises `InputError` when there is none."""
    with closing(connect_to_read(_existing(path))) as connection:
        models = connection.execute("select model, count(*) from reply group by model order by 2 desc, 1").fetchall()
        oldest, newest = connection.execute("select min(at), max(at) from reply").fetchone()
        return CacheStats(sum(n for _, n in models), _size(path), oldest, newest, dict(models))


def verify(path: Path) -> CacheCheck:
    """Read every reply, and let SQLite check the file. Changes nothing. Raises `InputError` when there is none."""
    replies = 0
    damaged: list[str] = []
    file: list[str] = []
    with closing(connect_to_read(_existing(path))) as connection:
        try:
            file = [line for (line,) in connection.execute("pragma integrity_check") if line != "ok"]
            for key, body, found_sum in connection.execute("select key, body, sum from reply"):
                replies += 1
                try:
                    unpack(key, body, found_sum)
                except (ValueError, TypeError, AttributeError):
                    damaged.append(str(key))
        except sqlite3.DatabaseError as error:
            file.append(str(error))
    return CacheCheck(replies, tuple(damaged), tuple(file))


def prune(path: Path, *, now: float, older_than_s: float | None = None, max_bytes: int | None = None) -> CachePrune:
    """Remove replies that came longer than `older_than_s` seconds ago, then the oldest until the file fits `max_bytes`.

    now   seconds since 1970

    Raises `InputError` when there is no cache, or when another process keeps it from being made smaller.
    """
    before = _size(_existing(path))
    try:
        with closing(connect(path)) as connection:
            removed = 0
            if older_than_s is not None:
                removed += connection.execute("delete from reply where at < ?", (now - older_than_s,)).rowcount
            _shrink(connection)
            while max_bytes is not None and (size := _size(path)) > max_bytes:
                gone = _remove_oldest(connection, share=1 - max_bytes / size)
                if not gone:
                    break
                removed += gone
                _shrink(connection)
            (kept,) = connection.execute("select count(*) from reply").fetchone()
    except sqlite3.OperationalError as error:
        raise InputError(Problem(str(path), None, f"cannot be pruned now ({error})")) from None
    return CachePrune(removed, kept, before, _size(path))


def _remove_oldest(connection: sqlite3.Connection, share: float) -> int:
    """Remove the oldest replies that hold `share` of the bytes, at least one of them."""
    removed: int = connection.execute(
        """delete from reply where rowid in (
               select rowid from (
                   select rowid, sum(length(body)) over (order by at, rowid) - length(body) as before,
                          ? * (select sum(length(body)) from reply) as most from reply)
               where before <= most)""",
        (share,),
    ).rowcount
    return removed


def _shrink(connection: sqlite3.Connection) -> None:
    connection.execute("vacuum")
    connection.execute("pragma wal_checkpoint(truncate)")


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise InputError(Problem(str(path), None, "there is no cache here; `judgekit run` makes one"))
    return path


def _size(path: Path) -> int:
    return sum(p.stat().st_size for p in (path, path.with_name(path.name + "-wal")) if p.exists())
