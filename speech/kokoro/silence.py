"""The silence Kokoro puts around an utterance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ONSET = 0.003
_DECAY = 0.001
"""Of full scale, -50 and -60 dB: speech starts abruptly but dies away."""
_LEAD_S = 0.03
"""Kept before the first sound, for soft onsets such as "h"."""
_DIED_AWAY_SAMPLES = 1_200
"""50 ms at 24 kHz."""
_SENTENCE_S, _CLAUSE_S, _WORD_S = 0.3, 0.15, 0.05


class Trim:
    """Cuts the silence off an utterance that comes in pieces.

    The model gives 0.3 to 0.4 s before and about 0.5 s after every utterance. The first is
    waiting time for the listener, and both together make 0.9 s between two sentences, twice
    what people leave; so the lead goes and the pause follows the last mark. ``lead`` is how
    many samples were cut before the first sound. Where ``cuts_lead`` or ``cuts_end`` is false
    that side is left as it is: more of the same unit lies there.
    """

    def __init__(
        self, phonemes: str, rate_hz: int, *, cuts_lead: bool = True, cuts_end: bool = True
    ) -> None:
        self.lead = 0
        self._cuts_end = cuts_end
        self._lead_samples = round(_LEAD_S * rate_hz)
        self._pause = round(_pause_s(phonemes) * rate_hz)
        self._started = not cuts_lead
        self._held = np.zeros(0, np.float32)
        self._silent = 0

    def feed(self, audio: NDArray[np.float32], *, is_last: bool) -> NDArray[np.float32]:
        """What may be played of the next piece; empty while nothing is to be heard yet."""
        if not self._started:
            audio = self._onset(np.concatenate([self._held, audio]), is_last=is_last)
        if is_last and self._cuts_end:
            audio = self._ending(audio)
        loud = np.flatnonzero(np.abs(audio) > _DECAY)
        self._silent = len(audio) - 1 - int(loud[-1]) if loud.size else self._silent + len(audio)
        return audio

    def _onset(self, audio: NDArray[np.float32], *, is_last: bool) -> NDArray[np.float32]:
        audible = np.flatnonzero(np.abs(audio) > _ONSET)
        if audible.size:
            self._started = True
            first = max(int(audible[0]) - self._lead_samples, 0)
            self.lead += first
            return audio[first:]
        if is_last and self.lead == 0:
            return audio  # nothing audible at all: as it is, not lost
        kept = audio[-self._lead_samples :]
        self.lead += len(audio) - len(kept)
        self._held = kept
        return audio[:0]

    def _ending(self, audio: NDArray[np.float32]) -> NDArray[np.float32]:
        loud = np.flatnonzero(np.abs(audio) > _DECAY)
        pause = self._pause if loud.size else max(self._pause - self._silent, 0)
        stop = int(loud[-1]) + pause + 1 if loud.size else pause
        if self._started and is_quiet(audio):  # the rest of the pause may not have been computed
            return np.pad(audio[:stop], (0, max(0, stop - len(audio))))
        return audio[:stop]


def is_quiet(audio: NDArray[np.float32]) -> bool:
    """Whether the sound has died away at the end of ``audio``."""
    return not (np.abs(audio[-_DIED_AWAY_SAMPLES:]) > _DECAY).any()


def trim(audio: NDArray[np.float32], phonemes: str, rate_hz: int) -> NDArray[np.float32]:
    """A whole utterance with little silence before it and a natural pause after."""
    return Trim(phonemes, rate_hz).feed(audio, is_last=True)


def _pause_s(phonemes: str) -> float:
    mark = phonemes.rstrip('”"») ')[-1:]
    if mark in tuple(".!?…"):
        return _SENTENCE_S
    return _CLAUSE_S if mark in tuple(",;:—") else _WORD_S
