"""The engine's sessions behind one connection: one for each voice and speed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from speech.engine import HeardSession, PacedSession, SpeechEngine, SpeechSession

KEPT = 4
"""A conversation has one voice; who changes it with every unit opens it again."""


class Voices:
    """Opens a session for a voice when it is first asked for; keeps the last ``KEPT``."""

    def __init__(self, engine: SpeechEngine) -> None:
        self._engine = engine
        self._open: OrderedDict[tuple[str, float], SpeechSession] = OrderedDict()

    async def get(self, voice: str, speed: float) -> SpeechSession:
        """A session of this voice. Errors as in ``SpeechEngine.open``."""
        key = (voice, speed)
        session = self._open.get(key)
        if session is None:
            session = self._open[key] = await self._another(voice, speed)
        self._open.move_to_end(key)
        return session

    async def _another(self, voice: str, speed: float) -> SpeechSession:
        """However many voices a connection has, one listener hears them."""
        for session in self._open.values():
            if isinstance(session, PacedSession):
                return await session.beside(voice, speed)
        return await self._engine.open(voice, speed)

    async def spare(self, used: set[SpeechSession]) -> None:
        """Close what is over ``KEPT`` and not in ``used``."""
        for key in list(self._open)[:-KEPT]:
            if self._open[key] not in used:
                await self._open.pop(key).aclose()

    def played(self, ahead_s: float) -> None:
        """The listener has at least so much still to hear."""
        for session in self._heard():
            session.played(ahead_s)

    def cut(self) -> None:
        """The listener hears nothing of what was sent any more."""
        for session in self._heard():
            session.cut()

    def _heard(self) -> Iterator[HeardSession]:
        return (each for each in self._open.values() if isinstance(each, HeardSession))

    async def aclose(self) -> None:
        """Close them all, and so cancel what they say."""
        while self._open:
            _, session = self._open.popitem()
            await session.aclose()
