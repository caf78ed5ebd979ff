"""One synchronous whisper decode: two looks at most, no fallback ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soxr
from numpy.typing import NDArray

from speech.errors import ModelFileError
from speech.hearing.judgement import LOOP_RATIO, NO_SPEECH_LIMIT, compression_ratio, cut_loops
from speech.hearing.recogniser import RECOGNISER_RATE_HZ, Transcript
from speech.hearing.segments import quietest_cut

SHORT_WINDOW_S = 15
"""The encoder's cost grows faster than its window: whisper tiny.en, int8, one thread takes
0.5 s of CPU for the native 30 s and 0.15 s for 15 s, with the same words on 97 % of 90
telephone prompts. 10 s would take 0.1 s but made single words loop ("message message …")."""

FULL_WINDOW_S = 30
"""The window the model was trained on."""

_LEAD_S = 0.2
_TAIL_S = 0.4
"""Silence around the clip: models drop the last word of audio that ends in it."""

MAX_CLIP_S = FULL_WINDOW_S - 1
"""Longer audio is cut at its quietest places into clips of at most this."""

_DOUBT_NO_SPEECH = 0.4
_DOUBT_LOGPROB = -1.0
_TOKENS_PER_S = 8
"""Twice the rate of fast speech; a loop ends here instead of after 448 tokens."""
_TOKENS_MIN = 24
_HOP = 160


class _Look(NamedTuple):
    transcript: Transcript
    loops: bool

    @property
    def doubtful(self) -> bool:
        score, logprob = self.transcript.no_speech_prob, self.transcript.avg_logprob
        return self.loops or (score or 0) > _DOUBT_NO_SPEECH or (logprob or 0) < _DOUBT_LOGPROB


class WhisperDecoder:
    """A loaded CTranslate2 whisper model. Not for the event loop: every call computes.

    Decoding is greedy at temperature 0, without timestamps and without the text before, so a
    clip costs one encoder pass, or two where the first is doubtful (a loop, a low score); never
    the five of the usual temperature fallback.
    """

    def __init__(self, model_dir: Path, *, threads: int, workers: int, language: str) -> None:
        # Imported here: ctranslate2 takes a third of a second, which no other command needs.
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer
        from faster_whisper.transcribe import get_suppressed_tokens

        if not (model_dir / "model.bin").is_file():
            raise ModelFileError(f"no whisper model in {model_dir}; run: earshot models pull")
        model = WhisperModel(
            str(model_dir),
            device="cpu",
            compute_type="int8",
            cpu_threads=threads,
            num_workers=workers,
            local_files_only=True,
        )
        multilingual = model.model.is_multilingual
        self._extract = model.feature_extractor
        self._model = model.model
        self._tokenizer = Tokenizer(
            model.hf_tokenizer,
            multilingual,
            task="transcribe",
            language=language if multilingual else "en",
        )
        self._prompt = [*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]
        self._suppressed = get_suppressed_tokens(self._tokenizer, [-1])

    def decode(self, samples: NDArray[np.int16], rate_hz: int) -> Transcript:
        """The words in mono ``samples`` of any length, at any rate."""
        audio = samples.astype(np.float32) / 32768.0
        if rate_hz != RECOGNISER_RATE_HZ:
            audio = soxr.resample(audio, rate_hz, RECOGNISER_RATE_HZ).astype(np.float32)
        return _join([self._clip(clip) for clip in _clips(audio)])

    def _clip(self, audio: NDArray[np.float32]) -> Transcript:
        seconds = len(audio) / RECOGNISER_RATE_HZ + _LEAD_S + _TAIL_S
        if seconds <= SHORT_WINDOW_S:
            look = self._look(audio, SHORT_WINDOW_S)
            if not look.doubtful:
                return look.transcript
        return self._look(audio, FULL_WINDOW_S).transcript

    def _look(self, audio: NDArray[np.float32], window_s: int) -> _Look:
        limit = _TOKENS_MIN + int(_TOKENS_PER_S * len(audio) / RECOGNISER_RATE_HZ)
        result = self._model.generate(
            self._model.encode(self._features(audio, window_s)),
            [self._prompt],
            beam_size=1,
            max_length=len(self._prompt) + limit,
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=self._suppressed,
        )[0]
        tokens = result.sequences_ids[0]
        text = self._tokenizer.decode(tokens).strip()
        logprob = result.scores[0] * len(tokens) / (len(tokens) + 1)
        loops = len(tokens) >= limit or compression_ratio(text) > LOOP_RATIO
        return _Look(Transcript(cut_loops(text), result.no_speech_prob, logprob), loops)

    def _features(self, audio: NDArray[np.float32], window_s: int) -> Any:
        """Log-mel features of the clip in real silence up to the window.

        Silent *samples*, as the model was trained on. Padding the features with zeros, as
        faster-whisper does, is a faint hiss to it: words looped and no-speech scores of
        speech doubled.
        """
        from faster_whisper.transcribe import get_ctranslate2_storage

        size = window_s * RECOGNISER_RATE_HZ
        padded = np.zeros(size, dtype=np.float32)
        lead = int(_LEAD_S * RECOGNISER_RATE_HZ)
        clip = audio[: size - lead]
        padded[lead : lead + len(clip)] = clip
        features = self._extract(padded, padding=0)[None, :, : size // _HOP]
        return get_ctranslate2_storage(np.ascontiguousarray(features, np.float32))


def _clips(audio: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    limit = MAX_CLIP_S * RECOGNISER_RATE_HZ
    clips = []
    while len(audio) > limit:
        at = quietest_cut((audio[:limit] * 32767).astype(np.int16), RECOGNISER_RATE_HZ)
        clips.append(audio[:at])
        audio = audio[at:]
    return [*clips, audio]


def _join(parts: list[Transcript]) -> Transcript:
    """One transcript of the clips in which somebody spoke; of the likeliest if none did."""
    spoken = [part for part in parts if (part.no_speech_prob or 0) <= NO_SPEECH_LIMIT]
    if not spoken:
        return min(parts, key=lambda part: part.no_speech_prob or 0)
    return Transcript(
        " ".join(part.text for part in spoken if part.text),
        min(part.no_speech_prob or 0 for part in spoken),
        min(part.avg_logprob or 0 for part in spoken),
    )
