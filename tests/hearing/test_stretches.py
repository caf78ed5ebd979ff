"""Each stretch of speech belongs to one turn, in whatever order words and verdicts come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pipecat.audio.turn.base_turn_analyzer import BaseTurnAnalyzer, BaseTurnParams, EndOfTurnState
from pipecat.frames.frames import (
    InputAudioRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams
from pipecat.turns.user_start import VADUserTurnStartStrategy
from pipecat.turns.user_stop import UserTurnStoppedParams

from bot.config.schema import Settings
from bot.hearing import build_turns
from processors.nothing_heard import SmartTurnStop
from processors.segment_stt import SegmentSttService
from speech.hearing.recogniser import RecognitionError, Transcript
from tests.hearing.pipeline import APOLOGY, Ears, listening
from tests.hearing.sounds import RATE_HZ, Samples

FAR_S = 3_600.0
"""No timer of pipecat's runs out: a turn ends by its words and verdicts, or the test fails."""

WORDS, NOISE, LOST = 1_000, 2_000, 3_000
"""Levels that stand for speech, for a noise, and for what the recogniser fails on."""


class Gate:
    """Calls that wait to be let through one by one."""

    def __init__(self) -> None:
        self._calls: list[asyncio.Future[Any]] = []

    async def wait(self) -> Any:
        call: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._calls.append(call)
        return await call

    @property
    def waiting(self) -> bool:
        return bool(self._calls)

    def release(self, result: Any = None) -> bool:
        """Whether a call was waiting."""
        if self._calls:
            self._calls.pop(0).set_result(result)
            return True
        return False


class FakeRecogniser:
    """Hears which stretches are in the audio: each has a level of its own."""

    name = "fake"

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def start(self) -> None: ...

    async def transcribe(self, samples: Samples, rate_hz: int) -> Transcript:
        await self._gate.wait()
        levels = sorted({int(level) for level in samples} - {0}, key=lambda level: level % 1_000)
        if any(level >= LOST for level in levels):
            raise RecognitionError("the server is down")
        words = [f"w{level - WORDS}" for level in levels if level < NOISE]
        return Transcript(" ".join(words), 0.02) if words else Transcript("you", 0.9)

    async def aclose(self) -> None: ...


class FakeTurnModel(BaseTurnAnalyzer):
    """Judges when it is told to; a frame of zeros stands for the longest silence."""

    speech_triggered = False
    params = BaseTurnParams()

    def __init__(self, gate: Gate) -> None:
        super().__init__()
        self._gate = gate
        self._empty = False

    def append_audio(self, buffer: bytes, is_speech: bool) -> EndOfTurnState:
        self._empty = not is_speech and not any(buffer)
        return EndOfTurnState.COMPLETE if self._empty else EndOfTurnState.INCOMPLETE

    async def analyze_end_of_turn(self) -> tuple[EndOfTurnState, None]:
        if self._empty:
            self._empty = False
            return EndOfTurnState.INCOMPLETE, None
        return await self._gate.wait(), None

    def clear(self) -> None: ...


