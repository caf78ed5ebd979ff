"""The silence Kokoro puts around an utterance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ONSET = 0.003
_DECAY = 0.001
"""Of full scale, -50 and -60 dB: speech starts abruptly but dies away."""
_LEAD_S = 0.03
"""Kept before the first sound, for soft onsets such as "h"."""
_SENTENCE_S, _CLAUSE_S, _WORD_S = 0.3, 0.15, 0.05


def trim(audio: NDArray[np.float32], phonemes: str, rate_hz: int) -> NDArray[np.float32]:
    """The utterance with little silence before it and a natural pause after.

    The model gives 0.3 to 0.4 s before and about 0.5 s after every utterance. The first is
    waiting time for the listener, and both together make 0.9 s between two sentences, twice
    what people leave; so the lead goes and the pause follows the last mark.
    """
    loud = np.abs(audio)
    audible = np.flatnonzero(loud > _ONSET)
    if not audible.size:
        return audio
    first = int(audible[0]) - round(_LEAD_S * rate_hz)
    last = int(np.flatnonzero(loud > _DECAY)[-1]) + round(_pause_s(phonemes) * rate_hz)
    return audio[max(first, 0) : last + 1]


def _pause_s(phonemes: str) -> float:
    mark = phonemes.rstrip('”"») ')[-1:]
    if mark in tuple(".!?…"):
        return _SENTENCE_S
    return _CLAUSE_S if mark in tuple(",;:—") else _WORD_S
