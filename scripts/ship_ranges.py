"""Measure what the network's convolutions take in and give out, over every voice, and write it
where it is shipped. Some ten minutes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray

from bot.voice import KOKORO, VOICES
from speech.kokoro.g2p import Phonemizer, ids_of
from speech.kokoro.graph.model_graph import ModelGraph
from speech.kokoro.graph.prepare import prepare
from speech.kokoro.graph.ranges import measuring, widened
from speech.kokoro.graph.static_int8 import Range
from speech.kokoro.model import Computation
from speech.kokoro.onnx_streaming import Feed, OnnxStreamingKokoro
from speech.kokoro.shipped import ranges_file, write_ranges
from speech.kokoro.voices import list_voices, load_voice, style_for
from speech.models.store import model_dir

SENTENCES = (
    "Nine trains, please, my lovely boys!",
    "Do you really think so, Judge Smith?",
    "Yes: sugar, milk, and coffee.",
    "She sells shining zinc very cheaply.",
    "Oh no, how awful. Call me back tomorrow!",
    "The garage is huge; you owe us eleven thousand dollars.",
)
SPEEDS = (1.0, 0.75, 1.3)
EACH = 3
"""Sentences a voice speaks, each at another speed."""
GENERATOR = ("resblocks.", "noise_res.")
"""What is measured of it: all but the spectrum's first and last convolutions, which sound bad."""
FRONT = ("decoder/encode/", "decoder/decode.")
"""Of the front: the blocks of its decoder, where half of its time goes."""


class Measured:
    """A graph that tells what its convolutions with these in their names take in and give out."""

    def __init__(self, graph: ModelGraph, parts: Sequence[str]) -> None:
        convolutions = [node.name for node in graph.of_kind("Conv")]
        names = [name for name in convolutions if any(part in name for part in parts)]
        model, self._outputs = measuring(graph, names)
        self._session = onnxruntime.InferenceSession(
            model.SerializeToString(), providers=["CPUExecutionProvider"]
        )

    def run(self, feed: Feed) -> dict[str, NDArray[np.float32]]:
        """Lowest and highest values, by output of the measuring model."""
        return dict(zip(self._outputs, self._session.run(self._outputs, feed), strict=True))


def main() -> None:
    """Over all voices that are there, as one voice's ranges are too narrow for another."""
    folder = model_dir(KOKORO)
    prepared = prepare(folder / "model.onnx", folder / "prepared")
    kokoro = OnnxStreamingKokoro(prepared)
    whole = Measured(ModelGraph(onnx.load(prepared.folder / "whole.onnx")), GENERATOR)
    front = Measured(ModelGraph(onnx.load(prepared.folder / "front.onnx")), FRONT)
    phonemizer, ranges = Phonemizer(), dict[str, Range]()
    voices = model_dir(VOICES)
    for place, voice in enumerate(list_voices(voices)):
        table = load_voice(voices, voice)
        for take in range(EACH):
            ids = ids_of(phonemizer.phonemes(SENTENCES[(place + 2 * take) % 6], "en-us"))
            style, speed = style_for(table, len(ids)), SPEEDS[take % 3]
            ranges = widened(ranges, front.run(kokoro.feed_of_front(ids, style, speed)))
            spoken = kokoro.front(ids, style, speed, Computation())
            ranges = widened(ranges, whole.run(kokoro.feed_of_whole(spoken)))
        print(voice, flush=True)
    _ship(ranges, ranges_file(prepared.model_hash))


def _ship(ranges: dict[str, Range], target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    write_ranges(target, ranges)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
