"""What the sound card transport can be told."""

from __future__ import annotations

from typing import Literal

from pipecat.transports.base_transport import TransportParams

DeviceChoice = str | int | None
"""A device's number, its name or a part of it; None is the system's default."""

Latency = float | Literal["low", "high"]


class LocalParams(TransportParams):
    """pipecat's parameters with the sound card's.

    ``latency`` is a wish in seconds, or the device's own ``low`` or ``high`` figure.
    ``silent_microphone_s``: a microphone silent for so long is reported; 0 never reports it.
    ``echo_cancellation`` takes the bot's own sound out of the microphone's (``auto``: where the
    library can be loaded); ``noise_suppression`` and ``gain_control`` are WebRTC's too.
    ``audio_in_enabled=False`` runs without a microphone, ``audio_out_enabled=False`` without
    a speaker. ``audio_out_end_silence_secs`` is 0 because the transport drains the device.
    """

    audio_in_enabled: bool = True
    audio_out_enabled: bool = True
    audio_in_sample_rate: int | None = 16_000
    audio_out_sample_rate: int | None = 24_000
    audio_out_end_silence_secs: int = 0
    input_device: DeviceChoice = None
    output_device: DeviceChoice = None
    latency: Latency = "low"
    silent_microphone_s: float = 8.0
    echo_cancellation: bool | Literal["auto"] = False
    noise_suppression: bool = False
    gain_control: bool = False
