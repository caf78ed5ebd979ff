"""An engine that speaks tones with known word times, for tests of what stands around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np

from speech.engine import PcmChunk, Stamp, Word
from speech.errors import EngineBusyError, EngineError

SAMPLES_PER_WORD = 2_400
"""100 ms a word."""


class FakeSession:
    """Speaks a word a chunk; at the word FAIL it raises, at ONCE the first time only, as at BUSY,
    after which it says so many seconds until it has room."""

    def __init__(self, engine: FakeEngine, stamp: Stamp | None) -> None:
        self._engine, self._stamp = engine, stamp
        self.closed = False

    async def speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        self._engine.spoken.append(text)
        if self._stamp:
            self._stamp("synthesis_start", unit_id)
        for number, word in enumerate(text.split()):
            await self._engine.gate.wait()
            if unit_id in self._engine.cancelled:
                return
            once = "ONCE" in word and self._engine.spoken.count(text) == 1
            if "BUSY" in word and self._engine.spoken.count(text) == 1:
                raise EngineBusyError("the fake engine is busy", float(word.partition("BUSY")[2]))
            if "FAIL" in word or once:
                raise EngineError("the fake engine was told to fail")
            first = number * SAMPLES_PER_WORD
            samples = np.full(SAMPLES_PER_WORD, number + 1, np.int16)
            yield PcmChunk(
                unit_id,
                first,
                samples,
                (Word(word.strip(".,!?"), first, first + SAMPLES_PER_WORD),),
            )

    def cancel(self, unit_id: str) -> None:
        self._engine.cancelled.append(unit_id)
        self._engine.was_cancelled.set()

    async def aclose(self) -> None:
        self.closed = True


class FakeEngine:
    """``gate`` cleared holds every unit before its next word."""

    name = "fake"
    sample_rate = 24_000

    def __init__(self) -> None:
        self.spoken: list[str] = []
        self.cancelled: list[str] = []
        self.was_cancelled = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def start(self) -> None: ...

    async def calibrate(self, voice: str) -> bool:
        return False

    def voices(self) -> list[str]:
        return ["fake"]

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FakeSession:
        return FakeSession(self, stamp)

    async def aclose(self) -> None: ...
