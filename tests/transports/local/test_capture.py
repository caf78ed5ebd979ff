"""When the event loop stands still, the oldest microphone audio goes and is counted."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from transports.local.capture import CaptureBuffer


def _block(first: int, frames: int) -> np.ndarray[tuple[int, int], np.dtype[np.int16]]:
    return np.arange(first, first + frames, dtype=np.int16).reshape(frames, 1)


@given(st.lists(st.one_of(st.integers(1, 20), st.none()), max_size=80))
def test_what_is_taken_is_the_newest_and_in_order(steps: list[int | None]) -> None:
    buffer, written, taken = CaptureBuffer(50), 0, 0
    for frames in [*steps, None]:
        if frames is not None:
            buffer.put(_block(written, frames), at=written / 10)
            written += frames
            continue
        blocks = buffer.take()
        got = np.concatenate([b.samples for b in blocks])[:, 0].tolist() if blocks else []
        assert all(block.at == block.samples[0, 0] / 10 for block in blocks)
        assert got == list(range(written - len(got), written))
        taken += len(got)
        assert taken + buffer.dropped == written
    assert buffer.high_water <= 50


def test_the_devices_memory_may_change_afterwards() -> None:
    buffer, block = CaptureBuffer(10), _block(1, 3)
    buffer.put(block, 0.0)
    block[:] = 0
    assert buffer.take()[0].samples[:, 0].tolist() == [1, 2, 3]


def test_a_block_larger_than_the_bound_is_kept_alone() -> None:
    buffer = CaptureBuffer(5)
    buffer.put(_block(0, 3), 0.0)
    buffer.put(_block(3, 8), 0.3)
    assert [len(block.samples) for block in buffer.take()] == [8]
    assert buffer.dropped == 3
