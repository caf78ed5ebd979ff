"""The sound library's edge: devices and streams, as little of it as we need."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from speech.errors import DeviceError
from transports.local.notice import Kind
from transports.local.params import Latency


@dataclass(frozen=True, slots=True)
class Device:
    """A device as the sound library lists it; ``inputs``/``outputs`` are channel counts."""

    number: int
    name: str
    host: str
    inputs: int
    outputs: int
    rate_hz: int

    def channels(self, kind: Kind) -> int:
        """How many channels it has in this direction."""
        return self.inputs if kind == "input" else self.outputs


@dataclass(frozen=True, slots=True)
class StreamFormat:
    """int16 at this rate, with so many channels."""

    rate_hz: int
    channels: int


@dataclass(frozen=True, slots=True)
class BlockInfo:
    """What the device says with a block: in how many seconds it sounds (output; for input
    since when it has been captured, as a negative number), and whether audio was lost before."""

    lead_s: float
    xrun: bool


BlockCallback = Callable[[NDArray[np.int16], BlockInfo], None]
"""Reads (input) or fills (output) ``[frames, channels]``, in the device's thread."""


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """How a stream shall be opened. ``finished`` is called when it has stopped, from any thread."""

    kind: Kind
    device: Device
    format: StreamFormat
    block: int
    latency: Latency
    callback: BlockCallback
    finished: Callable[[], None]


class Stream(Protocol):
    """An open stream; every method may block for a moment."""

    @property
    def latency(self) -> float: ...
    def start(self) -> None: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


class FormatRefusedError(Exception):
    """The device does not take this format; another one may do."""


class Backend(Protocol):
    """A sound library. ``open`` raises ``FormatRefusedError`` or ``DeviceError``."""

    def devices(self) -> list[Device]: ...
    def default_number(self, kind: Kind) -> int | None: ...
    def open(self, request: StreamRequest) -> Stream: ...
    def rescan(self) -> None:
        """Look for new devices, where the library can while our streams are open."""
        ...


_OLDEST_S = 5.0
"""A captured block said to be older than that has no time stamp."""

_BUSY = ("unavailable", "busy")


class SounddeviceBackend:
    """``sounddevice``, that is PortAudio. Not safe for calls from two threads at once."""

    def __init__(self) -> None:
        self._open = 0

    def devices(self) -> list[Device]:
        sd = _sounddevice()
        hosts = [host["name"] for host in sd.query_hostapis()]
        return [
            Device(
                number,
                entry["name"],
                hosts[entry["hostapi"]],
                entry["max_input_channels"],
                entry["max_output_channels"],
                round(entry["default_samplerate"]),
            )
            for number, entry in enumerate(sd.query_devices())
        ]

    def default_number(self, kind: Kind) -> int | None:
        number = _sounddevice().default.device[0 if kind == "input" else 1]
        return number if isinstance(number, int) and number >= 0 else None

    def open(self, request: StreamRequest) -> Stream:
        sd = _sounddevice()
        make = sd.InputStream if request.kind == "input" else sd.OutputStream
        with _translated(request):
            stream = make(
                device=request.device.number,
                samplerate=request.format.rate_hz,
                channels=request.format.channels,
                dtype="int16",
                blocksize=request.block,
                latency=request.latency,
                callback=_adapter(request),
                finished_callback=request.finished,
            )
        self._open += 1
        return _SounddeviceStream(stream, self)

    def rescan(self) -> None:
        if self._open:
            return  # PortAudio looks anew only when restarted, which would end open streams.
        sd = _sounddevice()
        sd._terminate()
        sd._initialize()

    def released(self) -> None:
        """A stream has been closed."""
        self._open -= 1


class _SounddeviceStream:
    def __init__(self, stream: Any, backend: SounddeviceBackend) -> None:
        self._stream = stream
        self._backend = backend
        self._closed = False

    @property
    def latency(self) -> float:
        return float(self._stream.latency)

    # PortAudio must not be given a stream that it has freed, by a thread that came late.
    def start(self) -> None:
        if self._closed:
            raise DeviceError("the stream is closed")
        with _failures():
            self._stream.start()

    def abort(self) -> None:
        if not self._closed:
            self._stream.abort(ignore_errors=True)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._stream.close(ignore_errors=True)
            self._backend.released()


def _adapter(request: StreamRequest) -> Callable[[Any, int, Any, Any], None]:
    if request.kind == "input":

        def captured(data: Any, frames: int, times: Any, status: Any) -> None:
            least_s = frames / request.format.rate_hz  # some drivers give no time at all
            lead_s = min(times.inputBufferAdcTime - times.currentTime, -least_s)
            lead_s = lead_s if lead_s >= -_OLDEST_S else -least_s
            request.callback(data, BlockInfo(lead_s, bool(status and status.input_overflow)))

        return captured

    def render(data: Any, _frames: int, times: Any, status: Any) -> None:
        lead_s = max(0.0, times.outputBufferDacTime - times.currentTime)
        request.callback(data, BlockInfo(lead_s, bool(status and status.output_underflow)))

    return render


def _sounddevice() -> Any:
    # Imported on use: importing it looks for devices, and fails without PortAudio.
    try:
        import sounddevice
    except OSError:
        raise DeviceError(
            "the PortAudio library is missing: install it (Debian: apt install libportaudio2; "
            "macOS: brew install portaudio), or talk in the browser with `earshot web`"
        ) from None
    return sounddevice


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    sd = _sounddevice()
    try:
        yield
    except sd.PortAudioError as error:
        raise DeviceError(str(error)) from error


@contextlib.contextmanager
def _translated(request: StreamRequest) -> Iterator[None]:
    sd = _sounddevice()
    try:
        yield
    except sd.PortAudioError as error:
        if any(word in str(error).lower() for word in _BUSY):
            raise DeviceError(
                f"{request.device.name!r} is busy: close the program that uses it, or choose "
                f"another one with audio.{request.kind}_device (`earshot doctor` lists them)"
            ) from error
        raise FormatRefusedError(str(error)) from error
