"""Reading a unit of another session, as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial

from speech.engine import PcmChunk, SpeechSession
from speech.line import AwaitedUnit


class Reading:
    """Reads a unit of a session chunk by chunk, so that one may look whether one has come."""

    def __init__(self, session: SpeechSession, unit: AwaitedUnit, text: str) -> None:
        """Raises what ``speak`` raises."""
        self._unit = unit
        self._chunks = session.speak(unit.id, text)
        self._next: asyncio.Future[PcmChunk | None] | None = None
        self.ended = False
        unit.on_cancel(partial(session.cancel, unit.id))

    async def ready(self, timeout_s: float | None) -> bool:
        """Whether ``take`` has something within this time; raises ``UnitCancelled``."""
        self._next = self._next or asyncio.ensure_future(_next(self._chunks))
        return await self._unit.done_within(self._next, timeout_s)

    def take(self) -> PcmChunk | None:
        """The chunk that is ready, None at the end; raises what the session raised."""
        done, self._next = self._next, None
        chunk = done.result() if done else None
        self.ended = chunk is None
        return chunk

    async def aclose(self) -> None:
        """Read no more; the session is left usable."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.wait([self._next])
            if not self._next.cancelled():
                self._next.exception()  # nobody asks for it any more
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()


async def _next(chunks: AsyncIterator[PcmChunk]) -> PcmChunk | None:
    async for chunk in chunks:
        return chunk
    return None
