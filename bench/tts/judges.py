"""Who judges speech: DNSMOS how it sounds, whisper what it says."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import soxr
from numpy.typing import NDArray

from bench.tts.contestant import RATE_HZ, Pcm
from bench.tts.words import plain_words
from speech.errors import EarshotError

_JUDGE_RATE_HZ = 16_000
_MOS = {"overall": "ovrl_mos", "signal": "sig_mos", "background": "bak_mos", "p808": "p808_mos"}
MISSING = (
    "the quality part needs speechmos, librosa and jiwer: pip install 'earshot[bench]'; "
    "or leave it out with --only first-audio,gaps,cancel,memory"
)


class Judge(Protocol):
    """Scores one clip."""

    def opinion(self, samples: Pcm) -> dict[str, float]:
        """Predicted mean opinion scores, 1 to 5: overall, signal, background, p808."""
        ...

    def errors(self, text: str, samples: Pcm) -> tuple[int, int]:
        """Wrong words of a transcript, and words of the text."""
        ...


def check_installed() -> None:
    """Raises ``EarshotError`` naming what to install where a judge's package is missing."""
    if not all(map(find_spec, ("jiwer", "librosa", "speechmos"))):
        raise EarshotError(MISSING)


class Judges:
    """The real ones. Blocking: seconds a clip."""

    def __init__(self, whisper_dir: Path, threads: int) -> None:
        """Load. Raises ``EarshotError`` naming the packages that are missing."""
        check_installed()
        import jiwer
        from faster_whisper import WhisperModel
        from speechmos import dnsmos  # type: ignore[import-not-found, unused-ignore]

        self._dnsmos: Any = dnsmos
        self._process_words: Any = jiwer.process_words
        self._whisper = WhisperModel(
            str(whisper_dir), device="cpu", compute_type="int8", cpu_threads=threads
        )

    def opinion(self, samples: Pcm) -> dict[str, float]:
        """See ``Judge``."""
        scores = self._dnsmos.run(_heard(samples), sr=_JUDGE_RATE_HZ)
        return {name: float(scores[key]) for name, key in _MOS.items()}

    def errors(self, text: str, samples: Pcm) -> tuple[int, int]:
        """See ``Judge``."""
        segments, _ = self._whisper.transcribe(
            _heard(samples), language="en", beam_size=5, condition_on_previous_text=False
        )
        heard = plain_words(" ".join(segment.text for segment in segments))
        wanted = plain_words(text)
        found = self._process_words(" ".join(wanted), " ".join(heard))
        return found.substitutions + found.deletions + found.insertions, len(wanted)


def _heard(samples: Pcm) -> NDArray[np.float32]:
    """At the judges' rate, within the -1 to 1 that DNSMOS insists on."""
    audio = soxr.resample(samples.astype(np.float32) / 32768, RATE_HZ, _JUDGE_RATE_HZ)
    return np.asarray(np.clip(audio, -1, 1), np.float32)
