"""Samples as they come, made into the bytes of an audio format."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast

import av
import numpy as np
from av.codec.context import CodecContext
from numpy.typing import NDArray

Samples = NDArray[np.int16]
_UNKNOWN_SIZE = 0xFFFFFFFF
_HEADER_BYTES = 44
_PAGE_US = "100000"
"""Ogg pages are of a second unless told otherwise, and a page is heard once it is whole."""


class Encoder(Protocol):
    """int16 mono in, bytes out; ``begin`` before, ``end`` once, after all samples."""

    def begin(self) -> bytes: ...

    def add(self, samples: Samples) -> bytes: ...

    def end(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Format:
    """An audio format: what it is called on the web, and what makes it at a sample rate.

    ``slow``: making it takes milliseconds, which are not spent on the event loop.
    """

    media_type: str
    encoder: Callable[[int], Encoder]
    slow: bool = True


class Pcm:
    """Bare PCM16LE."""

    def __init__(self, sample_rate: int) -> None: ...

    def begin(self) -> bytes:
        return b""

    def add(self, samples: Samples) -> bytes:
        return samples.astype("<i2").tobytes()

    def end(self) -> bytes:
        return b""


class StreamedWav(Pcm):
    """WAV whose header says that its length is not known: both sizes are 0xFFFFFFFF."""

    def __init__(self, sample_rate: int) -> None:
        self._header = wav_header(sample_rate, None)

    def begin(self) -> bytes:
        return self._header


class Mp3:
    """Bare MPEG frames, mono, LAME quality 2: no ID3 tag and no Xing header.

    Frames come as soon as they are whole; ``end`` brings the last ones, without which the end of
    the speech is missing. 48 kbit/s is what the reference chose and transcribed without error.
    """

    def __init__(self, sample_rate: int, bit_rate: int = 48_000) -> None:
        codec: Any = CodecContext.create("libmp3lame", "w")
        codec.sample_rate, codec.bit_rate = sample_rate, bit_rate
        codec.layout, codec.format = "mono", "s16p"
        codec.options = {"compression_level": "2", "reservoir": "0"}
        self._codec, self._rate = codec, sample_rate

    def begin(self) -> bytes:
        return b""

    def add(self, samples: Samples) -> bytes:
        if not len(samples):
            return b""
        return _joined(self._codec.encode(_frame(samples, self._rate, "s16p")))

    def end(self) -> bytes:
        return _joined(self._codec.encode(None))


class Muxed:
    """A codec in a container that is written from front to back."""

    def __init__(self, sample_rate: int, container: str, codec: str, bit_rate: int | None) -> None:
        self._written = _Pipe()
        options = {"flush_packets": "1"} | (
            {"page_duration": _PAGE_US} if container == "ogg" else {}
        )
        self._container: Any = av.open(self._written, "w", format=container, options=options)
        stream = self._container.add_stream(codec, rate=sample_rate, layout="mono")
        self._stream = cast(Any, stream)
        if bit_rate:
            self._stream.bit_rate = bit_rate
        self._rate = sample_rate

    def begin(self) -> bytes:
        return b""

    def add(self, samples: Samples) -> bytes:
        if len(samples):
            self._container.mux(self._stream.encode(_frame(samples, self._rate, "s16")))
        return self._written.taken()

    def end(self) -> bytes:
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._written.taken()


class _Pipe:
    """A file that can only be written on."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        self._pieces.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """What was written since the last call."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


def wav_header(sample_rate: int, data_bytes: int | None) -> bytes:
    """44 bytes for PCM16LE mono; None: the length is not known."""
    riff_bytes = _UNKNOWN_SIZE if data_bytes is None else data_bytes + _HEADER_BYTES - 8
    size = _UNKNOWN_SIZE if data_bytes is None else data_bytes
    form = struct.pack("<IHHIIHH", 16, 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    parts = (b"RIFF", struct.pack("<I", riff_bytes), b"WAVE", b"fmt ", form, b"data")
    return b"".join(parts) + struct.pack("<I", size)


def _frame(samples: Samples, sample_rate: int, layout: str) -> Any:
    row = np.ascontiguousarray(samples, np.int16).reshape(1, -1)
    frame = av.AudioFrame.from_ndarray(row, format=layout, layout="mono")
    frame.sample_rate = sample_rate
    return frame


def _joined(packets: Iterable[Any]) -> bytes:
    return b"".join(bytes(packet) for packet in packets)


WAV = Format("audio/wav", StreamedWav, slow=False)
MP3 = Format("audio/mpeg", Mp3)
FORMATS = {
    "wav": WAV,
    "pcm": Format("audio/pcm", Pcm, slow=False),
    "mp3": MP3,
    "opus": Format("audio/ogg", lambda rate: Muxed(rate, "ogg", "libopus", 32_000)),
    "aac": Format("audio/aac", lambda rate: Muxed(rate, "adts", "aac", 64_000)),
    "flac": Format("audio/flac", lambda rate: Muxed(rate, "flac", "flac", None)),
}
"""By the names of OpenAI's API; the reference's are ``wav`` and ``mp3``."""
