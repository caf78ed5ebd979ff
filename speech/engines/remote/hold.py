"""The conversation that a session has."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from contextlib import suppress

from speech.engines.remote.talk import Talk


class Hold:
    """One at most. A session that is forgotten and not closed lets go of it all the same."""

    def __init__(self, session: object, let_go: Callable[[Talk], None]) -> None:
        self.talk: Talk | None = None
        self._let_go, self._closed = let_go, False
        forgotten = weakref.finalize(session, _end_soon, self, asyncio.get_running_loop())
        forgotten.atexit = False

    def opening(self, talk: Awaitable[Talk]) -> asyncio.Future[Talk]:
        """Holds it once it is open, also where nobody waits for it any more."""
        opening = asyncio.ensure_future(talk)
        opening.add_done_callback(self._opened)
        return opening

    def drop(self) -> None:
        """Let go of it, if there is one."""
        talk, self.talk = self.talk, None
        if talk is not None:
            self._let_go(talk)

    def end(self) -> None:
        """Hold nothing any more."""
        self._closed = True
        self.drop()

    async def aclose(self) -> None:
        """As ``end``; what is open is closed."""
        self._closed = True
        talk, self.talk = self.talk, None
        if talk is not None:
            await talk.aclose()

    def _opened(self, opening: asyncio.Future[Talk]) -> None:
        if opening.cancelled() or opening.exception() is not None:
            return
        self.drop()
        self.talk = opening.result()
        if self._closed:
            self.drop()


def _end_soon(hold: Hold, loop: asyncio.AbstractEventLoop) -> None:
    """The collector may come by in any thread, and after the loop's end."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(hold.end)
