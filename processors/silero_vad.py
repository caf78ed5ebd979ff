"""pipecat's bundled Silero detector, with our errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams

from speech.errors import EarshotError

RATES_HZ = (8_000, 16_000)

Heard = Callable[[float], None]

MIN_VOLUME = 0.0
"""pipecat's default of 0.6, measured on six human recordings, announced speech up to 0.24 s later
at −30 dBFS and up to 0.3 s later at −40 dBFS, and at −50 dBFS missed two of them. Without
the gate every onset at −40 dBFS came within 0.06 s of that at −20 dBFS, and silence, white and pink
noise up to −20 dBFS, hum, tones, clicks and coughs raised no alarm: the model needs no gate."""


class BundledSileroAnalyzer(SileroVADAnalyzer):
    """Silero; a rate it does not know is refused with an ``EarshotError``.

    ``heard`` is given the probability of each window of 32 ms, in the detector's thread.
    """

    def __init__(self, *, heard: Heard | None = None, params: VADParams | None = None) -> None:
        super().__init__(params=params)
        self._heard = heard

    def voice_confidence(self, buffer: bytes) -> float:
        """0 to 1."""
        confidence = float(np.asarray(super().voice_confidence(buffer)).item())
        if self._heard is not None:
            self._heard(confidence)
        return confidence

    def set_sample_rate(self, sample_rate: int) -> None:
        """Raises ``EarshotError`` for a rate other than 8 or 16 kHz."""
        rate = self._init_sample_rate or sample_rate
        if rate not in RATES_HZ:
            raise EarshotError(
                f"the silero voice detector cannot work at {rate} Hz: "
                "set audio.input_rate_hz to 16000 or 8000"
            )
        super().set_sample_rate(sample_rate)
