"""WAV files, however badly they were written."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from speech.audio.pcm import float_to_int16, mix_down
from speech.audio.wav_header import WavHeader, WavHeaderError, parse_header
from speech.audio.wav_stream import WavStreamDecoder
from speech.audio.write import write_wav
from speech.errors import UsageError

__all__ = ["AudioFileError", "WavStreamDecoder", "read_wav", "write_wav"]

Warn = Callable[[str], None]


class AudioFileError(UsageError):
    """A sound file the user named cannot be read; the message names it."""


def read_wav(path: Path, *, warn: Warn | None = None) -> tuple[NDArray[np.int16], int]:
    """The file as int16 mono, and its sample rate in Hz.

    Takes every encoding libsndfile knows, any channel count (mixed down) and headers whose
    sizes are placeholders. A file that ends early gives what is there, and ``warn`` is told.
    Raises ``AudioFileError``.
    """
    data = _bytes_of(path)
    try:
        header = parse_header(data)
    except WavHeaderError as error:
        raise AudioFileError(f"{path} {error}; give a WAV file") from error
    if header is None:
        raise AudioFileError(f"{path} is cut off before its samples begin; record it again")
    size = _real_data_bytes(header, len(data))
    if warn is not None and size < header.data_bytes and not header.claims_unknown:
        warn(f"{path} is cut off: {size} of {header.data_bytes} bytes of sound are there")
    samples, rate_hz = _decode(path, _with_true_sizes(data, header, size))
    if not samples.size:
        raise AudioFileError(f"{path} has no sound in it (0 samples)")
    return mix_down(samples), rate_hz


def _bytes_of(path: Path) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AudioFileError(f"cannot read {path}: {error.strerror or error}") from error
    if not data:
        raise AudioFileError(f"{path} is empty (0 bytes); record it again")
    return data


def _real_data_bytes(header: WavHeader, file_bytes: int) -> int:
    """How long the samples are; a placeholder means up to the end of the file."""
    there = file_bytes - header.data_offset
    # An honest file may hold no samples and other chunks after them.
    honest_zero = header.data_bytes == 0 and header.riff_bytes + 8 == file_bytes
    if honest_zero:
        return 0
    claimed = there if header.claims_unknown else min(header.data_bytes, there)
    return claimed - claimed % header.block_bytes


def _with_true_sizes(data: bytes, header: WavHeader, size: int) -> bytes:
    end = header.data_offset + size
    riff = struct.pack("<I", end - 8)
    chunk = struct.pack("<I", size)
    return data[:4] + riff + data[8 : header.data_offset - 4] + chunk + data[end - size : end]


def _decode(path: Path, data: bytes) -> tuple[NDArray[np.int16], int]:
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate_hz = int(file.samplerate)
            if file.subtype == "PCM_16":
                return file.read(dtype="int16"), rate_hz
            return float_to_int16(file.read(dtype="float32")), rate_hz
    except soundfile.LibsndfileError as error:
        reason = error.error_string.rstrip(".")
        raise AudioFileError(
            f"{path} cannot be decoded ({reason}); save it as 16-bit PCM"
        ) from error
