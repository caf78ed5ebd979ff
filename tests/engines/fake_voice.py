"""An engine whose every sample says of which word it is, and that fails where a test wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, field

import numpy as np

from speech.engine import PcmChunk, Stamp, Word
from speech.engines.ordered import OrderedSession
from speech.errors import EngineError, UnknownVoiceError, UsageError
from speech.kokoro.markup import as_read
from speech.line import AwaitedUnit

RATE_HZ = 24_000
WORD = 2_400
"""Samples: 100 ms a word."""

GONE = EngineError("the fake voice is gone")


def number_of(word: str) -> int:
    """What every sample of a word like ``w12`` is."""
    digits = "".join(filter(str.isdigit, word))
    return int(digits) + 1 if digits else 9_000


@dataclass
class Plan:
    """How a fake speaks a unit: cut after ``sizes`` samples (the last one on and on)."""

    sizes: tuple[int, ...] = (WORD,)
    fails_after: int | None = None
    """Chunks; None: it does not."""
    silent_after: int | None = None
    """Chunks, behind which nothing more comes."""
    pause_s: float = 0.0
    """Before each chunk."""
    error: Exception = field(default_factory=lambda: GONE)


class FakeVoice:
    """``plan`` holds for the units asked for from then on; ``asked`` are their texts."""

    sample_rate = RATE_HZ

    def __init__(self, name: str = "fake", *, times: bool = True, **plan: object) -> None:
        self.name, self.times = name, times
        self.plan = Plan(**plan)  # type: ignore[arg-type]
        self.open_error: Exception | None = None
        self.names = ["fake"]
        self.asked: list[str] = []
        self.closed = False

    async def start(self) -> None:
        if self.open_error:
            raise self.open_error

    async def calibrate(self, voice: str) -> bool:
        await self.start()
        return False

    def voices(self) -> list[str]:
        return self.names

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FakeSession:
        if self.closed:
            raise EngineError("the engine is closed")
        if voice not in self.voices():
            raise UnknownVoiceError(f"there is no voice {voice!r}; there are: fake")
        if not 0.5 <= speed <= 2.0:
            raise UsageError(f"speed is {speed:g}; give 0.5 to 2")
        await self.start()
        return FakeSession(self, stamp or (lambda stage, unit_id: None))

    async def aclose(self) -> None:
        self.closed = True


class FakeSession(OrderedSession):
    def __init__(self, engine: FakeVoice, stamp: Callable[[str, str], None]) -> None:
        super().__init__()
        self._engine, self._stamp = engine, stamp

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        plan = self._engine.plan
        chunks = fake_chunks(unit.id, text, plan.sizes, times=self._engine.times)
        if not chunks:
            return
        self._engine.asked.append(text)
        unit.stamp_once(self._stamp, "synthesis_start")
        for count, chunk in enumerate(chunks):
            if count == plan.fails_after:
                raise plan.error
            forever = count == plan.silent_after
            pause = asyncio.ensure_future(asyncio.sleep(1e9 if forever else plan.pause_s))
            unit.on_cancel(pause.cancel)
            await unit.wait(pause)
            unit.stamp_once(self._stamp, "first_chunk")
            yield chunk
        if plan.fails_after is not None:
            raise plan.error


def fake_chunks(
    unit_id: str, text: str, sizes: tuple[int, ...], *, times: bool = True
) -> list[PcmChunk]:
    """All of a unit, cut after ``sizes`` samples; none where no word can be said."""
    words = [word for word in as_read(text).split() if any(map(str.isalnum, word))]
    samples = np.repeat(np.array([number_of(word) for word in words], np.int16), WORD)
    spans = [
        Word(word.strip(".,!?"), at * WORD, (at + 1) * WORD)
        for at, word in enumerate(words)
        if times
    ]
    chunks, first = [], 0
    while first < len(samples):
        size = sizes[min(len(chunks), len(sizes) - 1)]
        stop = min(len(samples), first + size)
        begin = tuple(word for word in spans if first <= word.start < stop)
        chunks.append(PcmChunk(unit_id, first, samples[first:stop], begin))
        first = stop
    return chunks


async def heard(chunks: AsyncIterator[PcmChunk]) -> tuple[list[str], list[int]]:
    """The words reported of a unit, and the numbers of those that sound, a sample each; chunks
    that do not join are an error."""
    words: list[str] = []
    samples: list[int] = []
    async for chunk in chunks:
        assert chunk.first_sample == len(samples)
        assert len(chunk.samples)
        words += [word.text for word in chunk.words]
        samples += chunk.samples.tolist()
    return words, samples
