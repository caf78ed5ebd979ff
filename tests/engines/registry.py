"""The engines that must pass the conformance suite; a new one is one entry here."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from speech.engine import SpeechEngine, SpeechSession
from speech.engines.kokoro_onnx import KokoroOnnxEngine
from speech.engines.kokoro_torch import KokoroTorchEngine
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.session import KokoroSession
from speech.models.store import models_root
from tests.aws import emulated
from tests.engines.remote.served_kokoro import KeptKokoro, ServedKokoro
from tests.support import require


@dataclass(frozen=True)
class EngineCase:
    """How to make an engine and what the suite may ask of it.

    ``make`` skips (fails in CI) where the engine's parts are missing. ``broken`` makes the
    session's units fail for real while it is entered. ``understood`` is False for random
    weights, whose sound is no speech, and where a case before it is heard with the same voice.
    """

    name: str
    make: Callable[[], SpeechEngine]
    voice: str
    broken: Callable[[SpeechSession], AbstractContextManager[None]]
    understood: bool = True
    marks: tuple[pytest.MarkDecorator, ...] = ()


def kokoro_paths() -> tuple[Path, Path]:
    """Kokoro's model file and voices folder."""
    model = models_root() / "kokoro-82m-int8" / "model.onnx"
    voices = models_root() / "kokoro-voices"
    require(model.is_file() and voices.is_dir(), "Kokoro's files: earshot models pull")
    return model, voices


def make_kokoro_onnx() -> KokoroOnnxEngine:
    """With a deadline that a machine busy with other tests does not miss."""
    return KokoroOnnxEngine(*kokoro_paths(), unit_timeout_s=240)


def torch_weights() -> Path | None:
    """The published weights' folder, where it was fetched; else the tests make random ones."""
    folder = models_root() / "kokoro-82m-torch"
    return folder if (folder / "kokoro-v1_0.pth").is_file() else None


def make_kokoro_torch() -> KokoroTorchEngine:
    """On what ``tts.device: auto`` takes. Skips, in CI too, in a Python without torch."""
    if not all(importlib.util.find_spec(name) for name in ("torch", "kokoro")):
        pytest.skip("torch: make test-torch")
    folder, voices = torch_weights(), models_root() / "kokoro-voices"
    if folder is None:
        from tests.kokoro_torch.networks import laid_down

        folder = voices = laid_down()[0]
    return KokoroTorchEngine(folder, voices, threads=1, unit_timeout_s=240)


@contextmanager
def _wrong_styles(session: SpeechSession) -> Iterator[None]:
    """Styles of a wrong size, which onnxruntime and torch refuse themselves."""
    assert isinstance(session, KokoroSession)
    voice = session._voice
    session._voice = np.zeros((510, 1, 7), np.float32)
    yield
    session._voice = voice


def make_server() -> ServedKokoro:
    """A speech server of this process, and the client that speaks through it."""
    return ServedKokoro(KeptKokoro(*kokoro_paths(), unit_timeout_s=240))


@contextmanager
def _wrong_styles_there(session: SpeechSession) -> Iterator[None]:
    """For those whom the server opens from now on: one for each client's voice."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:

        async def broken(engine: KokoroEngine, *given: Any, **named: Any) -> KokoroSession:
            opened = await opening(engine, *given, **named)
            stack.enter_context(_wrong_styles(opened))
            return opened

        opening = KokoroEngine.open
        patch.setattr(KokoroEngine, "open", broken)
        yield


ENGINES = [
    EngineCase("kokoro_onnx", make_kokoro_onnx, "af_heart", _wrong_styles),
    EngineCase("server", make_server, "af_heart", _wrong_styles_there, understood=False),
    EngineCase(
        "kokoro_torch",
        make_kokoro_torch,
        "af_heart" if torch_weights() else "af_random",
        _wrong_styles,
        understood=torch_weights() is not None,
        marks=(pytest.mark.second_python,),
    ),
    EngineCase("sagemaker", emulated.sagemaker, "af_heart", emulated.failing, understood=False),
    EngineCase("sagemaker-v0", emulated.sagemaker_0, "af_heart", emulated.failing, False),
    EngineCase("sagemaker-calls", emulated.sagemaker_calls, "af_heart", emulated.failing, False),
    EngineCase("polly", emulated.polly, "Joanna", emulated.failing, understood=False),
    EngineCase("polly-classic", emulated.polly_classic, "Joanna", emulated.failing, False),
]
