"""The start of a WAV file or stream: its format, and where the samples begin."""

from __future__ import annotations

import struct
from dataclasses import dataclass

PCM = 1
_EXTENSIBLE = 0xFFFE
_PLACEHOLDER_BYTES = 0x7FFF_0000
"""Sizes from here on are what programs write that do not know the length: 0xFFFFFFFF by
ffmpeg and OpenAI's service, values just under 2 GiB by sox."""
MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 384_000
"""Below and above no recording of speech is made, and at 1 Hz the resampler crashes."""
MAX_HEADER_BYTES = 1 << 20
"""Room for tags with a picture before the samples; more is not a header."""


class WavHeaderError(ValueError):
    """Not a WAV; the message completes a sentence that begins with the file's name."""


@dataclass(frozen=True, slots=True)
class WavHeader:
    """``encoding`` is the format tag (``PCM`` = 1); ``data_offset`` counts bytes.

    ``data_bytes`` is what the header claims, which may be a lie: see ``claims_unknown``.
    """

    encoding: int
    channels: int
    rate_hz: int
    bits: int
    block_bytes: int
    data_offset: int
    data_bytes: int
    riff_bytes: int

    @property
    def claims_unknown(self) -> bool:
        """The length was not known when the header was written (case D04)."""
        return self.data_bytes == 0 or self.data_bytes >= _PLACEHOLDER_BYTES


def looks_like_wav(start: bytes) -> bool:
    """True while ``start``, however short, may still be the start of a WAV."""
    return b"RIFF".startswith(start[:4]) and b"WAVE".startswith(start[8:12])


def parse_header(data: bytes | bytearray) -> WavHeader | None:
    """The header, or None where ``data`` ends before the samples begin.

    Raises ``WavHeaderError`` when no more data could make it a WAV.
    """
    if not looks_like_wav(bytes(data[:12])):
        raise WavHeaderError("is not a WAV file")
    format_chunk, offset = None, 12
    while len(data) >= offset + 8:
        name, size = struct.unpack_from("<4sI", data, offset)
        offset += 8
        if name == b"data":
            if format_chunk is None:
                raise WavHeaderError("has no format before its samples")
            return _header(format_chunk, offset, size, int.from_bytes(data[4:8], "little"))
        if name == b"fmt " and len(data) >= offset + size:
            format_chunk = bytes(data[offset : offset + size])
        offset += size + size % 2
    if len(data) > MAX_HEADER_BYTES:
        raise WavHeaderError("has no samples in its first megabyte")
    return None


def _header(format_chunk: bytes, offset: int, data_bytes: int, riff_bytes: int) -> WavHeader:
    if len(format_chunk) < 16:
        raise WavHeaderError("has a damaged format chunk")
    encoding, channels, rate_hz, _, block, bits = struct.unpack_from("<HHIIHH", format_chunk)
    if encoding == _EXTENSIBLE and len(format_chunk) >= 26:
        encoding = int.from_bytes(format_chunk[24:26], "little")
    if not (1 <= channels <= 64 and MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ and block):
        allowed = f"1 to 64 at {MIN_RATE_HZ} to {MAX_RATE_HZ} Hz"
        raise WavHeaderError(f"claims {channels} channels at {rate_hz} Hz, not {allowed}")
    return WavHeader(encoding, channels, rate_hz, bits, block, offset, data_bytes, riff_bytes)
