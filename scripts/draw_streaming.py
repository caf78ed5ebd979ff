"""Draw the two pictures of docs/streaming-kokoro.md (needs: pip install matplotlib).

Usage: .venv/bin/earshot bench tts --json > tts.json
       .venv/bin/python -m scripts.draw_streaming tts.json
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bench.options import Options
from bench.tts.contestant import RATE_HZ, listen
from bench.tts.ours import open_ours
from bench.tts.whole import speak_whole
from bot.config.schema import Settings

IMAGES = Path(__file__).parents[1] / "docs" / "img"
TEXT = "The train leaves at nine, and you should be there ten minutes before it does."
NAMES = {"ours": "Earshot", "kokoro_onnx": "kokoro-onnx", "pipecat": "pipecat's Kokoro service"}


async def main(record: dict[str, Any]) -> None:
    """Both pictures."""
    _first_audio(record["engines_first_audio_ms"])
    options = Options(Settings())
    async with open_ours(options, "float32") as exact:
        whole = await speak_whole(exact, TEXT)
    async with open_ours(options) as ours:
        streamed = await listen(ours, TEXT)
    _spectrograms(whole, streamed.samples, streamed.borders)


def _first_audio(medians: dict[str, dict[str, float]]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.6))
    for engine, name in NAMES.items():
        points = medians[engine]
        axes.plot([int(n) for n in points], [ms / 1000 for ms in points.values()], "o-", label=name)
    axes.set(xlabel="phonemes of the unit", ylabel="first audio after, s", ylim=(0, None))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(IMAGES / "first_audio.svg")


def _spectrograms(whole: Any, streamed: Any, borders: list[int]) -> None:
    from matplotlib import pyplot

    random = np.random.default_rng(1)
    figure, rows = pyplot.subplots(2, 1, figsize=(8, 4.4), sharex=True)
    titles = ("the whole sentence at once, float32", "streamed, as the bot speaks (lines: chunks)")
    for axes, samples, title in zip(rows, (whole, streamed), titles, strict=True):
        # Noise of half a step: a spectrum of digital silence has no level.
        noisy = samples / 32768 + random.normal(0, 1 / 65536, len(samples))
        axes.specgram(noisy, NFFT=512, Fs=RATE_HZ, noverlap=256, vmin=-130)
        axes.set(title=title, ylabel="Hz", ylim=(0, 8_000))
    for border in borders:
        rows[1].axvline(border / RATE_HZ, color="white", linewidth=0.6)
    rows[1].set(xlabel="s")
    figure.tight_layout()
    figure.savefig(IMAGES / "spectrograms.png", dpi=64)


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))
