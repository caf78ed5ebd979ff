"""A request's audio on its way from the engine to its bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import numpy as np
from numpy.typing import NDArray

from server.speech.asked import Asked
from server.speech.encoders import Encoder
from speech.audio.resample import StreamResampler
from speech.engine import PcmChunk


class Rendering:
    """Encoded pieces of the speech, each made when it is asked for.

    ``audio_s`` and ``synth_s`` tell how much there was, once the pieces have been read.
    """

    def __init__(self, asked: Asked, chunks: AsyncIterator[PcmChunk], engine_hz: int) -> None:
        self._asked, self._chunks = asked, chunks
        self._resampler = StreamResampler(engine_hz, asked.sample_rate)
        self._samples = 0
        self.synth_s = 0.0

    @property
    def audio_s(self) -> float:
        return self._samples / self._asked.sample_rate

    async def pieces(self) -> AsyncGenerator[bytes]:
        """The bytes of the format; none is empty, and the first holds sound if there is any."""
        encoder = self._asked.format.encoder(self._asked.sample_rate)
        head = encoder.begin()
        async with aclosing(self._pcm()) as stretches:
            async for samples in stretches:
                data = await self._encoded(encoder.add, samples)
                if data:
                    yield head + data
                    head = b""
        tail = head + await self._ended(encoder)
        if tail:
            yield tail

    async def samples(self) -> NDArray[np.int16]:
        """All of it, not encoded."""
        async with aclosing(self._pcm()) as stretches:
            runs = [samples async for samples in stretches]
        return np.concatenate([np.zeros(0, np.int16), *runs])

    async def _pcm(self) -> AsyncGenerator[NDArray[np.int16]]:
        begun = time.monotonic()
        try:
            async for chunk in self._chunks:
                self.synth_s += time.monotonic() - begun
                yield self._counted(self._resampler.process(chunk.samples))
                begun = time.monotonic()
            self.synth_s += time.monotonic() - begun
            yield self._counted(self._resampler.flush())
        finally:
            if isinstance(self._chunks, AsyncGenerator):
                await self._chunks.aclose()

    def _counted(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        self._samples += len(samples)
        return samples

    async def _encoded(
        self, add: Callable[[NDArray[np.int16]], bytes], samples: NDArray[np.int16]
    ) -> bytes:
        if self._asked.format.slow:
            return await asyncio.to_thread(add, samples)
        return add(samples)

    async def _ended(self, encoder: Encoder) -> bytes:
        return await asyncio.to_thread(encoder.end) if self._asked.format.slow else encoder.end()
