"""Measure the default voice and write it, as float16, where it is shipped."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import numpy as np

from bot.config.schema import Settings
from bot.voice import KOKORO, VOICES
from speech.kokoro.engine import KokoroEngine
from speech.kokoro.graph.prepare import prepare
from speech.kokoro.onnx_streaming import OnnxStreamingKokoro
from speech.kokoro.shipped import shipped_file
from speech.models.store import model_dir


async def main(voice: str) -> None:
    """Nothing that was measured on this machine before is used."""
    folder = model_dir(KOKORO)
    prepared = prepare(folder / "model.onnx", folder / "prepared")
    with tempfile.TemporaryDirectory() as fresh:
        engine = KokoroEngine(
            "kokoro_onnx", lambda: OnnxStreamingKokoro(prepared), model_dir(VOICES), Path(fresh)
        )
        await engine.calibrate(voice)
        table = await engine.voice(voice)
        await engine.aclose()
        _ship(Path(fresh), shipped_file(voice, table, prepared.model_hash))


def _ship(fresh: Path, target: Path) -> None:
    (measured,) = fresh.rglob("*.npz")
    target.parent.mkdir(parents=True, exist_ok=True)
    with np.load(measured) as arrays:
        np.savez_compressed(target, **{name: np.float16(arrays[name]) for name in arrays.files})
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    asyncio.run(main(Settings().tts.voice))
