"""One direction's stream: opened, watched, opened again when the device comes back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import numpy as np
from loguru import logger
from numpy.typing import NDArray

from speech.errors import DeviceError
from transports.local import worker
from transports.local.backend import (
    Backend,
    BlockCallback,
    BlockInfo,
    Device,
    Stream,
    StreamFormat,
    StreamRequest,
)
from transports.local.devices import find_device, open_stream
from transports.local.notice import NOUNS, DeviceNotice, Kind, Notify, State
from transports.local.params import DeviceChoice, Latency
from transports.local.stats import LocalStats

BLOCK_S = 0.02
"""A callback each 20 ms: with 10 ms blocks at 24 kHz the PulseAudio plugin under-ran."""

STALL_S = 2.0
"""A running stream without a callback for so long is taken for lost: a device may stop
without a word (seen with PulseAudio's capture)."""

FIRST_BLOCK_S = 6.0
"""The same for a stream just started, since a sleeping device may take seconds to wake."""

CLOSE_S = 0.06
"""What the end waits for a device to be released, which takes some 20 ms; one that is just
starting, or hangs, is released in a thread of its own behind it."""

RETRY_FIRST_S = 0.25
RETRY_MOST_S = 5.0


class DeviceLink:
    """Keeps a stream to the chosen device.

    ``opened`` is told each stream's format and latency before it starts, ``callback`` gets
    its blocks. A stream that ends or stalls is reported once and retried, the pause doubling
    from ``RETRY_FIRST_S`` to ``RETRY_MOST_S``, until it works (reported once) or the link is
    closed, which is for good.
    """

    def __init__(
        self,
        kind: Kind,
        choice: DeviceChoice,
        latency: Latency,
        backend: Backend,
        stats: LocalStats,
        notify: Notify,
    ) -> None:
        self.kind = kind
        self.device: Device | None = None
        self.format: StreamFormat | None = None
        self.latency_s = 0.0
        self.up = asyncio.Event()
        self._choice = choice
        self._latency = latency
        self._backend = backend
        self._stats = stats
        self._notify = notify
        self._stream: Stream | None = None
        self._ended = asyncio.Event()
        self._restarting = False
        self._closed = False
        self._blocks = 0

    async def open(
        self, wanted_hz: int, opened: Callable[[StreamFormat, float], None], callback: BlockCallback
    ) -> None:
        """Find and open the device; raises ``DeviceError``. Idempotent."""
        if self._stream is None and not self._closed:
            self._wanted_hz, self._opened, self._callback = wanted_hz, opened, callback
            await self._open()

    async def drop_buffered(self) -> None:
        """Restart the stream, so that what the device holds is not played."""
        stream = self._stream
        if stream is None or self._restarting:
            return
        self._restarting = True
        try:
            await worker.call(lambda: _restart(stream))
        except DeviceError as error:
            logger.warning("sound stream did not restart: {} {}", self.kind, error)
            self._ended.set()
        finally:
            self._restarting = False

    async def supervise(self) -> None:
        """Let the blocks flow, watch them and bring the stream back, until cancelled or closed.

        A device that fails to start counts as lost.
        """
        try:
            await self._start()
        except DeviceError as error:
            logger.debug("sound stream did not start: {} {}", self.kind, error)
            self._ended.set()
        while not self._closed:
            reason = await self._until_lost()
            if self._closed:
                return
            self._stats.devices_lost += 1
            self._say("lost", f"lost ({reason}); trying to get it back")
            await self._release(worker.CALL_TIMEOUT_S)
            await self._reopen()
            if self._closed:
                return
            self._stats.devices_back += 1
            self._say("back", "is back")

    async def close(self) -> None:
        """Release the device for good; idempotent, and done in ``CLOSE_S`` whatever it does."""
        self._closed = True
        await self._release(CLOSE_S)

    @property
    def name(self) -> str:
        """The device's name, or what was asked for."""
        return self.device.name if self.device else str(self._choice or "default")

    async def _release(self, timeout_s: float) -> None:
        self.up.clear()
        stream, self._stream = self._stream, None
        if stream is None:
            return
        try:
            await worker.call(lambda: _end(stream), timeout_s=timeout_s)
        except DeviceError:
            logger.debug("sound stream did not close in time: {}", self.kind)

    async def _start(self) -> None:
        if self._stream is None:
            raise DeviceError(f"the {NOUNS[self.kind]} is not open")
        await worker.call(self._stream.start)
        self.up.set()

    def _say(self, state: State, what: str) -> None:
        message = f"{NOUNS[self.kind]} {self.name!r} {what}"
        self._notify(DeviceNotice(self.kind, state, self.name, message))

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        self._ended = ended = asyncio.Event()

        def end() -> None:
            if not self._restarting:
                ended.set()

        def finished() -> None:
            with contextlib.suppress(RuntimeError):  # The loop is closed: nobody watches.
                loop.call_soon_threadsafe(end)

        def block(data: NDArray[np.int16], info: BlockInfo) -> None:
            self._blocks += 1
            self._callback(data, info)

        def connect() -> tuple[Device, Stream, StreamFormat]:
            device = find_device(self._backend, self.kind, self._choice)
            wanted = StreamFormat(self._wanted_hz, 1)
            request = StreamRequest(
                self.kind,
                device,
                wanted,
                round(wanted.rate_hz * BLOCK_S),
                self._latency,
                block,
                finished,
            )
            known = self.format if device == self.device else None
            return device, *open_stream(self._backend, request, known)

        device, stream, form = await worker.call(connect, discard=lambda made: _end(made[1]))
        self.device, self._stream, self.format = device, stream, form
        if self._closed:
            await self._release(CLOSE_S)
            raise DeviceError(f"the {NOUNS[self.kind]} was closed while it was being opened")
        self.latency_s = stream.latency
        self._opened(form, self.latency_s)

    async def _reopen(self) -> None:
        pause_s = RETRY_FIRST_S
        while not self._closed:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, RETRY_MOST_S)
            try:
                await worker.call(self._backend.rescan)
                await self._open()
                await self._start()
                return
            except DeviceError as error:
                logger.debug("sound device not back yet: {}", error)
                await self._release(worker.CALL_TIMEOUT_S)

    async def _until_lost(self) -> str:
        patience_s = FIRST_BLOCK_S
        while True:
            before = self._blocks
            try:
                await asyncio.wait_for(self._ended.wait(), patience_s)
            except TimeoutError:
                if self._blocks == before:
                    return f"nothing came for {patience_s:g} s"
                patience_s = STALL_S
            else:
                return "its stream ended"


def _end(stream: Stream) -> None:
    stream.abort()
    stream.close()


def _restart(stream: Stream) -> None:
    stream.abort()
    stream.start()
