"""What is measured: something that speaks a text in pieces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bench.playback import Arrival
from bench.signal import lead_silence_s
from speech.errors import EarshotError

RATE_HZ = 24_000
UNIT_TIMEOUT_S = 180.0
_WINDOW_S = 0.05
_IDLE_SHARE = 0.1
"""Of one core: the benchmark itself takes less while it waits."""
_SETTLE_LIMIT_S = 60.0

Pcm = NDArray[np.int16]


class Contestant(Protocol):
    """A warm engine. ``speak`` yields int16 mono at 24 kHz; closing it cancels the unit."""

    name: str

    def speak(self, text: str) -> AsyncGenerator[Pcm]:
        """The text's audio, in the pieces a player would get."""
        ...


@dataclass(frozen=True)
class Spoken:
    """A text spoken: its pieces and when they came, in seconds since it was asked for."""

    pieces: list[Pcm]
    arrivals: list[Arrival]

    @property
    def first_s(self) -> float:
        return self.arrivals[0].at_s

    @property
    def total_s(self) -> float:
        return self.arrivals[-1].at_s

    @property
    def samples(self) -> Pcm:
        return np.concatenate(self.pieces)

    @property
    def borders(self) -> list[int]:
        """Index of the first sample of every piece but the first."""
        return [int(end) for end in np.cumsum([len(piece) for piece in self.pieces])[:-1]]

    @property
    def audible_s(self) -> float | None:
        """When the first audible sample could be heard: silence sent first is waited for."""
        silence_s = lead_silence_s(self.samples, RATE_HZ)
        return None if silence_s is None else self.first_s + silence_s


async def listen(contestant: Contestant, text: str, begun: float | None = None) -> Spoken:
    """Have the text spoken and take the pieces as fast as they come.

    Times count from ``begun`` (monotonic), by default from the call. Raises
    ``EarshotError`` where nothing comes, or not all of it in time.
    """
    begun = time.monotonic() if begun is None else begun
    pieces: list[Pcm] = []
    arrivals: list[Arrival] = []
    try:
        async with asyncio.timeout(UNIT_TIMEOUT_S), aclosing(contestant.speak(text)) as audio:
            async for piece in audio:
                pieces.append(piece)
                arrivals.append(Arrival(time.monotonic() - begun, len(piece) / RATE_HZ))
    except TimeoutError:
        raise EarshotError(
            f"{contestant.name} took longer than {UNIT_TIMEOUT_S:g} s for one text"
        ) from None
    if not pieces:
        raise EarshotError(f"{contestant.name} gave no audio")
    return Spoken(pieces, arrivals)


async def settle() -> None:
    """Return once this process computes nothing, so that nobody pays for the one before.

    onnxruntime's threads spin for a while after a run, and a peer's cancelled unit goes on.
    Raises ``EarshotError`` where that never ends.
    """
    give_up = time.monotonic() + _SETTLE_LIMIT_S
    while await processor_s(_WINDOW_S) > _IDLE_SHARE * _WINDOW_S:
        if time.monotonic() > give_up:
            raise EarshotError(f"an engine still computes after {_SETTLE_LIMIT_S:g} s of rest")


async def processor_s(seconds: float) -> float:
    """Processor seconds, of all threads, that this process spends in the next ``seconds``."""
    before = time.process_time()
    await asyncio.sleep(seconds)
    return time.process_time() - before
