"""The sound library's edge without one: devices from a list, blocks on demand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from speech.errors import DeviceError
from transports.local.backend import BlockInfo, Device, FormatRefusedError, Stream, StreamRequest
from transports.local.notice import Kind

MICROPHONE = Device(0, "Front Mic", "ALSA", 2, 0, 48_000)
SPEAKER = Device(1, "Front Speaker", "ALSA", 0, 2, 48_000)


@dataclass
class FakeStream:
    """A stream that is clocked by the test: ``block`` is one callback."""

    request: StreamRequest
    backend: FakeBackend
    started: bool = False
    closed: bool = False
    starts: int = 0

    @property
    def latency(self) -> float:
        return self.backend.latency

    def start(self) -> None:
        if self.backend.start_failures:
            self.backend.start_failures -= 1
            raise DeviceError("does not start")
        self.started = True
        self.starts += 1

    def abort(self) -> None:
        if self.started:
            self.request.finished()
        self.started = False

    def close(self) -> None:
        self.closed = True

    def play(self, frames: int | None = None, *, xrun: bool = False) -> NDArray[np.int16]:
        """One output callback; what it gave to the device."""
        out = np.full((frames or self.request.block, self.request.format.channels), -1, np.int16)
        self.request.callback(out, BlockInfo(self.latency, xrun))
        return out

    def capture(self, block: NDArray[np.int16], *, xrun: bool = False) -> None:
        """One input callback."""
        self.request.callback(block, BlockInfo(0.0, xrun))

    def die(self) -> None:
        """The device went away."""
        self.request.finished()


@dataclass
class FakeBackend:
    """``rates``/``channels``: what is accepted (None: all). ``failures``: opens that fail first."""

    listed: list[Device] = field(default_factory=lambda: [MICROPHONE, SPEAKER])
    defaults: dict[Kind, int | None] = field(default_factory=lambda: {"input": 0, "output": 1})
    rates: set[int] | None = None
    channels: set[int] | None = None
    failures: int = 0
    start_failures: int = 0
    latency: float = 0.04
    opens: int = 0
    rescans: int = 0
    streams: list[FakeStream] = field(default_factory=list)

    def devices(self) -> list[Device]:
        return self.listed

    def default_number(self, kind: Kind) -> int | None:
        return self.defaults[kind]

    def open(self, request: StreamRequest) -> Stream:
        self.opens += 1
        if self.failures:
            self.failures -= 1
            raise DeviceError("gone")
        form = request.format
        if self.rates and form.rate_hz not in self.rates:
            raise FormatRefusedError("Invalid sample rate [PaErrorCode -9997]")
        if self.channels and form.channels not in self.channels:
            raise FormatRefusedError("Invalid number of channels [PaErrorCode -9998]")
        self.streams.append(FakeStream(request, self))
        return self.streams[-1]

    def rescan(self) -> None:
        self.rescans += 1

    def stream(self, kind: Kind) -> FakeStream:
        """The latest stream in this direction."""
        return [stream for stream in self.streams if stream.request.kind == kind][-1]
