"""The engines that must pass the conformance suite; a new one is one entry here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from speech.engine import SpeechEngine, SpeechSession
from speech.engines.kokoro_onnx import KokoroOnnxEngine
from speech.kokoro.session import KokoroSession
from speech.models.store import models_root
from tests.support import require


@dataclass(frozen=True)
class EngineCase:
    """How to make an engine and what the suite may ask of it.

    ``make`` skips (fails in CI) where the engine's parts are missing. ``broken`` makes the
    session's units fail for real while it is entered.
    """

    name: str
    make: Callable[[], SpeechEngine]
    voice: str
    broken: Callable[[SpeechSession], AbstractContextManager[None]]


def kokoro_paths() -> tuple[Path, Path]:
    """Kokoro's model file and voices folder."""
    model = models_root() / "kokoro-82m-int8" / "model.onnx"
    voices = models_root() / "kokoro-voices"
    require(model.is_file() and voices.is_dir(), "Kokoro's files: earshot models pull")
    return model, voices


def make_kokoro_onnx() -> KokoroOnnxEngine:
    """With a deadline that a machine busy with other tests does not miss."""
    return KokoroOnnxEngine(*kokoro_paths(), unit_timeout_s=240)


@contextmanager
def _wrong_styles(session: SpeechSession) -> Iterator[None]:
    """Styles of a wrong size, which onnxruntime itself refuses."""
    assert isinstance(session, KokoroSession)
    voice = session._voice
    session._voice = np.zeros((510, 1, 7), np.float32)
    yield
    session._voice = voice


ENGINES = [EngineCase("kokoro_onnx", make_kokoro_onnx, "af_heart", _wrong_styles)]
