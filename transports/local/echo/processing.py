"""The edge to WebRTC's audio processing, in the ``livekit`` package."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from speech.errors import DeviceError

Samples = NDArray[np.int16]


class AudioProcessing(Protocol):
    """Takes what is played out of what is heard, 10 ms at a time; keeps what it has learned."""

    def process(self, far: Samples, near: Samples, delay_s: float) -> Samples:
        """The near end, cleaned. It holds the echo ``delay_s`` later than ``far`` the sound."""
        ...

    def restart(self) -> None:
        """Forget what has been learned: sound and echo are aligned in another way from now on."""
        ...


class NoProcessing:
    """Leaves the microphone as it is: for the likelihood of echo alone."""

    def process(self, far: Samples, near: Samples, delay_s: float) -> Samples:
        """See ``AudioProcessing``."""
        return near

    def restart(self) -> None:
        """Nothing is learned here."""


class WebRtcProcessing:
    """WebRTC's third echo canceller, noise suppression and gain control (AEC3, NS, AGC2).

    Any rate from 8 to 48 kHz. About 0.1 ms of processor time a frame (docs/echo.md).
    """

    def __init__(self, rtc: Any, rate_hz: int, *, noise: bool, gain: bool, echo: bool) -> None:
        self._rtc = rtc
        self._rate_hz = rate_hz
        self._echo = echo
        self._noise, self._gain = noise, gain
        self.restart()

    def restart(self) -> None:
        """A fresh one: it takes most sound away at first, where the old one would let echo pass
        until it had noticed, for 2 s and more."""
        self._module = self._rtc.AudioProcessingModule(
            echo_cancellation=self._echo,
            noise_suppression=self._noise,
            high_pass_filter=True,
            auto_gain_control=self._gain,
        )

    def process(self, far: Samples, near: Samples, delay_s: float) -> Samples:
        """See ``AudioProcessing``."""
        if self._echo:
            self._module.process_reverse_stream(self._frame(far))
            self._module.set_stream_delay_ms(round(delay_s * 1000))
        frame = self._frame(near)
        self._module.process_stream(frame)
        return np.frombuffer(bytes(frame.data.cast("B")), np.int16)

    def _frame(self, samples: Samples) -> Any:
        return self._rtc.AudioFrame(
            bytearray(samples.tobytes()), self._rate_hz, 1, samples_per_channel=len(samples)
        )


def open_processing(
    rate_hz: int, *, echo: bool = True, noise: bool = False, gain: bool = False
) -> AudioProcessing:
    """Load the library, which takes 0.3 s. Raises ``DeviceError`` where it cannot be loaded."""
    try:
        from livekit import rtc
    except (ImportError, OSError) as error:
        raise DeviceError(
            "WebRTC's audio processing cannot be loaded: `pip install livekit`, or set "
            "audio.echo_cancellation, noise_suppression and gain_control to false"
        ) from error
    return WebRtcProcessing(rtc, rate_hz, noise=noise, gain=gain, echo=echo)
