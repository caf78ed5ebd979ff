"""An engine that speaks a tenth of a second a word, and tells what became of its units."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np

from speech.engine import PcmChunk, Stamp, Word
from speech.errors import EngineBusyError, EngineError, UnknownVoiceError, UsageError

WORD_SAMPLES = 2_400
LOUD_HALF_WAVE = 24


class FakeEngine:
    """``gate`` cleared holds every unit before its next word.

    The word FAIL fails its unit, BUSY refuses it at the call, LOUD is as loud as can be: a square
    wave, whose resampled edges would be louder; LONG, for a last word, is two seconds in one
    chunk. ``told`` is what sessions were told of their
    listener, ``made`` counts words computed, ``running`` the units that are being read; ``begun``
    is set when one is.
    """

    name = "fake-kokoro"
    sample_rate = 24_000

    def __init__(self, *names: str) -> None:
        self.names = list(names) or ["af_heart", "am_adam"]
        self.gate = asyncio.Event()
        self.gate.set()
        self.begun = asyncio.Event()
        self.made = self.running = self.sessions = 0
        self.spoken: list[str] = []
        self.opened: list[tuple[str, float]] = []
        self.told: list[tuple[str, float]] = []

    async def start(self) -> None: ...

    async def calibrate(self, voice: str) -> bool:
        return False

    def voices(self) -> list[str]:
        return self.names

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FakeSession:
        if not 0.5 <= speed <= 2.0:
            raise UsageError(f"speed is {speed:g}; give 0.5 to 2.0")
        if voice not in self.names:
            raise UnknownVoiceError(f"no voice {voice}")
        self.opened.append((voice, speed))
        self.sessions += 1
        return FakeSession(self)

    async def aclose(self) -> None: ...

    async def rest(self, most: int) -> int:
        """The words made once it makes no more for a while, or has made more than ``most``."""
        before = -1
        while before < self.made <= most:
            before = self.made
            await asyncio.sleep(0.05)
        return self.made


class FakeSession:
    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine
        self._cancelled: set[str] = set()
        self._closed = False

    def speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        if "BUSY" in text:
            raise EngineBusyError("too much to do", 2.5)
        return self._speak(unit_id, text)

    async def _speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        self._engine.spoken.append(text)
        self._engine.running += 1
        self._engine.begun.set()
        try:
            for number, word in enumerate(text.split()):
                await self._engine.gate.wait()
                if unit_id in self._cancelled or self._closed:
                    return
                if "FAIL" in word:
                    raise EngineError(f"the fake was told to fail: {text}")
                self._engine.made += 1
                await asyncio.sleep(0)
                yield _chunk(unit_id, number, word)
        finally:
            self._engine.running -= 1

    def cancel(self, unit_id: str) -> None:
        self._cancelled.add(unit_id)

    def played(self, ahead_s: float) -> None:
        self._engine.told.append(("played", ahead_s))

    def cut(self) -> None:
        self._engine.told.append(("cut", 0.0))

    async def aclose(self) -> None:
        self._engine.sessions -= not self._closed
        self._closed = True


def _chunk(unit_id: str, number: int, word: str) -> PcmChunk:
    first = number * WORD_SAMPLES
    loud = np.where(np.arange(WORD_SAMPLES) // LOUD_HALF_WAVE % 2, -32_768, 32_767)
    samples = loud if "LOUD" in word else np.full(WORD_SAMPLES, number + 1)
    if "LONG" in word:
        samples = np.repeat(samples, 20)
    words = (Word(word.strip(".,!?"), first, first + WORD_SAMPLES),)
    return PcmChunk(unit_id, first, samples.astype(np.int16), words)
