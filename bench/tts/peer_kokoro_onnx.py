"""The kokoro-onnx library, on its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from bench.tts.contestant import Pcm


@dataclass(frozen=True)
class PeerFiles:
    """What a peer is given: local files, so that it fetches nothing, and its threads."""

    model: Path
    voices: Path
    voice: str
    language: str
    threads: int
    spinning: bool


class KokoroOnnx:
    """Its streaming call: what it yields first is its first audio."""

    name = "kokoro_onnx"

    def __init__(self, kokoro: Any, voice: str, language: str) -> None:
        self._kokoro, self._voice, self._language = kokoro, voice, language

    async def speak(self, text: str) -> AsyncGenerator[Pcm]:
        """One piece for up to 510 phonemes, made int16 as a player wants it."""
        stream = self._kokoro.create_stream(text, voice=self._voice, lang=self._language)
        async with aclosing(stream) as parts:
            async for samples, _rate_hz in parts:
                yield (samples * 32767).astype(np.int16)


@asynccontextmanager
async def open_kokoro_onnx(files: PeerFiles) -> AsyncIterator[KokoroOnnx]:
    """The library, loaded."""
    yield KokoroOnnx(load_kokoro(files), files.voice, files.language)


def load_kokoro(files: PeerFiles) -> Any:
    """A ``kokoro_onnx.Kokoro`` with the threads that every engine gets."""
    from kokoro_onnx import Kokoro

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = files.threads
    if not files.spinning:
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(files.model), options, providers=["CPUExecutionProvider"]
    )
    return Kokoro.from_session(session, str(files.voices))


def write_voices(file: Path, name: str, table: NDArray[np.float32]) -> Path:
    """The archive of voices that kokoro-onnx loads, with one voice in it."""
    with file.open("wb") as out:
        np.savez(out, **{name: table})  # type: ignore[arg-type]
    return file
