"""Pipecat's frames as timeline stages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipecat.clocks.base_clock import BaseClock
from pipecat.frames.frames import (
    AggregatedTextFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    ErrorFrame,
    Frame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.tts_service import TTSService

from processors.aggregator import UNSPOKEN
from processors.evidence import filler_mark
from speech.timeline import Timeline


class TimelineClock(BaseClock):
    """Pipecat's clock, reading the timeline's: frame times and marks then agree."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def start(self) -> None:
        """Nothing to start: the timeline's clock always runs."""

    def get_time(self) -> int:
        """Nanoseconds on the timeline's clock."""
        return int(self._timeline.clock() * 1e9)


Handler = Callable[[Any, float], None]

_BOTH_WAYS = (
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    InterruptionFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
)


class TimelineObserver(BaseObserver):
    """Marks turns, transcripts, LLM stages, units, interruptions, tools and errors.

    Each frame is seen once, when it is first pushed, with the pipeline clock's time of
    that push. Speech borders are set back by the time the detector took to be sure.
    pipecat interrupts at the start of every user turn; only one that cuts an answer, from
    the request to the end of its audio, is marked, and none where the barge-in policy marks its
    own decisions. A unit that the cut model still lets go,
    when it is cancelled, reaches no voice and is not marked.
    """

    def __init__(self, timeline: Timeline, *, mark_interrupts: bool = True) -> None:
        super().__init__(observe_every_push=False)
        self._timeline = timeline
        self._mark_interrupts = mark_interrupts
        self._awaiting_token = False
        self._writing = False
        self._answering = False
        self._said_something = False
        self._is_cut = False
        self._handlers: dict[type[Frame], Handler] = {
            VADUserStartedSpeakingFrame: self._onset,
            VADUserStoppedSpeakingFrame: self._speech_end,
            UserStartedSpeakingFrame: self._plain("user_started"),
            UserStoppedSpeakingFrame: self._plain("user_stopped"),
            TranscriptionFrame: self._transcript,
            LLMFullResponseStartFrame: self._request,
            LLMTextFrame: self._token,
            LLMFullResponseEndFrame: self._reply_end,
            AggregatedTextFrame: self._unit,
            TTSSpeakFrame: self._unit,
            BotStartedSpeakingFrame: self._speaks,
            BotStoppedSpeakingFrame: self._silent,
            InterruptionFrame: self._interrupt,
            FunctionCallInProgressFrame: self._tool_call,
            FunctionCallResultFrame: self._tool_result,
            ErrorFrame: self._error,
        }

    async def on_push_frame(self, data: FramePushed) -> None:
        """Mark the frame's stage, if it has one."""
        handler = self._handlers.get(type(data.frame))
        if handler is None or self._is_twin(data) or self._is_announcement(data):
            return
        handler(data.frame, data.timestamp / 1e9)

    @staticmethod
    def _is_twin(data: FramePushed) -> bool:
        """These go both ways, not always as siblings; the one going down stands for both."""
        return isinstance(data.frame, _BOTH_WAYS) and data.direction is FrameDirection.UPSTREAM

    @staticmethod
    def _is_announcement(data: FramePushed) -> bool:
        """The TTS service repeats a unit as it begins to speak it; it was released before."""
        return type(data.frame) is AggregatedTextFrame and isinstance(data.source, TTSService)

    def _plain(self, name: str) -> Handler:
        def mark(_frame: Frame, at: float) -> None:
            self._timeline.mark(name, at=at)

        return mark

    def _onset(self, frame: VADUserStartedSpeakingFrame, at: float) -> None:
        self._timeline.mark("user_onset", at=at - frame.start_secs)

    def _speech_end(self, frame: VADUserStoppedSpeakingFrame, at: float) -> None:
        ended = at - frame.stop_secs
        self._timeline.mark("user_speech_end", at=ended, detector_s=frame.stop_secs)

    def _transcript(self, frame: TranscriptionFrame, at: float) -> None:
        self._timeline.mark("stt_final", at=at)
        self._timeline.mark("user_text", at=at, text=frame.text)

    def _request(self, _frame: LLMFullResponseStartFrame, at: float) -> None:
        self._awaiting_token = self._writing = self._answering = True
        self._said_something = self._is_cut = False
        self._timeline.mark("llm_request", at=at)

    def _token(self, frame: LLMTextFrame, at: float) -> None:
        if self._awaiting_token and frame.text:
            self._awaiting_token = False
            self._timeline.mark("llm_first_token", at=at)

    def _reply_end(self, _frame: LLMFullResponseEndFrame, _at: float) -> None:
        self._awaiting_token = self._writing = False
        self._answering = self._answering and self._said_something

    def _speaks(self, _frame: BotStartedSpeakingFrame, at: float) -> None:
        self._answering = True
        self._timeline.mark("bot_started", at=at)

    def _silent(self, _frame: BotStoppedSpeakingFrame, at: float) -> None:
        self._answering = self._writing
        self._timeline.mark("bot_stopped", at=at)

    def _interrupt(self, _frame: InterruptionFrame, at: float) -> None:
        if self._answering and self._mark_interrupts:
            self._timeline.mark("interrupt", at=at)
        self._answering = self._writing = False
        self._is_cut = True

    def _unit(self, frame: AggregatedTextFrame | TTSSpeakFrame, at: float) -> None:
        written = isinstance(frame, AggregatedTextFrame)
        if written and (self._is_cut or frame.text_type == UNSPOKEN):
            return
        self._answering = self._said_something = True
        if isinstance(frame, TTSSpeakFrame):  # a reply's units are marked as they pass the gate
            self._timeline.mark("unit_released", at=at, **filler_mark(frame))
        ending = "" if frame.text[-1:].isspace() else " "
        self._timeline.mark("bot_text", at=at, text=frame.text.lstrip() + ending)

    def _tool_call(self, frame: FunctionCallInProgressFrame, at: float) -> None:
        self._answering = self._said_something = True
        arguments = dict(frame.arguments or {})
        self._timeline.mark("tool_call", at=at, tool=frame.function_name, arguments=arguments)

    def _tool_result(self, frame: FunctionCallResultFrame, at: float) -> None:
        self._timeline.mark("tool_result", at=at, tool=frame.function_name)

    def _error(self, frame: ErrorFrame, at: float) -> None:
        self._timeline.mark("error", at=at, text=frame.error)
