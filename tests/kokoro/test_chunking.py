"""Any chunking of a unit gives the same sound, and the same plan the same samples (float32)."""

from __future__ import annotations

from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from speech.engines.kokoro_onnx import PREPARED
from speech.kokoro.g2p import Phonemizer, ids_of
from speech.kokoro.graph.prepare import prepare
from speech.kokoro.model import Computation
from speech.kokoro.onnx_streaming import OnnxStreamingKokoro
from speech.kokoro.precision import snr_db
from speech.kokoro.streaming import Statistics, Utterance
from speech.kokoro.voices import list_voices, load_voice, style_for
from tests.engines.registry import kokoro_paths

pytestmark = pytest.mark.models

LEAST_DB = 60.0
COMPUTATION = Computation()

Audio = NDArray[np.float32]


class Spoken(NamedTuple):
    kokoro: OnnxStreamingKokoro
    utterance: Utterance
    own: Statistics
    whole: Audio

    def chunked(self, *frames: int) -> Audio:
        """The last number is that of every further chunk."""
        chunks: list[Audio] = []
        start = 0
        for count in chain(frames, repeat(frames[-1])):
            stop = min(start + count, self.utterance.frames)
            chunks.append(self.kokoro.chunk(self.utterance, self.own, start, stop, COMPUTATION))
            start = stop
            if start == self.utterance.frames:
                break
        return np.concatenate(chunks)


@pytest.fixture(scope="module")
def spoken(phonemizer: Phonemizer) -> Spoken:
    model, voices = kokoro_paths()
    kokoro = OnnxStreamingKokoro(prepare(model, model.parent / PREPARED))
    ids = ids_of(phonemizer.phonemes("At nine.", "en-us"))
    style = style_for(load_voice(voices, list_voices(voices)[0]), len(ids))
    utterance = kokoro.front(ids, style, 1.0, COMPUTATION)
    whole, own = kokoro.whole(utterance, COMPUTATION)
    return Spoken(kokoro, utterance, own, whole)


@pytest.mark.parametrize("frames", [(1_000,), (16,), (7, 48)])
def test_any_chunking_is_the_whole(spoken: Spoken, frames: tuple[int, ...]) -> None:
    assert snr_db(spoken.whole, spoken.chunked(*frames)) >= LEAST_DB


def test_the_same_plan_gives_the_same_samples(spoken: Spoken) -> None:
    assert np.array_equal(spoken.chunked(40), spoken.chunked(40))
