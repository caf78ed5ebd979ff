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

MAX_FILE_BYTES = 1 << 30

_FULL_SCALE = 1.001
"""Rounding may put a sample this far over; more is clipping."""


class AudioFileError(UsageError):
    """A sound file the user named cannot be read; the message names it."""


def read_wav(
    path: Path, *, warn: Warn | None = None, longest_s: float | None = None
) -> tuple[NDArray[np.int16], int]:
    """The file as int16 mono, and its sample rate in Hz.

    Takes every encoding libsndfile knows, any channel count (mixed down) and headers whose
    sizes are placeholders. ``warn`` is told of a file that ends early, of floats that are
    not numbers (silent) and of floats beyond full scale (clipped). A file longer than
    ``longest_s`` is refused before it is decoded. Raises ``AudioFileError``.
    """
    data = _bytes_of(path)
    try:
        header = parse_header(data)
    except WavHeaderError as error:
        raise AudioFileError(f"{path} {error}; give a WAV file") from error
    if header is None:
        raise AudioFileError(f"{path} is cut off before its samples begin; record it again")
    size = _real_data_bytes(header, data)
    if warn is not None and size < header.data_bytes and not header.claims_unknown:
        warn(f"{path} is cut off: {size} of {header.data_bytes} bytes of sound are there")
    samples, rate_hz = _decode(path, _with_true_sizes(data, header, size), warn, longest_s)
    if not samples.size:
        raise AudioFileError(f"{path} has no sound in it (0 samples)")
    return mix_down(samples), rate_hz


def _bytes_of(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise AudioFileError(f"{path} is larger than 1 GiB; cut it")
        data = path.read_bytes()
    except OSError as error:
        raise AudioFileError(f"cannot read {path}: {error.strerror or error}") from error
    if not data:
        raise AudioFileError(f"{path} is empty (0 bytes); record it again")
    return data


def _real_data_bytes(header: WavHeader, data: bytes) -> int:
    """How long the samples are; a placeholder means up to the end of the file."""
    there = len(data) - header.data_offset
    if header.data_bytes == 0 and _only_chunks(data, header.data_offset):
        return 0  # an honest file without samples, perhaps with other chunks after them
    claimed = there if header.claims_unknown else min(header.data_bytes, there)
    return claimed - claimed % header.block_bytes


def _only_chunks(data: bytes, offset: int) -> bool:
    """Whether named chunks, and nothing else, fill ``data`` from ``offset`` on."""
    while offset + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, offset)
        if not name.isalnum() and not name.rstrip(b" ").isalnum():
            return False
        offset += 8 + size + size % 2
    return len(data) <= offset <= len(data) + 1


def _with_true_sizes(data: bytes, header: WavHeader, size: int) -> bytes:
    end = header.data_offset + size
    riff = struct.pack("<I", end - 8)
    chunk = struct.pack("<I", size)
    return data[:4] + riff + data[8 : header.data_offset - 4] + chunk + data[end - size : end]


def _decode(
    path: Path, data: bytes, warn: Warn | None, longest_s: float | None
) -> tuple[NDArray[np.int16], int]:
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate_hz = int(file.samplerate)
            if longest_s is not None and file.frames > longest_s * rate_hz:
                raise AudioFileError(
                    f"{path} is {file.frames / rate_hz:.1f} s long, "
                    f"longer than {longest_s:.0f} s; cut it"
                )
            if file.subtype == "PCM_16":
                return file.read(dtype="int16"), rate_hz
            floats = file.read(dtype="float32")
            if warn is not None:
                _warn_of_floats(path, floats, warn)
            return float_to_int16(floats), rate_hz
    except soundfile.LibsndfileError as error:
        reason = error.error_string.rstrip(".")
        raise AudioFileError(
            f"{path} cannot be decoded ({reason}); save it as 16-bit PCM"
        ) from error


def _warn_of_floats(path: Path, samples: NDArray[np.float32], warn: Warn) -> None:
    """Say what int16 cannot hold. Infinities count as no numbers."""
    finite = np.isfinite(samples)
    broken = samples.size - int(np.count_nonzero(finite))
    if broken:
        warn(f"{path} has {broken} samples that are no numbers (NaN or infinite); save it again")
    loud = int(
        np.count_nonzero(np.abs(samples, where=finite, out=np.zeros_like(samples)) > _FULL_SCALE)
    )
    if loud:
        warn(f"{path} has {loud} samples beyond full scale, which are clipped; save it quieter")
