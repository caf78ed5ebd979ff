"""Audio in binary frames: a fixed header, then samples."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from speech.wire.errors import Code, WireError
from speech.wire.fields import VERSION

MAX_FRAME_BYTES = 32_000
"""Header included. AgentCore carries 32 kB a frame, whichever kilobyte is meant."""

HEADER = struct.Struct("<BBHIII")
"""Little-endian: version, kind, reserved (0), unit number, sequence, first sample."""

AUDIO = 1
"""The one kind there is: PCM16LE, mono, at the session's rate."""

MAX_SAMPLES = (MAX_FRAME_BYTES - HEADER.size) // 2
LARGEST = 2**32 - 1


@dataclass(frozen=True, slots=True, eq=False)
class AudioFrame:
    """A run of int16 mono samples of unit ``unit``, at the session's rate.

    ``sequence`` counts the unit's frames from 0, ``first_sample`` its samples; frames of a
    unit are contiguous. At least one sample and at most ``MAX_SAMPLES``.
    """

    unit: int
    sequence: int
    first_sample: int
    samples: NDArray[np.int16]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AudioFrame):
            return NotImplemented
        return self.pack() == other.pack()

    def __hash__(self) -> int:
        return hash((self.unit, self.sequence))

    def pack(self) -> bytes:
        """The frame as it is sent. Raises ``ValueError`` for numbers that do not fit."""
        numbers = (self.unit, self.sequence, self.first_sample)
        if not all(0 <= number <= LARGEST for number in numbers):
            raise ValueError("a unit, sequence or sample number does not fit in 32 bits")
        if not 1 <= len(self.samples) <= MAX_SAMPLES:
            raise ValueError(f"a frame carries 1 to {MAX_SAMPLES} samples")
        return HEADER.pack(VERSION, AUDIO, 0, *numbers) + self.samples.astype("<i2").tobytes()


def unpack(data: bytes) -> AudioFrame:
    """The frame that ``data`` is. Raises ``WireError`` (bad_frame, wrong_version, oversize)."""
    if len(data) > MAX_FRAME_BYTES:
        raise WireError(Code.OVERSIZE, f"A frame may have {MAX_FRAME_BYTES} bytes.")
    if len(data) <= HEADER.size or (len(data) - HEADER.size) % 2:
        raise WireError(Code.BAD_FRAME, "The frame is cut in its header or in a sample.")
    version, kind, reserved, unit, sequence, first_sample = HEADER.unpack_from(data)
    if version != VERSION:
        raise WireError(Code.WRONG_VERSION, f"A frame of version {version}, not {VERSION}.")
    if kind != AUDIO or reserved:
        raise WireError(Code.BAD_FRAME, "The frame is of an unknown kind.")
    samples = np.frombuffer(data, "<i2", offset=HEADER.size).astype(np.int16)
    return AudioFrame(unit, sequence, first_sample, samples)


def split(
    unit: int, sequence: int, first_sample: int, samples: NDArray[np.int16]
) -> Iterator[AudioFrame]:
    """Frames that carry ``samples``, the first one with this sequence and first sample."""
    for number, start in enumerate(range(0, len(samples), MAX_SAMPLES)):
        run = samples[start : start + MAX_SAMPLES]
        yield AudioFrame(unit, sequence + number, first_sample + start, run)


class FrameJoiner:
    """Checks that a unit's frames come whole and in order, and numbers those that are sent."""

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.sequence = 0
        self.samples = 0

    def split(self, samples: NDArray[np.int16]) -> Iterator[AudioFrame]:
        """The frames that carry the unit's next samples."""
        for frame in split(self.unit, self.sequence, self.samples, samples):
            self._count(frame)
            yield frame

    def take(self, frame: AudioFrame) -> NDArray[np.int16]:
        """The samples of the unit's next frame. Raises ``WireError`` (bad_frame)."""
        expected = (self.unit, self.sequence, self.samples)
        if (frame.unit, frame.sequence, frame.first_sample) != expected:
            raise WireError(
                Code.BAD_FRAME,
                f"Frame {frame.sequence} of unit {frame.unit} at sample {frame.first_sample} "
                "is not the one that is next (%d of %d at %d)."
                % (self.sequence, self.unit, self.samples),
            )
        self._count(frame)
        return frame.samples

    def _count(self, frame: AudioFrame) -> None:
        self.sequence += 1
        self.samples += len(frame.samples)


def split_bytes(pcm: bytes, limit: int = MAX_FRAME_BYTES) -> Iterator[bytes]:
    """Version 0: bare PCM16LE in frames of at most ``limit`` bytes, no sample cut in two."""
    step = limit - limit % 2
    for start in range(0, len(pcm), step):
        yield pcm[start : start + step]
