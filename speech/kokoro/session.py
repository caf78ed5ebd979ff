"""One conversation's voice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from speech.engine import PcmChunk, Stamp
from speech.engines.ordered import OrderedSession
from speech.errors import EngineError
from speech.kokoro.admit import admit
from speech.kokoro.alignment import WordAligner
from speech.kokoro.costs import SHORT_FRAMES
from speech.kokoro.delivery import SAMPLE_RATE_HZ, Delivery
from speech.kokoro.g2p import Phonemizer, ids_of, split
from speech.kokoro.planner import FIRST_FRAMES, ChunkPlanner, Playout
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
from speech.scheduler.limits import Limits
from speech.scheduler.listener import Listener
from speech.scheduler.policy import Share

if TYPE_CHECKING:
    from speech.kokoro.engine import KokoroEngine

T = TypeVar("T")
Audio = NDArray[np.float32]

SILENT_FRAMES = 6
"""75 ms: about what is computed before the first sound and cut off again."""


class KokoroSession(OrderedSession):
    """See ``speech.engine.PacedSession`` for the promises."""

    def __init__(
        self,
        engine: KokoroEngine,
        voice: Voice,
        statistics: VoiceStatistics,
        language: str,
        speed: float,
        stamp: Stamp,
        beside: KokoroSession | None = None,
    ) -> None:
        """``beside`` has the same listener."""
        super().__init__()
        self._engine, self._voice, self._statistics = engine, voice, statistics
        self._language, self._speed, self._stamp = language, speed, stamp
        self._playout: Playout = beside._playout if beside else Playout()
        self.listener: Listener = beside.listener if beside else Listener()
        self._awaited = 0

    def speak(
        self, unit_id: str, text: str, *, first_audio_s: float | None = None
    ) -> AsyncGenerator[PcmChunk]:
        """The unit's audio, the first chunk long before the last is computed."""
        limits = self._engine.limits or Limits()
        within_s = limits.first_audio_s if first_audio_s is None else first_audio_s
        unit = Unit(unit_id, len(text), time.monotonic(), within_s)
        admit(self._engine, self, unit)
        return self._in_line(unit, partial(self._spoken, unit, text))

    async def beside(self, voice: str, speed: float = 1.0) -> KokoroSession:
        """See ``PacedSession``."""
        return await self._engine.open(voice, speed, stamp=self._stamp, beside=self)

    def played(self, ahead_s: float) -> None:
        """See ``HeardSession``."""
        now = time.monotonic()
        self.listener.plays(ahead_s, now)
        self._playout.plays(ahead_s, now)

    def cut(self) -> None:
        """See ``HeardSession``."""
        waits = self.spoken is not None and not self.spoken.cancelled
        self.listener.cut(waits=waits)
        self._playout.clear()

    def credit(self, seconds: float) -> None:
        """See ``PacedSession``."""
        self._engine.worker.grant(self.listener, seconds)

    @property
    def pending(self) -> list[Unit]:
        """Units that have not ended, in order of the calls."""
        units = [u for u in self._units if isinstance(u, Unit) and not u.cancelled]
        return sorted(units, key=lambda unit: unit.asked_at)

    @property
    def is_read(self) -> bool:
        """Whether somebody waits for sound just now."""
        return self._awaited > 0

    async def aclose(self) -> None:
        """Cancel all units; later ones are refused."""
        await super().aclose()
        self._engine.leave(self.listener)

    def _ask(self, unit: Unit) -> None:
        turn_s = self.listener.turn_s
        if self.listener.ask(unit.asked_at, unit.within_s):
            self._engine.costs.learn_turn(turn_s)

    async def _spoken(self, unit: Unit, text: str) -> AsyncGenerator[PcmChunk]:
        self._ask(unit)
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
                    chunks = list(delivery.take(audio, known, is_last=ends))
                    self._hear(unit, sum(len(chunk.samples) for chunk in chunks))
                    for chunk in chunks:
                        if chunk.first_sample == 0:
                            self._stamp("first_chunk", unit.id)
                        yield chunk
        self._engine.costs.learn_length(unit.characters, unit.sound_s)

    def _hear(self, unit: Unit, samples: int) -> None:
        if samples:  # silence that is cut off is nothing to the listener
            unit.sound_s += samples / SAMPLE_RATE_HZ
            self.listener.hear(samples / SAMPLE_RATE_HZ, time.monotonic())

    async def _wait(self, unit: Unit, future: asyncio.Future[T]) -> T:
        self._awaited += 1
        try:
            return await unit.wait(future, self._engine.unit_timeout_s)
        finally:
            self._awaited -= 1

    async def _spelled(self, unit: Unit, text: str) -> tuple[list[Window], WordAligner]:
        job = partial(_spell, text, self._language, unit, streams=self._engine.streams)
        return await self._wait(unit, self._engine.spell(job))

    def _front(self, unit: Unit, window: Window, row: int) -> asyncio.Future[Utterance]:
        """``row``: phonemes of the unit, whose style its windows share."""
        ids = ids_of(window.shown)
        style = style_for(self._voice, row)
        costs, speed = self._engine.costs, self._engine.speed_model

        def job(model: StreamingKokoro, _share: Share) -> Utterance:
            if not unit.computation.stopped:
                unit.stamp_once(self._stamp, "synthesis_start")
            begun = time.monotonic()
            utterance = model.front(ids, style, self._speed, unit.computation)
            costs.front.learn(len(ids), time.monotonic() - begun)
            unit.begun = True
            return utterance

        return self._submit(
            unit, job,
            cost_s=costs.front.seconds(len(ids)),
            before_s=speed.seconds(FIRST_FRAMES + 2 * speed.context_frames),
            more=lambda: True,
        )  # fmt: skip

    def _submit(
        self,
        unit: Unit,
        run: Callable[[StreamingKokoro, Share], T],
        **of_job: Any,
    ) -> asyncio.Future[T]:
        job = self._engine.job(run, listener=self.listener, **of_job)
        future: asyncio.Future[T] = self._engine.worker.submit(job)
        unit.on_cancel(partial(self._engine.worker.discard, job))
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
        ahead = None if planner.done else self._chunk(unit, utterance, statistics, planner)
        while ahead is not None:
            audio, stop = await self._wait(unit, ahead)
            planner.delivered(stop, time.monotonic())
            if planner.done and tail and not is_quiet(audio):
                tail = 0
                planner.extend(spoken.stop)
            # The next chunk computes while this one is handed on, and no further ahead.
            ahead = None if planner.done else self._chunk(unit, utterance, statistics, planner)
            yield audio, ahead is None

    def _whole(
        self, unit: Unit, row: int, utterance: Utterance, spoken: Passage
    ) -> asyncio.Future[Audio]:
        costs = self._engine.costs

        def job(model: StreamingKokoro, _share: Share) -> Audio:
            begun = time.monotonic()
            audio, own = model.whole(utterance, unit.computation)
            costs.whole.learn(utterance.frames, time.monotonic() - begun)
            if spoken.frames == utterance.frames:
                if own.mean:
                    self._statistics.fold(row, own)
                return _finite(audio)
            first, stop = (SAMPLES_PER_FRAME * frame for frame in (spoken.first, spoken.stop))
            return _finite(audio[first:stop])

        return self._submit(unit, job, cost_s=costs.whole.seconds(utterance.frames))

    def _chunk(
        self, unit: Unit, utterance: Utterance, statistics: Statistics, planner: ChunkPlanner
    ) -> asyncio.Future[tuple[Audio, int]]:
        """The next stretch and the frame it ends at. How long it is turns out when its turn comes:
        it depends on what the listener has left by then, and on the others'."""
        speed = self._engine.speed_model

        def job(model: StreamingKokoro, share: Share) -> tuple[Audio, int]:
            begun = time.monotonic()
            start, stop = planner.next(begun, share) or (0, 0)
            audio = model.chunk(utterance, statistics, start, stop, unit.computation)
            speed.learn(speed.width(start, stop, utterance.frames), time.monotonic() - begun)
            return _finite(audio), stop

        cost_s = speed.seconds(FIRST_FRAMES + 2 * speed.context_frames)
        return self._submit(unit, job, cost_s=cost_s, more=lambda: not planner.done)


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
