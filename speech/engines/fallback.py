"""Two engines as one: where the first fails, the second goes on with the next word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial

from loguru import logger

from speech.engine import HeardSession, PcmChunk, SpeechEngine, SpeechSession, Stamp
from speech.engines.handed import Handed, Playout
from speech.engines.ordered import OrderedSession
from speech.engines.reading import Reading, whole_words
from speech.engines.rest import Rest
from speech.errors import EngineError, UsageError
from speech.line import AwaitedUnit

PATIENCE_S = 3.0
"""For the first engine's next sound, when its listener has nothing left to hear: a reader takes
a longer silence for the end."""
TAKING_OVER_S = 1.0
"""What a second engine may need to its first sound; it is asked so much before silence."""


class FallbackEngine:
    """``first``, and ``second`` where that fails or is silent for ``patience_s``.

    In the middle of a unit the second goes on with the first word that was not handed on whole;
    where no word times are known it speaks the unit again from its start. The first then rests,
    for all sessions: see ``Rest``. ``second_voice`` is the second's; None: the voice asked for.
    Both have one sample rate.
    """

    def __init__(
        self,
        first: SpeechEngine,
        second: SpeechEngine,
        *,
        second_voice: str | None = None,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if first.sample_rate != second.sample_rate:
            raise UsageError(
                f"{second.name} speaks at {second.sample_rate} Hz and {first.name} at "
                f"{first.sample_rate} Hz; a fallback needs the same rate"
            )
        self.name, self.sample_rate = f"{first.name}, else {second.name}", first.sample_rate
        self.first, self.second, self.second_voice = first, second, second_voice
        self.patience_s, self.clock = patience_s, clock
        self.rest = Rest(clock)

    async def start(self) -> None:
        """Start both. Raises ``EngineError`` only where neither can speak."""
        await self._both(self.first.start(), self.second.start())

    def voices(self) -> list[str]:
        """Those of the first, as far as they are known; else the second's."""
        return self.first.voices() or self.second.voices()

    async def calibrate(self, voice: str) -> bool:
        """Both; errors as in ``start``, and those of ``open``."""
        second = self.second.calibrate(self.second_voice or voice)
        done = await self._both(self.first.calibrate(voice), second)
        return any(result is True for result in done)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> FallbackSession:
        """See ``SpeechEngine``; the second's voice is opened with the first's."""
        session = FallbackSession(self, voice, speed, stamp)
        await session.open()
        return session

    async def aclose(self) -> None:
        """See ``SpeechEngine``."""
        await self.first.aclose()
        await self.second.aclose()

    def failed(self, error: Exception) -> None:
        """The first did: it rests."""
        logger.warning("{} failed, {} speaks: {}", self.first.name, self.second.name, error)
        self.rest.failed(error)

    async def _both(self, first: Awaitable[object], second: Awaitable[object]) -> list[object]:
        results = await asyncio.gather(first, second, return_exceptions=True)
        errors = [result for result in results if isinstance(result, BaseException)]
        for error in errors:
            if len(errors) == len(results) or not isinstance(error, EngineError):
                raise error
        if isinstance(results[0], EngineError):
            self.failed(results[0])
        elif errors:
            logger.warning("the fallback {} cannot speak: {}", self.second.name, errors[0])
        return list(results)


class FallbackSession(OrderedSession):
    """See ``SpeechSession``."""

    def __init__(
        self, engine: FallbackEngine, voice: str, speed: float, stamp: Stamp | None
    ) -> None:
        super().__init__()
        self._engine, self._voice, self._speed = engine, voice, speed
        self._stamp = stamp or (lambda stage, unit_id: None)
        self._playout = Playout(engine.clock)
        self._first: SpeechSession | None = None
        self._second: SpeechSession | None = None

    async def open(self) -> None:
        """Open both engines' sessions; one that cannot is opened when it is needed.

        Raises ``UsageError``; and ``EngineError`` where neither can be opened.
        """
        if not self._engine.rest.resting:
            try:
                self._first = await self._open(self._engine.first, self._voice)
            except EngineError as error:
                self._engine.failed(error)
        try:
            self._second = await self._open_second()
        except EngineError:
            if self._first is None:
                raise

    def played(self, ahead_s: float) -> None:
        """See ``HeardSession``."""
        self._playout.plays(ahead_s)
        for session in self._heard:
            session.played(ahead_s)

    def cut(self) -> None:
        """See ``HeardSession``."""
        self._playout.cut()
        for session in self._heard:
            session.cut()

    async def aclose(self) -> None:
        """See ``SpeechSession``."""
        await super().aclose()
        for session in (self._first, self._second):
            if session is not None:
                await session.aclose()

    async def _open(self, engine: SpeechEngine, voice: str) -> SpeechSession:
        return await engine.open(voice, self._speed, stamp=self._stamp_once)

    async def _open_second(self) -> SpeechSession:
        engine = self._engine
        return await self._open(engine.second, engine.second_voice or self._voice)

    def _stamp_once(self, stage: str, unit_id: str) -> None:
        if self.spoken is not None and self.spoken.id == unit_id:
            self.spoken.stamp_once(self._stamp, stage)

    @property
    def _heard(self) -> list[HeardSession]:
        return [each for each in (self._first, self._second) if isinstance(each, HeardSession)]

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        handed = Handed(text, self._engine.sample_rate, self._playout)
        if not self._engine.rest.resting:
            try:
                async with aclosing(self._by_first(unit, text, handed)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                self._engine.rest.spoke()
                return
            # The text's fault, or the voice's: no rest for that. Some errors are of both kinds.
            except UsageError as error:
                logger.warning("{} does not speak this unit: {}", self._engine.first.name, error)
            except EngineError as error:
                if self.closed:
                    raise
                self._engine.failed(error)
        async with aclosing(self._by_second(unit, handed)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _by_first(
        self, unit: AwaitedUnit, text: str, handed: Handed
    ) -> AsyncGenerator[PcmChunk, None]:
        """The unit by the first engine, parted at words; raises ``EngineError`` when it stalls."""
        reading = self._reading(await self._opened_first(unit), unit, text)
        async with (
            aclosing(reading),
            aclosing(whole_words(reading, handed, self._patience_s)) as chunks,
        ):
            async for chunk in chunks:
                yield chunk

    def _reading(self, session: SpeechSession, unit: AwaitedUnit, text: str) -> Reading:
        unit.on_cancel(partial(session.cancel, unit.id))
        return Reading(session.speak(unit.id, text), unit)

    def _patience_s(self) -> float:
        """For the next chunk."""
        return max(self._engine.patience_s, self._playout.left_s() - TAKING_OVER_S)

    async def _opened_first(self, unit: AwaitedUnit) -> SpeechSession:
        if self._first is None:
            opening = asyncio.ensure_future(self._open(self._engine.first, self._voice))
            unit.on_cancel(opening.cancel)
            try:
                self._first = await unit.wait(opening, self._engine.patience_s)
            finally:
                opening.cancel()
        return self._first

    async def _by_second(self, unit: AwaitedUnit, handed: Handed) -> AsyncGenerator[PcmChunk, None]:
        """What the first has not said, by the second."""
        rest = handed.go_on()
        if not any(map(str.isalnum, rest)):
            return
        if self._second is None:
            self._second = await self._open_second()
        async with aclosing(self._reading(self._second, unit, rest)) as reading:
            while await reading.ready(None) and (chunk := reading.take()) is not None:
                for piece in handed.take_all(chunk):
                    yield piece
