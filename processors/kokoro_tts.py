"""Pipecat's TTS service around a speech engine of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from itertools import count
from typing import Any

from pipecat.frames.frames import (
    AggregatedTextFrame,
    ErrorFrame,
    Frame,
    InterruptionFrame,
    StartFrame,
    TTSSpeakFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameCallback, FrameDirection
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.utils.text.base_text_aggregator import TextType

from processors.aggregator import BEFORE, GAP, UNIT, UNSPOKEN
from processors.barge_in import BargeInControl
from processors.begun_replies import BegunReplies
from processors.evidence import FILLER, filler_mark
from processors.paced_voice import PacedVoice
from processors.spoken_unit import SpokenUnit
from processors.voice_failure import VoiceFailure
from speech.backlog import Backlog
from speech.engine import PcmChunk, SpeechEngine
from speech.errors import EarshotError, EngineError, UsageError
from speech.evidence.actions import Kind
from speech.jitter import spread
from speech.lead import Lead
from speech.timeline import Timeline

CONTEXT_TIMEOUT_S = 90.0
"""Above any unit's deadline: pipecat takes a context that is quiet this long for silent,
and its own 3 s are less than one long sentence needs on a small CPU."""

TRIES = 2
"""Of a unit; a second failure is no accident."""
RETRY_WITHIN_S = 2.0
"""A unit that failed later than this, or that could be tried again only later, has kept the
listener waiting long enough."""


class KokoroTTSService(TTSService):
    """Speaks units through one engine session, and says word by word what went out.

    Audio and text go down in the order they are heard: the text of a word follows the
    samples it ends in, so a transport that drops its queue drops the unheard words with
    it. Without word times the unit's text follows its audio as a whole. An interruption
    cancels the running computation. The engine is asked for more only while there is room
    ahead of the listener; meanwhile units wait here, which slows the model's reader.
    """

    def __init__(
        self,
        engine: SpeechEngine,
        *,
        voice: str,
        speed: float,
        timeline: Timeline,
        phrases: dict[str, list[PcmChunk]] | None = None,
        apology: Sequence[str] = (),
        lost_voice: Sequence[str] | None = None,
        lead: Lead | None = None,
        backlog: Backlog | None = None,
        barge_in: BargeInControl | None = None,
    ) -> None:
        """``phrases`` are texts synthesised ahead with this voice, spoken without delay;
        ``apology`` and ``lost_voice``, among them, are for units that fail: see ``VoiceFailure``.
        ``backlog`` is told of the units that wait, ``barge_in`` of each reply that begins.
        Without ``lead`` nothing is waited for."""
        super().__init__(
            push_start_frame=True,
            push_stop_frames=True,
            stop_frame_timeout_s=CONTEXT_TIMEOUT_S,
            max_consecutive_zero_audio_contexts=0,
            sample_rate=engine.sample_rate,
            settings=TTSSettings(model=engine.name, voice=voice, language=None),
        )
        self._voice = PacedVoice(engine, voice, speed, lead)
        self._timeline = timeline
        self._phrases = phrases if phrases is not None else {}
        self._failure = VoiceFailure(apology, lost_voice)
        self._backlog = backlog
        self._replies = BegunReplies(barge_in)
        self._unit_numbers = count(1)
        self._saying = self._spoken_unit("", "")
        self._filler: dict[str, Any] = {}
        self._of_unit: dict[str, Any] = {}
        self._before = ""

    def can_generate_metrics(self) -> bool:
        """Time to first byte and processing time are measured."""
        return True

    async def start(self, frame: StartFrame) -> None:
        """Open the voice."""
        await super().start(frame)
        await self._voice.open(self._stamp)

    async def cleanup(self) -> None:
        """Close the voice; what it computes is cancelled."""
        await self._voice.aclose()
        await super().cleanup()

    async def queue_frame(
        self,
        frame: Frame,
        direction: FrameDirection = FrameDirection.DOWNSTREAM,
        callback: FrameCallback | None = None,
    ) -> None:
        """As pipecat's; a text that comes waits for those before it."""
        if self._backlog is not None and isinstance(frame, AggregatedTextFrame | TTSSpeakFrame):
            spoken = isinstance(frame, TTSSpeakFrame) or not frame.skip_tts
            keep = not frame.interruptible
            self._backlog.put(frame.id, len(frame.text), keep=keep, ready=spoken)
        await super().queue_frame(frame, direction, callback)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """As pipecat's; while it speaks words, whether they are a filler is known."""
        if self._backlog is not None:
            self._backlog.take(frame.id)
        if isinstance(frame, AggregatedTextFrame) and frame.skip_tts:
            await self._pass_unspoken(frame)
            return
        if isinstance(frame, AggregatedTextFrame | TTSSpeakFrame):
            self._filler, self._of_unit = filler_mark(frame), {UNIT: frame.id}
            self._before = frame.metadata.get(BEFORE, "")
        self._replies.sees(frame, self._turn_context_id)
        await super().process_frame(frame, direction)
        if isinstance(frame, InterruptionFrame):
            self._forget()

    async def on_turn_context_created(self, context_id: str) -> None:
        """As pipecat's; from now on there is an answer to interrupt."""
        await super().on_turn_context_created(context_id)
        self._replies.turn(context_id)

    def _forget(self) -> None:
        """Interrupted: what waited here and what was on its way has been dropped."""
        if self._backlog is not None:
            self._backlog.cut()
        self._voice.cut()

    async def _pass_unspoken(self, frame: AggregatedTextFrame) -> None:
        """Behind the words before it, so that it is recorded only if they were heard."""
        if frame.text_type != UNSPOKEN:
            spaces = frame.metadata
            frame.text = f"{spaces.get(BEFORE, '')}{frame.text}{spaces.get(GAP, ' ')}"
            frame.includes_inter_frame_spaces = True
        context_id = self._turn_context_id
        if context_id and self.audio_context_available(context_id):
            await self.append_to_audio_context(context_id, frame)
        else:
            await self._audio_context_manager.put_frame(frame)

    def _stamp(self, stage: str, unit_id: str) -> None:
        reply_id = unit_id.rpartition("/")[0]
        self._timeline.mark(stage, reply_id=reply_id, unit_id=unit_id)

    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        """Audio frames of the text, each word's text behind the samples it ends in.

        A unit that fails at once and without a sound is tried again. What is said in its place
        is for ``VoiceFailure`` to say; the failure is reported in any case. ``unit_done`` is
        marked when the last of it was handed over, not where it was cut.
        """
        if not self._replies.speaks(context_id):
            return
        if self._failure.has_given_up(context_id):
            self._saying = self._spoken_unit("", context_id)
            return
        async with aclosing(self._spoken(text, context_id)) as frames:
            async for frame in frames:
                yield frame
        self._timeline.mark("unit_done", reply_id=context_id)

    async def _spoken(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        failure: EarshotError | None = None
        for _ in range(TRIES):
            await self._voice.room()
            begun = self._timeline.clock()
            try:
                async for frame in self._unit(text, context_id):
                    yield frame
                return
            except (EngineError, UsageError) as error:  # the latter: a text it does not take
                failure = error
            pause_s = getattr(failure, "retry_after_s", None) or 0.0
            late = self._timeline.clock() + pause_s - begun >= RETRY_WITHIN_S
            if self._saying.sounded or late:
                break
            await asyncio.sleep(spread(pause_s))  # a busy engine says when it has room
        self._saying.rest()  # what failed was not heard
        self._of_unit = {}
        yield ErrorFrame(error=str(failure), exception=failure)
        async for frame in self._prepared(self._failure.instead(context_id), context_id):
            yield frame

    async def _unit(self, text: str, context_id: str) -> AsyncGenerator[Frame, None]:
        unit_id = f"{context_id}/{next(self._unit_numbers)}"
        self._saying = self._spoken_unit(text, context_id)
        before, self._before = self._before, ""
        if before:
            yield self._text_frame(before, context_id)
        self._timeline.mark("tts_request", reply_id=context_id, unit_id=unit_id, **self._filler)
        async with aclosing(self._chunks(unit_id, text)) as chunks:
            async for chunk in chunks:
                for frame in self._frames(chunk, context_id):
                    yield frame
                await self._voice.room()  # before the engine is asked for the next one

    async def _prepared(self, texts: Sequence[str], context_id: str) -> AsyncGenerator[Frame, None]:
        """Phrases, which need no engine; nothing where one of them is not prepared."""
        units = [(text, self._phrases.get(text.strip())) for text in texts]
        if not all(chunks for _, chunks in units):
            return
        for number, (text, chunks) in enumerate(units):
            if number:  # The last one's end comes from _push_spoken_text.
                yield self._text_frame(f"{self._saying.rest()} ", context_id)
            self._saying = self._spoken_unit(text, context_id)
            for chunk in chunks or ():
                await self._voice.room()
                for frame in self._frames(chunk, context_id):
                    yield frame

    async def _chunks(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk, None]:
        ready = self._phrases.get(text.strip())
        if ready is not None:
            self._stamp("synthesis_start", unit_id)
            self._stamp("first_chunk", unit_id)
            for chunk in ready:
                yield chunk
            return
        async with aclosing(self._voice.speak(unit_id, text)) as chunks:
            async for chunk in chunks:
                yield chunk

    def _spoken_unit(self, text: str, context_id: str) -> SpokenUnit:
        return SpokenUnit(text, context_id, self.sample_rate, self._text_frame)

    def _frames(self, chunk: PcmChunk, context_id: str) -> Iterator[Frame]:
        self._failure.sounded(context_id)
        self._voice.made(len(chunk.samples) / self.sample_rate)
        return self._saying.take(chunk)

    def _text_frame(self, piece: str, context_id: str) -> TTSTextFrame:
        frame = TTSTextFrame(piece, text_type=TextType.WORD)
        frame.context_id = context_id
        frame.includes_inter_frame_spaces = True
        context = self._tts_contexts.get(context_id)
        frame.append_to_context = context.append_to_context if context else True
        frame.metadata |= self._filler | self._of_unit
        if self._filler.get(FILLER) == Kind.PREAMBLE:
            frame.append_to_context = False
        return frame

    async def _push_spoken_text(
        self, src_frame: AggregatedTextFrame, text: str, context_id: str, append_to_context: bool
    ) -> None:
        """Queue what no word has brought yet; pipecat queues the whole unit's text here."""
        rest = self._saying.rest()
        ending = "" if rest[-1:].isspace() else src_frame.metadata.get(GAP, " ")
        if piece := rest + ending:
            await self.append_to_audio_context(context_id, self._text_frame(piece, context_id))
        for frame in self._aggregated_frame_sequencer.complete_spoken_slot():
            await self.push_frame(frame)

    async def tts_process_generator(
        self, context_id: str, generator: AsyncGenerator[Frame | None, None]
    ) -> None:
        """As pipecat's, but an interruption closes the generator before it is collected.

        Audio always comes inline here, so the turn's end closes the context even when its
        last unit was silent (pipecat would wait for the context to time out).
        """
        async with aclosing(generator):
            async for frame in generator:
                if frame is not None:
                    await self.append_to_audio_context(context_id, frame)
        self._is_yielding_frames_synchronously = True

    async def on_audio_context_interrupted(self, context_id: str) -> None:
        """Stop the computation too, should its reader not be unwound yet."""
        self._voice.stop()

    async def _record_context_audio_outcome(self, context_id: str, received_audio: bool) -> None:
        """Silence is a legal outcome (nothing speakable); faults are reported where they occur."""
