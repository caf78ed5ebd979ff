"""Two ways of sharing one engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Protocol

from bench.tts.ours import Ours
from bench.tts.whole import speak_whole
from speech.engine import SpeechEngine, SpeechSession

RATE_HZ = 24_000


class Voice(Protocol):
    """One conversation's. ``speak`` is called as soon as a unit is known; it gives the seconds of
    each piece. Raises ``EngineBusyError`` where it is refused."""

    def speak(self, unit_id: str, text: str) -> AsyncIterator[float]: ...

    async def aclose(self) -> None: ...


class Strategy(Protocol):
    """A warm engine that is shared."""

    name: str

    async def open(self) -> Voice: ...

    @property
    def waiting(self) -> int:
        """Jobs, or requests, that wait now."""
        ...


class OurVoice:
    """A session of the engine."""

    def __init__(self, session: SpeechSession) -> None:
        self._session = session

    def speak(self, unit_id: str, text: str) -> AsyncIterator[float]:
        """As ``Voice.speak``."""
        return _lengths(self._session.speak(unit_id, text))

    async def aclose(self) -> None:
        """Close the session."""
        await self._session.aclose()


class Scheduled:
    """Ours: jobs by deadline, streamed."""

    name = "ours"

    def __init__(self, engine: SpeechEngine, voice: str) -> None:
        self._engine, self._voice = engine, voice

    async def open(self) -> OurVoice:
        """A session."""
        return OurVoice(await self._engine.open(self._voice))

    @property
    def waiting(self) -> int:
        """Jobs that wait."""
        worker: Any = getattr(self._engine, "worker", None)
        return len(worker.policy.waiting()) if worker else 0


class OverWire:
    """Ours, behind WebSockets: the engine is a server in another process."""

    name = "ours"

    def __init__(self, engine: SpeechEngine, voice: str) -> None:
        self._engine, self._voice = engine, voice
        self.waiting = 0

    async def open(self) -> WiredVoice:
        """A session."""
        return WiredVoice(self, await self._engine.open(self._voice))


class WiredVoice(OurVoice):
    """A session. From here a unit is seen to wait from its turn to its first sound."""

    def __init__(self, strategy: OverWire, session: SpeechSession) -> None:
        super().__init__(session)
        self._strategy = strategy

    def speak(self, unit_id: str, text: str) -> AsyncIterator[float]:
        """As ``Voice.speak``; where it is refused, that is raised once it is read."""
        return self._counted(_lengths(self._session.speak(unit_id, text)))

    async def _counted(self, pieces: AsyncGenerator[float]) -> AsyncGenerator[float]:
        waits = 1
        self._strategy.waiting += waits
        try:
            async with aclosing(pieces):
                async for seconds in pieces:
                    self._strategy.waiting -= waits
                    waits = 0
                    yield seconds
        finally:
            self._strategy.waiting -= waits


class OneLock:
    """As the reference does on its WebSocket: one lock, first come first served, and a unit is
    synthesised whole before its first byte is sent."""

    name = "one_lock"

    def __init__(self, engine: SpeechEngine, voice: str) -> None:
        self._engine, self._voice = engine, voice
        self._lock = asyncio.Lock()
        self.waiting = 0

    async def open(self) -> LockedVoice:
        """A session, for its voice."""
        session = await self._engine.open(self._voice)
        return LockedVoice(self, Ours(self.name, self._engine, session))

    async def whole(self, ours: Ours, text: str) -> float:
        """Speak a text, and tell its seconds once it is done."""
        self.waiting += 1
        try:
            async with self._lock:
                return len(await speak_whole(ours, text)) / RATE_HZ
        finally:
            self.waiting -= 1


class LockedVoice:
    """A session that asks for one unit after the other."""

    def __init__(self, strategy: OneLock, ours: Ours) -> None:
        self._strategy, self._ours = strategy, ours

    async def speak(self, unit_id: str, text: str) -> AsyncGenerator[float]:
        """As ``Voice.speak``; asks once it is read, as a client of one socket does."""
        yield await self._strategy.whole(self._ours, text)

    async def aclose(self) -> None:
        """Close the session."""
        await self._ours.session.aclose()


async def _lengths(chunks: Any) -> AsyncGenerator[float]:
    async with aclosing(chunks):
        async for chunk in chunks:
            yield len(chunk.samples) / RATE_HZ
