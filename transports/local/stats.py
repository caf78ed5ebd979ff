"""What went wrong and how full the buffers were, for ``doctor`` and the report."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(slots=True)
class LocalStats:
    """Counters since the transport was made; written by the callbacks, read anywhere.

    Samples are the device's, frames of all channels counted once.
    """

    input_overflows: int = 0
    """Callbacks before which the device lost microphone audio."""
    input_dropped_samples: int = 0
    """Microphone samples we dropped (oldest first) because the event loop did not keep up."""
    input_high_water_samples: int = 0
    """The most samples that ever waited for the event loop."""
    output_underflows: int = 0
    """Holes inside a reply: the device wanted audio and there was none yet."""
    output_hole_samples: int = 0
    """The length of those holes, played as silence."""
    output_device_underflows: int = 0
    """Callbacks before which the device itself ran dry: we were called too late."""
    output_flushed_samples: int = 0
    """Samples thrown away by interruptions."""
    output_lost_samples: int = 0
    """Samples thrown away because the speaker stayed away."""
    output_high_water_samples: int = 0
    """The most samples the ring to the device ever held."""
    devices_lost: int = 0
    devices_back: int = 0

    def as_dict(self) -> dict[str, int]:
        """For JSON."""
        return asdict(self)
