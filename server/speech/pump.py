"""Says a session's units one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from server.speech.credit import Credit
from server.speech.outbound import Outbound
from server.speech.queue import UnitQueue
from server.speech.service import RETRY_AFTER_S, SpeechService
from server.speech.unit import Unit
from speech.audio.resample import StreamResampler
from speech.engine import PcmChunk, Word
from speech.errors import EngineBusyError
from speech.redact import place_of
from speech.wire import MAX_SAMPLES, Code, SpokenWord

NO_SPEECH = "The unit could not be spoken to its end."


class Pump:
    """Reads the engine as fast as the client takes what is read, and no further ahead.

    What holds it: the client's credit, then ``Outbound``. A unit that fails or is cancelled
    ends alone.
    """

    def __init__(
        self, service: SpeechService, queue: UnitQueue, outbound: Outbound, credit: Credit
    ) -> None:
        self._metrics = service.metrics
        self._engine_hz = service.engine.sample_rate
        self._queue, self._outbound, self._credit = queue, outbound, credit

    async def run(self) -> None:
        """Say every unit; returns when the queue has ended and is empty."""
        while (unit := await self._queue.next()) is not None:
            if not unit.cancelled:
                await self._say(unit)
            outcome = await self._cancelled(unit) if unit.cancelled else unit.outcome
            self._queue.settle()
            self._count(unit, outcome)

    def _count(self, unit: Unit, outcome: str) -> None:
        self._metrics.units.labels(outcome).inc()
        self._metrics.audio.inc(unit.audio_s)
        self._metrics.wasted.inc(unit.wasted_s)
        self._metrics.synthesis.inc(unit.synth_s)
        self._metrics.queued.dec()

    async def _say(self, unit: Unit) -> None:
        """In a task of its own, so that cancelling it ends any wait of it, and only of it."""
        unit.task = asyncio.create_task(self._whole(unit), name="speech-unit")
        try:
            await asyncio.wait({unit.task})
        finally:
            if not unit.task.done():
                unit.cancel()
                await asyncio.wait({unit.task})

    async def _cancelled(self, unit: Unit) -> str:
        dropped = self._outbound.drop(unit.number)
        unit.sent -= dropped
        self._credit.give_back(dropped)
        await self._end(unit, unit.talk.cancelled(unit))
        return "cancelled"

    async def _end(self, unit: Unit, text: str) -> None:
        await self._tell(text)
        unit.ended = True  # no wait between the two: a cancel comes before both or after

    async def _whole(self, unit: Unit) -> None:
        try:
            await self._tell(unit.talk.started(unit))
            await self._stream(unit)
            await self._end(unit, unit.talk.done(unit))
        except EngineBusyError as error:
            unit.outcome = "refused"
            wait_s = error.retry_after_s or RETRY_AFTER_S
            await self._end(unit, unit.talk.busy(wait_s, "capacity"))
        except Exception as error:  # whatever an engine raises fails this unit, not the session
            unit.outcome = "failed"
            logger.warning("A unit failed: {}", place_of(error))
            await self._end(unit, unit.talk.failed(Code.SYNTHESIS_FAILED, NO_SPEECH))
        finally:
            if isinstance(unit.chunks, AsyncGenerator):
                await unit.chunks.aclose()

    async def _stream(self, unit: Unit) -> None:
        resampler = StreamResampler(self._engine_hz, unit.sample_rate)
        begun = time.monotonic()
        async for chunk in unit.chunks:
            unit.synth_s += time.monotonic() - begun
            await self._chunk(unit, chunk, resampler.process(chunk.samples))
            begun = time.monotonic()
        unit.synth_s += time.monotonic() - begun
        await self._send(unit, resampler.flush())

    async def _chunk(self, unit: Unit, chunk: PcmChunk, samples: NDArray[np.int16]) -> None:
        if not unit.made:
            first_s = time.monotonic() - unit.arrived
            self._metrics.first_audio.labels("websocket").observe(first_s)
        await self._tell(unit.talk.words(self._words(chunk.words, unit.sample_rate)))
        await self._send(unit, samples)

    def _words(self, words: tuple[Word, ...], sample_rate: int) -> tuple[SpokenWord, ...]:
        ratio = sample_rate / self._engine_hz
        return tuple(
            SpokenWord(word.text, round(word.start * ratio), round(word.end * ratio))
            for word in words
        )

    async def _send(self, unit: Unit, samples: NDArray[np.int16]) -> None:
        unit.made += len(samples)
        while len(samples):
            allowed = await self._credit.take(min(len(samples), MAX_SAMPLES))
            await self._frames(unit, samples[:allowed])
            samples = samples[allowed:]

    async def _frames(self, unit: Unit, samples: NDArray[np.int16]) -> None:
        """Queue samples that credit was taken for; what a cancel keeps back is given back."""
        left = len(samples)
        try:
            for data, count in unit.talk.frames(samples):
                await self._outbound.audio(unit.number, data, count)
                unit.sent += count
                left -= count
        finally:
            self._credit.give_back(left)

    async def _tell(self, text: str) -> None:
        if text:
            await self._outbound.message(text)
