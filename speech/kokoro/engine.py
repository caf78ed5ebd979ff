"""A warm Kokoro shared by sessions."""

from __future__ import annotations

import asyncio
import math
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from loguru import logger

from speech.engine import Stamp
from speech.errors import EngineBusyError, EngineError, ModelFileError, UsageError
from speech.kokoro.awaited import result, within
from speech.kokoro.calibration import SENTENCES
from speech.kokoro.costs import Costs
from speech.kokoro.g2p import Phonemizer, ids_of, split
from speech.kokoro.languages import check_language, language_of
from speech.kokoro.model import Computation
from speech.kokoro.planner import SpeedModel
from speech.kokoro.recent import Recent
from speech.kokoro.session import KokoroSession
from speech.kokoro.shipped import known_statistics
from speech.kokoro.statistics import VoiceStatistics
from speech.kokoro.streaming import (
    FRAME_RATE_HZ,
    SAMPLES_PER_FRAME,
    StreamingKokoro,
)
from speech.kokoro.voices import Voice, list_voices, load_voice, style_for
from speech.kokoro.workers import Workers
from speech.memory import resident_mb
from speech.scheduler.limits import Limits
from speech.scheduler.listener import Listener
from speech.scheduler.policy import Job, Share
from speech.scheduler.worker import CLOSED, Worker

T = TypeVar("T")
Progress = Callable[[str], None]

START_TIMEOUT_S = 600.0
"""For loading and for the first run each; preparing a graph takes 20 s on two cores, and
another process that does it is waited for, for up to 300 s."""

KEPT_VOICES = 16
"""Half a megabyte each, statistics not counted; blends of voices have no end of names."""

MIN_SPEED, MAX_SPEED = 0.5, 2.0

BACKGROUND_S = 5.0
"""What nobody listens to waits so long at most before it is as urgent as what somebody hears."""
_WARM_UP = "Ready when you are."


def _no_stamp(stage: str, unit_id: str) -> None:
    pass


