"""One writer per run folder: a lock that ends with its process, however that ends."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import IO, Self


class FolderLock:
    """An advisory lock on a run folder. Where the system has none (Windows), a run is never gone on with."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "run.lock"
        self._file: IO[bytes] | None = None

    def take(self) -> bool:
        """Take the lock; False when another process has it."""
        try:
            import fcntl
        except ImportError:
            return False
        file = self._path.open("wb")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None
