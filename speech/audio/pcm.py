"""int16 samples: from floats, from several channels, from pieces of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PCM16_BYTES = 2
_FULL_SCALE = 32_767
"""Positive full scale for both signs, so that +1.0 cannot wrap to -32768 (case D05)."""


def float_to_int16(samples: NDArray[Any]) -> NDArray[np.int16]:
    """Floats in ±1.0 to int16, any shape; louder values clip, NaN becomes 0."""
    finite = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
    scaled: NDArray[np.int16] = np.rint(np.clip(finite, -1.0, 1.0) * _FULL_SCALE).astype(np.int16)
    return scaled


def int16_to_float(samples: NDArray[np.int16]) -> NDArray[np.float32]:
    """int16 to float32 in ±1.0; ``float_to_int16`` gives the samples back (-32768 as -32767)."""
    scaled: NDArray[np.float32] = samples.astype(np.float32) / np.float32(_FULL_SCALE)
    np.maximum(scaled, np.float32(-1.0), out=scaled)
    return scaled


def mix_down(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    """``[frames, channels]`` to mono by the mean, which cannot clip; mono passes through."""
    if samples.ndim == 1:
        return samples
    if samples.shape[1] == 1:
        return samples[:, 0]
    return np.rint(samples.mean(axis=1, dtype=np.float64)).astype(np.int16)


class PcmJoiner:
    """Makes whole little-endian int16 samples of byte pieces cut anywhere (case D06)."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> NDArray[np.int16]:
        """The samples completed by ``piece``; a byte left over waits for the next one."""
        data = self._rest + piece
        whole = len(data) - len(data) % PCM16_BYTES
        self._rest = data[whole:]
        return np.frombuffer(data[:whole], "<i2").astype(np.int16)

    def end(self) -> int:
        """End the stream: forget a half sample, so that the next reply does not start with it.

        Returns how many bytes were forgotten (0 or 1).
        """
        lost = len(self._rest)
        self._rest = b""
        return lost
