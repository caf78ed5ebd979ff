"""A conversation in version 1 of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from speech.engine import PcmChunk
from speech.engines.link import LinkEndedError
from speech.engines.remote.exchange import Exchange
from speech.engines.remote.incoming import IncomingUnit
from speech.errors import EngineError
from speech.line import AwaitedUnit
from speech.wire import (
    EVERY_UNIT,
    AudioFrame,
    Cancel,
    Closed,
    Credit,
    Draining,
    Ping,
    Pong,
    Ready,
    ServerMessage,
    Speak,
    WireError,
    encode,
    parse_server,
    unpack,
)

RATE_HZ = 24_000

CREDIT_MS = 3_000
"""What the server may send ahead of who reads. It bounds what waits on this side: 144 kB."""
CREDIT_STEP_MS = 250
"""Credit is given back in no smaller pieces: a message each would cost as much as the audio."""

QUIET_S = 2.0
"""A server that says nothing for so long is asked whether it is there,"""
PONG_S = 2.0
"""and is gone if it does not answer within this: a cable pulled, a process stopped."""

MARGIN_S = 30.0
"""A link whose end is nearer than this is given no unit: the longest takes less."""

KEEP_S = 20.0
"""Between two signs of life of one that waits: home routers forget a connection after 60 s."""

Begun = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Order:
    """What a server is asked to say; its first sound is due in ``due_s``, None: soon."""

    text: str
    voice: str
    speed: float
    due_s: float | None = None


class Talk(Protocol):
    """What a session needs of a conversation, in either version."""

    voices: tuple[str, ...]
    text_chars: int
    """The longest text the server takes."""
    keep_s: float
    """How often ``keep`` is due while nothing is said."""

    @property
    def usable(self) -> bool:
        """Whether another unit may be asked for."""
        ...

    def speak(
        self, unit: AwaitedUnit, order: Order, begun: Begun
    ) -> AsyncGenerator[PcmChunk, None]:
        """The unit's sound; ``begun`` is called when the server begins with it.

        Raises ``LinkEndedError`` where the conversation is of no more use, ``EngineError`` for
        a failed unit and ``UnitCancelled``.
        """
        ...

    def cut(self) -> None:
        """What has come is not heard; the server is told before the next unit."""
        ...

    async def keep(self) -> None:
        """Show the server that somebody is there; raises ``LinkEndedError`` where it is not."""
        ...

    async def aclose(self) -> None:
        """End it; idempotent."""
        ...


class Talk1:
    """A conversation that ``ready`` has begun."""

    def __init__(
        self, exchange: Exchange, ready: Ready, unit_timeout_s: float, clock: Callable[[], float]
    ) -> None:
        self._exchange, self._unit_timeout_s, self._clock = exchange, unit_timeout_s, clock
        self.voices, self.text_chars = tuple(sorted(ready.voices)), ready.limits.text_chars
        self._idle_s = ready.limits.idle_s
        self.keep_s = min(KEEP_S, self._idle_s / 3)
        lives = [ready.limits.session_s, exchange.lifetime_s or ready.limits.session_s]
        self._used_at = self._clock()
        self._ends_at = self._used_at + min(lives) - min(MARGIN_S, min(lives) / 10)
        self._units = 0
        self._owed = 0
        self._leaving = self._is_cut = False
        self._cancelling: set[asyncio.Task[None]] = set()

    @property
    def usable(self) -> bool:
        """See ``Talk``."""
        now = self._clock()
        idle = now - self._used_at >= self._idle_s - min(1.0, self._idle_s / 10)
        return not (self._exchange.ended or self._leaving or idle or now >= self._ends_at)

    async def speak(
        self, unit: AwaitedUnit, order: Order, begun: Begun
    ) -> AsyncGenerator[PcmChunk, None]:
        """See ``Talk``."""
        self._units += 1
        coming = IncomingUnit(unit.id, str(self._units))
        unit.on_cancel(partial(self._cancel, coming, str(self._units)))
        due_ms = None if order.due_s is None else round(order.due_s * 1000)
        if self._is_cut:
            self._is_cut = False
            await self._say(Cancel(EVERY_UNIT))
        await self._say(Speak(str(self._units), order.text, order.voice, order.speed, due_ms))
        heard_at = self._clock()
        while not coming.ended:
            came, ours = await self._next(unit, heard_at), True
            if not isinstance(came, AudioFrame):
                ours = coming.message(came)
                if coming.begun:
                    begun()
            elif (chunk := coming.frame(came)) is not None:
                try:
                    yield chunk
                finally:
                    self._owed += len(chunk.samples)
            else:  # late, of a unit that was cancelled: it was sent on credit too
                self._owed += len(came.samples)
                ours = False
            await self._give_credit()
            if ours:
                heard_at = self._clock()

    def cut(self) -> None:
        """See ``Talk``."""
        self._is_cut = self._units > 0

    async def keep(self) -> None:
        """See ``Talk``."""
        await self._say(Ping())
        until = self._clock() + PONG_S
        while (left_s := until - self._clock()) > 0:
            frame = await self._exchange.receive(left_s)
            if frame is not None and isinstance(self._taken(frame), Pong):
                return
        raise self._lost()

    async def aclose(self) -> None:
        """See ``Talk``."""
        await self._exchange.aclose()
        if self._cancelling:
            await asyncio.wait(self._cancelling)

    async def _next(self, unit: AwaitedUnit, heard_at: float) -> ServerMessage | AudioFrame:
        """What comes next. A server that is there but has brought nothing of the unit since
        ``heard_at`` costs the unit its life, one that does not answer is no more."""
        asked = False
        while True:
            left_s = heard_at + self._unit_timeout_s - self._clock()
            if left_s <= 0:
                raise EngineError(
                    f"no speech within {self._unit_timeout_s:g} s (tts.unit_timeout_s)"
                )
            wait_s = min(left_s, PONG_S if asked else QUIET_S)
            frame = await self._exchange.receive(wait_s, unit.done_within)
            if frame is not None:
                came = self._taken(frame)
                if not isinstance(came, Pong):
                    return came
                asked = False
            elif asked:
                raise self._lost()
            else:
                await self._say(Ping())
                asked = True

    def _lost(self) -> LinkEndedError:
        self._exchange.lost()
        return LinkEndedError("the speech server does not answer")

    def _taken(self, frame: str | bytes) -> ServerMessage | AudioFrame:
        """What a frame says. What the server says of the session is heeded here."""
        self._used_at = self._clock()
        try:
            came = parse_server(frame) if isinstance(frame, str) else unpack(frame)
        except WireError as error:
            raise LinkEndedError(f"the speech server cannot be understood: {error}") from error
        if isinstance(came, Draining):
            self._leaving = True
        if isinstance(came, Closed):
            raise LinkEndedError(f"the speech server ended the session ({came.reason})")
        return came

    async def _give_credit(self) -> None:
        ms = self._owed * 1000 // RATE_HZ
        if ms >= CREDIT_STEP_MS:
            self._owed -= ms * RATE_HZ // 1000
            await self._say(Credit(ms))

    def _cancel(self, coming: IncomingUnit, wire_id: str) -> None:
        """The unit is over for its listener; the server is told if it is not for it."""
        if coming.ended or self._exchange.ended:
            return
        coming.ended = True
        task = asyncio.create_task(self._say_cancel(wire_id), name="cancel unit")
        self._cancelling.add(task)
        task.add_done_callback(self._cancelling.discard)

    async def _say_cancel(self, wire_id: str) -> None:
        with suppress(LinkEndedError):  # with it ends the unit
            await self._say(Cancel(wire_id))

    async def _say(self, message: Speak | Cancel | Credit | Ping) -> None:
        self._used_at = self._clock()
        await self._exchange.send(encode(message))
