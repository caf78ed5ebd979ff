"""Kokoro's voices: one table of style vectors a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.errors import ModelFileError, UnknownVoiceError

STYLE_ROWS = 510
STYLE_SIZE = 256
_SHAPE = (STYLE_ROWS, 1, STYLE_SIZE)
_FILE_BYTES = STYLE_ROWS * STYLE_SIZE * 4

Voice = NDArray[np.float32]
"""float32 ``[510, 1, 256]``: row n-1 is the style of an utterance of n phonemes."""


def list_voices(folder: Path) -> list[str]:
    """Names of the voices in ``folder``, sorted; a folder that is not there has none."""
    return sorted(path.stem for path in folder.glob("*.bin"))


def load_voice(folder: Path, name: str) -> Voice:
    """The voice's table.

    Raises ``UnknownVoiceError`` naming those there are, ``ModelFileError`` for a file that
    is no voice: a wrong size or a value that is not a number would be heard as noise.
    """
    known = list_voices(folder)
    if name not in known:
        raise UnknownVoiceError(_unknown(folder, name, known))
    path = folder / f"{name}.bin"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"cannot read the voice {path}: {error.strerror}") from error
    if len(data) != _FILE_BYTES:
        raise ModelFileError(
            f"{path} has {len(data)} bytes where a voice has {_FILE_BYTES}; fetch it again "
            "with: earshot models pull kokoro-voices"
        )
    voice = np.frombuffer(data, "<f4").astype(np.float32).reshape(_SHAPE)
    if not np.isfinite(voice).all():
        raise ModelFileError(
            f"{path} holds values that are not numbers; fetch it again "
            "with: earshot models pull kokoro-voices"
        )
    return voice


def _unknown(folder: Path, name: str, known: list[str]) -> str:
    if not known:
        return f"no voices in {folder}; fetch them with: earshot models pull kokoro-voices"
    return f"no voice {name!r}; choose one of: {', '.join(known)}"


def style_for(voice: Voice, phonemes: int) -> NDArray[np.float32]:
    """``[1, 256]``: the style row made for an utterance of this many phonemes."""
    row: NDArray[np.float32] = voice[min(max(phonemes, 1), STYLE_ROWS) - 1]
    return row
