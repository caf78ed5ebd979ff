"""Words leave an output when they have been heard; a cut credits exactly those."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from pipecat.frames.frames import (
    BotSpeakingFrame,
    BotStoppedSpeakingFrame,
    Frame,
    LLMFullResponseEndFrame,
    TTSAudioRawFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.processors.frame_processor import FrameDirection
from pipecat.utils.text.base_text_aggregator import TextType

from transports import ear
from transports.ear import EarQueue

DOWN, UP = FrameDirection.DOWNSTREAM, FrameDirection.UPSTREAM
RATE_HZ = 24_000


class Table:
    """An output whose speaker the test moves by hand; ``out`` is what left it."""

    def __init__(self) -> None:
        self.booked_s = 0.0
        self.heard_s = 0.0
        self.out: list[Frame] = []
        self.ear = EarQueue(self, self._leave, rate_hz=RATE_HZ, chunk_s=0.04)

    async def _leave(self, frame: Frame, _: FrameDirection) -> None:
        self.out.append(frame)

    async def push(self, frame: Frame, direction: FrameDirection = DOWN) -> None:
        """As an output does."""
        if not self.ear.takes(frame, direction):
            await self._leave(frame, direction)

    async def word(self, text: str, seconds: float = 0.1, **fields: object) -> None:
        """Audio and its text, as pipecat's sender writes them."""
        audio = TTSAudioRawFrame(bytes(2 * round(seconds * RATE_HZ)), RATE_HZ, 1)
        frame = TTSTextFrame(text, TextType.WORD)
        frame.interruptible = bool(fields.get("interruptible", True))
        self.ear.arrives(audio)
        self.ear.arrives(frame)
        self.booked_s += seconds
        await self.push(frame)

    @property
    def ends_s(self) -> float:
        """This speaker stops where it is."""
        return self.heard_s

    @property
    def words(self) -> str:
        return " ".join(frame.text for frame in self.out if isinstance(frame, TTSTextFrame))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110 - the queue looks at the position by time
                await asyncio.sleep(0.005)


@asynccontextmanager
async def table() -> AsyncIterator[Table]:
    made = Table()
    running = asyncio.create_task(made.ear.run())
    try:
        yield made
    finally:
        running.cancel()
        await asyncio.wait([running])


async def test_words_leave_as_they_are_heard_and_what_follows_them_keeps_its_place() -> None:
    async with table() as t:
        for text in ("one", "two"):
            await t.word(text, 0.12)
        await t.push(LLMFullResponseEndFrame())
        await t.push(BotSpeakingFrame())
        assert [type(frame) for frame in t.out] == [BotSpeakingFrame]
        t.heard_s = 0.13
        await t.until(lambda: t.words == "one")
        t.heard_s = 0.24
        await t.until(lambda: len(t.out) == 4)
        assert isinstance(t.out[-1], LLMFullResponseEndFrame)


async def test_a_cut_credits_what_was_audible_though_the_queue_had_not_looked() -> None:
    async with table() as t:
        for text in ("one", "two", "three"):
            await t.word(text, 0.12)
        await t.push(LLMFullResponseEndFrame())
        t.heard_s = 0.3
        await t.ear.cut()
        assert t.words == "one two"
        assert not any(isinstance(frame, LLMFullResponseEndFrame) for frame in t.out)
        assert t.ear.unheard_words == 1


async def test_the_end_of_a_word_may_lie_in_a_chunk_that_is_not_full_yet() -> None:
    async with table() as t:
        t.ear.arrives(TTSAudioRawFrame(bytes(2 * 2_400), RATE_HZ, 1))  # 100 ms: 80 are written
        frame = TTSTextFrame("one", TextType.WORD)
        t.ear.arrives(frame)
        t.booked_s = t.heard_s = 0.08
        await t.push(frame)
        await t.ear.cut()
        assert t.words == ""


async def test_the_rest_of_a_chunk_that_never_comes_does_not_hold_a_word_for_ever() -> None:
    async with table() as t:
        t.ear.arrives(TTSAudioRawFrame(bytes(2 * 2_400), RATE_HZ, 1))
        frame = TTSTextFrame("one", TextType.WORD)
        t.ear.arrives(frame)
        t.booked_s = t.heard_s = 0.08
        await t.push(frame)
        await t.push(BotStoppedSpeakingFrame())
        await t.push(BotStoppedSpeakingFrame(), UP)
        await t.until(lambda: len(t.out) == 3)
        assert t.words == "one"


async def test_the_bots_silence_is_told_after_its_last_word_also_where_it_was_cut() -> None:
    async with table() as t:
        await t.word("one")
        await t.push(BotStoppedSpeakingFrame())
        assert t.out == []
        await t.ear.cut()
        await t.until(lambda: len(t.out) == 1)
        assert isinstance(t.out[0], BotStoppedSpeakingFrame)


async def test_words_that_must_not_be_interrupted_are_heard_to_their_end() -> None:
    async with table() as t:
        await t.word("cut")
        await t.word("goodbye", interruptible=False)
        t.booked_s = 0.1  # The cut took the first word's samples out of the ring.
        await t.ear.cut()
        assert t.words == ""
        t.heard_s = 0.1
        await t.until(lambda: t.words == "goodbye")


async def test_words_whose_audio_was_lost_with_the_speaker_are_not_heard() -> None:
    async with table() as t:
        t.ear.wrote(False)
        await t.word("lost")
        t.ear.wrote(True)
        await t.word("there")
        t.heard_s = t.booked_s
        await t.until(lambda: t.words != "")
        assert t.words == "there"


async def test_text_without_sound_is_not_held_after_a_cut_reply() -> None:
    async with table() as t:
        t.ear.wrote(False)  # The write that the interruption ended.
        await t.ear.cut()
        await t.push(TTSStartedFrame(context_id="r2"))
        await t.push(TTSTextFrame("…", TextType.WORD))
        await t.push(TTSStoppedFrame(context_id="r2"))
        await t.until(lambda: len(t.out) == 3)


async def test_a_speaker_that_stands_still_does_not_hold_the_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ear, "PATIENCE_S", 0.05)
    async with table() as t:
        await t.word("lost", 0.02)
        await t.push(LLMFullResponseEndFrame())
        await t.until(lambda: len(t.out) == 1)
        assert isinstance(t.out[0], LLMFullResponseEndFrame)
