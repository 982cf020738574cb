"""Context files: the texts that `context_ref` of a case names, read once per file."""

from __future__ import annotations

from pathlib import Path

from judgekit.errors import InputError
from judgekit.located import read_text


def _why(error: Exception) -> str:
    return error.problems[0].what if isinstance(error, InputError) else f"is no file name: {error}"


class Contexts:
    """Reads context files relative to `folder` (that of the case file) and remembers them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept: dict[str, str] = {}

    def listed(self, refs: tuple[str, ...]) -> tuple[str, ...]:
        """The files among `refs`; `none` alone, in any letter case, says that there is no context."""
        filled = tuple(ref.strip() for ref in refs if ref.strip())
        return () if len(filled) == 1 and filled[0].lower() == "none" else filled

    def read(self, refs: tuple[str, ...]) -> tuple[str, list[str]]:
        """The text of these files, and what is wrong with those that cannot be read.

        One file is its text as it is; of several, each is headed by its name and a blank line stands between them.
        """
        texts, wrong = [], []
        for ref in refs:
            try:
                if ref not in self.kept:
                    self.kept[ref] = read_text(self.folder / ref, name=ref)
                texts.append(self.kept[ref])
            except (InputError, ValueError) as error:  # ValueError: a NUL in the name
                wrong.append(f"names {ref!r}, which {_why(error)}")
        if len(refs) == 1 or wrong:
            return "".join(texts), wrong
        return "\n\n".join(f"{ref}\n{text}" for ref, text in zip(refs, texts, strict=True)), wrong
