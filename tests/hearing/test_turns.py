"""A noise never swallows an answer, and a cough is never answered (C09)."""

import asyncio

import pytest
from pipecat.frames.frames import (
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMTextFrame,
)
from pipecat.processors.aggregators.llm_response_universal import LLMUserAggregatorParams

from bot.config.schema import Settings
from bot.hearing import build_turns
from processors.noise_recovery import GO_ON_PROMPT, MAX_CONTINUATIONS
from processors.segment_stt import SegmentSttService
from speech.hearing.recogniser import Transcript
from tests.hearing.pipeline import Ears, FakeRecogniser, listening, loud

COUGH = Transcript("you", 0.85)
QUESTION = Transcript("What time is it?", 0.02)


def params(
    end: str = "silence", policy: str = "pipecat", **turn: object
) -> LLMUserAggregatorParams:
    settings = Settings.model_validate(
        {"turn": {"end": end, "silence_s": 0.2, **turn}, "barge_in": {"policy": policy}}
    )
    return LLMUserAggregatorParams(
        user_turn_strategies=build_turns(settings), empty_user_turn=None, user_turn_stop_timeout=60
    )


def stt(*results: Transcript, held: bool = False) -> SegmentSttService:
    return SegmentSttService(FakeRecogniser(*results, held=held), longest_s=60.0)


async def make_sound(ears: Ears) -> None:
    """A second that the detector takes for speech."""
    turns = len(ears.turns)
    await ears.speech(True)
    await ears.play(loud(1))
    await ears.speech(False)
    await ears.until_turns(turns + 1)


async def reply(ears: Ears, *texts: str, ended: bool = True) -> None:
    """The bot's words as they pass the speaker."""
    await ears.worker.queue_frame(LLMFullResponseStartFrame())
    for text in texts:
        await ears.worker.queue_frame(LLMTextFrame(text))
    if ended:
        await ears.worker.queue_frame(LLMFullResponseEndFrame())
    await ears.settle()


async def test_c09_a_cough_before_the_answer_does_not_cost_the_answer() -> None:
    async with listening(stt(QUESTION, COUGH), params()) as ears:
        await make_sound(ears)
        assert ears.requests == 1
        await make_sound(ears)
        await ears.until(lambda: ears.requests == 2)
        assert ears.user_messages == ["What time is it?"]
        assert len(ears.context.get_messages()) == 1


async def test_an_answer_cut_off_by_a_cough_is_continued() -> None:
    async with listening(stt(QUESTION, COUGH), params()) as ears:
        await make_sound(ears)
        await reply(ears, "It is half", " past", ended=False)
        await make_sound(ears)
        await ears.until(lambda: ears.requests == 2)
        roles = [(m["role"], m["content"]) for m in ears.context.get_messages()]
        assert roles[1:] == [("assistant", "It is half past"), ("developer", GO_ON_PROMPT)]


async def test_a_drill_does_not_keep_the_bot_talking() -> None:
    rounds = MAX_CONTINUATIONS + 2
    async with listening(stt(QUESTION, *[COUGH] * rounds), params()) as ears:
        await make_sound(ears)
        for _ in range(rounds):
            await reply(ears, "It is", ended=False)
            await make_sound(ears)
        assert ears.requests <= 1 + MAX_CONTINUATIONS


async def test_a_cough_while_the_bot_waits_is_ignored() -> None:
    async with listening(stt(COUGH, QUESTION, COUGH), params()) as ears:
        await make_sound(ears)
        assert ears.requests == 0
        await make_sound(ears)
        await reply(ears, "It is noon.")
        await make_sound(ears)
        assert ears.requests == 1
        assert ears.spoken == []


async def test_an_interruption_reaches_the_pipeline_at_the_onset() -> None:
    async with listening(stt(QUESTION), params()) as ears:
        await ears.speech(True)
        assert ears.interruptions == 1


async def test_without_interruptions_nothing_is_cancelled_or_repeated() -> None:
    """With a policy, which interrupts and asks again by itself."""
    assert all(not s._enable_interruptions for s in build_turns(Settings()).start or [])
    async with listening(
        stt(QUESTION, COUGH), params(policy="natural"), interruptions=False
    ) as ears:
        await make_sound(ears)
        await make_sound(ears)
        assert ears.interruptions == 0
        assert ears.requests == 1


async def test_a_transcript_later_than_its_turn_is_answered_at_once() -> None:
    """The watchdog closed the turn; pipecat would wait for the p99 time of a minute."""
    service = stt(QUESTION, held=True)
    settings = params()
    settings.user_turn_stop_timeout = 0.2
    async with listening(service, settings) as ears:
        await ears.speech(True)
        await ears.play(loud(1))
        await ears.speech(False)
        await ears.until_turns(1)
        assert ears.turns == [""]
        recogniser = service._recogniser
        assert isinstance(recogniser, FakeRecogniser)
        recogniser.release()
        await ears.until_turns(2)
        assert ears.turns[1] == "What time is it?"


@pytest.mark.models
async def test_the_turn_model_ends_an_empty_turn_at_once_too() -> None:
    async with asyncio.timeout(30), listening(stt(COUGH), params("smart")) as ears:
        await make_sound(ears)
        assert ears.turns == [""]
        assert ears.requests == 0