class KokoroEngine:
    """Kokoro on this machine; at most ``max_concurrent`` computations run at once.

    ``load`` makes the model, in a thread. ``statistics_dir`` keeps what voices measure.
    ``unit_timeout_s`` bounds the wait for each next piece of a unit, the time in the queue
    included: a unit that brings nothing for so long fails. ``progress`` gets a line, from any
    thread, before work that takes some seconds and is done once.
    """

    sample_rate = FRAME_RATE_HZ * SAMPLES_PER_FRAME
    limits: Limits | None = None
    """What is refused (docs/scheduler.md). None takes on whatever comes, as a bot of one's own
    needs it."""
    model_hash = ""
    """SHA-256 of the model file, where ``load`` tells it: statistics are of one model."""

    def __init__(
        self,
        name: str,
        load: Callable[[], StreamingKokoro],
        voices_dir: Path,
        statistics_dir: Path,
        *,
        max_concurrent: int = 1,
        unit_timeout_s: float = 60.0,
        progress: Progress = lambda line: None,
    ) -> None:
        self.name = name
        self._progress = progress
        self.unit_timeout_s = unit_timeout_s
        self.speed_model, self.costs = SpeedModel(), Costs()
        self._load, self._voices_dir, self._statistics_dir = load, voices_dir, statistics_dir
        self._model: StreamingKokoro | None = None
        self._phonemizer: Phonemizer | None = None
        self._voices: Recent[Voice] = Recent(KEPT_VOICES)
        self._statistics: Recent[VoiceStatistics] = Recent(KEPT_VOICES)
        self._sessions: weakref.WeakSet[KokoroSession] = weakref.WeakSet()
        self._starting = asyncio.Lock()
        self._learning = asyncio.Lock()
        self.max_concurrent = max_concurrent
        self.worker = Worker("kokoro", max_concurrent)
        # espeak is not thread-safe: one thread, and no other touches the phonemizer.
        self._spell = Workers("espeak", 1)

    async def start(self) -> None:
        """Load the model and speak a line to nobody. Raises ``ModelFileError``."""
        async with self._starting:
            if self._model is None:
                names = self.voices()
                if not names:
                    raise ModelFileError(
                        f"no voices in {self._voices_dir}; "
                        "fetch them with: earshot models pull kokoro-voices"
                    )
                loading = self._submit(self._load)
                model = await within(START_TIMEOUT_S, loading, "loading Kokoro")
                voice = await self.voice(names[0])
                spelling = self.spell(partial(_phonemes, _WARM_UP, "en-us"))
                ids = ids_of(await within(START_TIMEOUT_S, spelling, "espeak's first line"))
                warming = self._submit(partial(self._warm_up, model, ids, voice))
                await within(START_TIMEOUT_S, warming, "Kokoro's first line")
                self._model = model
                logger.info("{} is warm: {:.0f} MB resident", self.name, resident_mb())

    def _warm_up(self, model: StreamingKokoro, ids: list[int], voice: Voice) -> None:
        """One run of each half, and a first idea of this machine's speed."""
        computation = Computation()
        self.speed_model = SpeedModel(context_frames=model.context_frames)
        begun = time.monotonic()
        utterance = model.front(ids, style_for(voice, len(ids)), 1.0, computation)
        self.costs.front.learn(len(ids), time.monotonic() - begun)
        begun = time.monotonic()
        _, own = model.whole(utterance, computation)
        self.costs.whole.learn(utterance.frames, time.monotonic() - begun)
        for frames in (16, 16, 48, 96):
            stop = min(frames, utterance.frames)
            if stop:
                begun = time.monotonic()
                model.chunk(utterance, own, 0, stop, computation)
                width = self.speed_model.width(0, stop, utterance.frames)
                self.speed_model.learn(width, time.monotonic() - begun)

    @property
    def streams(self) -> bool:
        """Whether the loaded model computes a unit in chunks."""
        return self._model is not None and self._model.streams

    def voices(self) -> list[str]:
        """The voice files there are."""
        return list_voices(self._voices_dir)

    async def open(
        self,
        voice: str,
        speed: float = 1.0,
        *,
        stamp: Stamp | None = None,
        beside: KokoroSession | None = None,
    ) -> KokoroSession:
        """A session; starts the engine if need be. Errors as in ``SpeechEngine.open``, and
        ``EngineBusyError`` beyond ``limits.sessions``.

        One ``beside`` another has the same listener. Until a voice's statistics are known its
        units are computed whole, which measures them.
        """
        if not (math.isfinite(speed) and MIN_SPEED <= speed <= MAX_SPEED):
            raise UsageError(f"speed is {speed:g}; give {MIN_SPEED} to {MAX_SPEED}")
        if beside is None and self.limits is not None:
            most = self.limits.sessions
            if len({session.listener for session in self.sessions}) >= most:
                raise EngineBusyError(f"{most} sessions are open, and no more may be")
        table = await self.voice(voice)
        check_language(voice)
        await self.start()
        await result(self.spell(partial(Phonemizer.prepare, language=language_of(voice))))
        statistics = await self._known(voice, table)
        session = KokoroSession(
            self, table, statistics, language_of(voice), speed, stamp or _no_stamp, beside
        )
        self._sessions.add(session)
        self.worker.join(session.listener)
        return session

    @property
    def sessions(self) -> list[KokoroSession]:
        """Those that are open."""
        return [session for session in self._sessions if not session.closed]

    def leave(self, listener: Listener) -> None:
        """A session of this listener was closed; it is gone with the last of them."""
        if all(session.listener is not listener for session in self.sessions):
            self.worker.leave(listener)

    async def voice(self, name: str) -> Voice:
        """A voice's table, kept once read. Raises ``UnknownVoiceError`` and ``ModelFileError``."""
        voice = self._voices.get(name)
        if voice is None:
            voice = await result(self._submit(partial(load_voice, self._voices_dir, name)))
            self._voices.put(name, voice)
        return voice

    async def _known(self, name: str, table: Voice) -> VoiceStatistics:
        async with self._learning:
            known = self._statistics.get(name)
            if known is None:
                known = await asyncio.to_thread(
                    known_statistics, self._statistics_dir, name, table, self.model_hash
                )
                for unused in self._statistics.put(name, known):
                    await asyncio.to_thread(unused.save)
        return known

    async def calibrate(self, voice: str) -> bool:
        """Measure a voice so that its first unit streams: some seconds, once; it is kept.

        False if that was done before. Errors as in ``open``.
        """
        table = await self.voice(voice)
        check_language(voice)
        await self.start()
        statistics = await self._known(voice, table)
        if statistics.buckets:
            return False
        self._progress(f"measuring the voice {voice} (once)")
        for sentence in SENTENCES:
            spelling = self.spell(partial(_phonemes, sentence, language_of(voice)))
            phonemes = await within(self.unit_timeout_s, spelling, "spelling")
            for piece in split(phonemes):
                computation = Computation()
                job = partial(_learn, ids_of(piece), table, statistics, computation)
                try:
                    await within(self.unit_timeout_s, self.compute(job), f"measuring {voice}")
                finally:
                    computation.stop()  # a job still in its thread ends there
        await asyncio.to_thread(statistics.save)
        return True

    def spell(self, job: Callable[[Phonemizer], T]) -> asyncio.Future[T]:
        """What ``job`` makes with espeak, in its thread."""

        def run() -> T:
            if self._phonemizer is None:
                self._phonemizer = Phonemizer()
            return job(self._phonemizer)

        return self._spell.submit(run)

    def compute(self, job: Callable[[StreamingKokoro], T]) -> asyncio.Future[T]:
        """What ``job``, which nobody listens to, makes with the model."""
        due = time.monotonic() + BACKGROUND_S
        return self.worker.submit(self.job(lambda model, _share: job(model), due=due))

    def job(self, run: Callable[[StreamingKokoro, Share], Any], **of_job: Any) -> Job:
        """A ``Job`` for ``worker`` whose ``run`` is given the model too."""
        if self._model is None:
            raise EngineError(CLOSED)
        return Job(partial(run, self._model), **of_job)

    def _submit(self, run: Callable[[], T]) -> asyncio.Future[T]:
        """What cannot be done before there is a model, or is a matter of milliseconds."""
        return self.worker.submit(Job(lambda _share: run(), due=time.monotonic()))

    async def aclose(self) -> None:
        """Cancel every unit, end the threads, let go of the model; idempotent."""
        for session in list(self._sessions):
            await session.aclose()
        await self._spell.aclose()
        await self.worker.aclose()
        for statistics in self._statistics.take_all():
            await asyncio.to_thread(statistics.save)
        self._model, self._phonemizer = None, None
        self._voices.take_all()


def _phonemes(text: str, language: str, phonemizer: Phonemizer) -> str:
    return phonemizer.phonemes(text, language)


def _learn(
    ids: list[int],
    table: Voice,
    statistics: VoiceStatistics,
    computation: Computation,
    model: StreamingKokoro,
) -> None:
    utterance = model.front(ids, style_for(table, len(ids)), 1.0, computation)
    _, own = model.whole(utterance, computation)
    if own.mean:
        statistics.fold(len(ids), own)
