"""Guards: a device that is just starting, or hangs, neither holds the end nor passes for lost."""

from __future__ import annotations

import asyncio
import threading

import pytest

from speech.errors import DeviceError
from transports.local.backend import Device, Stream, StreamRequest
from transports.local.link import DeviceLink
from transports.local.notice import DeviceNotice, Kind
from transports.local.stats import LocalStats

PATIENCE_S = 10.0
CARD = Device(0, "card", "host", 1, 1, 16_000)


class FakeStream:
    """Starts once ``gate`` is open, and fails when it was closed meanwhile."""

    latency = 0.01

    def __init__(self, gate: threading.Event) -> None:
        self._gate = gate
        self.starting = threading.Event()
        self.closed = threading.Event()

    def start(self) -> None:
        self.starting.set()
        self._gate.wait(PATIENCE_S)
        raise DeviceError("closed while it started")

    def abort(self) -> None: ...

    def close(self) -> None:
        self.closed.set()


class FakeBackend:
    def __init__(self) -> None:
        self.gate = threading.Event()
        self.stream = FakeStream(self.gate)

    def devices(self) -> list[Device]:
        return [CARD]

    def default_number(self, kind: Kind) -> int | None:
        return 0

    def open(self, request: StreamRequest) -> Stream:
        return self.stream

    def rescan(self) -> None: ...


@pytest.mark.parametrize("cancelled", [True, False])
async def test_closed_while_it_starts(cancelled: bool) -> None:
    backend, told = FakeBackend(), list[DeviceNotice]()
    link = DeviceLink("input", None, "low", backend, LocalStats(), told.append)
    await link.open(16_000, lambda *_: None, lambda *_: None)
    watching = asyncio.create_task(link.supervise())
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.to_thread(backend.stream.starting.wait)
        if cancelled:
            watching.cancel()
        await link.close()  # the gate is shut: a close that waited for the start would not end
        backend.gate.set()
        await asyncio.gather(watching, return_exceptions=True)
        await asyncio.to_thread(backend.stream.closed.wait)
        await link.close()
    assert not told
