"""Frames of a link, each under a deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from speech.engines.link import Link, LinkEndedError

SEND_S = 5.0
"""A control message is some hundred bytes: a way that is full so long is blocked."""
CLOSE_S = 2.0

Wait = Callable[[asyncio.Future[str | bytes], float | None], Awaitable[bool]]
"""Whether the future is done within so many seconds; may raise."""


async def done_within(future: asyncio.Future[str | bytes], timeout_s: float | None) -> bool:
    """``Wait`` for one who is never interrupted."""
    await asyncio.wait([future], timeout=timeout_s)
    return future.done()


class Exchange:
    """Sends and receives; any number of senders, one receiver at a time.

    A frame that nobody waited for long enough is there for the next one who asks: no receive of
    the link is ever cancelled but by ``aclose``. Nothing is read ahead.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._sending = asyncio.Lock()
        self._receiving: asyncio.Future[str | bytes] | None = None
        self.ended = False

    @property
    def lifetime_s(self) -> float | None:
        """See ``Link``."""
        return self._link.lifetime_s

    async def send(self, text: str) -> None:
        """Raises ``LinkEndedError``, also where the way is blocked."""
        try:
            async with asyncio.timeout(SEND_S), self._sending:
                await self._link.send(text)
        except TimeoutError as error:
            self.lost()
            raise LinkEndedError(f"nothing could be sent for {SEND_S:g} s") from error
        except LinkEndedError:
            self.ended = True
            raise

    async def receive(
        self, timeout_s: float | None, wait: Wait = done_within
    ) -> str | bytes | None:
        """The next frame, None after ``timeout_s``. Raises ``LinkEndedError`` and what ``wait``
        raises."""
        if self._receiving is None:
            self._receiving = asyncio.ensure_future(self._link.receive())
        if not await wait(self._receiving, timeout_s):
            return None
        received, self._receiving = self._receiving, None
        try:
            return received.result()
        except LinkEndedError:
            self.ended = True
            raise

    def lost(self) -> None:
        """What was said is not answered in time: the link is of no more use."""
        self.ended = True
        self._link.lost()

    async def aclose(self) -> None:
        """End the link; idempotent, takes a bounded time."""
        self.ended = True
        if self._receiving is not None:
            self._receiving.cancel()
            await asyncio.wait([self._receiving])
            if not self._receiving.cancelled():
                self._receiving.exception()  # nobody asks for it any more
            self._receiving = None
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._link.aclose()
        except TimeoutError:
            pass
