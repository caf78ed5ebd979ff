"""Kokoro-82M on this machine's processor, through onnxruntime."""

from __future__ import annotations

import asyncio
import math
import weakref
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.audio.limit import soft_limit
from speech.audio.pcm import float_to_int16
from speech.engine import PcmChunk, Stamp
from speech.errors import EngineError, ModelFileError, UsageError
from speech.kokoro.g2p import Phonemizer, language_of, split
from speech.kokoro.model import SAMPLE_RATE_HZ, Computation, KokoroModel
from speech.kokoro.silence import trim
from speech.kokoro.unit import Line, Unit, UnitCancelled
from speech.kokoro.voices import Voice, list_voices, load_voice
from speech.kokoro.workers import Workers

MIN_SPEED, MAX_SPEED = 0.5, 2.0
CHUNK_SAMPLES = SAMPLE_RATE_HZ // 5
"""200 ms: what a listener loses at most when a chunk already handed on is dropped."""
_WARM_UP = "Ready."


def _no_stamp(stage: str, unit_id: str) -> None:
    pass


class KokoroOnnxEngine:
    """One warm model for all sessions; at most ``max_concurrent`` units compute at once.

    ``unit_timeout_s`` bounds the wait for each next piece of a unit, the time in the queue
    included: a unit that brings nothing for so long fails.
    """

    name = "kokoro_onnx"
    sample_rate = SAMPLE_RATE_HZ

    def __init__(
        self,
        model_path: Path,
        voices_dir: Path,
        *,
        threads: int = 0,
        max_concurrent: int = 1,
        unit_timeout_s: float = 60.0,
    ) -> None:
        self.unit_timeout_s = unit_timeout_s
        self._model_path, self._voices_dir, self._threads = model_path, voices_dir, threads
        self._model: KokoroModel | None = None
        self._phonemizer: Phonemizer | None = None
        self._voices: dict[str, Voice] = {}
        self._sessions: weakref.WeakSet[KokoroSession] = weakref.WeakSet()
        self._starting = asyncio.Lock()
        self._compute = Workers("kokoro", max_concurrent)
        # espeak is not thread-safe: one thread, and no other touches the phonemizer.
        self._spell = Workers("espeak", 1)

    async def start(self) -> None:
        """Load the model and speak a word to nobody. Raises ``ModelFileError``."""
        async with self._starting:
            if self._model is None:
                model = await self._compute.submit(self._load)
                phonemes = await self.phonemize(_WARM_UP, "en-us", Computation())
                voice = await self._voice(self._any_voice())
                await self._compute.submit(
                    partial(model.synthesize, phonemes, voice, 1.0, Computation())
                )
                self._model = model

    def _load(self) -> KokoroModel:
        return KokoroModel(self._model_path, self._threads)

    def _any_voice(self) -> str:
        names = self.voices()
        if not names:
            raise ModelFileError(
                f"no voices in {self._voices_dir}; "
                "fetch them with: earshot models pull kokoro-voices"
            )
        return names[0]

    def voices(self) -> list[str]:
        """The voice files there are."""
        return list_voices(self._voices_dir)

    async def open(
        self, voice: str, speed: float = 1.0, *, stamp: Stamp | None = None
    ) -> KokoroSession:
        """A session; starts the engine if need be. Errors as in ``SpeechEngine.open``."""
        if not (math.isfinite(speed) and MIN_SPEED <= speed <= MAX_SPEED):
            raise UsageError(f"speed is {speed:g}; give {MIN_SPEED} to {MAX_SPEED}")
        table = await self._voice(voice)
        await self.start()
        session = KokoroSession(self, table, language_of(voice), speed, stamp or _no_stamp)
        self._sessions.add(session)
        return session

    async def _voice(self, name: str) -> Voice:
        if name not in self._voices:
            load = partial(load_voice, self._voices_dir, name)
            self._voices[name] = await self._compute.submit(load)
        return self._voices[name]

    def phonemize(self, text: str, language: str, computation: Computation) -> asyncio.Future[str]:
        """Phonemes of ``text``, from espeak's thread."""
        return self._spell.submit(partial(self._phonemes, text, language, computation))

    def _phonemes(self, text: str, language: str, computation: Computation) -> str:
        if self._phonemizer is None:
            self._phonemizer = Phonemizer()
        return self._phonemizer.phonemes(text, language, lambda: computation.stopped)

    def synthesize(
        self, job: Callable[[KokoroModel], NDArray[np.int16]]
    ) -> asyncio.Future[NDArray[np.int16]]:
        """What ``job`` makes with the model, in its turn among all sessions' jobs."""
        if self._model is None:
            raise EngineError("the speech engine is closed")
        return self._compute.submit(partial(job, self._model))

    async def aclose(self) -> None:
        """Cancel every unit, end the threads, let go of the model; idempotent."""
        for session in list(self._sessions):
            await session.aclose()
        await self._spell.aclose()
        await self._compute.aclose()
        self._model, self._phonemizer = None, None
        self._voices.clear()


