"""A folder that a run writes into: a manifest replaced in one step, and files of lines that survive a hard stop."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

import msgspec

from judgekit.errors import InputError, Problem
from judgekit.report.summary import CaseMark
from judgekit.run.lock import FolderLock
from judgekit.types import Frozen, RunInfo

Row = TypeVar("Row", bound=Frozen)


class Head(Frozen, frozen=True):
    """What every manifest begins with.

    fingerprint, parts   hashes of everything that can change the result; an equal run has equal ones
    cases                the cases in order
    units                how many outputs (or pairs) were to be graded
    """

    run: RunInfo
    fingerprint: str
    parts: dict[str, str] = {}
    cases: tuple[CaseMark, ...] = ()
    units: int = 0
    versions: dict[str, str] = {}


H = TypeVar("H", bound=Head)


class OpenFolder(Generic[H]):
    """An open run folder. One writer at a time; every line is on its way to disk before the call returns.

    MANIFEST   name of the manifest's file
    FILES      kind of row -> name of its file
    """

    MANIFEST: ClassVar[str]
    FILES: ClassVar[dict[type[Frozen], str]]

    def __init__(self, folder: Path, manifest: H) -> None:
        self.folder = folder
        self.manifest = manifest
        self._files: dict[type[Frozen], int] = {}
        self._encoder = msgspec.json.Encoder()

    @classmethod
    def create(cls, root: Path, manifest: H, *, now: datetime, token: str) -> tuple[Self, FolderLock]:
        """Make `<root>/<time>-<variant>-<token>/`, take its lock, and write the manifest, in this order.

        With a manifest but without a lock, another process could find the run and go on with it.
        Raises `InputError` when the folder cannot be made.
        """
        folder = new_folder(root, manifest, now=now, token=token)
        lock = FolderLock(folder)
        lock.take()
        return cls.begin(folder, manifest), lock

    @classmethod
    def begin(cls, folder: Path, manifest: H) -> Self:
        """Write the manifest into a new folder; from then on others see it as a run."""
        run = msgspec.structs.replace(manifest.run, run=folder.name, folder=str(folder))
        opened = cls(folder, msgspec.structs.replace(manifest, run=run))
        opened.save(opened.manifest)
        return opened

    def __enter__(self) -> Self:
        for kind, name in self.FILES.items():
            self._files[kind] = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._files.values():
            os.close(handle)
        self._files.clear()

    def add(self, row: Frozen) -> None:
        """Append one line. It survives the end of this process from the moment this returns."""
        line = self._encoder.encode(row) + b"\n"
        handle = self._files[type(row)]
        while line:
            line = line[os.write(handle, line) :]

    def save(self, manifest: H) -> None:
        """Replace the manifest in one step: a reader sees the old one or the new one, never half of it."""
        self.manifest = manifest
        new = self.folder / f"{self.MANIFEST}.new"
        new.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
        new.replace(self.folder / self.MANIFEST)


def new_folder(root: Path, manifest: Head, *, now: datetime, token: str) -> Path:
    """Make `<root>/<time>-<variant>-<token>/`, empty. Raises `InputError` when it cannot be made."""
    folder = root / f"{now:%Y%m%d-%H%M%S}-{manifest.run.variant}-{token}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise InputError(Problem(str(root), None, f"cannot write runs here: {error.strerror}")) from None
    return folder


def read_head(folder: Path, name: str, kind: type[H], what: str) -> H:
    """The manifest of a folder, which knows where it is now. Raises `InputError` when the folder is no `what`."""
    path = folder / name
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError:
        raise InputError(Problem(str(folder), None, f"is no {what}: it has no {name}")) from None
    except msgspec.MsgspecError as error:
        raise InputError(Problem(str(path), None, f"is damaged: {error}")) from None
    return msgspec.structs.replace(manifest, run=msgspec.structs.replace(manifest.run, folder=str(folder)))


def rows_of(path: Path, kind: type[Row], notes: list[str], *, repair: bool) -> Iterator[Row]:
    """The rows of a file of lines. A torn last line is dropped with a note, and cut off when `repair`.

    Raises `InputError` for a damaged line anywhere but at the end.
    """
    if not path.is_file():
        return
    decoder = msgspec.json.Decoder(kind)
    start = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            whole = line.endswith(b"\n")
            try:
                row = decoder.decode(line)
            except (msgspec.MsgspecError, ValueError) as error:
                if whole:
                    raise InputError(Problem(str(path), number, f"is damaged: {error}")) from None
                row = None
            if row is None or not whole:
                # the process was stopped in the middle of this line: what it stood for is done again
                notes.append(f"{path.name}: dropped the torn last line {number}")
                if repair:
                    os.truncate(path, start)
                return
            start += len(line)
            yield row
