"""The local model knows human speech from noise, stays off the loop, and gives up in time."""

import asyncio
import threading
from pathlib import Path

import jiwer
import numpy as np
import pytest

from speech.errors import ModelFileError
from speech.hearing import whisper as whisper_module
from speech.hearing.judgement import has_words
from speech.hearing.recogniser import RecognitionError, Transcript
from speech.hearing.whisper import MAX_WAITING, WhisperRecogniser
from speech.hearing.whisper_decoder import WhisperDecoder
from tests.hearing.sounds import (
    PROMPT_TEXTS,
    RATE_HZ,
    Samples,
    click,
    cough,
    prompt,
    reading,
    silence,
    speech_at,
    white,
    words,
)

BECKETT = "ever tried ever failed no matter try again fail again fail better"


@pytest.mark.models
@pytest.mark.parametrize("name", PROMPT_TEXTS)
def test_human_speech(decoder: WhisperDecoder, name: str) -> None:
    heard = decoder.decode(prompt(name), RATE_HZ)
    assert has_words(heard)
    assert jiwer.wer(PROMPT_TEXTS[name], words(heard.text)) <= 0.2


@pytest.mark.models
def test_a_reading_at_another_rate(decoder: WhisperDecoder) -> None:
    heard = decoder.decode(reading("beckett", 48_000), 48_000)
    assert jiwer.wer(BECKETT, words(heard.text)) <= 0.2


@pytest.mark.models
def test_audio_longer_than_the_window(decoder: WhisperDecoder) -> None:
    text = words(decoder.decode(reading("two_cities"), RATE_HZ).text)
    for phrase in ("the best of times", "season of light", "going direct the other way"):
        assert phrase in text
    assert text.endswith("superlative degree of comparison only")


@pytest.mark.models
@pytest.mark.parametrize("dbfs", [-30, -40])
def test_quiet_speech(decoder: WhisperDecoder, dbfs: float) -> None:
    heard = decoder.decode(speech_at(prompt("vm-nobodyavail"), dbfs), RATE_HZ)
    assert jiwer.wer(PROMPT_TEXTS["vm-nobodyavail"], words(heard.text)) <= 0.2


@pytest.mark.models
@pytest.mark.parametrize(
    "noise",
    [
        silence(1),
        white(1, -60),
        white(1, -40),
        white(2, -20),
        np.concatenate([silence(0.5), click(), silence(0.5)]),
        *[np.concatenate([silence(0.5), cough(seed=seed), silence(0.5)]) for seed in range(4)],
    ],
    ids=["zeros", "white-60", "white-40", "white-20", "click", *["cough"] * 4],
)
def test_noise_has_no_words(decoder: WhisperDecoder, noise: Samples) -> None:
    assert not has_words(decoder.decode(noise, RATE_HZ))


@pytest.mark.models
def test_a_spoken_thank_you_has_words(decoder: WhisperDecoder) -> None:
    heard = decoder.decode(prompt("auth-thankyou"), RATE_HZ)
    assert has_words(heard)
    assert words(heard.text) == "thank you"


@pytest.mark.models
@pytest.mark.parametrize("name", ["vm-message", "location", "activated", "vm-first"])
def test_single_words_do_not_loop(decoder: WhisperDecoder, name: str) -> None:
    assert len(decoder.decode(prompt(name), RATE_HZ).text.split()) <= 3


@pytest.mark.models
async def test_the_warm_model_is_shared_and_the_loop_goes_on(whisper_dir: Path) -> None:
    recogniser = WhisperRecogniser(whisper_dir, max_concurrent=2)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await asyncio.gather(recogniser.start(), recogniser.start())
    loaded_at = ticks
    texts = await asyncio.gather(
        *[recogniser.transcribe(prompt("hello-world"), RATE_HZ) for _ in range(3)]
    )
    ticking.cancel()
    # A blocked loop would have given one turn per call.
    assert loaded_at > 100
    assert ticks - loaded_at > 100
    assert {words(text.text) for text in texts} == {"hello world"}
    await recogniser.aclose()
    await recogniser.aclose()


async def test_a_missing_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="earshot models pull"):
        await WhisperRecogniser(tmp_path).start()


class FakeDecoder:
    """Decodes when told to; counts how many do at once."""

    def __init__(self, fails: bool = False) -> None:
        self.go = threading.Event()
        self.begun = threading.Semaphore(0)
        self.running = self.most = self.done = 0
        self.fails = fails

    def __call__(self, *_args: object, **_options: object) -> "FakeDecoder":
        return self

    def decode(self, samples: Samples, _rate_hz: int) -> Transcript:
        if np.all(samples == 0):
            return Transcript("warm")
        self.running += 1
        self.most = max(self.most, self.running)
        self.begun.release()
        assert self.go.wait(30)
        self.running -= 1
        self.done += 1
        if self.fails:
            raise RuntimeError("out of memory")
        return Transcript("hello", 0.1)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeDecoder:
    made = FakeDecoder()
    monkeypatch.setattr(whisper_module, "WhisperDecoder", made)
    return made


SOUND = np.ones(100, np.int16)


async def test_a_stuck_transcription_is_given_up_and_keeps_its_worker(fake: FakeDecoder) -> None:
    recogniser = WhisperRecogniser(Path("any"), timeout_s=0.05)
    for _ in range(2):
        with pytest.raises(RecognitionError, match=r"longer than 0.05 s \(stt.timeout_s\)"):
            await recogniser.transcribe(SOUND, RATE_HZ)
    assert fake.most == 1  # the second waited for the first's thread, in vain
    fake.go.set()
    recogniser.timeout_s = 30
    assert (await recogniser.transcribe(SOUND, RATE_HZ)).text == "hello"
    await recogniser.aclose()


async def test_concurrency_and_the_waiting_line_are_bounded(fake: FakeDecoder) -> None:
    recogniser = WhisperRecogniser(Path("any"), max_concurrent=2, timeout_s=30)
    await recogniser.start()
    accepted = [
        asyncio.create_task(recogniser.transcribe(SOUND, RATE_HZ)) for _ in range(2 + MAX_WAITING)
    ]
    for _ in range(2):
        assert await asyncio.to_thread(fake.begun.acquire, timeout=30)
    assert recogniser.max_waiting == MAX_WAITING
    with pytest.raises(RecognitionError, match="too many people"):
        await recogniser.transcribe(SOUND, RATE_HZ)
    fake.go.set()
    await asyncio.gather(*accepted)
    assert fake.most == 2
    assert fake.done == 2 + MAX_WAITING
    await recogniser.aclose()


async def test_a_failing_model_is_one_line(fake: FakeDecoder) -> None:
    fake.fails = True
    fake.go.set()
    recogniser = WhisperRecogniser(Path("any"))
    with pytest.raises(RecognitionError, match="failed: out of memory"):
        await recogniser.transcribe(SOUND, RATE_HZ)
    await recogniser.aclose()


async def test_after_the_end_nothing_is_loaded_again(fake: FakeDecoder) -> None:
    recogniser = WhisperRecogniser(Path("any"))
    await recogniser.start()
    await recogniser.aclose()
    with pytest.raises(RecognitionError, match="closed"):
        await recogniser.transcribe(SOUND, RATE_HZ)
