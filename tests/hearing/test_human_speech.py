"""A person is heard word for word, may pause in mid-sentence, and noise is no turn: real models."""

import jiwer
import numpy as np
import pytest

from bot.config.schema import Settings
from bot.hearing import build_turns, build_vad, user_aggregator_params
from processors.segment_stt import SegmentSttService
from processors.smart_turn import smart_turn_model
from speech.hearing.whisper import WhisperRecogniser
from speech.hearing.whisper_decoder import WhisperDecoder
from tests.hearing.pipeline import Ears, listening
from tests.hearing.sounds import (
    PROMPT_TEXTS,
    RATE_HZ,
    Samples,
    click,
    cough,
    prompt,
    reading,
    silence,
    white,
    words,
)

pytestmark = pytest.mark.models

SPOKEN = ["tt-weasels", "vm-nobodyavail", "queue-youarenext", "auth-thankyou", "conf-onlyperson"]

PAUSES = [
    ("tt-weasels", 0.94),
    ("queue-youarenext", 3.0),
    ("tt-allbusy", 0.6),
    ("vm-rec-unv", 1.76),
]
"""A prompt and the second, between two words of one sentence, where a pause is put in."""


def made(kind: str, end: str) -> Settings:
    return Settings.model_validate(
        {"vad": {"kind": kind}, "turn": {"end": end, "silence_s": 0.5, "max_wait_s": 60}}
    )


@pytest.fixture
def recogniser(whisper_dir, decoder: WhisperDecoder) -> WhisperRecogniser:
    """The session's loaded model behind a recogniser of this test's event loop."""
    shared = WhisperRecogniser(whisper_dir, timeout_s=60)
    shared._decoder = decoder
    return shared


def ears_of(settings: Settings, recogniser: WhisperRecogniser):
    params = user_aggregator_params(settings)
    return listening(SegmentSttService(recogniser, longest_s=60.0), params)


async def hear(ears: Ears, audio: Samples, after_s: float = 1.0) -> str:
    """Play ``audio`` in a quiet room and wait for the turn; its text."""
    turns = len(ears.turns)
    await ears.play(np.concatenate([silence(0.5), audio, silence(after_s)]))
    await ears.until_turns(turns + 1)
    return words(ears.turns[-1] or "")


@pytest.mark.parametrize(("kind", "end"), [("silero", "smart"), ("webrtc", "silence")])
async def test_human_speech_through_the_pipeline(
    recogniser: WhisperRecogniser, kind: str, end: str
) -> None:
    async with ears_of(made(kind, end), recogniser) as ears:
        for name in SPOKEN:
            text = await hear(ears, prompt(name))
            assert jiwer.wer(PROMPT_TEXTS[name], text) <= 0.2, (name, text)
        assert len(ears.turns) == ears.requests == len(SPOKEN)


NOISES = {
    "silence": silence(3),
    "white noise at -60 dBFS": white(3, -60),
    "white noise at -40 dBFS": white(3, -40),
    "clicks": np.concatenate([np.concatenate([click(), silence(0.4)]) for _ in range(5)]),
    "coughs": np.concatenate([np.concatenate([cough(seed=s), silence(0.6)]) for s in range(3)]),
}


@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("kind", ["silero", "webrtc"])
async def test_noise_is_never_a_message(
    recogniser: WhisperRecogniser, kind: str, noise: Samples
) -> None:
    """What a detector lets through (WebRTC's takes coughs for speech) the model refuses."""
    async with ears_of(made(kind, "silence"), recogniser) as ears:
        await ears.play(np.concatenate([silence(0.5), noise, silence(1)]))
        text = await hear(ears, prompt("vm-nobodyavail"))
        assert ears.user_messages == [ears.finals[-1]]
        assert jiwer.wer(PROMPT_TEXTS["vm-nobodyavail"], text) <= 0.2
        assert ears.requests == 1


@pytest.mark.parametrize(("name", "at_s"), PAUSES, ids=[name for name, _ in PAUSES])
async def test_a_pause_in_mid_sentence_does_not_end_the_turn(
    recogniser: WhisperRecogniser, name: str, at_s: float
) -> None:
    audio, cut = prompt(name), int(at_s * RATE_HZ)
    async with ears_of(made("silero", "smart"), recogniser) as ears:
        await ears.play(np.concatenate([silence(0.5), audio[:cut], silence(0.7)]))
        await ears.until(lambda: bool(ears.finals))
        await ears.settle()
        assert ears.turns == []  # words are there, the detector is quiet, and yet
        # Enough silence that the turn ends even where the model takes the end for a pause.
        await hear(ears, audio[cut:], after_s=3.5)
        assert len(ears.turns) == ears.requests == 1
        assert words(ears.turns[0] or "").split()[-1] == words(ears.finals[-1]).split()[-1]


ENDS = [
    *PROMPT_TEXTS,
    "vm-incorrect",
    "vm-rec-unv",
    "conf-invalid",
    "demo-nomatch",
    "pbx-invalid",
    "check-number-dial-again",
    "vm-review",
    "vm-whichbox",
    "privacy-prompt",
    "queue-thankyou",
    "auth-incorrect",
    "conf-getpin",
]


def test_how_often_the_turn_model_is_right() -> None:
    """Of the 23 prompts' ends it knew 18 (not "hello world" nor "goodbye"), of the four pauses
    all; a wrong one costs a wait of three seconds. The bound guards the wiring, not the model.
    """
    quiet = silence(0.2)

    def ended(audio: Samples) -> bool:
        judged = np.concatenate([audio, quiet]).astype(np.float32) / 32768
        return bool(smart_turn_model()._predict_endpoint(judged)["prediction"])

    right = sum(ended(prompt(name)) for name in ENDS)
    assert right >= 0.7 * len(ENDS)
    assert not any(ended(prompt(name)[: int(at_s * RATE_HZ)]) for name, at_s in PAUSES)


async def test_a_long_reading_is_one_message_per_turn_and_loses_no_words(
    recogniser: WhisperRecogniser,
) -> None:
    audio = reading("two_cities")[: 22 * RATE_HZ]
    settings = Settings.model_validate(
        {"turn": {"end": "silence", "silence_s": 20, "max_wait_s": 60}}
    )
    params = user_aggregator_params(settings, build_vad(settings))
    params.user_turn_strategies = build_turns(settings)
    async with listening(SegmentSttService(recogniser, longest_s=60.0), params) as ears:
        await ears.play(np.concatenate([audio, silence(1)]), frame_s=0.1)
        await ears.until(lambda: "darkness" in " ".join(ears.finals))
        text = words(" ".join(ears.finals))
    for phrase in ("best of times", "worst of times", "age of wisdom", "season of light"):
        assert phrase in text
