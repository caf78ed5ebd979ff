"""Timers that speak when due."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.tools.context import ToolContext, ToolError
from bot.tools.options import tool_options

MAX_TIMERS = 10
"""More at once is a model in a loop."""

MAX_SECONDS = 24 * 3600.0
"""A conversation is over by then, and its timers with it."""


@dataclass(frozen=True)
class RunningTimer:
    """A timer that is not due yet."""

    label: str
    seconds: float
    task: asyncio.Task[None]


class Timers:
    """The timers of one conversation; they end with it."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._running: dict[int, RunningTimer] = {}
        self._count = 0

    def start(self, seconds: float, label: str) -> None:
        """Speak in so many seconds; raises ``ToolError`` at ``MAX_TIMERS``."""
        if len(self._running) >= MAX_TIMERS:
            raise ToolError(f"There are {MAX_TIMERS} timers already. Cancel one first.")
        self._count += 1
        number = self._count
        task = self._context.spawn(self._wait(seconds, label), f"timer {number}")
        self._running[number] = RunningTimer(label, seconds, task)
        task.add_done_callback(lambda _: self._running.pop(number))

    async def _wait(self, seconds: float, label: str) -> None:
        await self._context.clock.sleep(seconds)
        await self._context.announce(f"Your {timer_name(seconds, label)} is done.")

    def cancel(self, label: str) -> list[str]:
        """Cancel those with the label, or all without one; their names."""
        wanted = label.strip().lower()
        chosen = [
            timer
            for timer in self._running.values()
            if not wanted or wanted in timer_name(timer.seconds, timer.label).lower()
        ]
        for timer in chosen:
            timer.task.cancel()
        return [timer_name(timer.seconds, timer.label) for timer in chosen]

    @property
    def names(self) -> list[str]:
        """What is running, as it is said."""
        return [timer_name(timer.seconds, timer.label) for timer in self._running.values()]


@tool_options(evidence=True)
async def set_timer(context: ToolContext, seconds: float, label: str = "") -> str:
    """Set a timer that speaks when the time is up.

    Args:
        seconds: How long, in seconds; five minutes are 300.
        label: What it is for, in one or two words, such as tea.
    """
    if not 0 < seconds <= MAX_SECONDS:
        raise ToolError("A timer runs between one second and 24 hours.")
    context.session(Timers).start(seconds, label.strip())
    return f"The {timer_name(seconds, label.strip())} is running."


@tool_options(evidence=True)
async def cancel_timer(context: ToolContext, label: str = "") -> str:
    """Cancel running timers.

    Args:
        label: Which one; leave it out to cancel all.
    """
    timers = context.session(Timers)
    running = timers.names
    cancelled = timers.cancel(label)
    if cancelled:
        return f"Cancelled: {', '.join(cancelled)}."
    raise ToolError(
        f"No such timer. Running: {', '.join(running)}." if running else "No timer is running."
    )


def timer_name(seconds: float, label: str) -> str:
    """``tea timer``, ``timer of 1 minute and 30 seconds``."""
    return f"{label} timer" if label else f"timer of {spoken_duration(seconds)}"


def spoken_duration(seconds: float) -> str:
    """``1 hour and 5 minutes``; fractions of a second only below ten."""
    if seconds < 10 and seconds != int(seconds):
        return f"{seconds:.1f} seconds"
    whole = round(seconds)
    counts = ((whole // 3600, "hour"), (whole // 60 % 60, "minute"), (whole % 60, "second"))
    parts = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in counts if count]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
