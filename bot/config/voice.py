"""The section ``tts``: who speaks, here or on another machine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bot.config.fields import File, Section, Text, Timeout, Url

LocalVoice = Literal["kokoro_onnx", "kokoro_torch"]
RemoteVoice = Literal["server", "sagemaker", "polly"]


class ServerVoiceSettings(Section):
    """``engine: server``, docs/remote-voice.md. The token comes from the environment."""

    url: Text = "ws://127.0.0.1:8080"
    ca_file: File | None = None
    protocol: Literal["auto", 0, 1] = "auto"
    recover_s: Timeout = 10.0
    spare: bool = True


class SagemakerVoiceSettings(Section):
    """``engine: sagemaker``. Credentials come from AWS's own chain."""

    endpoint: Text | None = None
    region: Text | None = None
    mode: Literal["bidi", "stream"] = "bidi"
    variant: Text | None = None
    profile: Text | None = None
    endpoint_url: Url | None = None
    ca_file: File | None = None


class PollyVoiceSettings(Section):
    """``engine: polly``. Credentials come from AWS's own chain."""

    region: Text | None = None
    mode: Literal["bidi", "classic"] = "bidi"
    profile: Text | None = None
    endpoint_url: Url | None = None
    ca_file: File | None = None


class TtsSettings(Section):
    """The voice. ``threads: 0`` uses every core. ``lead_s``: docs/backpressure.md.

    ``fallback`` speaks where ``engine`` fails (docs/remote-voice.md), with ``fallback_voice``;
    null: ``voice``.

    ``precision`` is for ``kokoro_onnx``: ``auto`` measures once which of those that sound alike is
    fastest here; ``fast`` admits some loss of quality (docs/streaming-kokoro.md).

    ``device``, ``half`` and ``torch_folder`` are for ``kokoro_torch`` only.
    """

    engine: LocalVoice | RemoteVoice = "kokoro_onnx"
    voice: Text = "af_heart"
    speed: Annotated[float, Field(ge=0.5, le=2.0)] = 1.0
    fallback: LocalVoice | RemoteVoice | None = None
    fallback_voice: Text | None = None
    on_failure: Literal["go_on", "say_so"] = "go_on"
    threads: Annotated[int, Field(ge=0, le=256)] = 0
    max_concurrent: Annotated[int, Field(ge=1, le=64)] = 1
    lead_s: Annotated[float, Field(ge=0.5, le=60)] = 5.0
    unit_timeout_s: Timeout = 60.0
    precision: Literal["auto", "float32", "fast"] = "auto"
    device: Literal["auto", "cuda", "mps", "cpu"] = "auto"
    half: Literal["auto"] | bool = "auto"
    torch_folder: File | None = None
    server: ServerVoiceSettings = ServerVoiceSettings()
    sagemaker: SagemakerVoiceSettings = SagemakerVoiceSettings()
    polly: PollyVoiceSettings = PollyVoiceSettings()

    @property
    def engines(self) -> list[str]:
        """All that may speak."""
        return [self.engine, *([self.fallback] if self.fallback else [])]

    def voice_of(self, engine: str) -> str:
        """The voice that this one of ``engines`` speaks with."""
        return self.voice if engine == self.engine else self.fallback_voice or self.voice

    @model_validator(mode="after")
    def _endpoints_are_named(self) -> TtsSettings:
        if self.fallback == self.engine:
            raise ValueError("tts.fallback must be another engine than tts.engine")
        if "sagemaker" in self.engines and not self.sagemaker.endpoint:
            raise ValueError("tts.sagemaker.endpoint must be set for the engine sagemaker")
        return self
