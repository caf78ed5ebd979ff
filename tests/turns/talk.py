"""A user who speaks in stretches, before pipecat's real aggregator; on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.utils.time import time_now_iso8601

from bot.config.schema import Settings
from bot.hearing import build_turns, last_said
from processors.nothing_heard import NothingHeardFrame
from processors.turn_halves import JoinedHalves
from processors.turn_patience import TalkKey
from tests.hearing.pipeline import Ears, listening

STOP_S = 0.2
"""The detector's share of a silence."""


class FakeStt(FrameProcessor):
    """Passes on the transcripts that the test sends."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)


class User:
    """Speaks; ``at`` is the time since the end of the last stretch."""

    def __init__(self, ears: Ears) -> None:
        self.ears = ears
        self._quiet_since = 0.0

    async def says(self, text: str, *, recognised_after_s: float = 0.3) -> None:
        """One stretch of speech and its final transcript."""
        await self.begins()
        await self.ends()
        await asyncio.sleep(recognised_after_s)
        await self.final(text)

    async def begins(self) -> None:
        await self.ears.speech(True)

    async def ends(self) -> None:
        """Fall silent; returns when the detector has noticed."""
        self._quiet_since = self._now()
        await asyncio.sleep(STOP_S)
        await self.ears.speech(False)

    async def final(self, text: str) -> None:
        await self._send(TranscriptionFrame(text, "", time_now_iso8601(), finalized=True))

    async def partial(self, text: str) -> None:
        await self._send(InterimTranscriptionFrame(text, "", time_now_iso8601()))

    async def nothing_heard(self) -> None:
        """The stretch was a noise."""
        await self._send(NothingHeardFrame())

    async def passes(self, seconds: float) -> None:
        """Time goes by."""
        await asyncio.sleep(seconds)
        await self.ears.settle()

    async def silent_for(self, seconds: float) -> None:
        """Return so long after the end of the last stretch."""
        await asyncio.sleep(self._quiet_since + seconds - self._now())
        await self.ears.settle()

    async def answered_after(self) -> float:
        """Seconds from the end of the last stretch to the request for an answer."""
        asked = self.ears.requests
        await self.ears.until(lambda: self.ears.requests > asked)
        return self._now() - self._quiet_since

    async def _send(self, frame: Frame) -> None:
        await self.ears.worker.queue_frame(frame)
        await self.ears.settle()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


@asynccontextmanager
async def user(
    policy: str = "pipecat", key: TalkKey | None = None, **turn: Any
) -> AsyncIterator[User]:
    """A user before the turns of these settings, by default those that a silence ends.

    With a ``policy`` other than pipecat's plain one, onsets interrupt nothing.
    """
    settings = Settings.model_validate(
        {"turn": {"end": "silence", **turn}, "barge_in": {"policy": policy}}
    )
    params = LLMUserAggregatorParams(
        user_turn_strategies=build_turns(settings, lambda: last_said(ears.context), key),
        empty_user_turn=None,
        user_turn_stop_timeout=settings.turn.max_wait_s,
    )
    interrupts, behind = policy == "pipecat", [JoinedHalves()]
    async with listening(FakeStt(), params, interruptions=interrupts, behind=behind) as ears:
        yield User(ears)
