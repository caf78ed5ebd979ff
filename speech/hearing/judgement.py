"""Did anybody say anything? Decided by energy and the model's scores, never by the words."""

from __future__ import annotations

import re
import zlib
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from speech.hearing.recogniser import Transcript

SPEECH_FLOOR_DBFS = -55.0
"""Quieter than this nobody speaks: speech of −50 dBFS RMS has parts above −47, while the
noise floor of a quiet room at a cheap microphone is below −60."""

LOUDNESS_WINDOW_S = 0.05
"""Shorter than a vowel, longer than a click: a click of 1 ms at full scale reads −17 dBFS,
so clicks are left to the detector and the model."""

NO_SPEECH_LIMIT = 0.6
"""OpenAI's own limit. Measured with whisper tiny.en on audio padded with real silence: 90
telephone prompts stay under 0.18 (a recorded beep reads 0.51); silence, white and pink noise,
hum, tones, clicks and coughs read 0.69 to 0.99."""

LOOP_RATIO = 2.4
"""OpenAI's limit of the compression ratio, above which a text repeats itself."""

FASTEST_WORDS_S = 10
SPARE_WORDS = 10
LONGEST_WORD_CHARS = 30
"""Twice the pace of the fastest talkers; chemistry and German stay well below it."""

_MAX_LOOP_WORDS = 12
_MIN_REPEATS = 3


def loudest_dbfs(samples: NDArray[np.int16], rate_hz: int) -> float:
    """RMS level of the loudest ``LOUDNESS_WINDOW_S`` in dB below full scale; −120 for silence."""
    window = max(1, int(rate_hz * LOUDNESS_WINDOW_S))
    if len(samples) == 0:
        return -120.0
    padded = np.pad(samples.astype(np.float64), (0, -len(samples) % window))
    power = float(np.max(np.square(padded).reshape(-1, window).mean(axis=1)))
    return max(-120.0, float(10 * np.log10(power / 32768.0**2 + 1e-12)))


def is_audible(samples: NDArray[np.int16], rate_hz: int) -> bool:
    """Whether the segment is loud enough to be anybody's speech."""
    return loudest_dbfs(samples, rate_hz) >= SPEECH_FLOOR_DBFS


def has_words(transcript: Transcript) -> bool:
    """Whether the recogniser heard speech, going by its score and not by its phrase."""
    if transcript.no_speech_prob is not None and transcript.no_speech_prob > NO_SPEECH_LIMIT:
        return False
    return any(character.isalnum() for character in transcript.text)


def sayable(text: str, seconds: float) -> str:
    """As much of a transcript as can be said in ``seconds``, whole words where it has any.

    A recogniser in a loop, or an endpoint gone wild, must not fill the conversation: nobody
    says more than ``FASTEST_WORDS_S``; ``SPARE_WORDS`` is for very short speech.
    """
    words = int(seconds * FASTEST_WORDS_S) + SPARE_WORDS
    chars = words * LONGEST_WORD_CHARS
    ends = [found.end() for found in islice(re.finditer(r"\S+", text[: chars + 1]), words + 1)]
    if len(ends) <= words and len(text) <= chars:
        return text
    fitting = [end for end in ends[:words] if end <= chars]
    return text[: fitting[-1]] if fitting else text[:chars]


def compression_ratio(text: str) -> float:
    """How many times smaller the text compresses; speech stays under ``LOOP_RATIO``."""
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0


def cut_loops(text: str) -> str:
    """A text that repeats itself with each run of a repeated phrase cut to one.

    Texts whose compression ratio is that of speech come back unchanged, so "no, no, no" stays.
    """
    if compression_ratio(text) <= LOOP_RATIO:
        return text
    words = text.split()
    keys = [re.sub(r"\W", "", word).lower() for word in words]
    kept: list[str] = []
    at = 0
    while at < len(words):
        length, repeats = _loop_at(keys, at)
        kept.extend(words[at : at + length])
        at += length * repeats
    return " ".join(kept)


def _loop_at(keys: list[str], at: int) -> tuple[int, int]:
    """(length, repeats) of the shortest phrase repeated from ``at``; (1, 1) if none is.

    A repeat that the end of the text cuts short counts as one.
    """
    for length in range(1, min(_MAX_LOOP_WORDS, len(keys) - at) + 1):
        phrase = keys[at : at + length]
        repeats = 1
        while True:
            following = keys[at + repeats * length : at + (repeats + 1) * length]
            if not following or following != phrase[: len(following)]:
                break
            repeats += 1
        if repeats >= _MIN_REPEATS:
            return length, repeats
    return 1, 1
