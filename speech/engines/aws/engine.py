"""What every engine on Amazon's services does alike: starting once, checking, ending."""

from __future__ import annotations

import asyncio

from speech.engine import ENGINE_RATE_HZ, SpeechSession, Stamp
from speech.engines.aws.said import check_speed
from speech.errors import EngineError


class AwsEngine:
    """See ``SpeechEngine``; a subclass gives ``_start``, ``_check_voice``, ``_open``, ``_end``."""

    name = "aws"
    sample_rate = ENGINE_RATE_HZ

    def __init__(self) -> None:
        self._starting = asyncio.Lock()
        self._started = self._closed = False

    async def start(self) -> None:
        """Find what is installed, the credentials and the region.

        Raises ``UsageError`` and ``EngineRefusedError``.
        """
        async with self._starting:
            self._check_open()
            if not self._started:
                await self._start()
                self._started = True

    async def calibrate(self, voice: str) -> bool:
        """Nothing is to be measured."""
        self._check_voice(voice)
        await self.start()
        return False

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> SpeechSession:
        """See ``SpeechEngine``."""
        check_speed(speed)
        self._check_open()
        self._check_voice(voice)
        await self.start()
        return await self._open(voice, speed, stamp or _no_stamp)

    async def aclose(self) -> None:
        """See ``SpeechEngine``."""
        self._closed = True
        async with self._starting:
            if self._started:
                self._started = False
                await self._end()

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError("the speech engine is closed")

    async def _start(self) -> None:
        raise NotImplementedError

    def _check_voice(self, voice: str) -> None:
        raise NotImplementedError

    async def _open(self, voice: str, speed: float, stamp: Stamp) -> SpeechSession:
        raise NotImplementedError

    async def _end(self) -> None:
        raise NotImplementedError


def _no_stamp(stage: str, unit_id: str) -> None:
    pass
