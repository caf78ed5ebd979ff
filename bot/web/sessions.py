"""The conversations a server holds at once: bounded, owned, ended together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from loguru import logger

from speech.errors import EarshotError

GOODBYE_S = 2.0
"""The longest wait for goodbyes; a conversation cuts its own after one second."""

CANCEL_S = 5.0
"""What a cancelled conversation gets to unwind before its task is cancelled too."""


class Conversing(Protocol):
    """What a session needs of ``bot.conversation.Conversation``."""

    async def run(self) -> None: ...
    async def end(self, *, goodbye: bool = True) -> None: ...
    async def cancel(self) -> None: ...


class Sessions:
    """At most ``limit`` conversations; each runs in ``group`` and frees its place when it ends.

    Once ``end_all`` was called there is no place any more.
    """

    def __init__(self, limit: int, group: asyncio.TaskGroup, notify: Callable[[str], None]) -> None:
        self.limit = limit
        self._group = group
        self._notify = notify
        self._running: dict[asyncio.Task[None], Conversing] = {}
        self._held = 0
        self._ending = False

    def __len__(self) -> int:
        return len(self._running)

    @property
    def full(self) -> bool:
        """Whether another conversation must be refused."""
        return self._ending or len(self._running) + self._held >= self.limit

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep a place, asked for with ``full`` just before, while its peer is connected."""
        self._held += 1
        try:
            yield
        finally:
            self._held -= 1

    def start(
        self, conversation: Conversing, left: asyncio.Event, *, max_s: float | None = None
    ) -> asyncio.Task[None]:
        """Run ``conversation`` until it ends, ``left`` is set or ``max_s`` has passed.

        A peer that left cancels it at once; one that talks too long hears the goodbye.
        The returned task never raises: one session's failure is told and ends that session.
        """
        if self._ending:  # its peer was being connected when the end came
            left.set()
        task = self._group.create_task(self._session(conversation, left, max_s))
        self._running[task] = conversation
        task.add_done_callback(self._forget)
        return task

    async def end_all(self) -> None:
        """Let every conversation say goodbye, for ``GOODBYE_S``, then cancel what is left."""
        self._ending = True
        if not self._running:
            return
        goodbyes = [asyncio.create_task(c.end()) for c in self._running.values()]
        everything: set[asyncio.Task[None]] = {*goodbyes, *self._running}
        try:
            await asyncio.wait(everything, timeout=GOODBYE_S)
        finally:
            for task in everything:
                task.cancel()
        await asyncio.gather(*everything, return_exceptions=True)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)

    async def _session(
        self, conversation: Conversing, left: asyncio.Event, max_s: float | None
    ) -> None:
        try:
            await _run_until_left(conversation, left, max_s)
        except EarshotError as error:
            self._notify(str(error))
        # Broad on purpose: whatever breaks one conversation must not end the others, which
        # share this task group. The traceback goes to the log.
        except Exception:
            logger.exception("A session failed; the server goes on")
            self._notify("A conversation failed; see the log (--debug shows the cause).")


async def _run_until_left(
    conversation: Conversing, left: asyncio.Event, max_s: float | None
) -> None:
    running = asyncio.create_task(conversation.run(), name="conversation")
    leaving = asyncio.create_task(left.wait(), name="peer-left")
    try:
        await asyncio.wait({running, leaving}, timeout=max_s, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            await (conversation.cancel() if leaving.done() else conversation.end())
            await asyncio.wait({running}, timeout=CANCEL_S)
        if running.done():
            await running
    finally:
        leaving.cancel()
        running.cancel()
        await asyncio.gather(leaving, running, return_exceptions=True)
