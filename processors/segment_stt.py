"""Speech to text of one segment at a time, with a final word on every segment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Any

import numpy as np
from loguru import logger
from numpy.typing import NDArray
from pipecat.frames.frames import (
    CancelFrame,
    EndFrame,
    Frame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    StartFrame,
    TranscriptionFrame,
    UserAudioRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import STTService
from pipecat.utils.errors import ErrorCategory
from pipecat.utils.time import time_now_iso8601

from processors.nothing_heard import NothingHeardFrame, covers
from speech.hearing.judgement import has_words, is_audible, sayable
from speech.hearing.recogniser import (
    RECOGNISER_RATE_HZ,
    Recogniser,
    RecognitionError,
    Transcript,
)
from speech.hearing.segments import SegmentBuffer
from speech.queues import QueueGauge, Queues
from speech.redact import place_of
from speech.text_clean import clean

LOGPROB = "logprob"
"""In the metadata of a final transcript: the least sure piece's mean log probability a token;
absent where the recogniser does not say."""

MAX_WAITING_S = 60.0
"""Audio that waits for the recogniser beyond this is dropped, oldest first, and counted."""


class SegmentSttService(STTService):
    """Recognises each stretch of speech the voice detector marks.

    Every stretch gets one outcome: a final ``TranscriptionFrame``, or a ``NothingHeardFrame``
    (noise; or the recogniser failed, which is also reported as an error). No outcome is given
    while the user speaks again or audio still waits: the texts are kept and given together with
    the last, as one final transcript, and it says which stretches it covers, so a turn never
    ends on half of what was said. Kept texts are shown as ``InterimTranscriptionFrame``.

    pipecat's own ``SegmentedSTTService`` differs in these points: it finalises the first part
    during the second, says nothing about noise (the turn then waits for its watchdog), and
    its queue and its buffer have no bound. Here one segment is in work; segments that end
    meanwhile are joined and recognised together.

    ``ttfs_p99_latency`` is the longest an outcome may take, not a guess of the usual latency:
    pipecat's turn strategies wait that long only for a transcript that is not final, and ours
    always are.
    """

    def __init__(
        self,
        recogniser: Recogniser,
        *,
        language: str = "en",
        longest_s: float = 15.0,
        owns_recogniser: bool = False,
        queues: Queues | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            settings=STTSettings(model=recogniser.name, language=language),
            ttfs_p99_latency=longest_s,
            **kwargs,
        )
        self.dropped_s = 0.0
        """Seconds of speech dropped because the recogniser was too far behind."""
        self._recogniser = recogniser
        self._owns_recogniser = owns_recogniser
        self._buffer = SegmentBuffer(RECOGNISER_RATE_HZ)
        self._gauge: QueueGauge | None = None
        if queues is not None:
            name, bound = "speech for the recogniser", MAX_WAITING_S
            self._gauge = queues.watch(name, unit="s", bound=bound, policy="the oldest goes")
        self._waiting: NDArray[np.int16] = np.zeros(0, np.int16)
        self._due = asyncio.Event()
        self._begun = 0
        self._held: list[Transcript] = []
        self._failed = False
        self._task: asyncio.Task[None] | None = None

    def can_generate_metrics(self) -> bool:
        """Reports the time from the end of speech to the final transcript."""
        return True

    async def start(self, frame: StartFrame) -> None:
        """Begin recognising."""
        await super().start(frame)
        self._buffer = SegmentBuffer(self.sample_rate)  # known from here on
        self._task = self.create_task(self._recognise_forever(), "recognise")

    async def stop(self, frame: EndFrame) -> None:
        """Stop at once; nobody would answer what is still recognised."""
        await self._end_task()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """Stop at once; what waits is dropped."""
        await self._end_task()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """End the task and, where it is ours alone, the recogniser."""
        await super().cleanup()
        await self._end_task()
        if self._owns_recogniser:
            await self._recogniser.aclose()

    async def process_audio_frame(
        self, frame: InputAudioRawFrame, direction: FrameDirection
    ) -> None:
        """Keep the audio; hand on a piece of long speech."""
        if self._muted:
            self._buffer.clear()
            return
        self._user_id = frame.user_id if isinstance(frame, UserAudioRawFrame) else ""
        piece = self._buffer.append(frame.audio)
        if piece is not None:
            self._submit(piece)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Follow the voice detector."""
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self._begun += 1
            self._buffer.speech_started()
        elif isinstance(frame, VADUserStoppedSpeakingFrame) and self._buffer.speaking:
            self._submit(self._buffer.speech_stopped())

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        """One segment of PCM on its own; pipecat's interface, not used by the pipeline."""
        heard = await self._words(np.frombuffer(audio, np.int16))
        if heard:
            yield self._final([heard])

    def _submit(self, segment: NDArray[np.int16]) -> None:
        self._record_stt_audio_usage(segment.tobytes())
        joined = np.concatenate([self._waiting, segment])
        limit = int(MAX_WAITING_S * self.sample_rate)
        lost_s = max(0, len(joined) - limit) / self.sample_rate
        if self._gauge is not None:
            self._gauge.level(len(joined[-limit:]) / self.sample_rate)
            self._gauge.drop(lost_s)
        if lost_s:
            self.dropped_s += lost_s
            logger.warning("speech dropped: the recogniser is behind, {} s so far", self.dropped_s)
        self._waiting = joined[-limit:]
        self._due.set()

    async def _recognise_forever(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            segment, self._waiting = self._waiting, np.zeros(0, np.int16)
            await self._recognise(segment)

    async def _recognise(self, segment: NDArray[np.int16]) -> None:
        heard = await self._words(segment)
        await self.emit_stt_usage_metrics()
        if heard:
            self._held.append(heard)
        if self._buffer.speaking or self._due.is_set():
            if heard:
                await self.push_frame(self._interim())
            return
        await self._give_outcome()

    async def _words(self, segment: NDArray[np.int16]) -> Transcript | None:
        """The words of the segment; None where nobody spoke or the recogniser failed."""
        if not is_audible(segment, self.sample_rate):
            return None
        await self.start_processing_metrics()
        try:
            transcript = await self._recogniser.transcribe(segment, self.sample_rate)
        except Exception as error:  # a fault of any kind costs one segment, not the hearing
            self._failed = True
            # APPLICATION, because a permanent category would switch the service off and with it
            # the apology that is the only sign of the failure the user gets.
            if not isinstance(error, RecognitionError):
                error = RecognitionError(f"the recogniser failed: {place_of(error)}")
            await self.push_error(str(error), error, category=ErrorCategory.APPLICATION)
            return None
        finally:
            await self.stop_processing_metrics()
        if not has_words(transcript):
            return None
        text, seconds = clean(transcript.text).strip(), len(segment) / self.sample_rate
        if len(kept := sayable(text, seconds)) < len(text):
            logger.warning("a transcript too long for its {:.1f} s of speech was cut", seconds)
        return replace(transcript, text=kept) if kept else None

    async def _give_outcome(self) -> None:
        heard, failed = self._held, self._failed
        self._held, self._failed = [], False
        outcome: Frame = NothingHeardFrame("failed" if failed else "noise")
        if heard:
            outcome = self._final(heard)
        covers(outcome, self._begun)
        outcome.interruptible = False  # the turn that an interim text begins would drop it
        await self.push_frame(outcome)

    def _final(self, heard: list[Transcript]) -> TranscriptionFrame:
        text = _joined(heard)
        frame = TranscriptionFrame(text, self._user_id, time_now_iso8601(), finalized=True)
        logprobs = [piece.avg_logprob for piece in heard if piece.avg_logprob is not None]
        if logprobs:
            frame.metadata[LOGPROB] = min(logprobs)
        return frame

    def _interim(self) -> InterimTranscriptionFrame:
        return InterimTranscriptionFrame(_joined(self._held), self._user_id, time_now_iso8601())

    async def _end_task(self) -> None:
        if self._task:
            await self.cancel_task(self._task)
            self._task = None


def _joined(heard: list[Transcript]) -> str:
    return " ".join(piece.text for piece in heard)
