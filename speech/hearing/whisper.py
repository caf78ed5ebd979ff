"""The local recogniser: one warm whisper model in worker threads."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.hearing.recogniser import RECOGNISER_RATE_HZ, RecognitionError, Transcript
from speech.hearing.whisper_decoder import WhisperDecoder

MAX_WAITING = 16
"""Transcriptions that may wait for a worker, over all conversations; one more is refused at
once, because on this machine its words would come too late to be answered."""


class WhisperRecogniser:
    """A whisper model shared by conversations; at most ``max_concurrent`` decodes at a time."""

    def __init__(
        self,
        model_dir: Path,
        *,
        threads: int = 1,
        max_concurrent: int = 1,
        timeout_s: float = 15.0,
        language: str = "en",
    ) -> None:
        self.name = model_dir.name
        self.timeout_s = timeout_s
        self.max_waiting = 0
        """High-water mark of the waiting line."""
        self._model_dir = model_dir
        self._threads = threads
        self._workers = max_concurrent
        self._language = language
        self._decoder: WhisperDecoder | None = None
        self._pool = ThreadPoolExecutor(max_concurrent, thread_name_prefix="whisper")
        self._slots = asyncio.Semaphore(max_concurrent)
        self._loading = asyncio.Lock()
        self._waiting = 0
        self._closed = False

    async def start(self) -> None:
        """Load the model and decode a second of silence in a worker thread.

        Raises ``ModelFileError`` if the model is not there.
        """
        async with self._loading:
            if self._closed:
                raise RecognitionError("the recogniser is closed")
            if self._decoder is None:
                loop = asyncio.get_running_loop()
                self._decoder = await loop.run_in_executor(self._pool, self._load)

    async def transcribe(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        """The words in mono ``samples``.

        Raises ``RecognitionError`` after ``timeout_s`` (waiting for a worker included), when
        too many wait, or when the model fails.
        """
        await self.start()
        if self._waiting >= MAX_WAITING:
            raise RecognitionError("too many people speak at once for this machine's recogniser")
        try:
            async with asyncio.timeout(self.timeout_s):
                return await self._decode(samples, rate_hz)
        except TimeoutError:
            raise RecognitionError(
                f"speech recognition took longer than {self.timeout_s:g} s (stt.timeout_s)"
            ) from None
        except RuntimeError as error:  # what ctranslate2 raises, whatever the cause
            raise RecognitionError(f"speech recognition failed: {error}") from error

    async def aclose(self) -> None:
        """Free the model once the running decode has ended; idempotent."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._decoder = None

    def _load(self) -> WhisperDecoder:
        decoder = WhisperDecoder(
            self._model_dir,
            threads=self._threads,
            workers=self._workers,
            language=self._language,
        )
        decoder.decode(np.zeros(RECOGNISER_RATE_HZ, np.int16), RECOGNISER_RATE_HZ)
        return decoder

    async def _decode(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        self._waiting += 1
        self.max_waiting = max(self.max_waiting, self._waiting)
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        decoder = self._decoder
        if decoder is None:  # closed meanwhile
            self._slots.release()
            raise RecognitionError("the recogniser is closed")
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self._pool, decoder.decode, samples, rate_hz)
        work.add_done_callback(self._worker_free)
        # A thread cannot be cancelled: the slot is free when the thread is, not when the
        # caller has given up. The decoder's token limit bounds how long that takes.
        return await asyncio.shield(work)

    def _worker_free(self, work: asyncio.Future[Transcript]) -> None:
        self._slots.release()
        if not work.cancelled():
            work.exception()  # seen, so that an abandoned failure is not logged at exit
