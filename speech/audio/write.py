"""Sound files written whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from speech.errors import EarshotError, UsageError
from speech.whole_file import replacing

_FORMATS = {
    ".wav": ("WAV", "PCM_16"),
    ".flac": ("FLAC", "PCM_16"),
    ".mp3": ("MP3", "MPEG_LAYER_III"),
    ".ogg": ("OGG", "VORBIS"),
    ".opus": ("OGG", "OPUS"),
}
ENDINGS = tuple(_FORMATS)
_BLOCK_SAMPLES = 1 << 16
"""libsndfile's Vorbis encoder crashes on a buffer of many minutes, so it gets pieces."""


class WriteError(EarshotError):
    """A sound file cannot be written; the message names it."""


def check_ending(path: Path) -> None:
    """Raise ``UsageError`` unless the name ends in one of ``ENDINGS``."""
    if path.suffix.lower() not in _FORMATS:
        endings = ", ".join(ENDINGS)
        raise UsageError(f"{path} does not say which format to write; end its name in {endings}")


def write_wav(path: Path, samples: NDArray[np.int16], rate_hz: int) -> None:
    """16-bit PCM, ``[n]`` or ``[n, channels]``; the file appears only when complete."""
    _write(path, samples, rate_hz, *_FORMATS[".wav"])


def write_audio(path: Path, samples: NDArray[np.int16], rate_hz: int) -> None:
    """In the format of the name's ending, one of ``ENDINGS``; appears only when complete."""
    check_ending(path)
    _write(path, samples, rate_hz, *_FORMATS[path.suffix.lower()])


def _write(path: Path, samples: NDArray[np.int16], rate_hz: int, kind: str, subtype: str) -> None:
    try:
        # Encoded in memory: libsndfile's own file errors do not say that the disk is full.
        encoded = _encode(samples, rate_hz, kind, subtype)
        with replacing(path) as part:
            part.write_bytes(encoded)
    except OSError as error:
        raise WriteError(f"cannot write {path}: {error.strerror or error}") from error
    except soundfile.LibsndfileError as error:
        raise WriteError(f"cannot write {path}: {error.error_string.rstrip('.')}") from error


def _encode(samples: NDArray[np.int16], rate_hz: int, kind: str, subtype: str) -> memoryview:
    memory = io.BytesIO()
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with soundfile.SoundFile(
        memory, "w", samplerate=rate_hz, channels=channels, format=kind, subtype=subtype
    ) as file:
        for start in range(0, len(samples), _BLOCK_SAMPLES):
            file.write(samples[start : start + _BLOCK_SAMPLES])
    return memory.getbuffer()
