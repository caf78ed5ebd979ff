"""An engine whose units are one blocking call each."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from speech.engine import PcmChunk, Stamp
from speech.engines.aws.boto_errors import understood
from speech.engines.aws.chunks import Chunks
from speech.engines.aws.download import Body, Download
from speech.engines.aws.retry import with_retries
from speech.engines.aws.said import plain
from speech.engines.ordered import OrderedSession
from speech.errors import EngineError
from speech.line import AwaitedUnit

T = TypeVar("T")

Call = Callable[[str], Body]
"""Asks for the sound of a text; runs in a thread."""

CONNECTIONS = 32
"""Units that are fetched at once, of all sessions; each holds a thread while it waits."""


class Decoder(Protocol):
    """From the bytes of one unit to samples."""

    def feed(self, piece: bytes) -> NDArray[np.int16]:
        """The samples that a piece completes."""
        ...

    def end(self) -> NDArray[np.int16]:
        """What is left at the end."""
        ...


class Downloads:
    """The threads that sessions fetch with, and the sessions."""

    def __init__(self, what: str, rate_hz: int, timeout_s: float) -> None:
        self.what, self.rate_hz, self.timeout_s = what, rate_hz, timeout_s
        self.threads = ThreadPoolExecutor(CONNECTIONS, "aws")
        self.forget: Callable[[], object] = lambda: None
        """Lets go of the connections that are kept: one of them may be dead."""
        self._sessions: weakref.WeakSet[DownloadSession] = weakref.WeakSet()

    def session(
        self, call: Call, decoder: Callable[[], Decoder], stamp: Stamp | None
    ) -> DownloadSession:
        """A session whose units are fetched by ``call``."""
        session = DownloadSession(self, call, decoder, stamp or (lambda stage, unit_id: None))
        self._sessions.add(session)
        return session

    async def aclose(self) -> None:
        """End all sessions."""
        for session in list(self._sessions):
            await session.aclose()
        self.threads.shutdown(wait=False, cancel_futures=True)


class DownloadSession(OrderedSession):
    """See ``SpeechSession``. Reading a unit slowly slows its sender down."""

    def __init__(
        self, downloads: Downloads, call: Call, decoder: Callable[[], Decoder], stamp: Stamp
    ) -> None:
        super().__init__()
        self._downloads, self._call = downloads, call
        self._decoder, self._stamp = decoder, stamp

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        if not (said := plain(text)):
            return
        chunks = Chunks(unit.id, self._downloads.rate_hz)
        begin = with_retries(partial(self._begin, unit, said), within_s=self._downloads.timeout_s)
        fetch = asyncio.ensure_future(begin)
        unit.on_cancel(fetch.cancel)
        first, decoder, download = await self._within(unit, fetch)
        samples: NDArray[np.int16] | None = first
        while samples is not None:
            for chunk in chunks.take(samples):
                unit.stamp_once(self._stamp, "first_chunk")
                yield chunk
            samples = await self._samples(unit, download, decoder)

    async def _begin(
        self, unit: AwaitedUnit, said: str
    ) -> tuple[NDArray[np.int16], Decoder, Download]:
        """The first samples, which nobody has heard yet: so far a call may be made again."""
        download = Download(partial(self._call, said), self._downloads.threads)
        unit.on_cancel(download.close)
        unit.stamp_once(self._stamp, "synthesis_start")
        decoder = self._decoder()
        while (samples := await self._samples(unit, download, decoder)) is not None:
            if len(samples):
                return samples, decoder, download
        raise EngineError(f"{self._downloads.what}: no sound in the answer")

    async def _samples(
        self, unit: AwaitedUnit, download: Download, decoder: Decoder
    ) -> NDArray[np.int16] | None:
        """What the next piece brings; None once all has been given."""
        try:
            piece: Any = await self._within(unit, download.piece())
        except EngineError:
            raise
        except Exception as error:
            if unit.cancelled:
                raise
            raise understood(self._downloads.what, error) from error
        if piece is not None:
            return decoder.feed(piece)
        tail = decoder.end()  # nothing, the second time
        return tail if len(tail) else None

    async def _within(self, unit: AwaitedUnit, future: asyncio.Future[T]) -> T:
        try:
            return await unit.wait(future, self._downloads.timeout_s)
        except EngineError:
            if not future.done():
                self._downloads.forget()
            raise
