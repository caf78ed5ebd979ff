"""The configured speech engine."""

from __future__ import annotations

from collections.abc import Callable

from bot.config.schema import Settings
from bot.config.secrets import Secrets
from bot.config.voice import TtsSettings
from speech.engine import SpeechEngine
from speech.kokoro.languages import language_of
from speech.models.store import model_dir
from speech.spoken.engine import SpokenEngine

Notify = Callable[[str], None]

KOKORO, VOICES, TORCH = "kokoro-82m-int8", "kokoro-voices", "kokoro-82m-torch"
LOCAL = ("kokoro_onnx", "kokoro_torch")


def voice_models(tts: TtsSettings) -> list[str]:
    """The ids of the models that the engines of ``tts`` speak with here."""
    needed = []
    if "kokoro_onnx" in tts.engines:
        needed += [KOKORO, VOICES]
    if "kokoro_torch" in tts.engines:
        needed += [VOICES] if tts.torch_folder else [VOICES, TORCH]
    return list(dict.fromkeys(needed))


def require_packages(tts: TtsSettings) -> None:
    """Raise ``UsageError`` where an engine lacks a package, before anything is fetched."""
    if "kokoro_torch" in tts.engines:
        from speech.engines.kokoro_torch import require_torch

        require_torch()


def build_voice(
    settings: Settings, notify: Notify = lambda line: None, secrets: Secrets | None = None
) -> SpeechEngine:
    """``build_engine``'s, given texts as they are said: numbers, signs and ``say:`` in words.

    Raises ``UsageError`` for an entry of ``no_read:`` that is no pattern too.
    """
    engine = build_engine(settings, notify, secrets)
    language = settings.bot.language

    def language_spoken(voice: str) -> str:
        return language if settings.tts.engine == "polly" else language_of(voice)

    return SpokenEngine(
        engine, say=settings.say, no_read=settings.no_read, language=language_spoken
    )


def build_engine(
    settings: Settings, notify: Notify = lambda line: None, secrets: Secrets | None = None
) -> SpeechEngine:
    """The engine of ``tts.engine``, with its fallback, not yet started.

    ``notify`` gets a line before work that is done once and takes some seconds. ``secrets`` are
    for remote engines. Raises ``ModelFileError``, and ``UsageError`` for a missing package.
    """
    tts, secrets = settings.tts, secrets or Secrets()
    require_packages(tts)
    first = build_one(tts.engine, settings, secrets, notify)
    if tts.fallback is None:
        return first
    from speech.engines.fallback import FallbackEngine

    second = build_one(tts.fallback, settings, secrets, notify)
    return FallbackEngine(first, second, second_voice=tts.fallback_voice)


def build_one(
    name: str, settings: Settings, secrets: Secrets, notify: Notify = lambda line: None
) -> SpeechEngine:
    """The engine of this name, whatever else may speak."""
    return _BUILD[name](settings, said_as_progress(notify), secrets)


def said_as_progress(notify: Notify) -> Notify:
    """An engine's lines, as people are told them."""
    return lambda line: notify(f"{line[:1].upper()}{line[1:]} …")


def _onnx(settings: Settings, progress: Notify, secrets: Secrets) -> SpeechEngine:
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


def _torch(settings: Settings, progress: Notify, secrets: Secrets) -> SpeechEngine:
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


def _server(settings: Settings, progress: Notify, secrets: Secrets) -> SpeechEngine:
    from speech.engines.server import ServerEngine

    tts = settings.tts
    server = tts.server
    return ServerEngine(
        server.url,
        token=secrets.get("EARSHOT_TTS_SERVER_TOKEN"),
        ca_file=server.ca_file.expanduser() if server.ca_file else None,
        protocol=server.protocol,
        unit_timeout_s=tts.unit_timeout_s,
        recover_s=server.recover_s,
        spare=server.spare,
    )


def _sagemaker(settings: Settings, progress: Notify, secrets: Secrets) -> SpeechEngine:
    from speech.engines.sagemaker import SagemakerEngine

    sagemaker = settings.tts.sagemaker
    return SagemakerEngine(
        sagemaker.endpoint or "",
        region=sagemaker.region,
        mode=sagemaker.mode,
        variant=sagemaker.variant,
        profile=sagemaker.profile,
        endpoint_url=sagemaker.endpoint_url,
        ca_file=sagemaker.ca_file.expanduser() if sagemaker.ca_file else None,
        unit_timeout_s=settings.tts.unit_timeout_s,
    )


def _polly(settings: Settings, progress: Notify, secrets: Secrets) -> SpeechEngine:
    from speech.engines.polly import PollyEngine

    polly = settings.tts.polly
    return PollyEngine(
        region=polly.region,
        mode=polly.mode,
        profile=polly.profile,
        endpoint_url=polly.endpoint_url,
        ca_file=polly.ca_file.expanduser() if polly.ca_file else None,
        unit_timeout_s=settings.tts.unit_timeout_s,
    )


_Build = Callable[[Settings, Notify, Secrets], SpeechEngine]
_BUILD: dict[str, _Build] = {
    "kokoro_onnx": _onnx,
    "kokoro_torch": _torch,
    "server": _server,
    "sagemaker": _sagemaker,
    "polly": _polly,
}
