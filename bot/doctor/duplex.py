"""Plays the test sounds and records at the same time, with and without echo cancelling."""

from __future__ import annotations

import queue
import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from bot.config.schema import AudioSettings
from bot.doctor.chirp import CHIRP_S, make_chirp, make_sweeps
from speech.errors import DeviceError
from transports.local.backend import (
    Backend,
    BlockInfo,
    Stream,
    StreamFormat,
    StreamRequest,
)
from transports.local.capture import Stamped
from transports.local.convert import CaptureConverter
from transports.local.devices import find_device, open_stream
from transports.local.echo import EchoCanceller, open_processing
from transports.local.echo.clock import DeviceClock
from transports.local.notice import Kind

BLOCK_S = 0.02
QUIET_S = 1.2
"""Before the sound: the devices wake, their clocks settle, and we hear the room."""

PAUSE_S = 0.8
"""Behind the chirp: an echo of it may come as late."""

SWEEPS_S = 4.0
"""The canceller has learned a room of 0.5 s after 2 (docs/echo.md)."""

TOTAL_S = QUIET_S + CHIRP_S + PAUSE_S + SWEEPS_S + PAUSE_S
_STALL_S = 4.0
_QUEUED_BLOCKS = 500

Samples = NDArray[np.int16]


@dataclass(frozen=True)
class Duplex:
    """``heard`` and ``clean``: what the microphone took and what was left of it, at ``rate_hz``.

    Times in seconds from the first sample of ``heard``: when the chirp and the sweeps sounded, by
    the speaker's own account. ``clean`` is None, and ``trouble`` says why, where the library is
    missing. ``held_s``: what both devices together hold.
    """

    rate_hz: int
    heard: Samples
    clean: Samples | None
    chirp_s: float
    sweeps_s: float
    held_s: float
    ran_dry: int
    trouble: str = ""


def run_duplex(audio: AudioSettings, backend: Backend) -> Duplex:
    """Takes ``TOTAL_S`` and the time that the devices take. Raises ``DeviceError``."""
    return _Session(audio, backend).run()


class _Session:
    def __init__(self, audio: AudioSettings, backend: Backend) -> None:
        self._audio = audio
        self._backend = backend
        self._rate_hz = audio.input_rate_hz
        self._blocks: queue.Queue[Stamped] = queue.Queue(_QUEUED_BLOCKS)
        self._ages: list[float] = []
        self._leads: list[float] = []
        self._played = 0
        self._ran_dry = 0
        self._canceller: EchoCanceller | None = None
        self._trouble = ""

    def run(self) -> Duplex:
        try:
            self._canceller = EchoCanceller(open_processing(self._rate_hz), self._rate_hz)
        except DeviceError as error:
            self._trouble = str(error)
        microphone, heard_as = self._open("input", self._rate_hz)
        try:
            speaker, self._played_as = self._open("output", self._audio.output_rate_hz)
            self._far = DeviceClock(self._played_as.rate_hz)
            self._script = _script(self._played_as.rate_hz)
            try:
                microphone.start()
                speaker.start()
                return self._record(heard_as)
            finally:
                speaker.close()
        finally:
            microphone.close()

    def _open(self, kind: Kind, rate_hz: int) -> tuple[Stream, StreamFormat]:
        choice = self._audio.input_device if kind == "input" else self._audio.output_device
        request = StreamRequest(
            kind,
            find_device(self._backend, kind, choice),
            StreamFormat(rate_hz, 1),
            round(BLOCK_S * rate_hz),
            self._audio.latency_s,
            self._capture if kind == "input" else self._play,
            lambda: None,
        )
        return open_stream(self._backend, request)

    def _capture(self, block: Samples, info: BlockInfo) -> None:
        """In the device's thread."""
        at = time.monotonic() + info.lead_s
        try:
            self._blocks.put_nowait(Stamped(block.copy(), at))
        except queue.Full:  # Nobody records any more.
            return
        self._ages.append(-info.lead_s)

    def _play(self, block: Samples, info: BlockInfo) -> None:
        """In the device's thread."""
        at = time.monotonic() + info.lead_s
        piece = np.zeros(len(block), np.int16)
        there = self._script[self._played : self._played + len(block)]
        piece[: len(there)] = there
        block[:] = piece[:, None]
        self._ran_dry += info.xrun
        self._leads.append(info.lead_s)
        self._far.note(self._played, at)
        self._played += len(block)
        if self._canceller is not None:
            self._canceller.played(piece, at, self._played_as.rate_hz, info.xrun)

    def _record(self, form: StreamFormat) -> Duplex:
        converter = CaptureConverter(form.rate_hz, self._rate_hz, round(BLOCK_S * self._rate_hz))
        near, heard, clean, taken = DeviceClock(form.rate_hz), list[Samples](), list[Samples](), 0
        while sum(map(len, heard)) < TOTAL_S * self._rate_hz:
            try:
                block = self._blocks.get(timeout=_STALL_S)
            except queue.Empty:
                raise DeviceError("the microphone delivers nothing") from None
            near.note(taken, block.at)
            taken += len(block.samples)
            for piece in converter.process(block.samples):
                at = near.line.time_of(0.0) + sum(map(len, heard)) / self._rate_hz
                heard.append(piece)
                if self._canceller is not None:
                    clean.append(self._canceller.captured(piece, at))
        if not self._leads:
            raise DeviceError("the speaker takes nothing")
        return self._found(near, np.concatenate(heard), clean)

    def _found(self, near: DeviceClock, heard: Samples, clean: list[Samples]) -> Duplex:
        zero_s = near.line.time_of(0.0)
        chirp = QUIET_S * self._played_as.rate_hz
        sweeps = chirp + (CHIRP_S + PAUSE_S) * self._played_as.rate_hz
        return Duplex(
            self._rate_hz,
            heard,
            np.concatenate(clean) if clean else None,
            self._far.line.time_of(chirp) - zero_s,
            self._far.line.time_of(sweeps) - zero_s,
            median(self._leads) + median(self._ages),
            self._ran_dry,
            self._trouble,
        )


def _script(rate_hz: int) -> Samples:
    """Everything that is played, silence included."""
    quiet, pause = (np.zeros(round(s * rate_hz), np.int16) for s in (QUIET_S, PAUSE_S))
    return np.concatenate([quiet, make_chirp(rate_hz), pause, make_sweeps(rate_hz, SWEEPS_S)])
