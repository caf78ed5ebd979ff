"""What the routes share: the engine, who may come in, and the end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Protocol

from server.speech.changed import Changed
from server.speech.limits import ServerLimits
from server.speech.metrics import Metrics
from speech.engine import SpeechEngine, SpeechSession
from speech.errors import UnknownVoiceError
from speech.wire.service import Reason

REFERENCE_VOICE = "af_heart"
RETRY_AFTER_S = 1.0
"""Where the engine cannot say better."""


class Saturated(Exception):
    """The server has as many requests or sessions as it takes, or is not taking any."""

    def __init__(self, why: str, depth: int, most: int) -> None:
        super().__init__(why)
        self.why, self.depth, self.most = why, depth, most
        self.retry_after_s = RETRY_AFTER_S


class Ending(Protocol):
    """A session, as the server that stops sees it."""

    def end(self, reason: Reason) -> None:
        """Take no new units, say the queued ones, close."""


class SpeechService:
    """One engine for all who come; ``ready`` between ``start`` and ``drain``."""

    def __init__(
        self,
        engine: SpeechEngine,
        limits: ServerLimits | None = None,
        *,
        voice: str | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        self.engine, self.limits = engine, limits or ServerLimits()
        self.metrics = metrics or Metrics()
        self._voice = voice
        self._sessions: set[Ending] = set()
        self._requests = 0
        self._changed = Changed()
        self.ready = self.draining = False

    @property
    def model(self) -> str:
        return self.engine.name

    @property
    def voice(self) -> str:
        """Of those who name none: the configured one, the reference's, or the first there is."""
        names = self.engine.voices()
        wanted = self._voice or REFERENCE_VOICE
        return wanted if self._voice or wanted in names or not names else names[0]

    def check_voice(self, voice: str) -> None:
        """Raise ``UnknownVoiceError`` for a plain name that is none, without asking the engine.

        It would look for the voice in its turn, behind what it computes. A mix is in no list.
        """
        names = self.engine.voices()
        if voice.isidentifier() and voice not in names:
            raise UnknownVoiceError(f"no such voice; there are {', '.join(names)}")

    @property
    def requests(self) -> int:
        """HTTP requests being answered."""
        return self._requests

    def be_ready(self) -> None:
        """Let everyone in: the engine is warm."""
        self.ready = True
        self.metrics.ready.set(1)

    @contextlib.contextmanager
    def request(self) -> Iterator[None]:
        """A place for the length of the block, whatever ends it. Raises ``Saturated``."""
        self._check(self._requests, self.limits.requests, "queue_saturated")
        self._requests += 1
        self.metrics.in_flight.set(self._requests)
        try:
            yield
        finally:
            self._requests -= 1
            self.metrics.in_flight.set(self._requests)
            self._changed.notify()

    @contextlib.contextmanager
    def session(self, session: Ending) -> Iterator[None]:
        """As ``request``, for a WebSocket."""
        self._check(len(self._sessions), self.limits.sessions, "too_many_sessions")
        self._sessions.add(session)
        self.metrics.sessions.set(len(self._sessions))
        try:
            yield
        finally:
            self._sessions.discard(session)
            self.metrics.sessions.set(len(self._sessions))
            self._changed.notify()

    @asynccontextmanager
    async def speaking(self, voice: str, speed: float) -> AsyncIterator[SpeechSession]:
        """A session of the engine for the length of the block. Errors as in ``open``."""
        session = await self.engine.open(voice, speed)
        try:
            yield session
        finally:
            await session.aclose()

    async def drain(self) -> bool:
        """Take nothing new and let what is being said end; False where it did not in time."""
        self.ready, self.draining = False, True
        self.metrics.ready.set(0)
        for session in list(self._sessions):
            session.end("draining")
        try:
            async with asyncio.timeout(self.limits.drain_s):
                while self._sessions or self._requests:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def _check(self, depth: int, most: int, why: str) -> None:
        if not self.ready:
            why = "draining" if self.draining else "not_ready"
        elif not 0 < most <= depth:
            return
        self.metrics.refused.labels(why).inc()
        raise Saturated(why, depth, most)
