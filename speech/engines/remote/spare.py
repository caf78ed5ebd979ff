"""A conversation that is ready before it is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from speech.engines.link import LinkEndedError
from speech.engines.remote.talk import Talk
from speech.errors import EarshotError


class Spare:
    """Gives conversations; with ``ready`` the next one is opened ahead, and kept alive.

    So a session that begins, or one whose conversation has ended, does not wait for TCP, TLS
    and the greeting. One spare serves all sessions of an engine.
    """

    def __init__(self, open_talk: Callable[[], Awaitable[Talk]], *, ready: bool) -> None:
        self._open, self._ready = open_talk, ready
        self._talk: Talk | None = None
        self._warming: asyncio.Task[None] | None = None
        self._closed = False
        self._closing: set[asyncio.Task[None]] = set()

    async def take(self) -> Talk:
        """A conversation; raises what opening one raises."""
        await self._rest()
        talk, self._talk = self._talk, None
        if talk is not None and not talk.usable:
            self.let_go(talk)
            talk = None
        talk = talk or await self._open()
        self.warm()
        return talk

    def give_back(self, talk: Talk) -> None:
        """Keep this one, which nobody has used, for the next who asks."""
        self._talk = talk
        self.warm()

    def warm(self) -> None:
        """Open one ahead, if there is to be one and none is on its way."""
        if self._ready and not self._closed and self._warming is None:
            self._warming = asyncio.create_task(self._keep(), name="spare connection")

    def let_go(self, talk: Talk) -> None:
        """Close a conversation that is over; nobody waits for it."""
        closing = asyncio.create_task(talk.aclose(), name="close connection")
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Let go of it, and wait until all are closed."""
        self._closed = True
        await self._rest()
        if self._talk is not None:
            self.let_go(self._talk)
            self._talk = None
        if self._closing:
            await asyncio.wait(self._closing)

    async def _keep(self) -> None:
        """Until cancelled, or until none can be opened: then the next ``take`` tries."""
        while True:
            try:
                self._talk = self._talk or await self._open()
            except EarshotError:
                return
            try:
                await asyncio.sleep(self._talk.keep_s)
                if self._talk.usable:
                    await self._talk.keep()
                    continue
            except LinkEndedError:
                pass
            except EarshotError:
                return
            if self._talk is not None:
                self.let_go(self._talk)
                self._talk = None

    async def _rest(self) -> None:
        warming, self._warming = self._warming, None
        if warming is not None:
            warming.cancel()
            await asyncio.wait([warming])
