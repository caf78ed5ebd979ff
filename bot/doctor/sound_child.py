"""Talks to the sound card in a process of its own: drivers print, hang and crash.

``python -m bot.doctor.sound_child SETTINGS_JSON [--tone]`` prints a JSON document:
``devices`` (or ``error``), and for ``input`` and ``output`` the device that would be used,
with ``--tone`` also what a played and recorded tone says.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.config.schema import AudioSettings
from bot.doctor.tone import TONE_S, find_tone, make_tone
from speech.errors import DeviceError
from transports.local.backend import (
    Backend,
    BlockInfo,
    SounddeviceBackend,
    Stream,
    StreamFormat,
    StreamRequest,
)
from transports.local.devices import find_device, open_stream
from transports.local.notice import Kind

BLOCK_S = 0.02
LEAD_IN_S = 0.7
"""Recorded before the tone is played: a device needs a moment to wake, and we want the noise."""

TAIL_S = 1.0
_GIVE_UP_S = 5.0


def look(audio: AudioSettings, tone: bool, backend: Backend | None = None) -> dict[str, Any]:
    """Everything the sound checks want to know."""
    backend = backend or SounddeviceBackend()
    try:
        devices = backend.devices()
    except DeviceError as error:
        return {"error": str(error)}
    found: dict[str, Any] = {
        "devices": [
            {"number": d.number, "name": d.name, "inputs": d.inputs, "outputs": d.outputs}
            for d in devices
        ]
    }
    kinds: tuple[Kind, Kind] = ("input", "output")
    for kind in kinds:
        try:
            choice = audio.input_device if kind == "input" else audio.output_device
            found[kind] = {"device": find_device(backend, kind, choice).name}
        except DeviceError as error:
            found[kind] = {"error": str(error)}
    if tone and "device" in found["input"] and "device" in found["output"]:
        try:
            found["tone"] = _ToneTest(audio, backend).run()
        except DeviceError as error:
            found["tone"] = {"error": str(error)}
    return found


class _ToneTest:
    """Records while it plays silence, the tone, silence."""

    def __init__(self, audio: AudioSettings, backend: Backend) -> None:
        self._audio = audio
        self._backend = backend
        self._lock = threading.Lock()
        self._recorded: list[NDArray[np.int16]] = []
        self._record_from: float | None = None
        self._tone_at: float | None = None
        self._to_play = np.zeros(0, np.int16)
        self._played = 0
        self._full = threading.Event()

    def run(self) -> dict[str, Any]:
        microphone, form = self._open("input", self._audio.input_rate_hz)
        self._wanted = round((LEAD_IN_S + TONE_S + TAIL_S) * form.rate_hz)
        try:
            speaker, out = self._open("output", self._audio.output_rate_hz)
            silence = np.zeros(round(LEAD_IN_S * out.rate_hz), np.int16)
            self._tone_from = len(silence)
            self._to_play = np.concatenate([silence, make_tone(out.rate_hz)])
            try:
                microphone.start()
                speaker.start()
                complete = self._full.wait(_GIVE_UP_S)
                delays = {"input_ms": microphone.latency * 1e3, "output_ms": speaker.latency * 1e3}
            finally:
                speaker.close()
        finally:
            microphone.close()
        return self._report(form, complete) | {k: round(v) for k, v in delays.items()}

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

    def _capture(self, block: NDArray[np.int16], _info: BlockInfo) -> None:
        with self._lock:
            if self._record_from is None:
                self._record_from = time.monotonic()
            self._recorded.append(block[:, 0].copy())
            if sum(map(len, self._recorded)) >= self._wanted:
                self._full.set()

    def _play(self, block: NDArray[np.int16], _info: BlockInfo) -> None:
        piece = self._to_play[self._played : self._played + len(block)]
        if self._tone_at is None and self._played + len(block) > self._tone_from:
            ahead_s = (self._tone_from - self._played) / len(block) * BLOCK_S
            self._tone_at = time.monotonic() + ahead_s
        block[:] = 0
        block[: len(piece), :] = piece[:, None]
        self._played += len(block)

    def _report(self, form: StreamFormat, complete: bool) -> dict[str, Any]:
        if not self._recorded or self._record_from is None:
            return {"error": "the microphone delivers nothing"}
        found = find_tone(np.concatenate(self._recorded), form.rate_hz)
        result: dict[str, Any] = {
            "noise_dbfs": round(found.noise_dbfs),
            "heard": found.onset_s is not None,
            "complete": complete,
        }
        if found.onset_s is not None and self._tone_at is not None:
            result["tone_dbfs"] = round(found.tone_dbfs)
            begun = self._record_from - BLOCK_S  # the first block had been recorded by then
            result["round_trip_ms"] = round((begun + found.onset_s - self._tone_at) * 1e3)
        return result


def main() -> None:
    """Entry of the child."""
    audio = AudioSettings.model_validate_json(sys.argv[1])
    print(json.dumps(look(audio, "--tone" in sys.argv[2:])))  # noqa: T201 (the answer)


if __name__ == "__main__":
    main()
