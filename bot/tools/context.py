"""What a tool may use of the conversation it is called from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from typing import Any, Protocol, TypeVar

from loguru import logger

from speech.redact import place_of

T = TypeVar("T")

Announce = Callable[[str], Awaitable[None]]


class Say(Protocol):
    """Speaks a text; one that is not ``interruptible`` (a legal text) is heard to its end."""

    def __call__(self, text: str, *, interruptible: bool = True) -> Awaitable[None]: ...


class ToolError(Exception):
    """The tool cannot do it; the message is for the model to pass on."""


class Retracted(ToolError):
    """The outcome is another than hoped: what was said in advance does not hold.

    Raised, or returned, by a tool that did its work: "no table is free at seven".
    """


class Clock(Protocol):
    """Time, so that tests need not wait."""

    def now(self) -> datetime:
        """The wall clock's time in the local zone; aware."""

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The wall clock's time in the local zone; aware."""
        return datetime.now().astimezone()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(seconds)


async def _always() -> bool:
    return True


class ToolContext:
    """One conversation's view for its tools; it owns the tasks they start.

    ``say`` speaks a text as a reply of its own, at once; ``announce`` does when nobody is
    speaking or waiting for an answer, and again if no word was heard. ``timeout_s`` bounds
    each call. With ``log_text`` the log tells what a failed tool said of it, which may
    repeat the user. ``may_run`` is asked before each call: False where the answer that made it
    was interrupted meanwhile.
    """

    def __init__(
        self,
        say: Say,
        clock: Clock | None = None,
        *,
        announce: Announce | None = None,
        timeout_s: float = 10.0,
        log_text: bool = False,
        may_run: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self.say = say
        self.may_run = may_run or _always
        self.announce: Announce = announce or say
        self.clock: Clock = clock or SystemClock()
        self.timeout_s = timeout_s
        self._log_text = log_text
        self._tasks: set[asyncio.Task[None]] = set()
        self._state: dict[object, Any] = {}

    @property
    def busy(self) -> bool:
        """Whether something that a tool started is still to come, such as a timer's end."""
        return bool(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Start something that outlasts the call; it ends with the conversation."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log_failure(f"the tool task {task.get_name()}", error)

    def log_failure(self, what: str, error: BaseException) -> None:
        """Say in the log that it failed, with kind and place of the error."""
        shown = logger.opt(exception=error if self._log_text else None)
        shown.error("{} failed ({})", what, place_of(error))

    def session(self, factory: Callable[[ToolContext], T]) -> T:
        """What ``factory`` made of this context when first asked: a tool's own memory."""
        if factory not in self._state:
            self._state[factory] = factory(self)
        state: T = self._state[factory]
        return state

    async def aclose(self) -> None:
        """Cancel what the tools started. Idempotent."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
