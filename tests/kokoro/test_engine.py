"""Starting and measuring end in bounded time, and what is known already is not measured again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from loguru import logger

from speech.errors import EngineError
from speech.kokoro import engine as engine_module
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.model import Computation
from speech.kokoro.statistics import VoiceStatistics, statistics_file
from speech.kokoro.streaming import Statistics, StreamingKokoro, Utterance

VOICE = "af_silent"
TABLE = np.zeros((510, 1, 256), np.float32)
OWN = Statistics((np.ones(4, np.float32),), (np.ones(4, np.float32),))


class FakeKokoro:
    """Silence, 10 frames a unit; ``whole`` waits while ``held`` is clear."""

    context_frames = 0

    def __init__(self) -> None:
        self.held = threading.Event()
        self.held.set()
        self.measured = 0

    def front(
        self, ids: Sequence[int], style: Any, speed: float, computation: Computation
    ) -> Utterance:
        return Utterance(10, np.full(len(ids) + 2, 1, np.int64), computation)

    def whole(self, utterance: Utterance, computation: Computation) -> tuple[Any, Statistics]:
        self.held.wait(10)
        self.measured += 1
        return np.zeros(3_000, np.float32), OWN

    def chunk(self, *_: object) -> Any:
        return np.zeros(300, np.float32)


@pytest.fixture
def model() -> FakeKokoro:
    return FakeKokoro()


Make = Callable[..., KokoroEngine]


@pytest.fixture
def make(tmp_path: Path, model: FakeKokoro) -> Make:
    voices = tmp_path / "voices"
    voices.mkdir()
    TABLE.tofile(voices / f"{VOICE}.bin")

    def make(load: Callable[[], StreamingKokoro] = lambda: model, **more: Any) -> KokoroEngine:
        return KokoroEngine("fake", load, voices, tmp_path / "statistics", **more)

    return make


async def test_a_model_that_never_loads_is_an_error(
    make: Make, monkeypatch: pytest.MonkeyPatch, model: FakeKokoro
) -> None:
    monkeypatch.setattr(engine_module, "START_TIMEOUT_S", 0.05)
    release = threading.Event()

    def load() -> StreamingKokoro:
        release.wait(10)
        return model

    engine = make(load)
    with pytest.raises(EngineError, match=r"loading Kokoro took longer than 0\.05 s"):
        await engine.start()
    release.set()
    await engine.aclose()


async def test_a_measurement_that_never_ends_is_an_error(make: Make, model: FakeKokoro) -> None:
    engine = make(unit_timeout_s=0.5)
    await engine.start()
    model.held.clear()
    with pytest.raises(EngineError, match=r"measuring af_silent took longer than 0\.5 s"):
        await engine.calibrate(VOICE)
    model.held.set()
    await engine.aclose()


async def test_what_waits_when_the_engine_is_closed_fails(make: Make, tmp_path: Path) -> None:
    """Its task was not cancelled, and may not look so to whoever waits for it."""
    TABLE.tofile(tmp_path / "voices" / "am_other.bin")
    engine = make()
    await engine.start()
    begun, release = threading.Event(), threading.Event()
    running = engine.compute(lambda _model: (begun.set(), release.wait(10)))
    await asyncio.to_thread(begun.wait, 10)
    waiting = asyncio.create_task(engine.open("am_other"))
    await asyncio.sleep(0)
    closing = asyncio.create_task(engine.worker.aclose())
    await asyncio.sleep(0)
    release.set()
    await closing
    with pytest.raises(EngineError, match="the speech engine is closed"):
        await waiting
    assert await running == (None, True)
    await engine.aclose()


async def test_a_voice_is_measured_once_and_it_is_said(make: Make, model: FakeKokoro) -> None:
    said: list[str] = []
    engine = make(progress=said.append)
    assert await engine.calibrate(VOICE)
    assert not await engine.calibrate(VOICE)
    assert said == ["measuring the voice af_silent (once)"]
    await engine.aclose()
    again = make(progress=said.append)
    assert not await again.calibrate(VOICE)
    await again.aclose()


async def test_a_shipped_voice_is_not_measured(
    make: Make, model: FakeKokoro, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = VoiceStatistics(tmp_path / "shipped.npz")
    shipped.fold(60, OWN)
    shipped.save()
    monkeypatch.setattr("speech.kokoro.shipped.shipped_file", lambda *_: tmp_path / "shipped.npz")
    engine = make()
    assert not await engine.calibrate(VOICE)
    assert model.measured == 1  # the warm-up's line
    await engine.aclose()


async def test_statistics_are_of_one_model(make: Make, tmp_path: Path) -> None:
    one, other = make(), make()
    one.model_hash, other.model_hash = "a" * 64, "b" * 64
    assert await one.calibrate(VOICE)
    await one.aclose()
    assert statistics_file(tmp_path / "statistics" / ("a" * 16), VOICE, TABLE).is_file()
    assert await other.calibrate(VOICE)
    await other.aclose()


async def test_once_warm_its_memory_is_told(make: Make) -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, format="{message}", level="INFO")
    engine = make()
    await engine.start()
    logger.remove(sink)
    await engine.aclose()
    (line,) = lines
    assert line.startswith("fake is warm: ")
    assert float(line.split()[3]) > 10
