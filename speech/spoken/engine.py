"""An engine that says what is meant: any engine, behind the normaliser."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

from speech.engine import (
    HeardSession,
    PacedSession,
    PcmChunk,
    SpeechEngine,
    SpeechSession,
    Stamp,
)
from speech.kokoro.languages import language_of
from speech.spoken.normalizer import Normalizer
from speech.spoken.word_map import WordMap

_EVERYTHING = "5 km, $5.50, 3/4/2025, 1st, 10:30, 50 %"
"""Read once ahead: the libraries for numbers and names take up to half a second to load."""


class SpokenEngine:
    """``engine``, given the spoken text of each unit and reporting the written words.

    ``language`` tells the language of a voice; ``say`` and ``no_read`` as in ``Normalizer``.
    """

    def __init__(
        self,
        engine: SpeechEngine,
        *,
        say: Mapping[str, str] | None = None,
        no_read: Iterable[str] = (),
        language: Callable[[str], str] = language_of,
    ) -> None:
        self.engine = engine
        self.name, self.sample_rate = engine.name, engine.sample_rate
        self._say, self._no_read, self._language = say, tuple(no_read), language
        self._normalizers: dict[str, Normalizer] = {}
        Normalizer("", self._say, self._no_read)  # a bad pattern is an error now

    async def start(self) -> None:
        """See ``SpeechEngine``."""
        await self.engine.start()

    def voices(self) -> list[str]:
        """See ``SpeechEngine``."""
        return self.engine.voices()

    async def calibrate(self, voice: str) -> bool:
        """See ``SpeechEngine``."""
        return await self.engine.calibrate(voice)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpokenSession:
        """See ``SpeechEngine``; a language's rules are loaded with its first voice."""
        normalizer = await self.normalizer(voice)
        session = await self.engine.open(voice, speed, stamp=stamp)
        if isinstance(session, PacedSession):
            return PacedSpokenSession(session, normalizer, self)
        return SpokenSession(session, normalizer)

    async def aclose(self) -> None:
        """See ``SpeechEngine``."""
        await self.engine.aclose()

    async def normalizer(self, voice: str) -> Normalizer:
        """What says the texts of this voice; kept."""
        return await asyncio.to_thread(self._normalizer, self._language(voice))

    def _normalizer(self, language: str) -> Normalizer:
        if language not in self._normalizers:
            normalizer = Normalizer(language, self._say, self._no_read)
            normalizer(_EVERYTHING)
            self._normalizers[language] = normalizer
        return self._normalizers[language]


class SpokenSession:
    """See ``SpeechSession``; ``session`` is the engine's."""

    def __init__(self, session: SpeechSession, normalizer: Normalizer) -> None:
        self.session, self._normalize = session, normalizer

    def speak(self, unit_id: str, text: str) -> AsyncIterator[PcmChunk]:
        """The audio of what is said for the text, with the words of the text."""
        return self._spoken(text, partial(self.session.speak, unit_id))

    def _spoken(
        self, text: str, speak: Callable[[str], AsyncIterator[PcmChunk]]
    ) -> AsyncIterator[PcmChunk]:
        spoken = self._normalize(text)
        if not spoken.text:
            return _nothing()
        # Asked for now and not when it is read, so that a cancel before that is not lost.
        chunks = speak(spoken.text)
        return chunks if spoken.text == text else _mapped(chunks, WordMap(text, spoken))

    def cancel(self, unit_id: str) -> None:
        """See ``SpeechSession``."""
        self.session.cancel(unit_id)

    async def aclose(self) -> None:
        """See ``SpeechSession``."""
        await self.session.aclose()

    def played(self, ahead_s: float) -> None:
        """See ``HeardSession``."""
        if isinstance(self.session, HeardSession):
            self.session.played(ahead_s)

    def cut(self) -> None:
        """See ``HeardSession``."""
        if isinstance(self.session, HeardSession):
            self.session.cut()


class PacedSpokenSession(SpokenSession):
    """See ``PacedSession``."""

    session: PacedSession

    def __init__(self, session: PacedSession, normalizer: Normalizer, engine: SpokenEngine) -> None:
        super().__init__(session, normalizer)
        self._engine = engine

    async def beside(self, voice: str, speed: float = 1.0) -> PacedSpokenSession:
        """See ``PacedSession``."""
        normalizer = await self._engine.normalizer(voice)
        session = await self.session.beside(voice, speed)
        return PacedSpokenSession(session, normalizer, self._engine)

    def speak(
        self, unit_id: str, text: str, *, first_audio_s: float | None = None
    ) -> AsyncIterator[PcmChunk]:
        """The audio of what is said for the text, with the words of the text."""
        speak = partial(self.session.speak, unit_id, first_audio_s=first_audio_s)
        return self._spoken(text, speak)

    def credit(self, seconds: float) -> None:
        """See ``PacedSession``."""
        self.session.credit(seconds)


async def _nothing() -> AsyncGenerator[PcmChunk, None]:
    return
    yield


async def _mapped(
    chunks: AsyncIterator[PcmChunk], words: WordMap
) -> AsyncGenerator[PcmChunk, None]:
    try:
        async for chunk in chunks:
            written = [done for word in chunk.words for done in words.take(word)]
            yield replace(chunk, words=tuple(written))
    finally:
        if isinstance(chunks, AsyncGenerator):
            await chunks.aclose()
