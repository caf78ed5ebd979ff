"""From computed sound to the chunks a session hands out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from speech.audio.fade import fade_in, fade_out
from speech.audio.limit import soft_limit
from speech.audio.pcm import float_to_int16
from speech.engine import PcmChunk, Word
from speech.kokoro.silence import Trim
from speech.kokoro.streaming import FRAME_RATE_HZ, SAMPLES_PER_FRAME
from speech.kokoro.windows import Passage, Window
from speech.kokoro.word_times import PieceWords

SAMPLE_RATE_HZ = FRAME_RATE_HZ * SAMPLES_PER_FRAME
PART_SAMPLES = SAMPLE_RATE_HZ // 5
"""200 ms: what a listener loses at most when a chunk already handed on is dropped."""


_SEAM_SAMPLES = SAMPLE_RATE_HZ // 200
"""5 ms at both sides of a cut inside a pause, over which the sound fades."""


class Delivery:
    """Numbers a unit's samples, trims its silence, adds the words to their chunks."""

    def __init__(self, unit_id: str) -> None:
        self._unit_id = unit_id
        self._next_sample = 0
        self._promised = 0
        """Where the last word ends that was handed on."""
        self._words: deque[Word] = deque()

    def begin(self, window: Window, skipped_frames: int, spoken: Passage) -> None:
        """The next window's passage, of which the first frames are not computed."""
        self._trim = Trim(
            window.phonemes,
            SAMPLE_RATE_HZ,
            cuts_lead=not window.before,
            cuts_end=not window.after,
        )
        self._fades_in, self._fades_out = bool(window.before), bool(window.after)
        self._skipped = skipped_frames * SAMPLES_PER_FRAME
        self._spoken = spoken
        self._begin = self._next_sample
        self._timed = False

    def take(
        self, audio: NDArray[np.float32], words: PieceWords, *, is_last: bool
    ) -> Iterator[PcmChunk]:
        """Chunks of the next stretch of the passage; none while it is still silent."""
        audible = self._trim.feed(self._faded(audio, is_last=is_last), is_last=is_last)
        if len(audible) and not self._timed:
            self._time(words)
        samples = float_to_int16(soft_limit(audible))
        if is_last:
            samples = self._ended(samples)
        for start in range(0, len(samples), PART_SAMPLES):
            yield self._chunk(samples[start : start + PART_SAMPLES])

    def _ended(self, samples: NDArray[np.int16]) -> NDArray[np.int16]:
        """The passage's last samples, and the words that remain inside them.

        A sound may die away sooner than the durations say: words that were handed on already
        are then followed by silence, the pause that was cut off is taken from the others.
        """
        least = max(self._promised, self._next_sample + len(self._words)) - self._next_sample
        samples = np.pad(samples, (0, max(0, least - len(samples))))
        end = self._next_sample + len(samples)
        self._words = deque(
            Word(word.text, min(word.start, end - 1), min(word.end, end)) for word in self._words
        )
        return samples

    def _faded(self, audio: NDArray[np.float32], *, is_last: bool) -> NDArray[np.float32]:
        """Passages meet in a pause, but not at the same sample value."""
        if self._fades_in:
            audio = fade_in(audio, _SEAM_SAMPLES)
            self._fades_in = False
        return fade_out(audio, _SEAM_SAMPLES) if is_last and self._fades_out else audio

    def _time(self, words: PieceWords) -> None:
        self._timed = True
        durations = self._spoken.durations
        if not len(durations):  # a model that knows no durations
            return
        lead = self._skipped + self._trim.lead
        length = self._spoken.frames * SAMPLES_PER_FRAME - lead
        self._words.extend(words.times(durations, begin=self._begin, lead=lead, length=length))

    def _chunk(self, part: NDArray[np.int16]) -> PcmChunk:
        stop = self._next_sample + len(part)
        begun = []
        while self._words and self._words[0].start < stop:
            begun.append(self._words.popleft())
            self._promised = begun[-1].end
        chunk = PcmChunk(self._unit_id, self._next_sample, part, tuple(begun))
        self._next_sample = stop
        return chunk
