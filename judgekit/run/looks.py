"""The file of looks beside the labels: appended and on disk before any result is shown.

Files of other labels nearby are read too: a copy of the labels under another name is the same labels.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from judgekit.calibration.attempts import Ledger, Look, Touched, ledger, read_looks
from judgekit.errors import InputError, Problem
from judgekit.located import read_text

ENDING = ".attempts.jsonl"


class Looks:
    """`<labels>.attempts.jsonl`."""

    def __init__(self, path: Path, name: str, base: Path | None = None) -> None:
        self.path = path
        self.name = name
        self._folders = dict.fromkeys((path.parent, base or path.parent))

    @classmethod
    def beside(cls, labels: str, base: Path) -> Looks:
        """The file that belongs to a labels file, or to a glob of them."""
        name = labels.replace("*", "_").replace("?", "_") + ENDING
        return cls(base / name, name, base)

    def read(self) -> tuple[Look, ...]:
        """Every look so far. Raises `InputError` for a damaged file."""
        return read_looks(read_text(self.path, name=self.name), file=self.name) if self.path.is_file() else ()

    def others(self) -> dict[str, tuple[Look, ...]]:
        """The looks at other labels, of every file in the labels' and the suite's folder and one level below.

        Raises `InputError` for a damaged file.
        """
        own = self.path.resolve()
        found = {}
        for folder in self._folders:
            for path in sorted((*folder.glob(f"*{ENDING}"), *folder.glob(f"*/*{ENDING}"))):
                real = path.resolve()
                if real != own and path.is_file():
                    found[real] = (path.name, read_looks(read_text(path), file=str(path)))
        names = [name for name, _ in found.values()]
        return {name if names.count(name) == 1 else str(path): looks for path, (name, looks) in found.items()}

    def ledger(self, touched: Touched | None = None) -> Ledger:
        """What they add up to for labels that are about `touched`."""
        return ledger(self.read(), others=self.others(), touched=touched)

    def add(self, look: Look, touched: Touched | None = None) -> Ledger:
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
        return ledger(self.read(), upto=look.token, others=self.others(), touched=touched)

    def _mended(self, handle: int) -> bytes:
        """A torn last line is cut off and replaced: it was a look, whatever became of it."""
        looks = self.read()
        size = os.fstat(handle).st_size
        if not size or os.pread(handle, 1, size - 1) == b"\n":
            return b""
        whole = os.pread(handle, size, 0).rfind(b"\n") + 1
        os.ftruncate(handle, whole)
        return msgspec.json.encode(looks[-1]) + b"\n"
