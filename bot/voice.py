"""The configured speech engine."""

from __future__ import annotations

from bot.config.schema import Settings
from speech.engine import SpeechEngine
from speech.models.store import model_dir

MODELS = ("kokoro-82m-int8", "kokoro-voices")


def build_engine(settings: Settings) -> SpeechEngine:
    """The engine of ``tts.engine``, not yet started. Raises ``ModelFileError``."""
    from speech.engines.kokoro_onnx import KokoroOnnxEngine  # heavy: not for --help

    root, tts = settings.models.dir, settings.tts
    model, voices = (model_dir(model_id, root) for model_id in MODELS)
    return KokoroOnnxEngine(
        model / "model.onnx",
        voices,
        threads=tts.threads,
        max_concurrent=tts.max_concurrent,
        unit_timeout_s=tts.unit_timeout_s,
    )
