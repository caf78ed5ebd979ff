"""Guards: what the torch engine does beyond ``tests/engines/test_conformance.py``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from speech.engines.kokoro_torch import KokoroTorchEngine
from speech.errors import EngineError, ModelFileError

pytest.importorskip("torch", reason="torch: make test-torch")

from tests.engines.listening import collect, until_idle
from tests.kokoro_torch.networks import VOICE, Torch, save_voice

pytestmark = pytest.mark.second_python

LONG = "and then the path follows the river past the old stone mill " * 8


@pytest.fixture
def engine(kokoro: Torch) -> KokoroTorchEngine:
    return KokoroTorchEngine(kokoro.folder, kokoro.folder, device="cpu", threads=1)


async def test_it_tells_what_it_computes_in_once_it_knows(engine: KokoroTorchEngine) -> None:
    assert engine.precision is None
    await engine.start()
    assert engine.precision == "float32 on cpu"
    await engine.aclose()


async def test_a_unit_past_its_deadline_fails_and_stops_computing(
    engine: KokoroTorchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await engine.open(VOICE)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "unit_timeout_s", 0.2)
        with pytest.raises(EngineError, match=r"no speech within 0\.2 s"):
            await collect(session.speak("u1", LONG))
    async with asyncio.timeout(5):
        await until_idle()
    assert await collect(session.speak("u2", "Yes."))
    await engine.aclose()


async def test_without_weights_it_says_what_to_put_where(tmp_path: Path) -> None:
    save_voice(tmp_path)
    engine = KokoroTorchEngine(tmp_path, tmp_path, device="cpu")
    with pytest.raises(ModelFileError, match=r"put hexgrad/Kokoro-82M's config\.json"):
        await engine.start()
    await engine.aclose()


async def test_another_alphabet_is_refused(
    engine: KokoroTorchEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kokoro v1.1 numbers its phonemes otherwise, and would speak gibberish."""
    monkeypatch.setattr("speech.engines.kokoro_torch.VOCABULARY", {"a": 1})
    with pytest.raises(ModelFileError, match="numbers phonemes otherwise"):
        await engine.start()
    await engine.aclose()
