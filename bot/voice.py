"""The configured speech engine."""

from __future__ import annotations

from collections.abc import Callable

from bot.config.schema import Settings, TtsSettings
from speech.engine import SpeechEngine
from speech.models.store import model_dir
from speech.spoken.engine import SpokenEngine

Notify = Callable[[str], None]

KOKORO, VOICES, TORCH = "kokoro-82m-int8", "kokoro-voices", "kokoro-82m-torch"


def voice_models(tts: TtsSettings) -> list[str]:
    """The ids of the models that ``tts.engine`` speaks with."""
    if tts.engine == "kokoro_onnx":
        return [KOKORO, VOICES]
    return [VOICES] if tts.torch_folder else [VOICES, TORCH]


def require_packages(tts: TtsSettings) -> None:
    """Raise ``UsageError`` where ``tts.engine`` lacks a package, before anything is fetched."""
    if tts.engine == "kokoro_torch":
        from speech.engines.kokoro_torch import require_torch

        require_torch()


def build_voice(settings: Settings, notify: Notify = lambda line: None) -> SpeechEngine:
    """``build_engine``'s, given texts as they are said: numbers, signs and ``say:`` in words.

    Raises ``UsageError`` for an entry of ``no_read:`` that is no pattern too.
    """
    engine = build_engine(settings, notify)
    return SpokenEngine(engine, say=settings.say, no_read=settings.no_read)


def build_engine(settings: Settings, notify: Notify = lambda line: None) -> SpeechEngine:
    """The engine of ``tts.engine``, not yet started.

    ``notify`` gets a line before work that is done once and takes some seconds. Raises
    ``ModelFileError``, and ``UsageError`` for a missing package.
    """
    require_packages(settings.tts)
    build = _onnx if settings.tts.engine == "kokoro_onnx" else _torch
    return build(settings, said_as_progress(notify))


def said_as_progress(notify: Notify) -> Notify:
    """An engine's lines, as people are told them."""
    return lambda line: notify(f"{line[:1].upper()}{line[1:]} …")


def _onnx(settings: Settings, progress: Notify) -> SpeechEngine:
    from speech.engines.kokoro_onnx import KokoroOnnxEngine  # heavy: not for --help

    root, tts = settings.models.dir, settings.tts
    return KokoroOnnxEngine(
        model_dir(KOKORO, root) / "model.onnx",
        model_dir(VOICES, root),
        threads=tts.threads,
        max_concurrent=tts.max_concurrent,
        unit_timeout_s=tts.unit_timeout_s,
        precision=tts.precision,
        progress=progress,
    )


def _torch(settings: Settings, progress: Notify) -> SpeechEngine:
    from speech.engines.kokoro_torch import KokoroTorchEngine

    root, tts = settings.models.dir, settings.tts
    return KokoroTorchEngine(
        tts.torch_folder.expanduser() if tts.torch_folder else model_dir(TORCH, root),
        model_dir(VOICES, root),
        device=tts.device,
        half=None if tts.half == "auto" else tts.half,
        threads=tts.threads,
        max_concurrent=tts.max_concurrent,
        unit_timeout_s=tts.unit_timeout_s,
        progress=progress,
    )
