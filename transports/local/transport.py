"""Microphone and speaker as one pipecat transport."""

from __future__ import annotations

import asyncio

import numpy as np
from loguru import logger
from numpy.typing import NDArray
from pipecat.transports.base_transport import BaseTransport

from speech.barge_in.replies import Replies
from speech.barge_in.speaker import Speaker
from speech.queues import QueueUse
from speech.timeline import Timeline
from transports.local.backend import Backend, SounddeviceBackend
from transports.local.input import LocalInputTransport
from transports.local.link import DeviceLink
from transports.local.notice import DeviceNotice
from transports.local.output import LocalOutputTransport
from transports.local.params import LocalParams
from transports.local.queues import watch_queues
from transports.local.stats import LocalStats


class LocalTransport(BaseTransport):
    """The sound card.

    Call ``await open()`` before the pipeline runs, so that a missing or busy device ends the
    command with its ``DeviceError``; otherwise pipecat opens the devices in ``setup`` and
    reports a failure as a pipeline error. Event ``on_device_notice(transport, notice)``
    brings a ``DeviceNotice``; each is also a ``device`` event on the timeline.
    """

    def __init__(
        self, params: LocalParams, timeline: Timeline, *, backend: Backend | None = None
    ) -> None:
        super().__init__()
        self.stats = LocalStats()
        self.timeline = timeline
        self._register_event_handler("on_device_notice")
        self._news: set[asyncio.Task[None]] = set()
        backend = backend or SounddeviceBackend()
        microphone = DeviceLink(
            "input", params.input_device, params.latency, backend, self.stats, self._notify
        )
        speaker = DeviceLink(
            "output", params.output_device, params.latency, backend, self.stats, self._notify
        )
        self._links = [
            *([microphone] if params.audio_in_enabled else []),
            *([speaker] if params.audio_out_enabled else []),
        ]
        self._input = LocalInputTransport(
            params, microphone, self.stats, self._notify, timeline.clock
        )
        self._output = LocalOutputTransport(params, speaker, self.stats, timeline)
        watch_queues(
            timeline.queues,
            self.stats,
            microphone if params.audio_in_enabled else None,
            speaker if params.audio_out_enabled else None,
            params.audio_out_10ms_chunks / 100,
        )
        if params.audio_out_enabled:
            timeline.queues.read("echo", self._echo_use)
        self._output.on_played = self._played
        self._speaker = speaker

    async def open(self) -> None:
        """Open both devices; raises ``DeviceError`` and holds none of them then."""
        try:
            await self._input.open()
            await self._output.open()
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Release the devices where no pipeline ran; a pipeline that ran has done it."""
        await asyncio.gather(*(link.close() for link in self._links))

    def input(self) -> LocalInputTransport:
        """The microphone's processor."""
        return self._input

    def output(self) -> LocalOutputTransport:
        """The speaker's processor."""
        return self._output

    def speaker(self, replies: Replies) -> Speaker:
        """What the barge-in policy commands; ``replies`` says whose late frames are dropped."""
        self._output.replies = replies
        return self._output

    def played_position(self, reply_id: str | None = None) -> float:
        """See ``PlayedPosition``."""
        return self._output.played_s(reply_id)

    def echo_likelihood(self) -> float:
        """How much of what the microphone takes now is the bot's own sound: 0 to 1.

        See ``EchoState.likelihood``; 0 without a speaker.
        """
        return self._input.echo_likelihood()

    @property
    def cancels_echo(self) -> bool:
        """Whether the bot's own sound is taken out of the microphone's; known after ``open``."""
        echo = self._input.echo
        return echo is not None and echo.cancels

    def echo_stats(self) -> dict[str, float | None]:
        """``EchoStats`` for the report; empty without a speaker."""
        return self._input.echo.stats.as_dict() if self._input.echo else {}

    def describe(self) -> list[str]:
        """One line a device: its name, the format it was opened in, its latency."""
        return [
            f"{link.kind}: {link.name}, {link.format.rate_hz} Hz, {link.format.channels} ch, "
            f"latency {link.latency_s * 1000:.0f} ms"
            for link in self._links
            if link.format is not None
        ]

    def _echo_use(self) -> QueueUse:
        echo = self._input.echo
        return echo.use if echo else QueueUse("echo", "s", 0.0, "the microphone is not open")

    def _played(self, block: NDArray[np.int16], audible_at: float, ran_dry: bool) -> None:
        """In the device's thread."""
        echo, form = self._input.echo, self._speaker.format
        if echo is not None and form is not None:
            echo.played(block, audible_at, form.rate_hz, ran_dry)

    def _notify(self, notice: DeviceNotice) -> None:
        logger.info("sound device {}: {} {}", notice.state, notice.kind, notice.device)
        self.timeline.mark(
            "device",
            direction=notice.kind,
            state=notice.state,
            device=notice.device,
            message=notice.message,
        )
        task = asyncio.get_running_loop().create_task(
            self._call_event_handler("on_device_notice", notice)
        )
        self._news.add(task)
        task.add_done_callback(self._news.discard)
