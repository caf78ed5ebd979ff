"""What became of each stretch of speech, noises too; and turns that end when it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipecat.frames.frames import (
    DataFrame,
    Frame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_stop import (
    BaseUserTurnStopStrategy,
    SpeechTimeoutUserTurnStopStrategy,
    TurnAnalyzerUserTurnStopStrategy,
)

from processors.turn_patience import WaitsForTheRest

Reason = Literal["noise", "failed"]


@dataclass
class NothingHeardFrame(DataFrame):
    """What the voice detector took for speech gave no words.

    ``reason``: it was "noise", or the recogniser "failed" and the words are lost.
    """

    reason: Reason = "noise"


_STRETCHES = "stretches"


def covers(outcome: Frame, stretches: int) -> None:
    """Note on ``outcome`` that it is the last word on the conversation's first ``stretches``."""
    outcome.metadata[_STRETCHES] = stretches


class EndsOnNothingHeard(BaseUserTurnStopStrategy):
    """Mixed into a stop strategy: a ``NothingHeardFrame`` counts as a final transcript.

    No turn ends while an outcome (see ``covers``) is owed for speech that has begun, or the
    rest of its words would make a turn of their own. Transcripts come late wherever the turn
    model holds up the aggregator: speech goes on meanwhile, and is seen first. An outcome
    without a note covers everything. pipecat's watchdog ends a turn in any case.

    A turn without words ends at once, where pipecat would wait for its watchdog (5 s). A turn
    in which words were heard before the noise no longer waits for a transcript; when it ends
    is up to the strategy. ``nothing_heard`` tells a handler of ``on_user_turn_stopped`` why
    the turn was empty.

    A final transcript that comes after its turn was closed (a slow recogniser) begins a turn
    of its own, and as nobody is speaking ends it: pipecat would wait for another silence.
    """

    nothing_heard: Reason = "noise"
    _heard: TranscriptionFrame | None = None
    _speaking = False
    _speech_seen = False
    _begun = 0
    _covered = 0

    async def handle_user_turn_started(self) -> None:
        """Begin with no words."""
        self._heard = None
        self._speech_seen = self._speaking
        self.nothing_heard = "noise"
        await super().handle_user_turn_started()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Follow speech and its outcomes; end the turn where nothing was heard."""
        if isinstance(frame, (NothingHeardFrame, TranscriptionFrame)):
            self._covered = frame.metadata.get(_STRETCHES, self._begun)
        if isinstance(frame, NothingHeardFrame):
            return await self._on_nothing_heard(frame)
        if isinstance(frame, VADUserStartedSpeakingFrame):
            self._speaking = self._speech_seen = True
            self._begun += 1
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self._speaking = False
        elif isinstance(frame, TranscriptionFrame):
            self._heard = frame
        result = await super().process_frame(frame) or ProcessFrameResult.CONTINUE
        if isinstance(frame, TranscriptionFrame) and frame.finalized and not self._speech_seen:
            await self.trigger_user_turn_stopped()
        return result

    async def trigger_user_turn_stopped(
        self, *, enable_user_speaking_frames: bool | None = None
    ) -> None:
        """End the turn, unless an outcome is owed: that one will ask again."""
        if self._covered >= self._begun:
            await super().trigger_user_turn_stopped(
                enable_user_speaking_frames=enable_user_speaking_frames
            )

    async def _on_nothing_heard(self, frame: NothingHeardFrame) -> ProcessFrameResult:
        if self._heard is not None:
            return await super().process_frame(self._heard) or ProcessFrameResult.CONTINUE
        if self.nothing_heard != "failed":
            self.nothing_heard = frame.reason
        await self.trigger_user_turn_stopped()
        return ProcessFrameResult.CONTINUE


class SmartTurnStop(WaitsForTheRest, EndsOnNothingHeard, TurnAnalyzerUserTurnStopStrategy):
    """A turn model decides; see ``WaitsForTheRest`` and ``EndsOnNothingHeard``."""


class SilenceTurnStop(WaitsForTheRest, EndsOnNothingHeard, SpeechTimeoutUserTurnStopStrategy):
    """A silence of fixed length decides; see ``WaitsForTheRest`` and ``EndsOnNothingHeard``."""
