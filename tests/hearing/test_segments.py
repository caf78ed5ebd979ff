"""The buffer loses no sample of speech, keeps the onset, and never grows without bound."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from speech.hearing.segments import MAX_PIECE_S, PRE_ROLL_S, SegmentBuffer, quietest_cut
from tests.hearing.sounds import RATE_HZ, silence, white

RATE = 1_000  # samples a second: keeps the properties quick


def counted(start: int, count: int) -> bytes:
    return np.arange(start, start + count, dtype=np.int32).astype(np.int16).tobytes()


def test_the_onset_before_the_detector_is_kept() -> None:
    buffer = SegmentBuffer(RATE)
    buffer.append(counted(0, 5_000))
    buffer.speech_started()
    buffer.append(counted(5_000, 300))
    segment = buffer.speech_stopped()
    assert segment[0] == 5_000 - int(PRE_ROLL_S * RATE)
    assert segment[-1] == 5_299
    assert len(segment) == int(PRE_ROLL_S * RATE) + 300


def test_each_segment_starts_empty() -> None:
    buffer = SegmentBuffer(RATE)
    buffer.speech_started()
    buffer.append(counted(0, 100))
    assert len(buffer.speech_stopped()) == 100
    buffer.speech_started()
    assert len(buffer.speech_stopped()) == 0


@settings(deadline=None)
@given(st.lists(st.integers(0, 2_000), max_size=40))
def test_pieces_and_rest_are_the_speech(sizes: list[int]) -> None:
    buffer = SegmentBuffer(RATE)
    buffer.speech_started()
    pieces, fed = [], 0
    for size in sizes:
        piece = buffer.append(counted(fed, size))
        fed += size
        if piece is not None:
            assert len(piece) <= MAX_PIECE_S * RATE + 2_000
            pieces.append(piece)
    whole = np.concatenate([*pieces, buffer.speech_stopped()])
    assert whole.tobytes() == counted(0, fed)


@given(st.lists(st.binary(max_size=301), max_size=30))
def test_odd_sized_chunks_keep_samples_whole(chunks: list[bytes]) -> None:
    buffer = SegmentBuffer(100)
    for chunk in chunks:
        buffer.append(chunk)
    joined = b"".join(chunks)
    buffer.speech_started()
    kept = buffer.speech_stopped().tobytes()
    even = joined[: len(joined) // 2 * 2]
    assert even.endswith(kept)
    assert len(kept) >= min(len(even), int(PRE_ROLL_S * 100) * 2)


def test_the_cut_lies_in_the_pause() -> None:
    audio = np.concatenate([white(10, -20), silence(0.3), white(1, -20)])
    assert 10 * RATE_HZ <= quietest_cut(audio, RATE_HZ) <= 10.3 * RATE_HZ
    assert quietest_cut(silence(0), RATE_HZ) == 0
