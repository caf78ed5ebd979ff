"""A conversation's voice on Polly's bidirectional streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from speech.engine import ENGINE_RATE_HZ, PcmChunk, Stamp
from speech.engines.aws.chunks import Chunks
from speech.engines.aws.polly_classic import PollyDecoder
from speech.engines.aws.polly_spare import Spare, Stream, Times
from speech.engines.aws.polly_voices import written
from speech.engines.aws.retry import with_retries
from speech.engines.aws.said import plain
from speech.engines.ordered import OrderedSession
from speech.errors import EngineError
from speech.line import AwaitedUnit

T = TypeVar("T")
Samples = NDArray[np.int16]

ANSWER_S = 5.0
"""To a unit's first sound over a stream that was held open, and may have died meanwhile: its
network is gone, or its machine has slept. Then the unit is said again, over a new one."""


class Sound:
    """A unit's samples at the engines' common rate, as they come."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._decoder, self._ended = stream, PollyDecoder(), False

    async def next(self) -> Samples | None:
        """Some samples, perhaps none yet; None at the end. Raises ``EngineError``."""
        if self._ended:
            return None
        piece = await self._stream.piece()
        if piece is not None:
            return self._decoder.feed(piece)
        self._ended = True
        return self._decoder.end()


class PollySession(OrderedSession):
    """See ``SpeechSession``: a stream for each unit, and one kept open for the next.

    Polly's sound comes as fast as it is made and lies in memory until it is read: 2 MB a minute
    of speech, and no more than a unit's.
    """

    def __init__(
        self,
        open_stream: Callable[[], Awaitable[Stream]],
        speed: float,
        stamp: Stamp,
        *,
        timeout_s: float,
        times: Times,
    ) -> None:
        super().__init__()
        self._open_stream, self._speed, self._stamp = open_stream, speed, stamp
        self._timeout_s = timeout_s
        self._spare = Spare(open_stream, times)
        self._stream: Stream | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self.on_close: Callable[[], object] = lambda: None

    def prepare(self) -> None:
        """Open a stream for the first unit, in the background."""
        self._spare.make()

    async def aclose(self) -> None:
        """See ``SpeechSession``."""
        self.on_close()
        await super().aclose()
        await self._spare.aclose()
        await asyncio.gather(*self._closing)

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        if not (said := plain(text)):
            return
        chunks = Chunks(unit.id, ENGINE_RATE_HZ)
        begin = with_retries(partial(self._begin, unit, said), within_s=self._timeout_s)
        samples, sound = await self._within(unit, begin)
        self._spare.make()
        while samples is not None:
            for chunk in chunks.take(samples):
                unit.stamp_once(self._stamp, "first_chunk")
                yield chunk
            samples = await self._within(unit, sound.next())

    async def _begin(self, unit: AwaitedUnit, said: str) -> tuple[Samples | None, Sound]:
        """The first samples; so far the unit may be said again, as nobody has heard it."""
        if (spare := self._spare.take()) is not None:
            try:
                async with asyncio.timeout(ANSWER_S):
                    return await self._said(unit, spare, said)
            except TimeoutError:
                spare.lost()
                self._close(spare)
            except EngineError as error:  # it has grown old, or Polly was restarted
                logger.info("a stream that was held open is replaced: {}", type(error).__name__)
        return await self._said(unit, await self._open_stream(), said)

    async def _said(
        self, unit: AwaitedUnit, stream: Stream, said: str
    ) -> tuple[Samples | None, Sound]:
        self._stream = stream
        unit.on_cancel(partial(self._close, stream))
        await stream.say(*written(said, self._speed))
        unit.stamp_once(self._stamp, "synthesis_start")
        sound = Sound(stream)
        while (samples := await sound.next()) is not None:
            if len(samples):
                break
        return samples, sound

    def _close(self, stream: Stream) -> None:
        """End it in the background; what Polly still makes of the unit is dropped."""
        closing = asyncio.ensure_future(stream.aclose())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _within(self, unit: AwaitedUnit, work: Coroutine[Any, Any, T]) -> T:
        """What ``work`` gives, unless the unit is cancelled or it takes too long."""
        task = asyncio.ensure_future(work)
        try:
            return await unit.wait(task, self._timeout_s)
        except EngineError:
            if not task.done() and self._stream is not None:
                self._stream.lost()
            raise
        finally:
            task.cancel()
            task.add_done_callback(_looked_at)


def _looked_at(task: asyncio.Future[Any]) -> None:
    """Who has given up waiting asks for no error."""
    if not task.cancelled():
        task.exception()
