"""Kokoro's voices, silence, turns and workers, each on its own."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import numpy as np
import pytest

from speech.errors import EngineError, ModelFileError, UnknownVoiceError
from speech.kokoro.model import KokoroModel
from speech.kokoro.silence import trim
from speech.kokoro.unit import Unit
from speech.kokoro.voices import list_voices, load_voice, style_for
from speech.kokoro.workers import Workers
from speech.line import Line, UnitCancelled

RATE_HZ = 24_000


def voice_file(folder: Path, name: str, values: np.ndarray) -> None:
    (folder / f"{name}.bin").write_bytes(values.astype("<f4").tobytes())


def rows() -> np.ndarray:
    return np.repeat(np.arange(510), 256)


def test_a_voice_is_a_table_of_510_styles(tmp_path: Path) -> None:
    voice_file(tmp_path, "af_test", rows())
    voice = load_voice(tmp_path, "af_test")
    assert voice.shape == (510, 1, 256)
    assert [style_for(voice, count)[0, 0] for count in (0, 1, 2, 510, 600)] == [0, 0, 1, 509, 509]


@pytest.mark.parametrize("count", [0, 1, 510 * 256 - 1, 510 * 256 + 1])
def test_a_voice_of_another_size_is_refused(tmp_path: Path, count: int) -> None:
    voice_file(tmp_path, "af_cut", np.zeros(count))
    with pytest.raises(ModelFileError, match=r"af_cut\.bin is no voice: it has .* bytes"):
        load_voice(tmp_path, "af_cut")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_voice_that_is_not_numbers_is_refused(tmp_path: Path, value: float) -> None:
    values = rows().astype(float)
    values[1_000] = value
    voice_file(tmp_path, "af_nan", values)
    with pytest.raises(ModelFileError, match=r"af_nan\.bin holds values that are not numbers"):
        load_voice(tmp_path, "af_nan")


def test_an_unknown_voice_lists_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(UnknownVoiceError, match="earshot models pull"):
        load_voice(tmp_path / "none", "af_heart")
    for name in ("bf_b", "af_a"):
        voice_file(tmp_path, name, rows())
    assert list_voices(tmp_path) == ["af_a", "bf_b"]
    with pytest.raises(UnknownVoiceError, match="no voice 'x'; choose one of: af_a, bf_b"):
        load_voice(tmp_path, "x")


@pytest.mark.parametrize("content", [None, b"", b"not a model at all"])
def test_a_missing_or_corrupt_model_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        KokoroModel(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("phonemes", "pause_s"), [("a.", 0.3), ("a?”", 0.3), ("a,", 0.15), ("a", 0.05)]
)
def test_silence_before_goes_and_the_pause_after_follows_the_mark(
    phonemes: str, pause_s: float
) -> None:
    speech = np.full(RATE_HZ, 0.2, np.float32)
    still = np.zeros(RATE_HZ // 2, np.float32)
    trimmed = trim(np.concatenate([still, speech, still]), phonemes, RATE_HZ)
    assert len(trimmed) == round((0.03 + 1.0 + pause_s) * RATE_HZ)
    assert not trimmed[: round(0.03 * RATE_HZ)].any()
    assert trimmed[round(0.03 * RATE_HZ)] == np.float32(0.2)


def test_sound_without_silence_and_silence_without_sound_stay() -> None:
    for audio in (np.full(100, 0.5, np.float32), np.zeros(100, np.float32)):
        assert np.array_equal(trim(audio, "a.", RATE_HZ), audio)


async def test_the_line_serves_in_order_and_places_can_be_given_up() -> None:
    line = Line()
    first, second, third = line.join(), line.join(), line.join()
    assert [place.done() for place in (first, second, third)] == [True, False, False]
    line.leave(second)
    line.leave(second)
    line.leave(first)
    assert third.done()
    line.leave(third)
    assert line.join().done()


async def test_a_cancelled_unit_stops_waiting_and_gives_everything_back() -> None:
    unit, given_back = Unit("u1"), []
    unit.on_cancel(lambda: given_back.append(1))
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(unit.wait(never))
    await asyncio.sleep(0)
    unit.cancel()
    unit.cancel()
    with pytest.raises(UnitCancelled):
        await waiting
    assert given_back == [1]
    assert unit.computation.stopped
    with pytest.raises(UnitCancelled):
        await unit.wait(never)


async def test_a_wait_has_a_deadline() -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with pytest.raises(EngineError, match=r"no speech within 0\.01 s"):
        await Unit("u1").wait(never, 0.01)


async def test_jobs_run_first_come_first_served_and_dropped_ones_never() -> None:
    workers, gate, order = Workers("test", 1), threading.Event(), []
    blocking = workers.submit(gate.wait)
    jobs = [workers.submit(lambda number=number: order.append(number)) for number in range(4)]
    jobs[1].cancel()
    await asyncio.sleep(0)
    gate.set()
    await blocking
    await asyncio.gather(jobs[0], jobs[2], jobs[3])
    assert order == [0, 2, 3]
    await workers.aclose()
    with pytest.raises(EngineError, match="closed"):
        workers.submit(gate.wait)


async def test_any_fault_of_a_job_is_an_engine_error() -> None:
    workers = Workers("test", 1)
    with pytest.raises(EngineError, match="ZeroDivisionError"):
        await workers.submit(lambda: 1 / 0)
    await workers.aclose()
