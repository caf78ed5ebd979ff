"""A speech server as an engine."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import Callable

from speech.engine import Stamp
from speech.engines.link import Connect, LinkEndedError
from speech.engines.remote.greet import Protocol, greet
from speech.engines.remote.session import RemoteSession
from speech.engines.remote.spare import Spare
from speech.engines.remote.talk import RATE_HZ, Talk, Talk1
from speech.errors import (
    EngineBusyError,
    EngineError,
    EngineRefusedError,
    UnknownVoiceError,
    UsageError,
)
from speech.jitter import Chance, chance
from speech.kokoro.blend import parse_blend

MIN_SPEED, MAX_SPEED = 0.5, 2.0
RECOVER_S = 10.0
"""A server that is started anew has loaded its model within this."""


class RemoteEngine:
    """See ``SpeechEngine``: Kokoro behind ``connect``, in either version of the protocol.

    ``protocol`` fixes the version. ``unit_timeout_s`` bounds the wait for each next piece of a
    unit, ``recover_s`` how long a link that ended is tried to be replaced. ``spare`` keeps a
    connection ready (see ``Spare``).
    """

    sample_rate = RATE_HZ

    def __init__(
        self,
        name: str,
        connect: Connect,
        *,
        protocol: Protocol = "auto",
        unit_timeout_s: float = 60.0,
        recover_s: float = RECOVER_S,
        spare: bool = True,
        clock: Callable[[], float] = time.monotonic,
        chance: Chance = chance,
    ) -> None:
        self.name, self.recover_s, self.unit_timeout_s = name, recover_s, unit_timeout_s
        self.clock, self.chance = clock, chance
        self._connect, self._protocol = connect, protocol
        self._spare = Spare(self._greet, ready=spare)
        self._sessions: weakref.WeakSet[RemoteSession] = weakref.WeakSet()
        self._starting = asyncio.Lock()
        self._closed = False
        self._says_hello = False
        self._voices: tuple[str, ...] = ()
        self.text_chars = 0

    async def start(self) -> None:
        """Connect and learn the voices; raises what ``Connect`` raises."""
        async with self._starting:
            self._check_open()
            if not self._voices:
                self._spare.give_back(await self._greet())

    def voices(self) -> list[str]:
        """Those of the server; none before ``start``."""
        return list(self._voices)

    async def calibrate(self, voice: str) -> bool:
        """Nothing to do here: the server has measured its voices."""
        await self.start()
        self._check_voice(voice)
        return False

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> RemoteSession:
        """See ``SpeechEngine``. The first unit takes the spare connection."""
        if not (math.isfinite(speed) and MIN_SPEED <= speed <= MAX_SPEED):
            raise UsageError(f"speed is {speed:g}; give {MIN_SPEED} to {MAX_SPEED}")
        await self.start()
        self._check_voice(voice)
        session = RemoteSession(self, voice, speed, stamp)
        self._sessions.add(session)
        return session

    async def talk(self) -> Talk:
        """A conversation for a session.

        Raises ``LinkEndedError`` where none could be opened just now, else as ``Connect``.
        """
        self._check_open()
        try:
            return await self._spare.take()
        except (EngineBusyError, EngineRefusedError, LinkEndedError):
            raise
        except EngineError as error:
            raise LinkEndedError(str(error)) from error

    def let_go(self, talk: Talk) -> None:
        """A conversation of no more use is closed, and nobody waits for it."""
        self._spare.let_go(talk)

    async def aclose(self) -> None:
        """See ``SpeechEngine``."""
        self._closed = True
        await asyncio.gather(*(session.aclose() for session in self._sessions))
        await self._spare.aclose()

    async def _greet(self) -> Talk:
        # Who once said hello is no reference's container because a link breaks at the greeting.
        protocol = 1 if self._says_hello else self._protocol
        talk = await greet(self._connect, protocol, self.unit_timeout_s, self.clock)
        self._says_hello = isinstance(talk, Talk1)
        self._voices, self.text_chars = talk.voices, talk.text_chars
        return talk

    def _check_open(self) -> None:
        if self._closed:
            raise EngineError("the speech engine is closed")

    def _check_voice(self, voice: str) -> None:
        try:
            unknown = [part.voice for part in parse_blend(voice) if part.voice not in self._voices]
        except UsageError:
            unknown = [voice]
        if unknown:
            there = ", ".join(self._voices)
            raise UnknownVoiceError(f"there is no voice {unknown[0]!r}; there are: {there}")
