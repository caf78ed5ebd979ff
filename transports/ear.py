"""Text leaves an output when its sound has been heard, not when it has been written."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    OutputAudioRawFrame,
    SystemFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection

from speech.heard.ledger import ROUNDING_S, HeardLedger
from transports.position import Playback

SHORTEST_WAIT_S = 0.005
"""The position is known to some milliseconds; looking more often gains nothing."""

PATIENCE_S = 5.0
"""A position that stands still so long, with words waiting, is that of a lost speaker."""

_REST_S = "unwritten_s"

_STATES = (BotStartedSpeakingFrame, BotStoppedSpeakingFrame)


class _Waiting(NamedTuple):
    frame: Frame
    direction: FrameDirection

    @property
    def is_word(self) -> bool:
        return isinstance(self.frame, TTSTextFrame)

    @property
    def outlasts_a_cut(self) -> bool:
        return not self.frame.interruptible or isinstance(self.frame, _STATES)


class EarQueue:
    """Stands at an output's exit and holds each word until its last sample has been heard.

    Frames without sound wait behind the words before them, so that the order stays, and with
    them pipecat's word that the bot has started or stopped speaking; other system frames and
    the audio itself do not wait. On an interruption the words whose end was audible go on,
    the others are dropped and with them what stood behind them, except for frames that must
    not be interrupted. Bound: the words of what the speaker holds, some tenths of a second.
    """

    def __init__(
        self,
        playback: Playback,
        pass_on: Callable[[Frame, FrameDirection], Awaitable[None]],
        *,
        rate_hz: int,
        chunk_s: float,
    ) -> None:
        """``chunk_s``: pipecat writes whole chunks and keeps the rest for the next one."""
        self.unheard_words = 0
        self._playback = playback
        self._push = pass_on
        self._rate_hz = rate_hz
        self._chunk = round(chunk_s * rate_hz)
        self._ledger: HeardLedger[_Waiting] = HeardLedger()
        self._news = asyncio.Event()
        self._turn = asyncio.Lock()
        self._in_hand = 0
        self._rest = 0
        self._lost = False

    def arrives(self, frame: Frame) -> None:
        """Call for every frame that comes down, before pipecat cuts its audio into chunks.

        A word's last samples may lie in the chunk that is not full yet; pipecat writes it
        with the audio that follows, though the word's text does not wait for it.
        """
        if isinstance(frame, TTSAudioRawFrame):
            same = frame.sample_rate == self._rate_hz
            self._rest = (self._rest + frame.num_frames) % self._chunk if same else self._chunk
        elif isinstance(frame, TTSStoppedFrame):
            self._rest = 0
        elif isinstance(frame, TTSTextFrame):
            frame.metadata[_REST_S] = self._rest / self._rate_hz

    def wrote(self, written: bool) -> None:
        """Speech was written, or lost: the words in it will not be heard."""
        self._lost = not written

    def takes(self, frame: Frame, direction: FrameDirection) -> bool:
        """Whether the frame, on its way out, waits here; it is passed on in its time."""
        if isinstance(frame, _STATES):
            return self._takes_state(frame, direction)
        if direction is FrameDirection.UPSTREAM or isinstance(
            frame, SystemFrame | OutputAudioRawFrame
        ):
            return False
        if isinstance(frame, TTSStartedFrame):
            self._lost = False
        elif isinstance(frame, TTSTextFrame) and not frame.pts:
            return self._takes_word(frame)
        return self._takes_follower(_Waiting(frame, direction))

    def _takes_state(self, frame: Frame, direction: FrameDirection) -> bool:
        stopped = isinstance(frame, BotStoppedSpeakingFrame)
        if stopped and direction is FrameDirection.DOWNSTREAM:
            self._rest = 0  # pipecat forgets the chunk that is not full
            self._ledger.cap(self._playback.booked_s)
        return self._takes_follower(_Waiting(frame, direction))

    def _takes_follower(self, waiting: _Waiting) -> bool:
        if not self._ledger and not self._in_hand:
            return False
        self._ledger.follow(waiting)
        self._news.set()
        return True

    async def run(self) -> None:
        """Pass on what has been heard, until cancelled."""
        while True:
            self._news.clear()
            if not self._ledger:
                await self._news.wait()
            if await self._heard_on():
                await self._pass(self._ledger.heard(self._playback.heard_s))
            else:
                await self.settle()

    async def cut(self) -> None:
        """The sound has been cut: what is heard to its end goes on, the rest is dropped."""
        self._rest = 0
        outcome = self._ledger.cut(self._playback.ends_s, lambda waiting: waiting.outlasts_a_cut)
        self._ledger.cap(self._playback.booked_s)
        self._count(outcome.unheard)
        self._news.set()
        await self._pass(outcome.heard)

    async def settle(self) -> None:
        """Nothing more will be heard: words that were not are dropped, all else goes on."""
        self._ledger.cap(self._playback.booked_s)
        outcome = self._ledger.cut(self._playback.heard_s)
        self._count(outcome.unheard)
        silent = [waiting for waiting in outcome.unheard if not waiting.is_word]
        await self._pass([*outcome.heard, *silent])

    def _takes_word(self, frame: TTSTextFrame) -> bool:
        if self._lost:
            self.unheard_words += 1
            return True
        end_s = self._playback.booked_s + frame.metadata.pop(_REST_S, 0.0)
        self._ledger.word(_Waiting(frame, FrameDirection.DOWNSTREAM), end_s)
        self._news.set()
        return True

    async def _heard_on(self) -> bool:
        """Wait until something is due; False where the position stands still too long."""
        loop = asyncio.get_running_loop()
        moved, position_s = loop.time(), self._playback.heard_s
        while (end_s := self._ledger.next_end_s) is not None:
            heard_s = self._playback.heard_s
            if heard_s >= end_s - ROUNDING_S:
                break
            if heard_s != position_s:
                moved, position_s = loop.time(), heard_s
            elif loop.time() - moved > PATIENCE_S:
                return False
            # Sound takes its time: the end is not heard sooner than this, maybe later.
            await asyncio.sleep(max(end_s - heard_s, SHORTEST_WAIT_S))
        return True

    async def _pass(self, due: Iterable[_Waiting]) -> None:
        self._in_hand += 1
        try:
            async with self._turn:
                for frame, direction in due:
                    await self._push(frame, direction)
        finally:
            self._in_hand -= 1

    def _count(self, unheard: Iterable[_Waiting]) -> None:
        self.unheard_words += sum(waiting.is_word for waiting in unheard)
