"""One conversation's voice."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from speech.engine import PcmChunk, Stamp
from speech.errors import EngineError
from speech.kokoro.alignment import WordAligner
from speech.kokoro.delivery import SAMPLE_RATE_HZ, Delivery
from speech.kokoro.g2p import Phonemizer, ids_of, split
from speech.kokoro.planner import ChunkPlanner, Playout
from speech.kokoro.silence import is_quiet
from speech.kokoro.statistics import VoiceStatistics
from speech.kokoro.streaming import (
    SAMPLES_PER_FRAME,
    Statistics,
    StreamingKokoro,
    Utterance,
)
from speech.kokoro.unit import Unit
from speech.kokoro.voices import Voice, style_for
from speech.kokoro.windows import Passage, Window, passage, windows
from speech.kokoro.word_times import PieceWords, leading_silence, trailing_silence
from speech.line import Line, UnitCancelled

if TYPE_CHECKING:
    from speech.kokoro.engine import KokoroEngine

T = TypeVar("T")
Audio = NDArray[np.float32]

SHORT_FRAMES = 130
"""1.6 s: shorter units are computed whole with their own statistics, which differ most there."""

SILENT_FRAMES = 6
"""75 ms: about what is computed before the first sound and cut off again."""


class KokoroSession:
    """See ``speech.engine.SpeechSession`` for the promises."""

    def __init__(
        self,
        engine: KokoroEngine,
        voice: Voice,
        statistics: VoiceStatistics,
        language: str,
        speed: float,
        stamp: Stamp,
    ) -> None:
        self._engine, self._voice, self._statistics = engine, voice, statistics
        self._language, self._speed, self._stamp = language, speed, stamp
        self._line = Line()
        self._playout = Playout()
        # Weak: a unit lives as long as its iterator does.
        self._units: weakref.WeakSet[Unit] = weakref.WeakSet()
        self._closed = False

    def speak(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk]:
        """The unit's audio, the first chunk long before the last is computed."""
        unit = Unit(unit_id)
        self._units.add(unit)
        return self._speak(unit, text)

    def cancel(self, unit_id: str) -> None:
        """Stop every unit of this id; takes effect within some tens of milliseconds."""
        for unit in [unit for unit in self._units if unit.id == unit_id]:
            unit.cancel()
            self._playout.clear()

    async def aclose(self) -> None:
        """Cancel all units; later ones are refused."""
        self._closed = True
        for unit in list(self._units):
            unit.cancel()

    async def _speak(self, unit: Unit, text: str) -> AsyncGenerator[PcmChunk]:
        if unit.cancelled:
            return
        if self._closed:
            raise EngineError("the speech session is closed")
        place = self._line.join()
        unit.on_cancel(partial(self._line.leave, place))
        try:
            await unit.wait(place)
            async with aclosing(self._unit(unit, text)) as chunks:
                async for chunk in chunks:
                    if unit.cancelled:
                        return
                    yield chunk
        except UnitCancelled:
            return
        finally:
            unit.cancel()

    async def _unit(self, unit: Unit, text: str) -> AsyncGenerator[PcmChunk]:
        shown, aligner = await self._spelled(unit, text)
        row = sum(len(window.phonemes) for window in shown)
        fronts = [self._front(unit, window, row) for window in shown[:1]]
        delivery = Delivery(unit.id)
        for number, window in enumerate(shown):
            is_last = number + 1 == len(shown)
            words = self._engine.spell(partial(_words, aligner, window.phonemes, is_last))
            utterance = await self._wait(unit, fronts.pop())
            spoken = passage(utterance, window)
            skipped = self._skipped_frames(spoken)
            delivery.begin(window, skipped, spoken)
            sound = self._sound(unit, row, utterance, spoken, skipped, _tail(window, spoken))
            async with aclosing(sound) as stretches:
                async for audio, ends in stretches:
                    if ends and not is_last:  # begun before this window's end is handed on
                        fronts.append(self._front(unit, shown[number + 1], row))
                    known = await self._wait(unit, words)
                    for chunk in delivery.take(audio, known, is_last=ends):
                        if chunk.first_sample == 0:
                            self._stamp("first_chunk", unit.id)
                        yield chunk

    async def _wait(self, unit: Unit, future: asyncio.Future[T]) -> T:
        return await unit.wait(future, self._engine.unit_timeout_s)

    async def _spelled(self, unit: Unit, text: str) -> tuple[list[Window], WordAligner]:
        job = partial(_spell, text, self._language, unit, streams=self._engine.streams)
        return await self._wait(unit, self._engine.spell(job))

    def _front(self, unit: Unit, window: Window, row: int) -> asyncio.Future[Utterance]:
        """``row``: phonemes of the unit, whose style its windows share."""
        ids = ids_of(window.shown)
        style = style_for(self._voice, row)

        def job(model: StreamingKokoro) -> Utterance:
            if not unit.computation.stopped:
                unit.stamp_once(self._stamp, "synthesis_start")
            return model.front(ids, style, self._speed, unit.computation)

        return self._submit(unit, job)

    def _submit(self, unit: Unit, job: Callable[[StreamingKokoro], T]) -> asyncio.Future[T]:
        future = self._engine.compute(job)
        unit.on_cancel(future.cancel)
        return future

    def _skipped_frames(self, spoken: Passage) -> int:
        """Frames of the silence before the first sound, which need not be computed."""
        if spoken.frames <= SHORT_FRAMES:
            return 0
        return leading_silence(spoken.durations, self._speed) // SAMPLES_PER_FRAME

    async def _sound(
        self,
        unit: Unit,
        row: int,
        utterance: Utterance,
        spoken: Passage,
        skipped: int,
        tail: int,
    ) -> AsyncGenerator[tuple[Audio, bool]]:
        """The passage's samples in stretches, and whether one is the last.

        Its last ``tail`` frames are computed only if the sound has not died away before them.
        """
        statistics = self._statistics.get(row)
        if utterance.frames <= SHORT_FRAMES or statistics is None:
            whole = await self._wait(unit, self._whole(unit, row, utterance, spoken))
            audio = whole[skipped * SAMPLES_PER_FRAME :]
            self._playout.add(len(audio) / SAMPLE_RATE_HZ, time.monotonic())
            yield audio, True
            return
        planner = ChunkPlanner(
            spoken.stop - tail,
            self._engine.speed_model,
            start=spoken.first + skipped,
            silent_frames=SILENT_FRAMES,
            playout=self._playout,
        )
        plan = planner.next(time.monotonic())
        ahead = self._chunk(unit, utterance, statistics, *plan) if plan else None
        while plan is not None and ahead is not None:
            audio = await self._wait(unit, ahead)
            planner.delivered(plan[1], time.monotonic())
            plan = planner.next(time.monotonic())
            if plan is None and tail and not is_quiet(audio):
                tail = 0
                planner.extend(spoken.stop)
                plan = planner.next(time.monotonic())
            # The next chunk computes while this one is handed on, and no further ahead.
            ahead = self._chunk(unit, utterance, statistics, *plan) if plan else None
            yield audio, ahead is None

    def _whole(
        self, unit: Unit, row: int, utterance: Utterance, spoken: Passage
    ) -> asyncio.Future[Audio]:
        def job(model: StreamingKokoro) -> Audio:
            audio, own = model.whole(utterance, unit.computation)
            if spoken.frames == utterance.frames:
                if own.mean:
                    self._statistics.fold(row, own)
                return _finite(audio)
            first, stop = (SAMPLES_PER_FRAME * frame for frame in (spoken.first, spoken.stop))
            return _finite(audio[first:stop])

        return self._submit(unit, job)

    def _chunk(
        self,
        unit: Unit,
        utterance: Utterance,
        statistics: Statistics,
        start: int,
        stop: int,
    ) -> asyncio.Future[Audio]:
        def job(model: StreamingKokoro) -> Audio:
            speed, begun = self._engine.speed_model, time.monotonic()
            audio = model.chunk(utterance, statistics, start, stop, unit.computation)
            speed.learn(speed.width(start, stop, utterance.frames), time.monotonic() - begun)
            return _finite(audio)

        return self._submit(unit, job)


def _spell(
    text: str, language: str, unit: Unit, phonemizer: Phonemizer, *, streams: bool
) -> tuple[list[Window], WordAligner]:
    """The windows of a text, and what finds its words in them; in espeak's thread."""
    phonemes = phonemizer.phonemes(text, language, lambda: unit.computation.stopped)

    def spell(words: Sequence[str]) -> list[str]:
        return [phonemizer.phonemes(word, language) for word in words]

    if streams:
        return windows(phonemes), WordAligner(text, spell)
    return [Window(piece) for piece in split(phonemes)], WordAligner(text, spell)


def _tail(window: Window, spoken: Passage) -> int:
    """Frames at the end of the unit that are probably silent."""
    if window.after or spoken.frames <= SHORT_FRAMES:
        return 0
    return trailing_silence(window.phonemes, spoken.durations) // SAMPLES_PER_FRAME


def _words(aligner: WordAligner, piece: str, is_last: bool, _phonemizer: Phonemizer) -> PieceWords:
    return aligner.take(piece, is_last=is_last)


def _finite(audio: Audio) -> Audio:
    if not np.isfinite(audio).all():
        raise EngineError("Kokoro failed: its samples are not numbers")
    return audio