class KokoroSession:
    """One conversation's voice; see ``speech.engine.SpeechSession`` for the promises."""

    def __init__(
        self, engine: KokoroOnnxEngine, voice: Voice, language: str, speed: float, stamp: Stamp
    ) -> None:
        self._engine, self._voice, self._language = engine, voice, language
        self._speed, self._stamp = speed, stamp
        self._line = Line()
        # Weak: a unit lives as long as its iterator does.
        self._units: weakref.WeakSet[Unit] = weakref.WeakSet()
        self._closed = False

    def speak(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk]:
        """The unit's audio in chunks of 200 ms, whole unit synthesised first."""
        unit = Unit(unit_id)
        self._units.add(unit)
        return self._speak(unit, text)

    def cancel(self, unit_id: str) -> None:
        """Stop every unit of this id; takes effect within some tens of milliseconds."""
        for unit in [unit for unit in self._units if unit.id == unit_id]:
            unit.cancel()

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
            async with aclosing(self._chunks(unit, text)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except UnitCancelled:
            return
        finally:
            unit.cancel()

    async def _chunks(self, unit: Unit, text: str) -> AsyncGenerator[PcmChunk]:
        pieces = await self._pieces(unit, text)
        ahead = self._start(unit, pieces[0], is_first=True) if pieces else None
        first_sample = 0
        for following in [*pieces[1:], None]:
            if ahead is None:
                return
            samples = await unit.wait(ahead, self._engine.unit_timeout_s)
            # The next piece computes while this one is handed on, and no further ahead.
            ahead = self._start(unit, following) if following else None
            if first_sample == 0:
                self._stamp("first_chunk", unit.id)
            for part in _parts(samples):
                yield PcmChunk(unit.id, first_sample, part)
                if unit.cancelled:
                    return
                first_sample += len(part)

    async def _pieces(self, unit: Unit, text: str) -> list[str]:
        spelled = self._engine.phonemize(text, self._language, unit.computation)
        return split(await unit.wait(spelled, self._engine.unit_timeout_s))

    def _start(
        self, unit: Unit, phonemes: str, *, is_first: bool = False
    ) -> asyncio.Future[NDArray[np.int16]]:
        def job(model: KokoroModel) -> NDArray[np.int16]:
            if is_first and not unit.computation.stopped:
                self._stamp("synthesis_start", unit.id)
            audio = model.synthesize(phonemes, self._voice, self._speed, unit.computation)
            return float_to_int16(soft_limit(trim(audio, phonemes, SAMPLE_RATE_HZ)))

        future = self._engine.synthesize(job)
        unit.on_cancel(future.cancel)
        return future


def _parts(samples: NDArray[np.int16]) -> Iterator[NDArray[np.int16]]:
    for start in range(0, len(samples), CHUNK_SAMPLES):
        yield samples[start : start + CHUNK_SAMPLES]
