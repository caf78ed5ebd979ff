"""How full the sound card's two buffers ever were."""

from __future__ import annotations

from speech.queues import Queues, QueueUse
from transports.local.input import BUFFER_S
from transports.local.link import DeviceLink
from transports.local.player import RING_CHUNKS
from transports.local.stats import LocalStats


def watch_queues(
    queues: Queues,
    stats: LocalStats,
    microphone: DeviceLink | None,
    speaker: DeviceLink | None,
    chunk_s: float,
) -> None:
    """Have them among the conversation's queues, in seconds; ``chunk_s`` is what pipecat writes."""

    def heard() -> QueueUse:
        rate_hz = _rate_hz(microphone)
        high = round(stats.input_high_water_samples / rate_hz, 3)
        lost = round(stats.input_dropped_samples / rate_hz, 3)
        return QueueUse("microphone", "s", BUFFER_S, "the oldest goes", high, lost)

    def played() -> QueueUse:
        rate_hz = _rate_hz(speaker)
        bound = max(chunk_s * RING_CHUNKS, speaker.latency_s if speaker else 0.0)
        high = round(stats.output_high_water_samples / rate_hz, 3)
        lost = round(stats.output_lost_samples / rate_hz, 3)
        policy = "the writer waits; a speaker that stays away loses it"
        return QueueUse("loudspeaker", "s", round(bound, 3), policy, high, lost)

    if microphone is not None:
        queues.read("microphone", heard)
    if speaker is not None:
        queues.read("loudspeaker", played)


def _rate_hz(link: DeviceLink | None) -> int:
    return link.format.rate_hz if link is not None and link.format is not None else 1
