"""WAV that arrives in pieces over a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from speech.audio.pcm import PCM16_BYTES, PcmJoiner, mix_down
from speech.audio.wav_header import PCM, WavHeader, WavHeaderError, looks_like_wav, parse_header
from speech.errors import EarshotError


class WavStreamError(EarshotError):
    """The other side sends something else than 16-bit PCM."""


class WavStreamDecoder:
    """int16 mono samples of a WAV stream cut anywhere; bare PCM passes too (case D04).

    ``rate_hz`` is the header's once it has come, before that ``bare_rate_hz``, which is
    also the rate assumed of a stream without a header. Header bytes and chunks after the
    samples never become sound; sizes of 0 or 0xFFFFFFFF mean "until the stream ends".
    """

    def __init__(self, bare_rate_hz: int = 24_000) -> None:
        self.rate_hz = bare_rate_hz
        self._head: bytearray | None = bytearray()
        self._channels = 1
        self._left: int | None = None
        self._joiner = PcmJoiner()
        self._frame_rest = np.zeros(0, np.int16)

    def feed(self, piece: bytes) -> NDArray[np.int16]:
        """The samples completed by ``piece``. Raises ``WavStreamError``."""
        if self._head is None:
            return self._samples(piece)
        self._head += piece
        if not looks_like_wav(bytes(self._head[:12])):
            return self._begin(0)
        header = _parse(self._head)
        if header is None:
            return np.zeros(0, np.int16)
        self.rate_hz, self._channels = header.rate_hz, header.channels
        self._left = None if header.claims_unknown else header.data_bytes
        return self._begin(header.data_offset)

    def end(self) -> NDArray[np.int16]:
        """What is left of a stream too short to tell; a lone byte is dropped."""
        tail = np.zeros(0, np.int16)
        if self._head is not None and len(self._head) < 4:
            tail = self._begin(0)
        self._joiner.end()
        return tail

    def _begin(self, offset: int) -> NDArray[np.int16]:
        head, self._head = bytes(self._head or b""), None
        return self._samples(head[offset:])

    def _samples(self, data: bytes) -> NDArray[np.int16]:
        if self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
        samples = self._joiner.feed(data)
        if self._channels == 1:
            return samples
        samples = np.concatenate([self._frame_rest, samples])
        whole = len(samples) - len(samples) % self._channels
        self._frame_rest = samples[whole:]
        return mix_down(samples[:whole].reshape(-1, self._channels))


def _parse(head: bytearray) -> WavHeader | None:
    try:
        header = parse_header(head)
    except WavHeaderError as error:
        raise WavStreamError(f"the audio stream {error}") from error
    if header and (header.encoding, header.bits) != (PCM, 8 * PCM16_BYTES):
        raise WavStreamError(
            f"the audio stream is {header.bits}-bit format {header.encoding}, not 16-bit PCM"
        )
    return header
