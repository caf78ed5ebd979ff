"""Whole-sentence synthesis by the engine's own weights: what streaming is compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.tts.contestant import RATE_HZ, Pcm
from bench.tts.ours import Ours
from speech.audio.pcm import float_to_int16
from speech.kokoro.g2p import VOCABULARY, split
from speech.kokoro.model import Computation
from speech.kokoro.silence import trim
from speech.kokoro.voices import style_for


async def speak_whole(ours: Ours, text: str) -> Pcm:
    """The text in one go with its own statistics, silence trimmed as the engine does.

    Reaches into the engine, because the product has no reason to offer this: same loaded
    graphs, so same weights in the same precision.
    """
    engine: Any = ours.engine
    session: Any = ours.session
    phonemes = await engine.phonemize(text, session._language, Computation())
    parts = []
    for piece in split(phonemes):
        audio = await engine._compute.submit(
            lambda piece=piece: _synthesize(engine, session, piece)
        )
        parts.append(float_to_int16(trim(audio, piece, RATE_HZ)))
    return np.concatenate(parts)


def _synthesize(engine: Any, session: Any, phonemes: str) -> NDArray[np.float32]:
    model, voice = engine._model, session._voice
    if not hasattr(model, "whole"):
        audio: NDArray[np.float32] = model.synthesize(phonemes, voice, 1.0, Computation())
        return audio
    ids = [VOCABULARY[symbol] for symbol in phonemes if symbol in VOCABULARY]
    utterance = model.front(ids, style_for(voice, len(ids)), 1.0, Computation())
    samples: NDArray[np.float32] = model.whole(utterance, Computation())[0]
    return samples
