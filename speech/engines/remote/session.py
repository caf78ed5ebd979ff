"""One conversation's voice at a speech server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from loguru import logger

from speech.engine import PcmChunk, Stamp, Word
from speech.engines.handed import Handed, Playout
from speech.engines.link import LinkEndedError
from speech.engines.ordered import OrderedSession
from speech.engines.reading import Reading, whole_words
from speech.engines.remote.hold import Hold
from speech.engines.remote.parts import parts
from speech.engines.remote.recovery import Recovery
from speech.engines.remote.talk import Order, Talk
from speech.errors import EngineBusyError
from speech.line import AwaitedUnit
from speech.text_clean import clean

if TYPE_CHECKING:
    from speech.engines.remote.engine import RemoteEngine

RELAXED_S = 1.0
"""A server takes a unit for due within about this; one whose listener has more to hear is told."""


class RemoteSession(OrderedSession):
    """See ``SpeechSession``. One unit at a time is at the server.

    A unit whose link ends is asked for again over another link, from the first word that was
    not handed on whole; where the server tells no word times the sound handed on is left out of
    the second attempt's. Units behind it wait here.
    """

    def __init__(self, engine: RemoteEngine, voice: str, speed: float, stamp: Stamp | None) -> None:
        super().__init__()
        self._engine, self._voice, self._speed = engine, voice, speed
        self._stamp = stamp or (lambda stage, unit_id: None)
        self._playout = Playout(engine.clock)
        self._hold = Hold(self, engine.let_go)

    def played(self, ahead_s: float) -> None:
        """See ``HeardSession``."""
        self._playout.plays(ahead_s)

    def cut(self) -> None:
        """See ``HeardSession``."""
        self._playout.cut()
        if self._hold.talk is not None:
            self._hold.talk.cut()

    async def aclose(self) -> None:
        """See ``SpeechSession``."""
        await super().aclose()
        await self._hold.aclose()

    async def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        done = 0
        for part in parts(clean(text), self._engine.text_chars):
            if not any(map(str.isalnum, part)):
                continue
            handed = Handed(part, self._engine.sample_rate, self._playout)
            async with aclosing(self._part(unit, part, handed)) as chunks:
                async for chunk in chunks:
                    unit.stamp_once(self._stamp, "first_chunk")
                    yield moved(chunk, done)
            done += handed.samples

    async def _part(
        self, unit: AwaitedUnit, text: str, handed: Handed
    ) -> AsyncGenerator[PcmChunk, None]:
        engine = self._engine
        recovery = Recovery(engine.recover_s, engine.clock, engine.chance)
        while True:
            before = handed.samples
            try:
                async with aclosing(self._attempt(unit, text, handed)) as chunks:
                    async for chunk in chunks:
                        yield chunk
                return
            except LinkEndedError as error:
                if handed.samples > before:
                    recovery.moved()
                pause_s = recovery.pause_s(error)
                logger.info("the speech server's link ended, the unit goes on: {}", error)
                self._hold.drop()
            except EngineBusyError as error:
                if not recovery.under_way:
                    raise
                pause_s = recovery.pause_s(error, error.retry_after_s)
            await _pause(unit, pause_s)
            text = handed.go_on()
            if not any(map(str.isalnum, text)):
                return

    async def _attempt(
        self, unit: AwaitedUnit, text: str, handed: Handed
    ) -> AsyncGenerator[PcmChunk, None]:
        talk = await self._usable_talk(unit)
        unit.on_cancel(self._drop_useless)
        begun = partial(unit.stamp_once, self._stamp, "synthesis_start")
        skip = 0 if handed.timed else handed.samples
        due_s = self._playout.left_s()
        order = Order(text, self._voice, self._speed, due_s if due_s >= RELAXED_S else None)
        spoken = talk.speak(unit, order, begun)
        reading = Reading(_behind(spoken, skip) if skip else spoken, unit)
        async with aclosing(reading), aclosing(whole_words(reading, handed)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _usable_talk(self, unit: AwaitedUnit) -> Talk:
        self._drop_useless()
        if self._hold.talk is None:
            opening = self._hold.opening(self._engine.talk())
            unit.on_cancel(opening.cancel)
            return await unit.wait(opening, self._engine.unit_timeout_s)
        return self._hold.talk

    def _drop_useless(self) -> None:
        """In version 0 only the end of its session stops a unit's computation."""
        if self._hold.talk is not None and not self._hold.talk.usable:
            self._hold.drop()


def moved(chunk: PcmChunk, samples: int) -> PcmChunk:
    """The chunk so many samples later."""
    words = tuple(Word(w.text, w.start + samples, w.end + samples) for w in chunk.words)
    return replace(chunk, first_sample=chunk.first_sample + samples, words=words)


async def _behind(
    chunks: AsyncGenerator[PcmChunk, None], skip: int
) -> AsyncGenerator[PcmChunk, None]:
    """The sound from sample ``skip`` on, counted from there."""
    async with aclosing(chunks):
        async for chunk in chunks:
            for kept in _kept(chunk, skip):
                yield moved(kept, -skip)


def _kept(chunk: PcmChunk, skip: int) -> Iterator[PcmChunk]:
    over = max(0, skip - chunk.first_sample)
    if over < len(chunk.samples):
        words = tuple(word for word in chunk.words if word.start >= skip)
        first = chunk.first_sample + over
        yield PcmChunk(chunk.unit_id, first, chunk.samples[over:], words)


async def _pause(unit: AwaitedUnit, seconds: float) -> None:
    pausing = asyncio.ensure_future(asyncio.sleep(seconds))
    unit.on_cancel(pausing.cancel)
    await unit.wait(pausing)
