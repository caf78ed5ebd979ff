"""Every stretch of speech gets one final word: its text, or that there was none."""

from typing import Any

import numpy as np
import pytest
from pipecat.frames.frames import EndFrame, ErrorFrame, InterimTranscriptionFrame
from pipecat.frames.frames import TranscriptionFrame as Final
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams

from bot.config.schema import Settings
from bot.hearing import build_turns
from processors.nothing_heard import NothingHeardFrame
from processors.segment_stt import LOGPROB, SegmentSttService
from speech.hearing.recogniser import RecognitionError, Transcript
from speech.hearing.segments import MAX_PIECE_S, PRE_ROLL_S
from speech.queues import Queues
from tests.hearing.pipeline import APOLOGY, Ears, FakeRecogniser, listening, loud
from tests.hearing.sounds import RATE_HZ, Samples, click, silence, white

SILENCE = Settings.model_validate({"turn": {"end": "silence", "silence_s": 0.2}})
"""Turns end as soon as the outcome of the recogniser is there."""


def without_detector(settings: Settings = SILENCE) -> LLMUserAggregatorParams:
    """The test itself says when speech starts and stops."""
    return LLMUserAggregatorParams(
        user_turn_strategies=build_turns(settings), empty_user_turn=None, user_turn_stop_timeout=60
    )


def hearing(recogniser: FakeRecogniser) -> Any:
    # p99 of a minute: a turn that waited for it would fail every test here by its timeout.
    return listening(SegmentSttService(recogniser, longest_s=60.0), without_detector())


async def say(ears: Ears, audio: Samples) -> None:
    await ears.speech(True)
    await ears.play(audio)
    await ears.speech(False)


async def test_a_final_transcript_ends_the_turn_without_waiting_for_p99() -> None:
    recogniser = FakeRecogniser(Transcript("What time is it?", 0.02))
    async with hearing(recogniser) as ears:
        await ears.play(loud(2))
        await say(ears, loud(1))
        await ears.until_turns(1)
        assert ears.turns == ["What time is it?"]
        assert ears.of(Final)[0].finalized
        assert ears.requests == 1
        assert ears.user_messages == ["What time is it?"]
    assert len(recogniser.heard[0]) == (PRE_ROLL_S + 1) * RATE_HZ


async def test_a_final_transcript_says_how_sure_it_is() -> None:
    async with hearing(FakeRecogniser(Transcript("Tim", 0.02, -1.2))) as ears:
        await say(ears, loud(1))
        await ears.until_turns(1)
        assert ears.of(Final)[0].metadata[LOGPROB] == -1.2
    async with hearing(FakeRecogniser(Transcript("Tim", 0.02))) as ears:
        await say(ears, loud(1))
        await ears.until_turns(1)
        assert LOGPROB not in ears.of(Final)[0].metadata


@pytest.mark.parametrize(
    "noise", [silence(1), white(1, -60), click()], ids=["zeros", "noise at -60 dBFS", "click"]
)
async def test_f05_a_made_up_phrase_on_noise_is_no_turn(noise: Samples) -> None:
    phrase = "Thank you for watching!"
    async with hearing(FakeRecogniser(Transcript(phrase, 0.9))) as ears:
        await say(ears, noise)
        await ears.until_turns(1)
        assert ears.nothing == ["noise"]
        assert ears.finals == []
        assert ears.turns == [""]
        assert ears.user_messages == []
        assert ears.requests == 0


@pytest.mark.parametrize("phrase", ["Thank you.", "Thank you for watching!"])
async def test_f05_control_the_same_phrase_spoken_is_a_turn(phrase: str) -> None:
    async with hearing(FakeRecogniser(Transcript(phrase, 0.02))) as ears:
        await say(ears, white(1, -20))
        await ears.until_turns(1)
        assert ears.turns == [phrase]


async def test_inaudible_audio_never_reaches_the_recogniser() -> None:
    recogniser = FakeRecogniser()
    async with hearing(recogniser) as ears:
        await say(ears, white(2, -60))
        await ears.until_seen(NothingHeardFrame)
    assert recogniser.heard == []


async def test_a_transcript_that_comes_while_the_user_goes_on_waits_for_the_rest() -> None:
    recogniser = FakeRecogniser(
        Transcript("I would like to", 0.02), Transcript("book a table for two.", 0.02), held=True
    )
    async with hearing(recogniser) as ears:
        await say(ears, loud(1))
        await ears.speech(True)
        recogniser.release()
        await ears.until_seen(InterimTranscriptionFrame)
        assert ears.of(InterimTranscriptionFrame)[0].text == "I would like to"
        await ears.play(loud(1))
        await ears.speech(False)
        assert ears.turns == []
        recogniser.release()
        await ears.until_turns(1)
        assert ears.finals == ["I would like to book a table for two."]
        assert ears.turns == ears.finals
        assert ears.requests == 1


