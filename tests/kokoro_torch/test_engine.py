"""Guards: the torch engine keeps the promises of ``speech.engine`` that need no real weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from speech.engine import SpeechSession
from speech.engines.kokoro_torch import KokoroTorchEngine
from speech.errors import ModelFileError

pytest.importorskip("torch", reason="torch: scripts/second_python.sh")

from tests.engines import conformance
from tests.engines.conformance import TestCancel, TestSessions, TestText
from tests.engines.conftest import engine, session, stamps
from tests.engines.registry import EngineCase
from tests.kokoro_torch.networks import VOICE, Torch, save_voice

__all__ = ["TestCancel", "TestSessions", "TestText", "engine", "session", "stamps"]

pytestmark = [pytest.mark.second_python, pytest.mark.asyncio(loop_scope="module")]


@contextmanager
def wrong_styles(session: SpeechSession) -> Iterator[None]:
    """Styles of a wrong size, which torch itself refuses."""
    voice = session._voice  # type: ignore[attr-defined]
    session._voice = np.zeros((510, 1, 7), np.float32)  # type: ignore[attr-defined]
    yield
    session._voice = voice  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def case(kokoro: Torch, tmp_path_factory: pytest.TempPathFactory) -> EngineCase:
    voices = tmp_path_factory.mktemp("voices")
    save_voice(voices)

    def make() -> KokoroTorchEngine:
        return KokoroTorchEngine(kokoro.folder, voices, device="cpu", threads=1, unit_timeout_s=240)

    return EngineCase("kokoro_torch", make, VOICE, wrong_styles)


class TestAudio(conformance.TestAudio):
    """Random weights are not understood, and speak as fast as they can at any speed."""

    test_what_is_heard_is_the_text = None  # type: ignore[assignment]
    test_a_text_beyond_the_models_limit_loses_nothing = None  # type: ignore[assignment]
    test_speed_makes_it_shorter = None  # type: ignore[assignment]


class TestStart:
    async def test_without_weights_it_says_what_to_put_where(self, tmp_path: Path) -> None:
        save_voice(tmp_path)
        engine = KokoroTorchEngine(tmp_path, tmp_path, device="cpu")
        with pytest.raises(ModelFileError, match=r"put hexgrad/Kokoro-82M's config\.json"):
            await engine.start()
        await engine.aclose()

    async def test_another_alphabet_is_refused(
        self, kokoro: Torch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Kokoro v1.1 numbers its phonemes otherwise, and would speak gibberish."""
        save_voice(tmp_path)
        monkeypatch.setattr("speech.engines.kokoro_torch.VOCABULARY", {"a": 1})
        engine = KokoroTorchEngine(kokoro.folder, tmp_path, device="cpu")
        with pytest.raises(ModelFileError, match="numbers phonemes otherwise"):
            await engine.start()
        await engine.aclose()
