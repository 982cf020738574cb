"""Writing a live run down, so that `replay:` can answer in its place."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from judgekit.errors import InputError, Problem, RunStopped
from judgekit.providers.replay import Recording, recording_key
from judgekit.types import Reply, Request, Sender


class Recorded:
    """A sender that appends each reply of `inner` to a recordings file, one exact recording a line.

    A reply is written as soon as it is there, before it is handed on; a request that is already in the file is not
    written again. A line that a crash cut short is dropped when the file is opened. Replies from the cache are
    written too, so a recording is whole; failed calls are not.
    """

    def __init__(self, inner: Sender, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    async def __call__(self, request: Request) -> Reply:
        """The reply of the wrapped sender, written down."""
        reply = await self._inner(request)
        self._recorder.add(request, reply)
        return reply


class Recorder:
    """The recordings file that one command appends to; shared by all its senders.

    Raises `InputError` when the file cannot be written, or holds something else than recordings.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: set[str] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise InputError(Problem(str(path), None, f"cannot be written: {_why(error)}")) from None
        try:
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def add(self, request: Request, reply: Reply) -> None:
        """Write a reply down, unless one to the same request is in the file.

        Raises `RunStopped` (code `record`) when the disk is full: a recording with a hole would replay as another run.
        """
        key = recording_key(request)
        if key in self._keys:
            return
        recording = Recording(
            reply=reply.text, key=key, finish=reply.finish, reasoning=reply.reasoning, usage=reply.usage
        )
        try:
            os.write(self._file, msgspec.json.encode(recording) + b"\n")
        except OSError as error:
            raise RunStopped(f"{self._path} cannot be written: {_why(error)}", code="record") from None
        self._keys.add(key)

    def close(self) -> None:
        """Close the file; every line is in it already."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _read(self) -> None:
        """Learn which requests are in the file, and drop a line that was cut short."""
        whole = 0
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    os.ftruncate(self._file, whole)
                    return
                whole += len(line)
                if line.strip():
                    self._keys.add(self._key(line, number))

    def _key(self, line: bytes, number: int) -> str:
        try:
            return msgspec.json.decode(line, type=Recording).key
        except (msgspec.MsgspecError, UnicodeError) as error:
            what = f"is no recording ({str(error).lower()}); record into another file"
            raise InputError(Problem(str(self._path), number, what)) from None


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
