"""WebRTC's voice detector as a pipecat VAD analyzer."""

from __future__ import annotations

from typing import Any

import webrtcvad
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams

from processors.silero_vad import Heard
from speech.errors import EarshotError
from speech.hearing.smoothing import VoiceSmoother

RATES_HZ = (8_000, 16_000, 32_000, 48_000)
"""The detector knows no others; 44.1 kHz is not one of them."""

WINDOW_S = 0.02
"""The detector takes 10, 20 or 30 ms; pipecat's buffer re-frames any input to this."""

MIN_VOLUME = 0.0
"""pipecat's loudness gate reads 0 for the first 0.4 s of a stream and lags speech after it: it
would delay each onset and reject quiet speakers, and the detector has its own energy floor."""


class WebRtcVadAnalyzer(VADAnalyzer):
    """WebRTC's detector, smoothed; ``aggressiveness`` 0 (says voice easily) to 3.

    pipecat counts *consecutive* voiced windows and starts again at the first unvoiced one, so
    the raw, flickering decisions would rarely reach its start time. ``voice_confidence``
    therefore answers 1.0 or 0.0 through ``VoiceSmoother``. The smoother's latency (140 ms for
    onset and release) is taken out of ``start_secs`` and ``stop_secs``, down to zero, so
    that speech is announced that long after it began and ended, as the parameters say.

    An exception of the detector is raised, never counted as silence. ``heard`` is given the
    answer for each window of 20 ms, in the detector's thread.
    """

    def __init__(
        self,
        *,
        aggressiveness: int = 2,
        sample_rate: int | None = None,
        params: VADParams | None = None,
        heard: Heard | None = None,
    ) -> None:
        super().__init__(sample_rate=sample_rate, params=params)
        self._heard = heard
        self._detector = webrtcvad.Vad(aggressiveness)
        self._smoother = VoiceSmoother()

    def set_sample_rate(self, sample_rate: int) -> None:
        """Raises ``EarshotError`` for a rate the detector does not know."""
        rate = self._init_sample_rate or sample_rate
        if rate not in RATES_HZ:
            raise EarshotError(
                f"the webrtc voice detector cannot work at {rate} Hz: "
                "set audio.input_rate_hz to 16000 or 8000, or vad.kind to silero"
            )
        super().set_sample_rate(sample_rate)

    def set_params(self, params: VADParams) -> None:
        """Announce ``params`` as they are; count with the smoother's latency taken out."""
        counted = params.model_copy(
            update={
                "start_secs": max(0.0, params.start_secs - self._smoother.onset_windows * WINDOW_S),
                "stop_secs": max(0.0, params.stop_secs - self._smoother.release_windows * WINDOW_S),
            }
        )
        super().set_params(counted)
        self._params = params
        self._smoother.reset()

    def num_frames_required(self) -> int:
        """Samples of one window at the stream's rate."""
        return round(self.sample_rate * WINDOW_S)

    def voice_confidence(self, buffer: bytes) -> float:
        """1.0 while somebody speaks, else 0.0. Raises ``EarshotError`` if the detector fails."""
        confidence = float(self._smoother.push(self._decide(buffer)))
        if self._heard is not None:
            self._heard(confidence)
        return confidence

    def _decide(self, buffer: Any) -> bool:
        try:
            return bool(self._detector.is_speech(bytes(buffer), self.sample_rate))
        except Exception as error:  # webrtcvad raises its own bare Error and ValueError
            raise EarshotError(
                f"the webrtc voice detector failed on {len(buffer)} bytes at "
                f"{self.sample_rate} Hz; set vad.kind to silero"
            ) from error
