"""What only the local Kokoro engine does: deadlines, queueing, cancelling inside its stages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from speech.engines.kokoro_onnx import KokoroOnnxEngine
from speech.errors import EngineError, ModelFileError
from speech.kokoro.model import Computation
from speech.kokoro.streaming import Statistics, Utterance
from tests.engines.listening import Stamps, collect, until_idle
from tests.engines.registry import kokoro_paths, make_kokoro_onnx

pytestmark = [pytest.mark.models, pytest.mark.asyncio(loop_scope="module")]

LONG = "and then the path follows the river past the old stone mill " * 20


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kokoro() -> AsyncIterator[KokoroOnnxEngine]:
    engine = make_kokoro_onnx()
    await engine.start()
    yield engine
    await engine.aclose()


async def test_a_unit_past_its_deadline_fails_and_stops_computing(
    kokoro: KokoroOnnxEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await kokoro.open("af_heart")
    with monkeypatch.context() as patch:
        patch.setattr(kokoro, "unit_timeout_s", 0.2)
        with pytest.raises(EngineError, match=r"no speech within 0\.2 s"):
            await collect(session.speak("u1", LONG))
    async with asyncio.timeout(5):
        await until_idle()
    assert await collect(session.speak("u2", "Yes."))


async def test_a_unit_cancelled_in_the_queue_is_never_computed(kokoro: KokoroOnnxEngine) -> None:
    stamps, release = Stamps(), threading.Event()
    session = await kokoro.open("am_adam", stamp=stamps)
    busy = kokoro.compute(lambda _model: release.wait(10))
    queued = asyncio.create_task(collect(session.speak("queued", LONG)))
    await asyncio.sleep(0.1)  # its text is spelled and its job waits behind the busy one
    session.cancel("queued")
    assert await queued == []
    release.set()
    await busy
    assert await collect(session.speak("next", "Yes."))
    assert ("synthesis_start", "queued") not in stamps.seen


async def test_cancel_while_the_text_is_spelled(
    kokoro: KokoroOnnxEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, release, spelled = threading.Event(), threading.Event(), []
    phonemizer = kokoro._phonemizer
    assert phonemizer is not None
    original = phonemizer._speak

    def slow(clause: str, language: str) -> str:
        entered.set()
        release.wait(10)
        spelled.append(clause)
        return original(clause, language)

    session = await kokoro.open("af_heart")
    with monkeypatch.context() as patch:
        patch.setattr(phonemizer, "_speak", slow)
        reading = asyncio.create_task(collect(session.speak("u1", "One, two, three, four.")))
        await asyncio.to_thread(entered.wait, 10)
        session.cancel("u1")
        assert await reading == []
        release.set()
        assert await collect(session.speak("u2", "Yes."))
    assert set(spelled) == {"One", "Yes"}


async def test_the_loop_runs_on_while_it_computes(kokoro: KokoroOnnxEngine) -> None:
    session = await kokoro.open("af_heart")
    reading = asyncio.create_task(collect(session.speak("u1", "The train leaves at nine.")))
    turns = 0
    while not reading.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert await reading
    assert turns > 10


async def test_a_model_that_returns_no_numbers_is_an_error(
    kokoro: KokoroOnnxEngine,
) -> None:
    session = await kokoro.open("af_heart")
    session._voice = np.full((510, 1, 256), np.nan, np.float32)
    with pytest.raises(EngineError):
        await collect(session.speak("u1", "Yes."))


@pytest.mark.parametrize(
    "voice", ["bf_emma", "ef_dora", "ff_siwis", "hf_alpha", "if_sara", "pf_dora+bm_lewis"]
)
async def test_voices_of_other_languages_speak(kokoro: KokoroOnnxEngine, voice: str) -> None:
    session = await kokoro.open(voice)
    assert await collect(session.speak("u1", "Taxi."))


async def test_without_a_model_the_error_says_what_to_run(tmp_path: Path) -> None:
    _, voices = kokoro_paths()
    engine = KokoroOnnxEngine(tmp_path / "model.onnx", voices)
    with pytest.raises(ModelFileError, match="earshot models pull"):
        await engine.start()
    await engine.aclose()


async def test_without_voices_the_error_says_what_to_run(tmp_path: Path) -> None:
    model, _ = kokoro_paths()
    engine = KokoroOnnxEngine(model, tmp_path)
    with pytest.raises(ModelFileError, match="earshot models pull"):
        await engine.start()
    await engine.aclose()


async def test_the_silent_end_is_computed_only_where_the_sound_goes_on(
    kokoro: KokoroOnnxEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[tuple[int, int]] = []
    model = kokoro._model
    assert model is not None
    original = model.chunk

    def chunk(utterance: Utterance, statistics: Statistics, start: int, stop: int, c: Computation):  # type: ignore[no-untyped-def]
        computed.append((stop, utterance.frames))
        return original(utterance, statistics, start, stop, c)

    monkeypatch.setattr(model, "chunk", chunk)
    session = await kokoro.open("af_heart")
    heard = []
    for goes_on in (False, True):
        with monkeypatch.context() as patch:
            if goes_on:
                patch.setattr("speech.kokoro.session.is_quiet", lambda _audio: False)
            chunks = await collect(session.speak("u", "The train leaves at nine tomorrow."))
        heard.append(np.concatenate([chunk.samples for chunk in chunks]))
        stop, frames = computed[-1]
        assert (stop == frames) is goes_on
    early, late = heard
    assert np.abs(early[-int(0.2 * kokoro.sample_rate) :]).max() <= 33  # -60 dB
    assert abs(len(early) - len(late)) < 0.05 * kokoro.sample_rate
