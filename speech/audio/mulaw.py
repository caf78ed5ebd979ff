"""G.711 mu-law, the format of phone calls; numpy, as ``audioop`` left Python in 3.13."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SILENCE = 0xFF
"""Decodes to 0. A zero byte would decode to -32124, nearly full scale (case D08)."""

_BIAS = 0x84
_CLIP = 32_635


def _decode_table() -> NDArray[np.int16]:
    code = ~np.arange(256) & 0xFF
    magnitude = ((((code & 0x0F) << 3) + _BIAS) << ((code & 0x70) >> 4)) - _BIAS
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)


def _encode_table() -> NDArray[np.uint8]:
    """Codes of all 65,536 samples, indexed by the sample's bits taken as uint16."""
    sample = np.arange(65_536).astype(np.uint16).view(np.int16).astype(np.int32)
    # Linear samples are cut to 14 bits first, rounding down, as G.711 does.
    cut = sample >> 2 << 2
    magnitude = np.minimum(np.abs(cut), _CLIP) + _BIAS
    exponent = np.frexp(magnitude.astype(np.float64))[1] - 8
    mantissa = (magnitude >> (exponent + 3)) & 0x0F
    sign = np.where(cut < 0, 0x80, 0)
    codes: NDArray[np.uint8] = (~(sign | (exponent << 4) | mantissa) & 0xFF).astype(np.uint8)
    return codes


_DECODED = _decode_table()
_ENCODED = _encode_table()


def encode(samples: NDArray[np.int16]) -> bytes:
    """int16 samples to mu-law, one byte each."""
    return _ENCODED[samples.astype(np.int16, copy=False).view(np.uint16)].tobytes()


def decode(data: bytes) -> NDArray[np.int16]:
    """mu-law bytes to int16 samples."""
    return _DECODED[np.frombuffer(data, np.uint8)]


def pad(data: bytes, frame_bytes: int) -> bytes:
    """Fill the last frame up with silence; whole frames stay as they are."""
    return data + bytes([SILENCE]) * (-len(data) % frame_bytes)
