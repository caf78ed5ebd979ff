"""The one interface every speech engine implements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

ENGINE_RATE_HZ = 24_000
"""Kokoro's rate; an engine with another one says so in ``sample_rate``."""

Stamp = Callable[[str, str], None]
"""Called as ``stamp(stage, unit_id)`` when a unit reaches a timeline stage; may come
from a worker thread. Stages: ``synthesis_start``, ``first_chunk``."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the unit as the text writes it, and the samples it is heard in.

    ``start``/``end`` count from the unit's first sample, at the engine's rate.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PcmChunk:
    """A run of int16 mono samples of one unit.

    ``first_sample`` counts from the unit's first sample; chunks of a unit are
    contiguous and in order. ``words`` are those that *begin* in this chunk and may be
    empty where an engine knows no word times. A word that is said in several ("$1,250") comes
    with the chunk that its last one begins in.
    """

    unit_id: str
    first_sample: int
    samples: NDArray[np.int16]
    words: tuple[Word, ...] = field(default=())


class SpeechSession(Protocol):
    """One conversation's voice: units are spoken one at a time, in order of the calls."""

    def speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        """Stream the unit's audio.

        Text without anything speakable yields nothing. Closing the iterator or cancelling
        the task that reads it equals ``cancel(unit_id)``. Raises ``EngineError`` when
        synthesis fails; the session stays usable.
        """
        ...

    def cancel(self, unit_id: str) -> None:
        """Stop the unit's computation, not only its delivery; idempotent, never blocks.

        Its iterator ends without an error. Unknown and finished ids are ignored.
        """
        ...

    async def aclose(self) -> None:
        """Cancel what runs and release the session; idempotent."""
        ...


@runtime_checkable
class HeardSession(SpeechSession, Protocol):
    """A session that is told about its listener.

    Who does not know may leave both out: all is then taken to be heard, in real time from the
    moment it was handed on.
    """

    def played(self, ahead_s: float) -> None:
        """The listener has at least so much of what was handed on still to hear, now: playing
        began late, or has paused."""
        ...

    def cut(self) -> None:
        """What was handed on and is not yet heard has been thrown away."""
        ...


@runtime_checkable
class PacedSession(HeardSession, Protocol):
    """A session of an engine that shares one machine between listeners (docs/scheduler.md)."""

    def speak(
        self, unit_id: str, text: str, *, first_audio_s: float | None = None
    ) -> AsyncIterator[PcmChunk]:
        """As ``SpeechSession.speak``, its first sound due so soon. Best called as soon as the unit
        is known, though the one before it is not over: what is known to come can be planned for.

        Raises, before anything is queued, ``EngineBusyError`` where the engine has ``limits`` and
        cannot keep its promises with one unit more, and ``UsageError`` for too long a text.
        """
        ...

    async def beside(self, voice: str, speed: float = 1.0) -> PacedSession:
        """A session with another voice for the same listener, who hears the units of both one
        after the other. Errors as in ``SpeechEngine.open``."""
        ...

    def credit(self, seconds: float) -> None:
        """So much more sound may be made. From the first call on nothing is made without credit;
        the last stretch may exceed it, and is then owed."""
        ...


class SpeechEngine(Protocol):
    """A warm model (or connection) shared by many sessions."""

    name: str
    sample_rate: int

    async def start(self) -> None:
        """Load and warm up, off the event loop; later calls return at once."""
        ...

    def voices(self) -> list[str]:
        """Names ``open`` accepts, sorted."""
        ...

    async def calibrate(self, voice: str) -> bool:
        """Start, and do what this voice needs done once so that it speaks without delay.

        May take some seconds the first time; False where nothing was to be done. Errors as
        in ``open``.
        """
        ...

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpeechSession:
        """A session with this voice; ``speed`` 0.5 to 2.0.

        Raises ``UnknownVoiceError`` (with the list of voices) or ``UsageError`` (speed).
        """
        ...

    async def aclose(self) -> None:
        """End every session and free the model; idempotent."""
        ...
