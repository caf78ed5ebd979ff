"""Polly by plain calls: SynthesizeSpeech, one for each unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from speech.audio.pcm import PcmJoiner
from speech.audio.resample import StreamResampler
from speech.engine import ENGINE_RATE_HZ
from speech.engines.aws.download import Body
from speech.engines.aws.polly_voices import RATE_HZ, written

_PIECE_BYTES = 3_200
"""A tenth of a second."""


class PollyDecoder:
    """Samples at the engines' common rate from Polly's bare PCM, cut anywhere."""

    def __init__(self) -> None:
        self._joiner = PcmJoiner()
        self._resampler = StreamResampler(RATE_HZ, ENGINE_RATE_HZ)

    def feed(self, piece: bytes) -> NDArray[np.int16]:
        """The samples that a piece completes."""
        return self._resampler.process(self._joiner.feed(piece))

    def end(self) -> NDArray[np.int16]:
        """What the resampler held back."""
        self._joiner.end()
        return self._resampler.flush()


class Synthesis:
    """Asks Polly for the sound of a text; runs in a thread."""

    def __init__(self, client: Any, voice: str, speed: float, engine: str) -> None:
        self._client, self._voice, self._speed, self._engine = client, voice, speed, engine

    def __call__(self, text: str) -> Body:
        """The call's body, whose head has come."""
        said, kind = written(text, self._speed)
        answer = self._client.synthesize_speech(
            Engine=self._engine,
            OutputFormat="pcm",
            SampleRate=str(RATE_HZ),
            Text=said,
            TextType=kind,
            VoiceId=self._voice,
        )
        body = answer["AudioStream"]
        return Body(_pieces(body), body._raw_stream)


def _pieces(body: Any) -> Iterator[bytes]:
    while piece := body.read(_PIECE_BYTES):
        yield piece
