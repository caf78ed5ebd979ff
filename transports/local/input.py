"""Microphone to pipeline."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from pipecat.frames.frames import CancelFrame, EndFrame, InputAudioRawFrame, StartFrame
from pipecat.processors.frame_processor import FrameProcessorSetup
from pipecat.transports.base_input import BaseInputTransport

from transports.local.backend import BlockInfo, StreamFormat
from transports.local.capture import CaptureBuffer
from transports.local.convert import CaptureConverter
from transports.local.echo import EchoCanceller
from transports.local.echo.clock import DeviceClock
from transports.local.echo.opening import open_canceller
from transports.local.link import DeviceLink
from transports.local.notice import DeviceNotice, Notify
from transports.local.params import LocalParams
from transports.local.silence import SilenceWatch
from transports.local.stats import LocalStats

FRAME_S = 0.02
"""What voice detectors and recognisers downstream are fed with."""

BUFFER_S = 2.0
"""How long the event loop may stand still before microphone audio is lost (oldest first)."""

_QUEUED_FRAMES = 100
"""The same 2 s for pipecat's own input queue, which has no bound."""

_DEFAULT_RATE_HZ = 16_000


class LocalInputTransport(BaseInputTransport):
    """Pushes 20 ms mono frames at the pipeline's input rate, without the bot's own sound.

    Each frame's ``metadata`` says when its first sample was captured (``captured_at``, on the
    timeline's clock) and how likely its sound is the bot's (``echo``: ``echo_likelihood``).
    """

    _params: LocalParams

    def __init__(
        self,
        params: LocalParams,
        link: DeviceLink,
        stats: LocalStats,
        notify: Notify,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(params)
        self.echo: EchoCanceller | None = None
        self._clock = clock
        self._link = link
        self._stats = stats
        self._notify = notify
        self._silence = SilenceWatch(params.silent_microphone_s)
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, rate_hz: int | None = None) -> None:
        """Open the device; raises ``DeviceError``. Idempotent."""
        if not self._params.audio_in_enabled:
            return
        self._loop = asyncio.get_running_loop()
        self._wanted_hz = self._params.audio_in_sample_rate or rate_hz or _DEFAULT_RATE_HZ
        if self.echo is None:
            self.echo = await asyncio.to_thread(open_canceller, self._params, self._wanted_hz)
        await self._link.open(self._wanted_hz, self._opened, self._captured)

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override] # pipecat's own
        """Open the device, unless ``open`` has."""
        await super().setup(setup)
        await self.open(setup.audio_in_sample_rate)

    async def start(self, frame: StartFrame) -> None:
        """Let the microphone flow."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        if self._params.audio_in_stream_on_start:
            await self._start_audio_in_streaming()

    async def stop(self, frame: EndFrame) -> None:
        """Close the microphone."""
        await self._halt()
        await super().stop(frame)

    async def cancel(self, frame: CancelFrame) -> None:
        """Close the microphone."""
        await self._halt()
        await super().cancel(frame)

    async def cleanup(self) -> None:
        """Release the device, also where neither stop nor cancel came."""
        await self._halt()
        await super().cleanup()

    async def _start_audio_in_streaming(self) -> None:
        if self._params.audio_in_enabled and not self._tasks:
            self._tasks = [
                self.create_task(self._link.supervise()),
                self.create_task(self._pump()),
            ]

    async def _halt(self) -> None:
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            await self.cancel_task(task)
        await self._link.close()

    def echo_likelihood(self) -> float:
        """See ``EchoState.likelihood``; 0 without a speaker."""
        return self.echo.state.likelihood if self.echo else 0.0

    def _opened(self, form: StreamFormat, _latency_s: float) -> None:
        self._device_hz = form.rate_hz
        self._buffer = CaptureBuffer(round(form.rate_hz * BUFFER_S))
        self._converter = CaptureConverter(
            form.rate_hz, self._wanted_hz, round(self._wanted_hz * FRAME_S)
        )
        self._given = self._made = 0
        self._begin_clock()

    def _captured(self, block: NDArray[np.int16], info: BlockInfo) -> None:
        """In the device's thread."""
        self._stats.input_overflows += info.xrun
        captured_at = self._clock() + info.lead_s
        self._stats.input_dropped_samples += self._buffer.put(block, captured_at, info.xrun)
        with contextlib.suppress(RuntimeError):  # The loop is closed: nobody listens.
            self._loop.call_soon_threadsafe(self._wake.set)

    async def _pump(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            for block in self._buffer.take():
                if block.lost:
                    self._begin_clock()
                await self._hear(block.samples, block.at)
            self._stats.input_high_water_samples = max(
                self._stats.input_high_water_samples, self._buffer.high_water
            )

    def _begin_clock(self) -> None:
        self._device_clock = DeviceClock(self._device_hz)
        if self.echo is not None:
            self.echo.microphone_opened()

    async def _hear(self, block: NDArray[np.int16], captured_at: float) -> None:
        self._device_clock.note(self._given, captured_at)
        zero_s = captured_at - self._given / self._device_hz
        self._given += len(block)
        for piece in self._converter.process(block):
            made_s = self._made / self._wanted_hz
            self._made += len(piece)
            self._watch(piece)
            if self.echo is not None:
                piece = self.echo.captured(piece, zero_s + made_s)  # it has a clock of its own
            self._make_room()
            at = self._device_clock.line.time_of(made_s * self._device_hz)
            await self.push_audio_frame(self._frame(piece, at))

    def _frame(self, piece: NDArray[np.int16], at: float) -> InputAudioRawFrame:
        frame = InputAudioRawFrame(piece.tobytes(), sample_rate=self._wanted_hz, num_channels=1)
        frame.metadata |= {"captured_at": at, "echo": self.echo_likelihood()}
        return frame

    def _watch(self, piece: NDArray[np.int16]) -> None:
        news = self._silence.feed(piece, self._wanted_hz)
        if news is None:
            return
        name = self._link.name
        message = (
            f"I hear nothing from {name!r}: is it muted, or is another one meant "
            "(audio.input_device)?"
            if news == "silent"
            else f"I hear {name!r} again"
        )
        self._notify(DeviceNotice("input", news, name, message))

    def _make_room(self) -> None:
        while self._audio_in_queue.qsize() >= _QUEUED_FRAMES:
            self._audio_in_queue.get_nowait()
            self._audio_in_queue.task_done()
            self._stats.input_dropped_samples += round(self._device_hz * FRAME_S)
