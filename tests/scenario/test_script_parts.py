"""The scripted microphone and speaker book every sample at the moment it is heard."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transports.script.microphone import MAX_PENDING_S, ScriptedMicrophone
from transports.script.recording import audible_span
from transports.script.speaker import FADE_S, VirtualSpeaker
from transports.script.track import Track

RATE_HZ = 1_000


class FakeClock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def loud(count: int, value: int = 1_000) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.full(count, value, np.int16)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def speaker(clock: FakeClock) -> VirtualSpeaker:
    return VirtualSpeaker(Track(RATE_HZ, 10.0), clock, origin=50.0)


def test_audio_is_played_now_or_behind_what_is_queued(
    clock: FakeClock, speaker: VirtualSpeaker
) -> None:
    clock.now = 50.5
    assert speaker.write(loud(100), "r") == pytest.approx(50.5)
    assert speaker.write(loud(100), "r") == pytest.approx(50.6)
    clock.now = 51.0
    assert speaker.write(loud(10), "r") == pytest.approx(51.0)
    samples = speaker.track.samples
    assert audible_span(samples, 0, len(samples)) == (500, 1009)
    assert not samples[700:1000].any()


def test_a_hole_in_a_reply_is_an_underrun_and_one_between_replies_is_not(
    clock: FakeClock, speaker: VirtualSpeaker
) -> None:
    speaker.write(loud(100), "r", continues=False)
    clock.now = 50.3
    speaker.write(loud(100), "r")
    assert (speaker.underruns, speaker.underrun_s) == (1, pytest.approx(0.2))
    clock.now = 51.0
    speaker.write(loud(100), "s", continues=False)
    assert speaker.underruns == 1


def test_a_cut_fades_and_drops_what_was_not_played(
    clock: FakeClock, speaker: VirtualSpeaker
) -> None:
    speaker.write(loud(100), "r")
    clock.now = 50.04
    assert speaker.flush() == 60
    samples = speaker.track.samples
    fade = round(FADE_S * RATE_HZ)
    assert (samples[:40] == 1_000).all()
    assert list(samples[40 : 40 + fade]) == sorted(samples[40 : 40 + fade], reverse=True)
    assert not samples[40 + fade :].any()
    assert speaker.played_s("r") == pytest.approx(0.04)
    assert speaker.write(loud(10), "s") == pytest.approx(50.04)


def test_a_cut_spares_what_may_not_be_interrupted(
    clock: FakeClock, speaker: VirtualSpeaker
) -> None:
    speaker.write(loud(50), "r")
    speaker.write(loud(50, 2_000), "goodbye", interruptible=False)
    clock.now = 50.01
    assert speaker.flush() == 40
    assert (speaker.track.samples[50:100] == 2_000).all()
    assert speaker.end_s == pytest.approx(50.1)


def test_a_cut_of_nothing_and_a_second_one_change_nothing(
    clock: FakeClock, speaker: VirtualSpeaker
) -> None:
    assert speaker.flush() == 0
    speaker.write(loud(100), "r")
    clock.now = 50.05
    speaker.flush()
    assert speaker.flush() == 0
    clock.now = 60.0
    assert speaker.flush() == 0


@given(st.lists(st.tuples(st.integers(1, 200), st.floats(0, 0.3), st.booleans()), max_size=20))
def test_no_sample_is_played_twice_or_before_its_time(steps: list[tuple[int, float, bool]]) -> None:
    clock = FakeClock()
    speaker = VirtualSpeaker(Track(RATE_HZ, 100.0), clock, origin=50.0)
    for count, pause, cut in steps:
        at = speaker.write(loud(count), "r")
        assert at >= clock.now - 1 / RATE_HZ
        clock.now += pause
        if cut:
            speaker.flush()
    spans = speaker.spans
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert all(span.start < span.end for span in spans)


def test_a_track_keeps_no_more_than_its_bound_and_counts_the_rest() -> None:
    track = Track(RATE_HZ, max_s=1.0)
    track.place(900, loud(200))
    assert (len(track), track.truncated) == (1_000, 100)
    track.place(5_000, loud(10))
    assert (len(track), track.truncated) == (1_000, 110)


def test_a_clip_is_given_at_its_time_or_at_once_where_that_is_past() -> None:
    microphone = ScriptedMicrophone(RATE_HZ)
    assert microphone.add(loud(10), 0.03).start == 30
    first = microphone.read(20)
    assert not first.any()
    assert microphone.add(loud(5), 0.0).start == 20
    assert list(np.flatnonzero(microphone.read(30))) == [*range(5), *range(10, 20)]


def test_clips_that_overlap_are_added_and_clipped() -> None:
    microphone = ScriptedMicrophone(RATE_HZ)
    microphone.add(loud(4, 30_000), 0.0)
    microphone.add(loud(2, 30_000), 0.002)
    assert list(microphone.read(4)) == [30_000, 30_000, 32_767, 32_767]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_any_split_into_frames_gives_the_same_samples(sizes: list[int]) -> None:
    clip = np.arange(1, 301, dtype=np.int16)
    microphone = ScriptedMicrophone(RATE_HZ)
    microphone.add(clip, 0.05)
    got = np.concatenate([microphone.read(size) for size in sizes])
    whole = np.concatenate([np.zeros(50, np.int16), clip, np.zeros(1_500, np.int16)])
    assert (got == whole[: len(got)]).all()


def test_more_speech_than_the_bound_is_refused() -> None:
    microphone = ScriptedMicrophone(RATE_HZ)
    microphone.add(loud(int(MAX_PENDING_S * RATE_HZ)), 0.0)
    with pytest.raises(ValueError, match="wait to be played"):
        microphone.add(loud(1), 0.0)
