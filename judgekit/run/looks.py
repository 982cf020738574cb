"""The file of looks beside the labels: appended and on disk before any result is shown."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from judgekit.calibration.attempts import Ledger, Look, ledger, read_looks
from judgekit.errors import InputError, Problem
from judgekit.located import read_text


class Looks:
    """`<labels>.attempts.jsonl`."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name

    @classmethod
    def beside(cls, labels: str, base: Path) -> Looks:
        """The file that belongs to a labels file, or to a glob of them."""
        name = labels.replace("*", "_").replace("?", "_") + ".attempts.jsonl"
        return cls(base / name, name)

    def read(self) -> tuple[Look, ...]:
        """Every look so far. Raises `InputError` for a damaged file."""
        return read_looks(read_text(self.path, name=self.name), file=self.name) if self.path.is_file() else ()

    def ledger(self) -> Ledger:
        """What they add up to."""
        return ledger(self.read())

    def add(self, look: Look) -> Ledger:
        """Append a look, and count up to it: two commands at one time each get a number of their own.

        It is on the disk when this returns. Raises `InputError` when it cannot be written: then nothing may be shown.
        """
        line = msgspec.json.encode(look) + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                os.write(handle, self._mended(handle) + line)
                os.fsync(handle)
            finally:
                os.close(handle)
        except OSError as error:
            what = f"cannot be written ({error.strerror}), so this look would not be counted: nothing is shown"
            raise InputError(Problem(self.name, None, what)) from None
        return ledger(self.read(), upto=look.token)

    def _mended(self, handle: int) -> bytes:
        """A torn last line is cut off and replaced: it was a look, whatever became of it."""
        looks = self.read()
        size = os.fstat(handle).st_size
        if not size or os.pread(handle, 1, size - 1) == b"\n":
            return b""
        whole = os.pread(handle, size, 0).rfind(b"\n") + 1
        os.ftruncate(handle, whole)
        return msgspec.json.encode(looks[-1]) + b"\n"
