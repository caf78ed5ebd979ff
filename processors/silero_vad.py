"""pipecat's bundled Silero detector, with our errors."""

from __future__ import annotations

from pipecat.audio.vad.silero import SileroVADAnalyzer

from speech.errors import EarshotError

RATES_HZ = (8_000, 16_000)

MIN_VOLUME = 0.0
"""pipecat's default of 0.6 measured on six human recordings: it announced speech 60 to 160 ms
later at −30 dBFS, up to 260 ms later at −40 dBFS, and missed all but loud syllables at −50 dBFS;
without the gate every onset came within 60 ms of that at −20 dBFS, while silence, white and pink
noise up to −20 dBFS, hum, tones, clicks and coughs raised no alarm. The model needs no gate."""


class BundledSileroAnalyzer(SileroVADAnalyzer):
    """Silero; a rate it does not know is refused with an ``EarshotError``."""

    def set_sample_rate(self, sample_rate: int) -> None:
        """Raises ``EarshotError`` for a rate other than 8 or 16 kHz."""
        rate = self._init_sample_rate or sample_rate
        if rate not in RATES_HZ:
            raise EarshotError(
                f"the silero voice detector cannot work at {rate} Hz: "
                "set audio.input_rate_hz to 16000 or 8000"
            )
        super().set_sample_rate(sample_rate)
