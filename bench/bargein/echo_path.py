"""Feeds the loudspeaker back into the microphone, in real time and in a process of its own.

    python -m bench.bargein.echo_path SPEAKER_MONITOR SPEECH_SINK DELAY_MS GAIN_DB dry|room

``DELAY_MS`` is what is added to the sound server's own delay. Runs until it is ended.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path as File

import numpy as np

from bench.bargein.align import Samples, correlate
from bench.bargein.room import Path, response
from bench.soundcard.recorder import Stretch
from bench.soundcard.virtual_card import SPEAKER, SPEECH_SINK

RATE_HZ = 24_000
BLOCK = RATE_HZ // 100
END_TIMEOUT_S = 5.0
LONGEST_DELAY_S = 0.4
_REPOSITORY = File(__file__).parents[2]
_FORMAT = ["--raw", "--format=s16le", "--channels=1", f"--rate={RATE_HZ}", "--latency-msec=10"]


def main(monitor: str, sink: str, delay_ms: str, gain_db: str, room: str) -> None:
    """Copy until the recorder ends."""
    taps = response(RATE_HZ, float(gain_db), reverberant=room == "room")
    path = Path(taps, round(float(delay_ms) / 1000 * RATE_HZ), BLOCK)
    recorder = subprocess.Popen(
        ["parec", "-d", monitor, *_FORMAT], stdout=subprocess.PIPE, bufsize=0
    )
    player = subprocess.Popen(
        ["pacat", "--playback", "-d", sink, *_FORMAT], stdin=subprocess.PIPE, bufsize=0
    )

    def ended(*_: object) -> None:
        recorder.terminate()
        player.terminate()

    signal.signal(signal.SIGTERM, ended)
    assert recorder.stdout is not None
    assert player.stdin is not None
    data = b""
    while piece := recorder.stdout.read(2 * BLOCK):
        data += piece
        while len(data) >= 2 * BLOCK:
            block, data = np.frombuffer(data[: 2 * BLOCK], np.int16), data[2 * BLOCK :]
            echo = path.process(block.astype(np.float64))
            try:
                player.stdin.write(np.rint(np.clip(echo, -32_768, 32_767)).astype("<i2").tobytes())
            except BrokenPipeError:
                recorder.terminate()
    recorder.wait()
    player.terminate()
    player.wait()


@asynccontextmanager
async def echoing(
    env: Mapping[str, str], added_ms: float, gain_db: float, *, reverberant: bool
) -> AsyncIterator[None]:
    """The loudspeaker is heard by the microphone in this block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.bargein.echo_path", f"{SPEAKER}.monitor", SPEECH_SINK,
        str(added_ms), str(gain_db), "room" if reverberant else "dry",
        env={**env, "PYTHONPATH": str(_REPOSITORY)},
    )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()


def delay_and_level(
    speaker: Stretch, microphone: Stretch, microphone_hz: int
) -> tuple[float, float]:
    """Seconds by which the microphone hears the loudspeaker later, and the level in dB."""
    step = microphone_hz // RATE_HZ
    low = microphone.samples.astype(np.float64)
    usable = len(low) // step * step
    heard = low[:usable].reshape(-1, step).mean(axis=1)
    lead = round((microphone.begins_at - speaker.begins_at) * RATE_HZ)
    said = _loudest(speaker.samples)
    begin, piece = said
    match = correlate(heard, piece)
    first = begin - lead
    window = match[max(0, first) : first + round(LONGEST_DELAY_S * RATE_HZ)]
    best = int(np.argmax(window)) + max(0, first)
    found = heard[best : best + len(piece)]
    level = 20 * np.log10(max(1e-9, float(np.linalg.norm(found) / np.linalg.norm(piece))))
    return (best - first) / RATE_HZ, level


def _loudest(samples: Samples) -> tuple[int, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """A second of the loudest speech, not at the very end."""
    size = RATE_HZ
    sound = samples.astype(np.float64)
    energy = np.concatenate([[0.0], np.cumsum(sound**2)])
    last = max(1, len(sound) - size - round(LONGEST_DELAY_S * RATE_HZ))
    power = energy[size : size + last] - energy[:last]
    begin = int(np.argmax(power))
    return begin, sound[begin : begin + size]


if __name__ == "__main__":
    main(*sys.argv[1:])
