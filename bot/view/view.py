"""The view: takes events from any thread, paints in a thread of its own."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

from rich.console import Console
from rich.live import Live

from bot.view.state import ViewState
from bot.view.words import event_lines, panel, styled
from speech.timeline import Timeline, TimelineEvent

FRAME_S = 0.1
"""Ten paints a second: words appear as they are spoken, and the processor is the bot's."""

MAX_WAITING = 1_000
"""Events not yet painted, about a minute of talk: beyond it the oldest are only not printed."""


class Painter(Protocol):
    """Shows steps of the conversation; called from one thread."""

    def paint(self, steps: list[tuple[ViewState, ViewState, TimelineEvent]]) -> None:
        """Show what these steps (state before, state after, event) changed."""
        ...

    def close(self) -> None:
        """Leave the terminal as it was, with the conversation on it."""
        ...


class PlainPainter:
    """A line for each word, state and notice: for pipes and for ``TERM=dumb``."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def paint(self, steps: list[tuple[ViewState, ViewState, TimelineEvent]]) -> None:
        """Write the lines of each step."""
        for before, after, event in steps:
            for line in event_lines(before, after, event):
                self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is held back."""


class JsonPainter:
    """Each event as a JSON line, times from the first."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._origin: float | None = None

    def paint(self, steps: list[tuple[ViewState, ViewState, TimelineEvent]]) -> None:
        """Write the events."""
        for _before, _after, event in steps:
            self._origin = event.at if self._origin is None else self._origin
            self._stream.write(event.to_json(self._origin) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Nothing is held back."""


class LivePainter:
    """Finished turns scroll up; below them the turn in progress and the state."""

    def __init__(self, console: Console) -> None:
        # log lines on the same terminal go above the view; those sent elsewhere stay there
        self._live = Live(
            console=console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=sys.stderr.isatty(),
        )
        self._live.start()
        self._printed = 0

    def paint(self, steps: list[tuple[ViewState, ViewState, TimelineEvent]]) -> None:
        """Print the turns that are over, repaint the rest."""
        state = steps[-1][1]
        self._print_until(state, state.first_line + len(state.lines) - 1)
        self._live.update(panel(state), refresh=True)

    def close(self) -> None:
        """Stop; the last panel stays on the screen."""
        self._live.stop()

    def _print_until(self, state: ViewState, end: int) -> None:
        while self._printed < end:
            if self._printed >= state.first_line:
                self._live.console.print(styled(state.lines[self._printed - state.first_line]))
            self._printed += 1


class View:
    """Feeds a painter from a timeline; ``on_event`` is quick and may come from any thread."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._state = ViewState()
        self._steps: deque[tuple[ViewState, ViewState, TimelineEvent]] = deque(maxlen=MAX_WAITING)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        # A thread, as a terminal that is paused (Ctrl-S) blocks whoever writes to it; a
        # daemon, so that it cannot hold the process either.
        self._thread = threading.Thread(target=self._paint_on, name="view", daemon=True)

    @property
    def state(self) -> ViewState:
        """The latest state."""
        return self._state

    def start(self) -> None:
        """Begin to paint."""
        self._thread.start()

    def on_event(self, event: TimelineEvent) -> None:
        """Take one event: the listener for ``Timeline.subscribe``."""
        with self._lock:
            before, self._state = self._state, self._state.apply(event)
            self._steps.append((before, self._state, event))

    def close(self, timeout_s: float = 1.0) -> None:
        """Paint what is left and stop; a terminal that takes nothing is left after the timeout."""
        self._closing.set()
        self._thread.join(timeout_s)

    def _paint_on(self) -> None:
        try:
            while not self._closing.wait(FRAME_S):
                self._paint_waiting()
            self._paint_waiting()
            self._painter.close()
        except BrokenPipeError:  # nobody reads any more; the conversation goes on
            return

    def _paint_waiting(self) -> None:
        with self._lock:
            steps = list(self._steps)
            self._steps.clear()
        if steps:
            self._painter.paint(steps)


@contextmanager
def open_view(timeline: Timeline, *, json: bool = False) -> Iterator[View]:
    """Show the timeline on standard output for the length of the block."""
    view = View(_painter(json))
    unsubscribe = timeline.subscribe(view.on_event)
    view.start()
    try:
        yield view
    finally:
        unsubscribe()
        view.close()


def _painter(json: bool) -> Painter:
    if json:
        return JsonPainter(sys.stdout)
    console = Console(highlight=False)
    if console.is_terminal and not console.is_dumb_terminal:
        return LivePainter(console)
    return PlainPainter(sys.stdout)
