"""Audio frames carry every sample once, in order, and no frame is cut or too large."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from speech.wire import (
    MAX_FRAME_BYTES,
    MAX_SAMPLES,
    AudioFrame,
    Code,
    FrameJoiner,
    WireError,
    split,
    split_bytes,
    unpack,
)
from tests.wire.messages import STEADY

numbers = st.integers(0, 2**32 - 1)
runs = st.binary(min_size=2, max_size=64).map(
    lambda data: np.frombuffer(data[: len(data) // 2 * 2], "<i2").astype(np.int16)
)


def ramp(length: int) -> NDArray[np.int16]:
    return (np.arange(length) % 65_536 - 32_768).astype(np.int16)


@STEADY
@given(numbers, numbers, numbers, runs)
def test_a_frame_comes_back(
    unit: int, sequence: int, first_sample: int, samples: NDArray[np.int16]
) -> None:
    frame = AudioFrame(unit, sequence, first_sample, samples)
    assert unpack(frame.pack()) == frame


def test_the_header_is_as_documented() -> None:
    packed = AudioFrame(7, 2, 960, np.array([1, -2], np.int16)).pack()
    assert packed == bytes.fromhex("01 01 0000 07000000 02000000 c0030000 0100 feff")


def test_a_frame_never_begins_as_a_control_message_does() -> None:
    assert AudioFrame(0, 0, 0, np.array([0x7B7B], np.int16)).pack()[:1] != b"{"


@STEADY
@given(st.binary(max_size=64))
@example(b"")
@example(bytes(MAX_FRAME_BYTES + 2))
def test_garbage_is_a_wire_error(data: bytes) -> None:
    with contextlib.suppress(WireError):
        assert unpack(data).pack() == data


@STEADY
@given(numbers, st.data())
def test_every_cut_of_a_frame_is_noticed_or_on_a_sample(unit: int, data: st.DataObject) -> None:
    packed = AudioFrame(unit, 0, 0, ramp(20)).pack()
    cut = packed[: data.draw(st.integers(0, len(packed) - 1))]
    with contextlib.suppress(WireError):
        samples = unpack(cut).samples
        assert np.array_equal(samples, ramp(20)[: len(samples)])


@pytest.mark.parametrize("length", [0, 1, MAX_SAMPLES, MAX_SAMPLES + 1, 3 * MAX_SAMPLES + 5])
def test_a_long_run_is_split_and_joined(length: int) -> None:
    sender, receiver = FrameJoiner(3), FrameJoiner(3)
    sent = [*sender.split(ramp(length)), *sender.split(ramp(10))]
    assert all(len(frame.pack()) <= MAX_FRAME_BYTES for frame in sent)
    got = [receiver.take(unpack(frame.pack())) for frame in sent]
    assert np.array_equal(np.concatenate(got), np.concatenate([ramp(length), ramp(10)]))
    assert sender.samples == receiver.samples == length + 10


def test_a_frame_lost_repeated_or_of_another_unit_is_noticed() -> None:
    frames = list(split(3, 0, 0, ramp(2 * MAX_SAMPLES)))
    joiner = FrameJoiner(3)
    joiner.take(frames[0])
    for wrong in (
        frames[0],
        next(split(4, 1, MAX_SAMPLES, ramp(1))),
        next(split(3, 1, 5, ramp(1))),
    ):
        with pytest.raises(WireError):
            joiner.take(wrong)
    joiner.take(frames[1])


@pytest.mark.parametrize(
    ("packed", "code"),
    [
        ("02 01 0000 01000000 00000000 00000000 0100", Code.WRONG_VERSION),
        ("01 02 0000 01000000 00000000 00000000 0100", Code.BAD_FRAME),
        ("01 01 0100 01000000 00000000 00000000 0100", Code.BAD_FRAME),
        ("01 01 0000 01000000 00000000 00000000", Code.BAD_FRAME),
        ("01 01 0000 01000000 00000000 00000000 01", Code.BAD_FRAME),
        ("00" * (MAX_FRAME_BYTES + 2), Code.OVERSIZE),
    ],
)
def test_each_fault_has_its_code(packed: str, code: Code) -> None:
    with pytest.raises(WireError) as caught:
        unpack(bytes.fromhex(packed))
    assert caught.value.code is code


def test_what_does_not_fit_is_never_sent() -> None:
    for frame in (
        AudioFrame(1, 0, 0, ramp(0)),
        AudioFrame(1, 0, 0, ramp(MAX_SAMPLES + 1)),
        AudioFrame(2**32, 0, 0, ramp(1)),
    ):
        with pytest.raises(ValueError):
            frame.pack()


def test_bare_samples_are_not_cut_in_two() -> None:
    pcm = ramp(50_000).tobytes()
    frames = list(split_bytes(pcm, limit=31_999))
    assert b"".join(frames) == pcm
    assert all(len(frame) % 2 == 0 and len(frame) <= 31_999 for frame in frames)
