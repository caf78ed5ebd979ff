"""The virtual card's speaker, heard by its microphone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bench.soundcard.virtual_card import SPEAKER, SPEECH_SINK, VirtualCard


@contextmanager
def loopback(card: VirtualCard, delay_s: float = 0.08, gain_db: float = -6.0) -> Iterator[None]:
    """What the speaker plays reaches the microphone ``delay_s`` later, at ``gain_db``."""
    module = card.pactl(
        "load-module",
        "module-loopback",
        f"source={SPEAKER}.monitor",
        f"sink={SPEECH_SINK}",
        f"latency_msec={round(delay_s * 1000)}",
        "remix=no",
    )
    try:
        card.pactl("set-sink-input-volume", _stream_of(card, module), f"{gain_db}dB")
        yield
    finally:
        card.pactl("unload-module", module)


def _stream_of(card: VirtualCard, module: str) -> str:
    """The sink input that this module owns; the newest is the loopback just made."""
    numbers = [int(line.split()[0]) for line in _sink_inputs(card)]
    if not numbers:
        raise RuntimeError(f"module {module} plays nothing")
    return str(max(numbers))


def _sink_inputs(card: VirtualCard) -> list[str]:
    return card.pactl("list", "short", "sink-inputs").splitlines()
