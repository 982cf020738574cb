"""The moving line of a run on a terminal; apart from `progress`, because only a terminal needs what it imports."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Outputs graded per second."""
        return Text(f"{task.finished_speed or task.speed or 0:.1f}/s")


class Bar:
    """Done, total, rate and time left, drawn until it is stopped."""

    def __init__(self, console: Console, *, total: int, done: int) -> None:
        columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), _Rate(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, refresh_per_second=5)
        self._progress.start()
        self._task = self._progress.add_task("grading", total=total, completed=done)

    def step(self) -> None:
        """One more is done."""
        self._progress.advance(self._task)

    def stop(self) -> None:
        """Take the line away."""
        self._progress.stop()
