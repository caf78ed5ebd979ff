"""Kokoro's voices: one table of style vectors each, and blends of them."""

from __future__ import annotations

import difflib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from speech.errors import UnknownVoiceError
from speech.kokoro.blend import parse_blend, told
from speech.kokoro.voice_files import STYLE_ROWS, Voice, voice_files

__all__ = ["Voice", "list_voices", "load_voice", "style_for"]

_MOST_NEAR, _NEAR = 3, 0.75
"""Names that share no more than ``af_`` are not near."""


def list_voices(folder: Path) -> list[str]:
    """Names of the voices in ``folder``, sorted; a folder that is not there has none."""
    return sorted(voice_files(folder))


def load_voice(folder: Path, name: str) -> Voice:
    """The table of a voice, or of a blend such as ``af_heart:0.7+am_adam:0.3``.

    Raises ``UnknownVoiceError`` naming those like it and all there are, ``UsageError`` for a
    blend's form, ``ModelFileError`` for a file that is no voice. No path is made of ``name``.
    """
    files = voice_files(folder)
    if not name.strip():
        raise UnknownVoiceError(_unknown(folder, name, sorted(files)))
    shares = parse_blend(name)
    for part in shares:
        if part.voice not in files:
            raise UnknownVoiceError(_unknown(folder, part.voice, sorted(files)))
    tables = [files[part.voice].read() for part in shares]
    if len(tables) == 1:
        return tables[0]
    mixed = sum(t.astype(np.float64) * p.share for t, p in zip(tables, shares, strict=True))
    return np.asarray(mixed, np.float32)


def _unknown(folder: Path, name: str, known: list[str]) -> str:
    if not known:
        return f"no voices in {folder}; fetch them with: earshot models pull kokoro-voices"
    near = difflib.get_close_matches(name.lower(), known, _MOST_NEAR, _NEAR)
    meant = f"did you mean {' or '.join(near)}? Else " if near else ""
    return f"no voice {told(name)}; {meant}choose one of: {', '.join(known)}"


def style_for(voice: Voice, phonemes: int) -> NDArray[np.float32]:
    """``[1, 256]``: the style row made for an utterance of this many phonemes."""
    row: NDArray[np.float32] = voice[min(max(phonemes, 1), STYLE_ROWS) - 1]
    return row
