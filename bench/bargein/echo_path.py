"""Feeds the loudspeaker back into the microphone, in real time and in a process of its own.

    python -m bench.bargein.echo_path SPEAKER_MONITOR SPEECH_SINK DELAY_MS GAIN_DB dry|room

``DELAY_MS`` is what is added to the sound server's own delay. Runs until it is ended. Sound
that could not be copied in time is dropped, so that the delay stays what it was.
"""

from __future__ import annotations

import asyncio
import fcntl
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path as File
from typing import IO

import numpy as np

from bench.bargein.align import Samples, correlate
from bench.bargein.room import Path, response
from bench.soundcard.recorder import PROMPT, Stretch
from bench.soundcard.virtual_card import SPEAKER, SPEECH_SINK
from speech.audio.resample import resample

RATE_HZ = 24_000
BLOCK = RATE_HZ // 100
_BLOCK_BYTES = 2 * BLOCK
_MOST_BLOCKS = 3
_PIPE_BYTES = 4_096
"""The least a pipe holds: 85 ms that can wait for the player."""
END_TIMEOUT_S = 5.0
LONGEST_DELAY_S = 0.6
_REPOSITORY = File(__file__).parents[2]
_FORMAT = ["--raw", "--format=s16le", "--channels=1", f"--rate={RATE_HZ}", "--latency-msec=10"]


def main(monitor: str, sink: str, delay_ms: str, gain_db: str, room: str) -> None:
    """Copy until the recorder ends."""
    taps = response(RATE_HZ, float(gain_db), reverberant=room == "room")
    path = Path(taps, round(float(delay_ms) / 1000 * RATE_HZ), BLOCK)
    recorder = subprocess.Popen(
        [*PROMPT, "parec", "-d", monitor, *_FORMAT], stdout=subprocess.PIPE, bufsize=0
    )
    player = subprocess.Popen(
        [*PROMPT, "pacat", "--playback", "-d", sink, *_FORMAT], stdin=subprocess.PIPE, bufsize=0
    )

    def ended(*_: object) -> None:
        recorder.terminate()
        player.terminate()

    signal.signal(signal.SIGTERM, ended)
    assert recorder.stdout is not None
    assert player.stdin is not None
    fcntl.fcntl(player.stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    while block := _next(recorder.stdout):
        echo = path.process(np.frombuffer(block, np.int16).astype(np.float64))
        try:
            player.stdin.write(np.rint(np.clip(echo, -32_768, 32_767)).astype("<i2").tobytes())
        except BrokenPipeError:
            recorder.terminate()
    recorder.wait()
    player.terminate()
    player.wait()


def _next(stream: IO[bytes]) -> bytes:
    """The next whole block, the newest where several wait; empty at the end."""
    while _waiting(stream) > _MOST_BLOCKS * _BLOCK_BYTES:
        stream.read(_BLOCK_BYTES)
    data = b""
    while len(data) < _BLOCK_BYTES:
        piece = stream.read(_BLOCK_BYTES - len(data))
        if not piece:
            return b""
        data += piece
    return data


def _waiting(stream: IO[bytes]) -> int:
    """Bytes in the pipe."""
    return int(struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, b"\0" * 4))[0])


@asynccontextmanager
async def echoing(
    env: Mapping[str, str], added_ms: float, gain_db: float, *, reverberant: bool
) -> AsyncIterator[None]:
    """The loudspeaker is heard by the microphone in this block."""
    process = await asyncio.create_subprocess_exec(
        *PROMPT, sys.executable, "-m", "bench.bargein.echo_path", f"{SPEAKER}.monitor", SPEECH_SINK,
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
) -> tuple[float, float] | None:
    """Seconds by which the microphone hears the loudspeaker later, and the level in dB.

    The delay is that of the direct sound; None where too little was said to tell.
    """
    if len(speaker.samples) < 3 * RATE_HZ:
        return None
    heard = resample(microphone.samples, microphone_hz, RATE_HZ).astype(np.float64)
    lead = round((microphone.begins_at - speaker.begins_at) * RATE_HZ)
    begin, piece = _loudest(speaker.samples)
    first = max(0, begin - lead)
    match = correlate(heard, piece)[first : first + round(LONGEST_DELAY_S * RATE_HZ)]
    if not match.size:
        return None
    best = first + int(np.argmax(match))
    found = heard[best : best + len(piece)]
    level_db = 20 * np.log10(max(1e-9, float(np.linalg.norm(found) / np.linalg.norm(piece))))
    return (best - begin + lead) / RATE_HZ, float(level_db)


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
