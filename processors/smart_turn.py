"""Smart Turn with one model for all conversations."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import onnxruntime
import soxr
from numpy.typing import NDArray
from pipecat.audio.turn.smart_turn.base_smart_turn import BaseSmartTurn
from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3

MODEL_RATE_HZ = 16_000
_MODEL_WINDOW_S = 8


@cache
def smart_turn_model() -> LocalSmartTurnAnalyzerV3:
    """The bundled Smart Turn v3.2, loaded once and warm. Blocks for 0.3 s the first time."""
    model = LocalSmartTurnAnalyzerV3()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Processors without VNNI add up int8 products in 16 bits; where that overflows the model
    # takes a pause for an end. Measured on AVX2: 0.77 instead of 0.06, and no slower.
    options.add_session_config_entry("session.x64quantprecision", "1")
    model._session = onnxruntime.InferenceSession(
        model._session._model_path, options, providers=["CPUExecutionProvider"]
    )
    model._predict_endpoint(np.zeros(MODEL_RATE_HZ * _MODEL_WINDOW_S, np.float32))
    return model


class SharedSmartTurn(BaseSmartTurn):
    """One conversation's audio, judged by the process's model in the conversation's thread.

    pipecat's analyzer holds both the audio and the model, so it can not be shared, and loads
    the model on the event loop. Only the model is shared here: an onnxruntime session may be
    run from several threads. Each call takes about 0.15 s in the analyzer's own thread.
    """

    def _predict_endpoint(self, audio_array: NDArray[np.float32]) -> dict[str, Any]:
        if self._sample_rate not in (0, MODEL_RATE_HZ):
            audio_array = soxr.resample(audio_array, self._sample_rate, MODEL_RATE_HZ)
        return smart_turn_model()._predict_endpoint(audio_array)
