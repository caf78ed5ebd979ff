"""Reading a unit of another session, as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable

from speech.engine import PcmChunk
from speech.engines.handed import Handed
from speech.errors import EngineError
from speech.line import AwaitedUnit


class Reading:
    """Reads chunk by chunk, so that one may look whether one has come."""

    def __init__(self, chunks: AsyncIterator[PcmChunk], unit: AwaitedUnit) -> None:
        self._chunks, self._unit = chunks, unit
        self._next: asyncio.Future[PcmChunk | None] | None = None
        self.ended = False

    async def ready(self, timeout_s: float | None) -> bool:
        """Whether ``take`` has something within this time; raises ``UnitCancelled``."""
        self._next = self._next or asyncio.ensure_future(_next(self._chunks))
        return await self._unit.done_within(self._next, timeout_s)

    def take(self) -> PcmChunk | None:
        """The chunk that is ready, None at the end; raises what its maker raised."""
        done, self._next = self._next, None
        chunk = done.result() if done else None
        self.ended = chunk is None
        return chunk

    async def aclose(self) -> None:
        """Read no more."""
        if self._next is not None:
            self._next.cancel()
            await asyncio.wait([self._next])
            if not self._next.cancelled():
                self._next.exception()  # nobody asks for it any more
        if isinstance(self._chunks, AsyncGenerator):
            await self._chunks.aclose()


async def whole_words(
    reading: Reading, handed: Handed, patience_s: Callable[[], float | None] = lambda: None
) -> AsyncGenerator[PcmChunk, None]:
    """The chunks as ``handed`` hands them on.

    Raises ``EngineError`` where nothing has come for ``patience_s``.
    """
    while not reading.ended:
        limit_s = handed.due_s() if handed.holds else patience_s()
        if await reading.ready(limit_s):
            chunk = reading.take()
            done = handed.release() if chunk is None else handed.take(chunk)
        elif handed.holds:
            done = handed.release()
        else:
            raise EngineError(f"no sound for {limit_s:.1f} s")
        for piece in done:
            yield piece


async def _next(chunks: AsyncIterator[PcmChunk]) -> PcmChunk | None:
    async for chunk in chunks:
        return chunk
    return None
