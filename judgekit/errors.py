"""Every exception judgekit raises, with the exit code of the command line that it leads to.

JudgekitError
├── FixNeeded                 2   trying again cannot help: the caller must change something
│   ├── UsageError            2   an option or argument
│   ├── InputError            2   a file: suite, cases, outputs, labels, rubric, template (lists every problem)
│   ├── SelfGrading           2   the judge is the model it would grade
│   └── MissingExtra          2   an optional package is not installed
├── NotEnough                 3   nothing is wrong, but there is too little to decide on
├── WorldFailed               4   network, keys, quota, budget: the same command may work later
│   ├── CallFailed            4   one call gave no reply; the run goes on
│   └── RunStopped            4   no further call can succeed; what is done is kept
└── Interrupted             130   somebody pressed Ctrl-C; what is done is kept
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

SHOWN = 20
"""How many problems of one file an error lists before it only counts the rest."""


class JudgekitError(Exception):
    """Base of everything that judgekit raises on purpose; `exit_code` is what the command line returns."""

    exit_code: ClassVar[int] = 2


class FixNeeded(JudgekitError):
    """Trying again cannot help: the caller must change something."""


class UsageError(FixNeeded):
    """An option or argument does not fit; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where it is, what it is, and what to write instead."""

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.what}" if place else self.what


class InputError(FixNeeded):
    """One or more problems in input files, all listed at once (the first 20, then a count)."""

    def __init__(self, problems: Sequence[Problem] | Problem) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        lines = [str(p) for p in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"... and {len(self.problems) - SHOWN} more")
        super().__init__("\n".join(lines))


class SelfGrading(FixNeeded):
    """The judge is the model that wrote the outputs it would grade."""


class MissingExtra(FixNeeded):
    """A feature needs an optional package; the message names the extra to install from this checkout."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: run `pip install '.[{extra}]'` in the judgekit checkout.")


class NotEnough(JudgekitError):
    """Nothing is wrong, but there is too little to decide on."""

    exit_code: ClassVar[int] = 3


class WorldFailed(JudgekitError):
    """Network, keys, quota or budget: the same command may work later."""

    exit_code: ClassVar[int] = 4


class CallFailed(WorldFailed):
    """One call gave no usable reply. It is not evidence about the output, and the run goes on.

    code        what happened, a short stable word: `timeout`, `connection`, `status_503`, `too_long`,
                `no_recording`, `content_filter`, ...
    retryable   whether the same request may succeed when sent again
    after_s     seconds the server asked to wait, if it said so
    status      HTTP status, if there was one
    """

    def __init__(
        self,
        why: str,
        *,
        code: str,
        retryable: bool = False,
        after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.code = code
        self.retryable = retryable
        self.after_s = after_s
        self.status = status


class RunStopped(WorldFailed):
    """No further call can succeed (bad key, quota, budget): the run stops and keeps what is done.

    results   what was graded until then, when a verb of the Python interface was stopped (`judgekit.Results`)
    """

    def __init__(self, why: str, *, code: str, results: object = None) -> None:
        super().__init__(why)
        self.why = why
        self.code = code
        self.results = results


class Interrupted(JudgekitError):
    """Somebody pressed Ctrl-C; what is done is kept."""

    exit_code: ClassVar[int] = 130
