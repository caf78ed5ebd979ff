"""Whole-sentence synthesis: what streaming is compared with."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.tts.contestant import RATE_HZ, Pcm
from bench.tts.ours import Ours
from speech.audio.limit import soft_limit
from speech.audio.pcm import float_to_int16
from speech.kokoro.g2p import Phonemizer, ids_of, split
from speech.kokoro.model import Computation
from speech.kokoro.silence import trim
from speech.kokoro.streaming import StreamingKokoro
from speech.kokoro.voices import style_for


async def speak_whole(ours: Ours, text: str) -> Pcm:
    """The text in one go with its own statistics; else treated as the engine treats it.

    Reaches into the engine, because the product has no reason to offer this. The statistics
    are not folded in, so the engine learns nothing from the sentence it is judged on.
    """
    engine: Any = ours.engine
    session: Any = ours.session
    phonemes = await engine.spell(partial(_phonemes, text, session._language))
    parts = []
    for piece in split(phonemes):
        audio = await engine.compute(partial(_synthesize, ids_of(piece), session._voice))
        parts.append(float_to_int16(soft_limit(trim(audio, piece, RATE_HZ))))
    return np.concatenate(parts)


def _phonemes(text: str, language: str, phonemizer: Phonemizer) -> str:
    return phonemizer.phonemes(text, language)


def _synthesize(
    ids: list[int], voice: NDArray[np.float32], model: StreamingKokoro
) -> NDArray[np.float32]:
    computation = Computation()
    utterance = model.front(ids, style_for(voice, len(ids)), 1.0, computation)
    return model.whole(utterance, computation)[0]
