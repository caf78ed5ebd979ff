"""A benchmark's progress on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


@contextmanager
def terminal_progress() -> Iterator[TerminalProgress]:
    """A bar on standard error; silent where that is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    bars = Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        auto_refresh=False,  # a drawing thread would take time from what is measured
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bars:
        yield TerminalProgress(bars)


class TerminalProgress:
    """One bar at a time."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def begin(self, label: str, steps: int) -> None:
        """Replace the bar by a new one."""
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._task = self._bars.add_task(label, total=steps)
        self._bars.refresh()

    def step(self) -> None:
        """Move the bar by one."""
        if self._task is not None:
            self._bars.advance(self._task)
            self._bars.refresh()
