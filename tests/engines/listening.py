"""What the suite does with audio: collect it, transcribe it, see the processor idle."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

import jiwer
import numpy as np

from speech.audio.pcm import int16_to_float
from speech.audio.resample import resample
from speech.engine import PcmChunk
from speech.models.store import models_root
from tests.support import require

_IDLE_SHARE = 0.2
"""Of one core, over a window; a computing unit takes more than half of one even on a
shared machine, and would go on for tens of seconds."""
_WINDOW_S = 0.3


class Stamps:
    """Records the stages units reach, from any thread, and lets a test wait for one."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    def __call__(self, stage: str, unit_id: str) -> None:
        self.seen.append((stage, unit_id))
        self._loop.call_soon_threadsafe(self._news.set)

    async def synthesis_of(self, unit_id: str) -> None:
        """Return once the unit is being computed."""
        while ("synthesis_start", unit_id) not in self.seen:
            self._news.clear()
            await self._news.wait()


async def collect(chunks: AsyncIterator[PcmChunk]) -> list[PcmChunk]:
    """All chunks of a unit."""
    return [chunk async for chunk in chunks]


def joined(chunks: list[PcmChunk]) -> np.ndarray:
    """The samples of a unit."""
    return np.concatenate([chunk.samples for chunk in chunks])


@cache
def _whisper() -> Any:
    from faster_whisper import WhisperModel

    folder = models_root() / "whisper-tiny.en"
    require((folder / "model.bin").is_file(), "whisper-tiny.en: earshot models pull")
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)


def word_error_rate(text: str, samples: np.ndarray, rate_hz: int) -> float:
    """Of what whisper tiny.en hears against the text, letter case and marks aside."""
    audio = int16_to_float(resample(samples, rate_hz, 16_000))
    segments, _ = _whisper().transcribe(audio, language="en", beam_size=1)
    heard = " ".join(segment.text for segment in segments)
    return float(jiwer.wer(_plain(text), _plain(heard) or "nothing"))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z']+", text.lower()))


async def until_idle() -> None:
    """Return once this process has stopped computing; the caller's timeout is the failure."""
    while True:
        wall, processor = time.monotonic(), time.process_time()
        await asyncio.sleep(_WINDOW_S)
        share = (time.process_time() - processor) / (time.monotonic() - wall)
        if share < _IDLE_SHARE:
            return
