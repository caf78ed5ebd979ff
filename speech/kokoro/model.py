"""The Kokoro network in onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from kokoro_onnx.session import input_dtypes
from numpy.typing import NDArray

from speech.errors import EngineError, ModelFileError

SAMPLE_RATE_HZ = 24_000
_ERRORS_ONLY = 3


class Computation:
    """A run of the network that another thread may stop.

    ``stop`` makes it end between two nodes of the graph, within some tens of milliseconds;
    a run not yet begun ends at once.
    """

    def __init__(self) -> None:
        self.options = onnxruntime.RunOptions()

    @property
    def stopped(self) -> bool:
        return bool(self.options.terminate)

    def stop(self) -> None:
        self.options.terminate = True


class KokoroModel:
    """A loaded model; ``synthesize`` may run in several threads at once."""

    def __init__(self, path: Path, threads: int = 0) -> None:
        """Load ``path``; ``threads`` 0 takes every core. Raises ``ModelFileError``."""
        if not path.is_file():
            raise ModelFileError(
                f"no Kokoro model at {path}; fetch it with: earshot models pull kokoro-82m-int8"
            )
        self._session = open_session(path, threads)
        self._types: dict[str, Any] = input_dtypes(self._session)
        self._tokens_input = "input_ids" if "input_ids" in self._types else "tokens"
        if set(self._types) != {self._tokens_input, "style", "speed"}:
            raise ModelFileError(
                f"{path} is not a Kokoro model: its inputs are {list(self._types)}"
            )

    def run(
        self, ids: list[int], style: NDArray[np.float32], speed: float, computation: Computation
    ) -> NDArray[np.float32]:
        """Mono samples at 24 kHz of at most 510 phonemes, with the model's own silence.

        Blocks for about a third of the sound's length. Raises ``EngineError``, also when
        the computation was stopped.
        """
        inputs = {self._tokens_input: [[0, *ids, 0]], "style": style, "speed": [speed]}
        feed = {name: np.asarray(value, self._types[name]) for name, value in inputs.items()}
        try:
            audio = self._session.run(None, feed, computation.options)[0]
        except Exception as error:  # onnxruntime's error classes share no public base
            raise EngineError(f"Kokoro failed: {first_line(error)}") from error
        return np.asarray(audio, np.float32).ravel()


def open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """Load a graph; ``threads`` 0 takes every core. Raises ``ModelFileError``."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = _ERRORS_ONLY
    # Idle workers sleep instead of spinning, so that a cancelled unit frees its cores.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's error classes share no public base
        raise ModelFileError(
            f"{path} cannot be loaded ({first_line(error)}); check it with: earshot models verify"
        ) from error


def first_line(error: Exception) -> str:
    """Of an onnxruntime error, what fits one line of a log."""
    return str(error).partition("\n")[0][:200]
