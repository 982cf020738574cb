"""Progress of a run: a moving line on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from judgekit.cli.bar import Bar

EVERY_S = 15.0


class ProgressLine:
    """Tells done, total, rate and time left. `step` is cheap: most calls only count."""

    def __init__(self, console: Console, *, quiet: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._quiet = quiet
        self._clock = clock
        self._bar: Bar | None = None
        self._total = self._done = self._begun_with = 0
        self._began = self._told = 0.0

    def start(self, total: int, done: int) -> None:
        """The run begins."""
        self._total, self._done, self._begun_with = total, done, done
        self._began = self._told = self._clock()
        if self._quiet or not self._console.is_terminal:
            return
        from judgekit.cli.bar import Bar

        self._bar = Bar(self._console, total=total, done=done)

    def step(self) -> None:
        """One more output is graded."""
        self._done += 1
        if self._bar is not None:
            self._bar.step()
            return
        if self._quiet:
            return
        now = self._clock()
        if now - self._told >= EVERY_S:
            self._told = now
            self._console.print(self._line(now))

    def _line(self, now: float) -> str:
        rate = (self._done - self._begun_with) / max(now - self._began, 1e-9)
        left = (self._total - self._done) / rate if rate else 0
        return f"graded {self._done} of {self._total}, {rate:.1f}/s, about {left:.0f} s left"

    def stop(self) -> None:
        """The run has ended."""
        if self._bar is not None:
            self._bar.stop()