class Talk:
    """A user, a recogniser and a turn model whose every step the test takes."""

    def __init__(self, ears: Ears, recogniser: Gate, model: Gate) -> None:
        self.ears = ears
        self.recogniser = recogniser
        self.model = model
        self.speaking = False
        self.stretches: list[int] = []

    def possible(self, patient: bool) -> list[tuple[Any, ...]]:
        """The steps that can be taken now."""
        steps: list[tuple[Any, ...]] = []
        if self.recogniser.waiting:
            steps += [("recognise",)]
        if self.model.waiting:
            steps += [("judge", True), ("judge", False)]
        if self.speaking:
            return [*steps, ("end",)]
        if not patient:
            steps += [("give_up",)]
        return [*steps, ("begin", WORDS), ("begin", NOISE), ("silence",)]

    async def begin(self, kind: int = WORDS) -> None:
        self.speaking = True
        level = kind + len(self.stretches)
        self.stretches.append(level)
        await self.ears.worker.queue_frame(VADUserStartedSpeakingFrame(start_secs=0.2))
        await self._sound(np.full(RATE_HZ // 10, level, np.int16))

    async def end(self) -> None:
        self.speaking = False
        await self.ears.worker.queue_frame(VADUserStoppedSpeakingFrame(stop_secs=0.2))
        await drained()

    async def recognise(self) -> bool:
        released = self.recogniser.release()
        await drained()
        return released

    async def judge(self, complete: bool) -> bool:
        verdict = EndOfTurnState.COMPLETE if complete else EndOfTurnState.INCOMPLETE
        released = self.model.release(verdict)
        await drained()
        return released

    async def silence(self) -> None:
        await self._sound(np.zeros(RATE_HZ // 10, np.int16))

    async def give_up(self) -> None:
        """As pipecat's watchdog does when the recogniser is too slow."""
        controller = self.ears.user._user_turn_controller
        await controller._trigger_user_turn_stop(None, UserTurnStoppedParams(True))
        await drained()

    async def finish(self, model_first: bool) -> None:
        """The user falls silent for good; everybody answers what is open."""
        if self.speaking:
            await self.end()
        while model_first and await self.judge(True):
            pass
        while await self.recognise() or await self.judge(True):
            pass
        await self.silence()

    async def _sound(self, samples: Samples) -> None:
        await self.ears.worker.queue_frame(InputAudioRawFrame(samples.tobytes(), RATE_HZ, 1))
        await drained()

    def check(self, patient: bool = True) -> None:
        words = [f"w{level - WORDS}" for level in self.stretches if level < NOISE]
        turns = [turn for turn in self.ears.turns if turn]
        assert " ".join(turns).split() == words
        assert self.ears.user_messages == turns
        assert self.ears.requests == len(turns)
        by_voice = [isinstance(o, VADUserTurnStartStrategy) for o in self.ears.openers]
        assert all(by_voice) or not patient


async def drained() -> None:
    """Nothing here waits for time or threads: so many rounds of the loop settle everything."""
    for _ in range(80):
        await asyncio.sleep(0)


@asynccontextmanager
async def talk(end: str) -> AsyncIterator[Talk]:
    recogniser, model = Gate(), Gate()
    # Without patience: "w0 w1" is what people say when they spell.
    turn = {"end": end, "silence_s": 0.2, "patience_s": 0}
    strategies = build_turns(Settings.model_validate({"turn": turn}))
    if end == "smart":
        strategies.stop = [SmartTurnStop(turn_analyzer=FakeTurnModel(model))]
    params = LLMUserAggregatorParams(
        user_turn_strategies=strategies, empty_user_turn=None, user_turn_stop_timeout=FAR_S
    )
    stt = SegmentSttService(FakeRecogniser(recogniser), longest_s=FAR_S)
    async with listening(stt, params, interruptions=False) as ears:
        try:
            yield Talk(ears, recogniser, model)
        finally:  # a pipeline whose turn model never answers ends after 20 s only
            while recogniser.release() or model.release(EndOfTurnState.INCOMPLETE):
                await drained()


async def test_words_held_up_by_the_turn_model_do_not_end_the_next_stretch() -> None:
    """While the model computed the user went on: the first words come out in the second stretch,
    and their turn must not end before the second words."""
    async with talk("smart") as user:
        await user.begin()
        await user.end()
        await user.recognise()
        assert user.ears.finals == ["w0"]
        await user.begin()
        await user.judge(complete=False)
        await user.end()
        await user.judge(complete=True)
        assert user.ears.turns == []
        await user.recognise()
        assert user.ears.turns == ["w0 w1"]
        user.check()


async def test_a_noise_after_words_held_up_ends_the_turn() -> None:
    async with talk("smart") as user:
        await user.begin()
        await user.end()
        await user.recognise()
        await user.begin(NOISE)
        await user.judge(complete=False)
        await user.end()
        await user.judge(complete=True)
        assert user.ears.turns == []
        await user.recognise()
        assert user.ears.turns == ["w0"]
        user.check()


async def test_words_that_wait_survive_the_turn_their_interim_begins() -> None:
    """A turn's beginning interrupts, and an interruption empties the aggregator's queue."""
    async with talk("smart") as user:
        await user.begin()
        await user.end()
        await user.begin()
        await user.judge(complete=True)
        await user.end()
        await user.recognise()
        await user.recognise()
        await user.give_up()
        await user.judge(complete=True)
        assert user.ears.turns == ["", "w0 w1"]
        user.check(patient=False)


async def test_words_lost_before_a_noise_are_apologised_for() -> None:
    async with talk("smart") as user:
        await user.begin(LOST)
        await user.end()
        await user.recognise()
        await user.begin(NOISE)
        await user.judge(complete=True)
        await user.end()
        await user.judge(complete=True)
        await user.recognise()
        assert user.ears.nothing == ["failed", "noise"]
        assert user.ears.turns == [""]
        assert user.ears.spoken == [APOLOGY]


async def play(end: str, data: st.DataObject, *, patient: bool) -> None:
    async with talk(end) as user:
        for _ in range(data.draw(st.integers(4, 14), "steps")):
            name, *arguments = data.draw(st.sampled_from(user.possible(patient)))
            await getattr(user, name)(*arguments)
        await user.finish(data.draw(st.booleans(), "the model answers first"))
        user.check(patient)


@pytest.mark.parametrize("end", ["smart", "silence"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_each_stretch_belongs_to_one_turn(end: str, data: st.DataObject) -> None:
    asyncio.run(play(end, data, patient=True))


@pytest.mark.parametrize("end", ["smart", "silence"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_word_is_lost_or_answered_twice_where_the_watchdog_ends_turns(
    end: str, data: st.DataObject
) -> None:
    """Only there words may begin a turn of their own while the user is silent."""
    asyncio.run(play(end, data, patient=False))
