"""Kokoro-82M through torch: CUDA, Apple's MPS, or the processor.

Needs the extra ``gpu`` and Python below 3.13, and a folder with ``config.json`` and
``kokoro-v1_0.pth`` of hexgrad/Kokoro-82M; nothing is fetched. Not measured on a GPU yet
(``speech.kokoro.torch_streaming``).
"""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path

from speech.errors import ModelFileError, UsageError
from speech.kokoro.engine import KokoroEngine, Progress
from speech.kokoro.g2p import VOCABULARY
from speech.kokoro.streaming import StreamingKokoro

PREPARED = "prepared"
NEEDED = (
    "tts.engine kokoro_torch needs torch and kokoro: pip install 'earshot[gpu]' (Python below 3.13)"
)


def require_torch() -> None:
    """Raise ``UsageError`` where torch or kokoro is not installed; imports neither."""
    if not all(importlib.util.find_spec(name) for name in ("torch", "kokoro")):
        raise UsageError(NEEDED)


class KokoroTorchEngine(KokoroEngine):
    """Streams inside a unit; what its voices measure is kept in ``prepared`` in the folder."""

    def __init__(
        self,
        folder: Path,
        voices_dir: Path,
        *,
        device: str = "auto",
        half: bool | None = None,
        threads: int = 0,
        max_concurrent: int = 1,
        unit_timeout_s: float = 60.0,
        progress: Progress = lambda line: None,
    ) -> None:
        """``device``, ``half`` and ``threads`` as for ``TorchStreamingKokoro``.

        Nothing is loaded before ``start``, which raises ``UsageError`` where torch or the
        kokoro package is missing and ``ModelFileError`` for the files.
        """
        self._folder, self._device = folder, device
        self._half, self._threads = half, threads
        self.precision: str | None = None
        """What it computes in and on, such as ``bfloat16 on cuda``; None before ``start``."""
        super().__init__(
            "kokoro_torch",
            self._load_model,
            voices_dir,
            folder / PREPARED / f"statistics-{_fingerprint(folder)}",
            max_concurrent=max_concurrent,
            unit_timeout_s=unit_timeout_s,
            progress=progress,
        )

    def _load_model(self) -> StreamingKokoro:
        require_torch()
        from speech.kokoro.torch_streaming import TorchStreamingKokoro

        model = TorchStreamingKokoro(
            self._folder, self._device, threads=self._threads, half=self._half
        )
        if model.vocabulary != VOCABULARY:
            raise ModelFileError(
                f"{self._folder / 'config.json'} numbers phonemes otherwise than Kokoro-82M v1.0; "
                "only that one is spoken with"
            )
        self.precision = model.precision
        return model


def _fingerprint(folder: Path) -> str:
    """Changes with the checkpoint, without reading its 330 MB at every start."""
    files = [(path.name, path.stat()) for path in sorted(folder.glob("*.pth"))]
    marks = repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in files])
    return hashlib.sha256(marks.encode()).hexdigest()[:12]
