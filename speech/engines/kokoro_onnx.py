"""Kokoro-82M on this machine's processor, through onnxruntime."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from loguru import logger

from speech.errors import ModelFileError
from speech.kokoro.engine import KokoroEngine, Progress
from speech.kokoro.graph.model_graph import UnknownGraphError
from speech.kokoro.graph.prepare import discard_rot, prepare
from speech.kokoro.model import KokoroModel
from speech.kokoro.onnx_streaming import OnnxStreamingKokoro
from speech.kokoro.precision import Wanted, choose, is_chosen
from speech.kokoro.streaming import StreamingKokoro
from speech.kokoro.voices import list_voices, load_voice
from speech.kokoro.whole_only import WholeOnlyKokoro
from speech.models.store import sha256_of

PREPARED = "prepared"
DAMAGED = "what was prepared of Kokoro is damaged: preparing it again"


class KokoroOnnxEngine(KokoroEngine):
    """Streams inside a unit where the export can be cut in halves, else speaks whole units.

    What is prepared of the model, and what its voices measure, is kept in a folder
    ``prepared`` beside the model file.
    """

    def __init__(
        self,
        model_path: Path,
        voices_dir: Path,
        *,
        threads: int = 0,
        max_concurrent: int = 1,
        unit_timeout_s: float = 60.0,
        precision: Wanted = "auto",
        progress: Progress = lambda line: None,
    ) -> None:
        """``threads`` 0 takes every core. Nothing is loaded before ``start``.

        ``precision``: ``auto`` takes the fastest on this machine that sounds as float32 does,
        ``fast`` also what costs some quality (docs/streaming-kokoro.md), ``float32`` nothing else.
        """
        self._model_path, self._threads, self._wanted = model_path, threads, precision
        self._voices_folder = voices_dir
        self._cache = model_path.parent / PREPARED
        super().__init__(
            "kokoro_onnx",
            self._load_model,
            voices_dir,
            self._cache,
            max_concurrent=max_concurrent,
            unit_timeout_s=unit_timeout_s,
            progress=progress,
        )

    def _load_model(self) -> StreamingKokoro:
        """A disk that was full or lost its power leaves files that cannot be loaded."""
        try:
            return self._load_prepared()
        except ModelFileError:
            if not self._discard_rot():
                raise
        self._progress(DAMAGED)
        return self._load_prepared()

    def _discard_rot(self) -> bool:
        with suppress(OSError, ModelFileError):  # what could not be loaded is to be told of
            return discard_rot(self._cache, sha256_of(self._model_path))
        return False

    def _load_prepared(self) -> StreamingKokoro:
        try:
            prepared = prepare(self._model_path, self._cache, self._progress)
        except UnknownGraphError as error:
            logger.warning("this Kokoro export does not stream, it speaks whole units: {}", error)
            return WholeOnlyKokoro(KokoroModel(self._model_path, self._threads))
        self.model_hash = prepared.model_hash
        voice = load_voice(self._voices_folder, list_voices(self._voices_folder)[0])
        if not is_chosen(prepared, self._wanted, self._threads):
            self._progress("measuring which precision is fastest on this machine (once)")
        graphs = choose(prepared, self._wanted, self._threads, voice)
        logger.info("Kokoro computes with: {}", graphs)
        self.precision = str(graphs)
        return OnnxStreamingKokoro(prepared, self._threads, graphs)
