"""Between what a device accepts and what the pipeline wants: channels, rate, block size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from speech.audio.pcm import mix_down
from speech.audio.resample import StreamResampler


class CaptureConverter:
    """Device blocks ``[frames, channels]`` to mono pieces of exactly ``piece`` samples.

    Every channel count is mixed down, also where the rates agree (case D03).
    """

    def __init__(self, device_hz: int, wanted_hz: int, piece: int) -> None:
        self._resampler = StreamResampler(device_hz, wanted_hz)
        self._piece = piece
        self._rest = np.zeros(0, np.int16)

    def process(self, block: NDArray[np.int16]) -> list[NDArray[np.int16]]:
        """The whole pieces that are ready."""
        self._rest = np.concatenate([self._rest, self._resampler.process(mix_down(block))])
        whole = len(self._rest) // self._piece * self._piece
        pieces = np.split(self._rest[:whole], whole // self._piece) if whole else []
        self._rest = self._rest[whole:]
        return pieces

    def flush(self) -> NDArray[np.int16]:
        """What was held back, shorter or longer than a piece; then ready for a new stream."""
        tail = np.concatenate([self._rest, self._resampler.flush()])
        self._rest = np.zeros(0, np.int16)
        return tail


class PlaybackConverter:
    """Pipeline bytes (int16, interleaved) to mono samples at the device's rate."""

    def __init__(self, wanted_hz: int, device_hz: int) -> None:
        self._resampler = StreamResampler(wanted_hz, device_hz)

    def process(self, audio: bytes, channels: int) -> NDArray[np.int16]:
        """The samples that are ready; may be empty. A trailing half frame is ignored."""
        frames = len(audio) // (2 * channels)
        samples = np.frombuffer(audio[: frames * 2 * channels], "<i2").astype(np.int16, copy=False)
        return self._resampler.process(mix_down(samples.reshape(frames, channels)))

    def flush(self) -> NDArray[np.int16]:
        """What was held back; then ready for a new reply."""
        return self._resampler.flush()
