"""Turns that wait for the rest of a number, a spelling, an address or a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_stop import BaseUserTurnStopStrategy

from speech.turns.patience import Patience


class TalkKey:
    """Who holds the talk key has the turn, speaking or not; ``up`` is set while nobody does."""

    def __init__(self) -> None:
        self.up = asyncio.Event()
        self.up.set()

    def press(self, *, down: bool) -> None:
        """It goes down, or up."""
        (self.up.clear if down else self.up.set)()


class WaitsForTheRest(BaseUserTurnStopStrategy):
    """Mixed into a stop strategy, before every other: its verdict counts after the patience.

    ``patience`` judges the words of the turn; the silence it asks for is counted from the end
    of speech, so that it costs nothing on top of what detector and recogniser take, and a turn
    whose strategy waits longer anyway is not held up. Speech begins the wait anew. pipecat's
    watchdog (``turn.max_wait_s``) ends a turn in any case. ``asked`` gives what the bot said
    last. No turn ends while ``key``, if there is one, is held.
    """

    def __init__(
        self,
        *,
        patience: Patience | None = None,
        asked: Callable[[], str] = str,
        key: TalkKey | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._patience = patience
        self._asked = asked
        self._key = key
        self._texts: list[str] = []
        self._partial = ""
        self._in_turn = False
        self._quiet_since = float("-inf")
        self._wait: asyncio.Task[None] | None = None

    async def handle_user_turn_started(self) -> None:
        """Begin with no words."""
        await self._begin(in_turn=True)
        await super().handle_user_turn_started()

    async def handle_user_turn_stopped(self) -> None:
        """Forget the words, whoever ended the turn."""
        await self._begin(in_turn=False)
        await super().handle_user_turn_stopped()

    async def cleanup(self) -> None:
        """Wait no more."""
        await super().cleanup()
        await self._stop_waiting()

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Follow words and speech."""
        if isinstance(frame, VADUserStartedSpeakingFrame):
            await self._stop_waiting()
        elif isinstance(frame, VADUserStoppedSpeakingFrame):
            self._quiet_since = self._now() - frame.stop_secs
        elif isinstance(frame, TranscriptionFrame) and self._in_turn:
            self._texts.append(frame.text)
            self._partial = ""
        elif isinstance(frame, InterimTranscriptionFrame):
            self._partial = frame.text
        return await super().process_frame(frame) or ProcessFrameResult.CONTINUE

    async def trigger_user_turn_stopped(
        self, *, enable_user_speaking_frames: bool | None = None
    ) -> None:
        """End the turn, or ask again when the patience is over."""
        left_s = self._left_s()
        await self._stop_waiting()
        if self._key is not None and not self._key.up.is_set():
            waits = self._ask_when_up(self._key)
            self._wait = self.task_manager.create_task(waits, f"{self}::key")
            return
        if left_s > 0:
            self._wait = self.task_manager.create_task(self._ask_again(left_s), f"{self}::patience")
            return
        await super().trigger_user_turn_stopped(
            enable_user_speaking_frames=enable_user_speaking_frames
        )

    def _left_s(self) -> float:
        if self._patience is None:
            return 0.0
        text = " ".join([*self._texts, self._partial])
        return self._quiet_since + self._patience.wait_s(text, self._asked()) - self._now()

    async def _ask_when_up(self, key: TalkKey) -> None:
        await key.up.wait()
        self._wait = None
        await self.trigger_user_turn_stopped()

    async def _ask_again(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        self._wait = None
        await self.trigger_user_turn_stopped()

    async def _begin(self, *, in_turn: bool) -> None:
        self._in_turn = in_turn
        self._texts.clear()
        self._partial = ""
        await self._stop_waiting()

    async def _stop_waiting(self) -> None:
        if self._wait is not None:
            wait, self._wait = self._wait, None
            await self.task_manager.cancel_task(wait)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
