"""The scripted transport: ``play`` what the user says, then read the ``recording``."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pipecat.transports.base_transport import BaseTransport, TransportParams

from speech.barge_in.replies import Replies
from speech.barge_in.speaker import Speaker
from speech.timeline import Timeline
from transports.script.input import ScriptInput
from transports.script.microphone import ScriptedMicrophone
from transports.script.output import ScriptOutput
from transports.script.recording import FLOOR_DBFS, Recording, audible_span
from transports.script.speaker import VirtualSpeaker
from transports.script.track import MAX_TRACK_S, Track


@dataclass(frozen=True, slots=True)
class ScriptParams:
    """``lead_s`` is what the speaker holds unplayed, as a sound card's buffer does."""

    input_rate_hz: int = 16_000
    output_rate_hz: int = 24_000
    frame_s: float = 0.02
    lead_s: float = 0.06
    max_s: float = MAX_TRACK_S


@dataclass(frozen=True, slots=True)
class Played:
    """When a clip of the user's was or will be heard, on the timeline's clock."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class ReplyAudio:
    """What a listener heard of a reply, from its first to its last audible sample."""

    reply_id: str
    start: float
    end: float
    samples: NDArray[np.int16]


class ScriptTransport(BaseTransport):
    """User audio into the pipeline in real time, both sides recorded on one clock.

    Memory is bounded by ``max_s`` of recording on each side (72 MB for the default fifteen
    minutes) and as much waiting user audio.
    """

    def __init__(self, params: ScriptParams, timeline: Timeline) -> None:
        super().__init__()
        self._params = params
        self._timeline = timeline
        self._microphone = ScriptedMicrophone(params.input_rate_hz)
        self._user = Track(params.input_rate_hz, params.max_s)
        self._bot = Track(params.output_rate_hz, params.max_s)
        self._speaker: VirtualSpeaker | None = None
        self._origin: float | None = None
        self._started = asyncio.Event()
        self._pipecat_params = TransportParams(
            audio_in_enabled=True,
            audio_in_sample_rate=params.input_rate_hz,
            audio_out_enabled=True,
            audio_out_sample_rate=params.output_rate_hz,
            audio_out_10ms_chunks=2,
            audio_out_end_silence_secs=0,
        )
        self._input: ScriptInput | None = None
        self._output: ScriptOutput | None = None

    def input(self) -> ScriptInput:
        """The processor that stands for the microphone."""
        if self._input is None:
            self._input = ScriptInput(
                self._pipecat_params,
                self._microphone,
                self._user,
                frame_s=self._params.frame_s,
                clock=self._timeline.clock,
                on_start=self._on_start,
            )
        return self._input

    def output(self) -> ScriptOutput:
        """The processor that stands for the speaker."""
        if self._output is None:
            self._output = ScriptOutput(
                self._pipecat_params,
                self._timeline,
                lead_s=self._params.lead_s,
                speaker=self._open_speaker,
            )
        return self._output

    async def started(self) -> float:
        """Wait until the pipeline takes audio; returns the recording's moment 0."""
        await self._started.wait()
        return self._clock_origin()

    def play(self, samples: NDArray[np.int16], at: float | None = None) -> Played:
        """Let the user say ``samples`` (mono, at the input rate) at ``at``, or now.

        A moment that is past means now. Raises ``ValueError`` for too much waiting audio.
        """
        when = self._timeline.clock() if at is None else at
        clip = self._microphone.add(samples, when - self._clock_origin())
        rate = self._microphone.rate_hz
        origin = self._clock_origin()
        return Played(origin + clip.start / rate, origin + clip.end / rate)

    def speaker(self, replies: Replies) -> Speaker:
        """What the barge-in policy commands; ``replies`` says whose late frames are dropped."""
        output = self.output()
        output.replies = replies
        return output

    def played_position(self, reply_id: str | None = None) -> float:
        """See ``PlayedPosition``."""
        if self._speaker is None:
            return 0.0
        return self._speaker.heard_s if reply_id is None else self._speaker.played_s(reply_id)

    @property
    def recording(self) -> Recording:
        """Both sides as a listener heard them so far."""
        return Recording(self._user, self._bot, self._clock_origin())

    @property
    def holes(self) -> tuple[int, float]:
        """How often the bot's audio came too late within a reply, and the seconds missing."""
        return (self._speaker.underruns, self._speaker.underrun_s) if self._speaker else (0, 0.0)

    def heard_replies(self) -> list[ReplyAudio]:
        """The audible replies so far, in order; between -50 dBFS and -50 dBFS."""
        speaker = self._speaker
        if speaker is None:
            return []
        ids = dict.fromkeys(span.reply_id for span in speaker.spans)
        heard = (self._heard(speaker, reply_id) for reply_id in ids if reply_id is not None)
        return [reply for reply in heard if reply is not None]

    def mark_heard(self) -> None:
        """After the run: mark ``audible`` and ``silent`` of every reply, and lost audio.

        Both come from the recording: its first and last sample above -50 dBFS.
        """
        for reply in self.heard_replies():
            for stage, at in (("audible", reply.start), ("silent", reply.end)):
                self._timeline.mark(stage, at=at, reply_id=reply.reply_id, floor_dbfs=FLOOR_DBFS)
        if self._speaker is not None:
            self._mark_losses(self._speaker)

    def _heard(self, speaker: VirtualSpeaker, reply_id: str) -> ReplyAudio | None:
        found = [
            audible
            for span in speaker.spans
            if span.reply_id == reply_id
            and (audible := audible_span(self._bot.samples, span.start, span.end))
        ]
        if not found:
            return None
        first, last = found[0][0], found[-1][1]
        samples = self._bot.samples[first : last + 1].copy()
        return ReplyAudio(reply_id, speaker.time_of(first), speaker.time_of(last), samples)

    def _mark_losses(self, speaker: VirtualSpeaker) -> None:
        self._timeline.mark(
            "note",
            what="script transport",
            underruns=speaker.underruns,
            underrun_s=round(speaker.underrun_s, 3),
            input_overflows=self._input.overflows if self._input else 0,
            truncated_samples=self._user.truncated + self._bot.truncated,
        )

    def _on_start(self) -> float:
        self._started.set()
        return self._clock_origin()

    def _open_speaker(self) -> VirtualSpeaker:
        if self._speaker is None:
            origin = self._clock_origin()
            self._speaker = VirtualSpeaker(self._bot, self._timeline.clock, origin)
        return self._speaker

    def _clock_origin(self) -> float:
        if self._origin is None:
            self._origin = self._timeline.clock()
        return self._origin
