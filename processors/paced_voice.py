"""The engine's voice, asked for no more than its listener has room for."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from speech.engine import HeardSession, PcmChunk, SpeechEngine, SpeechSession, Stamp
from speech.errors import EngineError
from speech.lead import Lead

POSITION_S = 0.3
"""A listener's position is told in steps, and late: it may have played so much more by now."""


class PacedVoice:
    """One conversation's session of an engine, and how far its listener is behind.

    Without ``lead`` nothing is waited for and nothing told.
    """

    def __init__(self, engine: SpeechEngine, name: str, speed: float, lead: Lead | None) -> None:
        self._engine, self._name, self._speed, self._lead = engine, name, speed, lead
        self._session: SpeechSession | None = None
        self._running: str | None = None

    async def open(self, stamp: Stamp) -> None:
        """Errors as in ``SpeechEngine.open``."""
        self._session = await self._engine.open(self._name, self._speed, stamp=stamp)

    async def aclose(self) -> None:
        """What it computes is cancelled; idempotent."""
        session, self._session = self._session, None
        if session is not None:
            await session.aclose()

    async def room(self) -> None:
        """Wait until the listener is near enough; an interruption cancels who waits."""
        if self._lead is None:
            return
        await self._lead.room()
        if isinstance(self._session, HeardSession):
            self._session.played(max(0.0, self._lead.ahead_s - POSITION_S))

    def made(self, seconds: float) -> None:
        """So much sound is on its way to the listener."""
        if self._lead is not None:
            self._lead.made(seconds)

    async def speak(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk, None]:
        """The engine's chunks; whatever ends the reading ends the computation."""
        if self._session is None:
            raise EngineError("the voice is closed")
        self._running = unit_id
        try:
            async for chunk in self._session.speak(unit_id, text):
                yield chunk
        finally:
            if self._running == unit_id:
                self._running = None
            self._cancel(unit_id)

    def stop(self) -> None:
        """End the computation, should its reader not be unwound yet."""
        if self._running is not None:
            self._cancel(self._running)

    def _cancel(self, unit_id: str) -> None:
        if self._session is not None:
            self._session.cancel(unit_id)

    def cut(self) -> None:
        """What is on its way will not be heard."""
        if self._lead is not None:
            self._lead.cut()
        if isinstance(self._session, HeardSession):
            self._session.cut()
