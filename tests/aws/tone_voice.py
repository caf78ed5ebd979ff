"""An engine behind a real speech server: a tone for each letter, at ten times real time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import numpy as np

from speech.engine import ENGINE_RATE_HZ, PcmChunk, Stamp, Word
from speech.engines.aws.chunks import Chunks
from speech.engines.aws.said import check_speed, plain
from speech.engines.ordered import OrderedSession
from speech.errors import EngineError, UnknownVoiceError
from speech.line import AwaitedUnit
from tests.aws.fake_voice import pieces

VOICES = ["af_heart", "am_adam"]
PACE = 10.0


class ToneVoice:
    """See ``SpeechEngine``. ``failing`` fails every unit after its first piece."""

    name, sample_rate = "tone", ENGINE_RATE_HZ

    def __init__(self) -> None:
        self.failing = False
        self.made_s = 0.0

    async def start(self) -> None: ...

    async def calibrate(self, voice: str) -> bool:
        return False

    def voices(self) -> list[str]:
        return VOICES

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> ToneSession:
        check_speed(speed)
        if voice not in VOICES:
            raise UnknownVoiceError(f"no voice {voice!r}; choose one of: {', '.join(VOICES)}")
        return ToneSession(self, speed)

    async def aclose(self) -> None: ...


class ToneSession(OrderedSession):
    def __init__(self, engine: ToneVoice, speed: float) -> None:
        super().__init__()
        self._engine, self._speed = engine, speed

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        chunks = Chunks(unit.id, ENGINE_RATE_HZ)
        for number, piece in enumerate(pieces(plain(text), ENGINE_RATE_HZ, self._speed)):
            if self._engine.failing and number:
                raise EngineError("the tone was told to fail")
            samples = np.frombuffer(piece, "<i2").astype(np.int16)
            seconds = len(samples) / ENGINE_RATE_HZ
            self._engine.made_s += seconds
            pause = asyncio.ensure_future(asyncio.sleep(seconds / PACE))
            unit.on_cancel(pause.cancel)
            await unit.wait(pause)
            for chunk in chunks.take(samples):
                first = chunk.first_sample
                words = (Word(f"word{number}", first, first + len(samples)),)
                yield PcmChunk(unit.id, first, chunk.samples, words)