async def test_words_then_a_cough_give_the_words_at_once() -> None:
    recogniser = FakeRecogniser(
        Transcript("What time is it?", 0.02), Transcript("you", 0.9), held=True
    )
    async with hearing(recogniser) as ears:
        await say(ears, loud(1))
        await say(ears, loud(0.5))
        recogniser.release()
        recogniser.release()
        await ears.until_turns(1)
        assert ears.turns == ["What time is it?"]


async def test_segments_that_wait_are_recognised_together() -> None:
    recogniser = FakeRecogniser(Transcript("One.", 0), Transcript("Two three.", 0), held=True)
    async with hearing(recogniser) as ears:
        for seconds in (1.0, 0.5, 0.7):
            await say(ears, loud(seconds))
        recogniser.release()
        recogniser.release()
        await ears.until_turns(1)
        assert ears.turns == ["One. Two three."]
    assert [len(heard) / RATE_HZ for heard in recogniser.heard] == [1.0, 1.2]


async def test_long_speech_is_recognised_while_it_goes_on() -> None:
    recogniser = FakeRecogniser(*[Transcript(f"Part {n}.", 0.02) for n in range(3)])
    async with hearing(recogniser) as ears:
        await ears.speech(True)
        for part in (1, 2):
            await ears.play(loud(MAX_PIECE_S), frame_s=0.1)
            await ears.until_seen(InterimTranscriptionFrame, part)
        assert ears.finals == []
        await ears.speech(False)
        await ears.until_turns(1)
        assert ears.finals == ["Part 0. Part 1. Part 2."]
    assert max(map(len, recogniser.heard)) <= MAX_PIECE_S * RATE_HZ
    assert sum(map(len, recogniser.heard)) == MAX_PIECE_S * 2 * RATE_HZ


async def test_what_cannot_be_encoded_or_said_in_the_time_does_not_come_in() -> None:
    recogniser = FakeRecogniser(
        Transcript("bad \ud800 half\x00"), Transcript("hello " * 200_000), held=True
    )
    async with hearing(recogniser) as ears:
        await say(ears, loud(1))
        await say(ears, loud(1))
        recogniser.release()
        recogniser.release()
        await ears.until_turns(1)
    assert ears.turns == ["bad \ufffd half" + " hello" * 20]


@pytest.mark.parametrize("fault", [RecognitionError("the server is down"), ValueError("a bug")])
async def test_a_failure_is_reported_and_apologised_for_and_hearing_goes_on(
    fault: Exception,
) -> None:
    recogniser = FakeRecogniser(fault, Transcript("Hello again.", 0.02))
    stt = SegmentSttService(recogniser, longest_s=60.0)
    async with listening(stt, without_detector()) as ears:
        await say(ears, loud(1))
        await ears.until_turns(1)
        await ears.until(lambda: ears.spoken == [APOLOGY])
        assert ears.nothing == ["failed"]
        [error] = ears.of(ErrorFrame)
        assert "a bug" not in error.error
        assert stt.is_usable
        await say(ears, loud(1))
        await ears.until_turns(2)
        assert ears.turns == ["", "Hello again."]


async def test_the_end_does_not_wait_for_the_recogniser() -> None:
    recogniser = FakeRecogniser(Transcript("One last thing.", 0.02), held=True)
    async with hearing(recogniser) as ears:
        await say(ears, loud(1))
        await ears.worker.queue_frame(EndFrame())
        await ears.until_seen(EndFrame)
        assert ears.finals == []


async def test_an_owned_recogniser_is_closed_with_the_conversation() -> None:
    shared, own = FakeRecogniser(), FakeRecogniser()
    for recogniser, owns in ((shared, False), (own, True)):
        stt = SegmentSttService(recogniser, owns_recogniser=owns)
        async with listening(stt, without_detector()):
            pass
    assert not shared.closed
    assert own.closed


async def test_audio_beyond_the_bound_is_dropped_oldest_first_and_counted() -> None:
    recogniser = FakeRecogniser(*[Transcript("x", 0.0)] * 2, held=True)
    queues = Queues()
    stt = SegmentSttService(recogniser, longest_s=60.0, queues=queues)
    async with listening(stt, without_detector()) as ears:
        await say(ears, loud(1))
        for level in range(7):
            await ears.speech(True)
            await ears.play(np.full(10 * RATE_HZ, 1_000 + level, np.int16), frame_s=0.5)
            await ears.speech(False)
        recogniser.release()
        recogniser.release()
        await ears.until_turns(1)
    assert stt.dropped_s == pytest.approx(10)
    (use,) = queues.uses()
    assert (use.high_water, use.dropped) == (pytest.approx(60), pytest.approx(10))
    assert len(recogniser.heard[1]) == 60 * RATE_HZ
    assert recogniser.heard[1][0] == 1_001
