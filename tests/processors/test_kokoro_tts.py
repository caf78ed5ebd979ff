"""Audio and its words go down in the order they are heard, and an interruption stops both."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from pipecat.frames.frames import (
    AggregatedTextFrame,
    ErrorFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStartedFrame,
    TTSStoppedFrame,
    TTSTextFrame,
)
from pipecat.tests.utils import SleepFrame, run_test
from pipecat.utils.text.base_text_aggregator import TextType

from processors.kokoro_tts import KokoroTTSService
from processors.phrases import prepare_phrases
from speech.timeline import Timeline
from tests.processors.fake_engine import SAMPLES_PER_WORD, FakeEngine


def service(engine: FakeEngine, timeline: Timeline, **options: object) -> KokoroTTSService:
    return KokoroTTSService(
        engine,
        voice="fake",
        speed=1.0,
        timeline=timeline,
        **options,  # type: ignore[arg-type]
    )


def unit(text: str) -> AggregatedTextFrame:
    return AggregatedTextFrame(text, TextType.SENTENCE)


async def speak(engine: FakeEngine, *frames: object, timeline: Timeline | None = None) -> list:
    """The frames that leave the service for a reply of these frames."""
    tts = service(engine, timeline or Timeline())
    down, up = await run_test(
        tts,
        frames_to_send=[LLMFullResponseStartFrame(), *frames, LLMFullResponseEndFrame()],
        expected_down_frames=None,
    )
    return [*down, *[frame for frame in up if isinstance(frame, ErrorFrame)]]


def heard(frames: list) -> str:
    return "".join(frame.text for frame in frames if isinstance(frame, TTSTextFrame))


async def test_each_word_follows_the_samples_it_ends_in() -> None:
    frames = await speak(FakeEngine(), unit("One two three."))
    order = [
        f.text if isinstance(f, TTSTextFrame) else len(f.audio) // 2
        for f in frames
        if isinstance(f, TTSTextFrame | TTSAudioRawFrame)
    ]
    n = SAMPLES_PER_WORD
    assert order == [n, "One ", n, "two ", n, "three.", " "]


async def test_units_keep_their_written_form_and_their_order() -> None:
    frames = await speak(FakeEngine(), unit("Hello there."), unit("It’s “me”, again!"))
    assert heard(frames) == "Hello there. It’s “me”, again! "
    kinds = [type(f) for f in frames if isinstance(f, TTSStartedFrame | TTSStoppedFrame)]
    assert kinds == [TTSStartedFrame, TTSStoppedFrame]


async def test_audio_is_complete_and_in_order() -> None:
    frames = await speak(FakeEngine(), unit("a b c d"))
    pcm = b"".join(f.audio for f in frames if isinstance(f, TTSAudioRawFrame))
    samples = np.frombuffer(pcm, np.int16)
    assert list(samples[::SAMPLES_PER_WORD]) == [1, 2, 3, 4]
    assert len(samples) == 4 * SAMPLES_PER_WORD


@pytest.mark.parametrize("texts", [["One two.", "Three."], ["FAIL."], ["ONCE more."]])
async def test_a_unit_is_done_behind_its_audio(texts: list[str]) -> None:
    timeline = Timeline()
    await speak(FakeEngine(), *map(unit, texts), timeline=timeline)
    names = [e.name for e in timeline.events if e.name in ("tts_request", "unit_done")]
    assert names.count("unit_done") == len(texts)
    assert names[-1] == "unit_done"


async def test_a_unit_that_is_cut_is_not_done() -> None:
    engine, timeline = FakeEngine(), Timeline()
    engine.gate.clear()
    cut = [SleepFrame(0.05), InterruptionFrame()]
    await speak(engine, unit("One two."), *cut, timeline=timeline)
    assert not [e for e in timeline.events if e.name == "unit_done"]


@pytest.mark.parametrize("texts", [["FAIL now."], ["Good.", "FAIL."], ["Good FAIL.", "Next."]])
async def test_a_failing_unit_is_reported_and_the_reply_still_ends(texts: list[str]) -> None:
    frames = await asyncio.wait_for(speak(FakeEngine(), *map(unit, texts)), timeout=5)
    assert any(isinstance(f, ErrorFrame) and "told to fail" in f.error for f in frames)
    assert sum(isinstance(f, LLMFullResponseEndFrame) for f in frames) == 1
    if texts[-1] == "Next.":
        assert "Next." in heard(frames)


APOLOGY = ["Sorry, no.", "Ask again."]


async def failing(
    *texts: str, phrases: list[str] = APOLOGY, **options: object
) -> tuple[str, int, FakeEngine]:
    """What is heard of a reply of these units, how many errors, and the engine."""
    engine = FakeEngine()
    prepared = await prepare_phrases(engine, "fake", 1.0, phrases)
    tts = service(engine, Timeline(), phrases=prepared, apology=APOLOGY, **options)
    frames = [LLMFullResponseStartFrame(), *map(unit, texts), LLMFullResponseEndFrame()]
    down, up = await run_test(tts, frames_to_send=frames)
    return heard(down), sum(isinstance(f, ErrorFrame) for f in up), engine


@pytest.mark.parametrize(
    ("texts", "said", "errors"),
    [
        (["ONCE more."], "ONCE more. ", 0),
        (["BUSY0.01 once."], "BUSY0.01 once. ", 0),
        (["BUSY9 long."], "Sorry, no. Ask again. ", 1),
        (["FAIL."], "Sorry, no. Ask again. ", 1),
        (["FAIL.", "FAIL too."], "Sorry, no. Ask again. ", 2),
        (["FAIL.", "Good."], "Sorry, no. Ask again. Good. ", 1),
        (["Good.", "FAIL."], "Good. ", 1),
        (["Good FAIL."], "Good ", 1),
    ],
)
async def test_a_reply_without_a_sound_is_apologised_for_once(
    texts: list[str], said: str, errors: int
) -> None:
    spoken, failures, _ = await failing(*texts)
    assert " ".join(spoken.split()) == said.strip()
    assert failures == errors


async def test_a_unit_is_tried_again_once_and_only_where_it_made_no_sound() -> None:
    for text, tries in (("FAIL.", 2), ("Good FAIL.", 1)):
        _, _, engine = await failing(text)
        assert engine.spoken.count(text) == tries


async def test_without_a_prepared_apology_the_failure_is_reported_all_the_same() -> None:
    spoken, failures, _ = await failing("FAIL.", phrases=["Sorry, no."])
    assert (spoken.strip(), failures) == ("", 1)


LOST = ["I lost my voice.", "Ask again."]


@pytest.mark.parametrize(
    ("texts", "said", "errors"),
    [
        (["Good.", "FAIL.", "More.", "Still more."], "Good. I lost my voice. Ask again.", 1),
        (["Good FAIL.", "More."], "Good I lost my voice. Ask again.", 1),
        (["FAIL.", "FAIL."], "I lost my voice. Ask again.", 1),
        (["ONCE more.", "Good."], "ONCE more. Good.", 0),
    ],
)
async def test_a_bot_that_says_that_its_voice_is_lost_says_no_more_of_that_reply(
    texts: list[str], said: str, errors: int
) -> None:
    spoken, failures, _ = await failing(*texts, phrases=[*APOLOGY, *LOST], lost_voice=LOST)
    assert (" ".join(spoken.split()), failures) == (said, errors)


async def test_the_reply_after_a_lost_one_is_spoken() -> None:
    engine = FakeEngine()
    prepared = await prepare_phrases(engine, "fake", 1.0, LOST)
    tts = service(engine, Timeline(), phrases=prepared, lost_voice=LOST)
    start, end = LLMFullResponseStartFrame(), LLMFullResponseEndFrame()
    reply = [start, unit("FAIL."), end, SleepFrame(0.05), start, unit("Here again."), end]
    down, _ = await run_test(tts, frames_to_send=reply)
    assert heard(down).split() == " ".join([*LOST, "Here again."]).split()


async def test_an_interruption_cancels_the_running_unit_and_the_next_reply_speaks() -> None:
    engine = FakeEngine()
    engine.gate.clear()
    tts = service(engine, Timeline())

    async def release() -> None:
        await engine.was_cancelled.wait()
        engine.gate.set()

    releasing = asyncio.create_task(release())
    down, _ = await run_test(
        tts,
        frames_to_send=[
            LLMFullResponseStartFrame(), unit("Old words here."), SleepFrame(0.1),
            InterruptionFrame(), SleepFrame(0.1),
            LLMFullResponseStartFrame(), unit("New words."), LLMFullResponseEndFrame(),
        ],
    )  # fmt: skip
    await asyncio.wait_for(releasing, timeout=5)
    assert heard(down) == "New words. "
    assert len(engine.cancelled) >= 1


async def test_a_prepared_phrase_needs_no_synthesis() -> None:
    engine = FakeEngine()
    phrases = await prepare_phrases(engine, "fake", 1.0, ["Good day.", "FAIL", ""])
    assert list(phrases) == ["Good day.", ""]
    engine.spoken.clear()
    tts = service(engine, Timeline(), phrases=phrases)
    down, _ = await run_test(tts, frames_to_send=[TTSSpeakFrame("Good day.")])
    assert heard(down) == "Good day. "
    assert engine.spoken == []


async def test_stages_are_marked_with_their_reply_and_unit() -> None:
    timeline = Timeline()
    frames = await speak(FakeEngine(), unit("Hi."), unit("You."), timeline=timeline)
    reply = next(f.context_id for f in frames if isinstance(f, TTSAudioRawFrame))
    marks = [(e.name, e.reply_id, e.unit_id) for e in timeline.events]
    assert marks == [
        ("tts_request", reply, f"{reply}/1"), ("synthesis_start", reply, f"{reply}/1"),
        ("unit_done", reply, None),
        ("tts_request", reply, f"{reply}/2"), ("synthesis_start", reply, f"{reply}/2"),
        ("unit_done", reply, None),
    ]  # fmt: skip
