"""A conversation in version 0: the reference container's messages."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator

import numpy as np

from speech.engine import PcmChunk
from speech.engines.link import LinkEndedError
from speech.engines.remote.exchange import Exchange
from speech.engines.remote.talk import KEEP_S, MARGIN_S, RATE_HZ, Begun, Order
from speech.engines.remote.told import code_in, says
from speech.errors import EngineBusyError, EngineError
from speech.line import AwaitedUnit
from speech.wire import (
    SynthesisComplete,
    SynthesisError,
    SynthesisStart,
    Synthesize,
    WireError,
    encode,
    parse_server_0,
)

VOICES_0 = tuple(
    [f"af_{name}" for name in ("alloy", "aoede", "bella", "heart", "jessica", "kore", "nicole",
                               "nova", "river", "sarah", "sky")]
    + [f"am_{name}" for name in ("adam", "echo", "eric", "fenrir", "liam", "michael", "onyx",
                                 "puck", "santa")]
)  # fmt: skip
"""Those of the reference container, which tells no list (notes on its contract, §1.1)."""

FULL = ("queue_saturated", "queue_full", "too_many_requests")
"""Refusals, inside its error messages."""

LONGEST_CHARS = 4_000
"""It knows no limit, and synthesises a text to its end before the first byte."""


class Talk0:
    """No word times, no cancel, no credit: what is cancelled ends with its conversation, and
    what is not read waits in the connection."""

    voices = VOICES_0
    text_chars = LONGEST_CHARS
    keep_s = KEEP_S

    def __init__(
        self, exchange: Exchange, unit_timeout_s: float, clock: Callable[[], float]
    ) -> None:
        self._exchange, self._unit_timeout_s, self._clock = exchange, unit_timeout_s, clock
        life_s = exchange.lifetime_s
        self._ends_at = None if life_s is None else self._clock() + life_s - MARGIN_S
        self._units = 0
        self._open: str | None = None

    @property
    def usable(self) -> bool:
        """See ``Talk``."""
        over = self._ends_at is not None and self._clock() >= self._ends_at
        return not (self._exchange.ended or over or self._open)

    async def speak(
        self, unit: AwaitedUnit, order: Order, begun: Begun
    ) -> AsyncGenerator[PcmChunk, None]:
        """See ``Talk``."""
        self._units += 1
        self._open = str(self._units)
        request = Synthesize(order.text, order.voice, order.speed, self._open, RATE_HZ)
        await self._exchange.send(encode(request))
        samples, odd = 0, b""
        while self._open:
            frame = await self._exchange.receive(self._unit_timeout_s, unit.done_within)
            if frame is None:
                self._exchange.lost()
                raise EngineError(
                    f"no speech within {self._unit_timeout_s:g} s (tts.unit_timeout_s)"
                )
            if isinstance(frame, str):
                self._read(frame, begun)
                continue
            data = odd + frame
            odd = data[len(data) - len(data) % 2 :]
            for chunk in _chunks(unit.id, samples, data):
                samples += len(chunk.samples)
                yield chunk
        if not samples:  # nor would a reference's container say so where it has failed
            raise EngineError("no sound in the speech server's answer")

    def cut(self) -> None:
        """Nothing to say: a unit's first sound is always due at once."""

    async def keep(self) -> None:
        """Nothing to say: the connection has its own signs of life."""

    async def aclose(self) -> None:
        """See ``Talk``."""
        await self._exchange.aclose()

    def _read(self, text: str, begun: Begun) -> None:
        try:
            message = parse_server_0(text)
        except WireError as error:
            raise LinkEndedError(f"the speech server cannot be understood: {error}") from error
        match message:
            case SynthesisStart():
                begun()
            case SynthesisComplete():
                self._open = None
            case SynthesisError():
                self._open = None
                raise _failure(message.message)


def _failure(said: str) -> EngineError:
    if any(word in said for word in FULL):
        return EngineBusyError("the speech server is busy")
    return EngineError(says(code_in(said)))


def _chunks(unit_id: str, first: int, data: bytes) -> Iterator[PcmChunk]:
    samples = np.frombuffer(data[: len(data) - len(data) % 2], "<i2").astype(np.int16)
    for start in range(0, len(samples), RATE_HZ):
        yield PcmChunk(unit_id, first + start, samples[start : start + RATE_HZ])
