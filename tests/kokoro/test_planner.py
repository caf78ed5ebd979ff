"""A unit's chunks tile it, the first is small, and the sound never runs out while there is time."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speech.kokoro.planner import (
    FIRST_FRAMES,
    LONGEST_FRAMES,
    ChunkPlanner,
    Playout,
    SpeedModel,
)
from speech.kokoro.streaming import CONTEXT_FRAMES, FRAME_RATE_HZ

HERE = (0.010, 0.0035)
"""Seconds a run and a frame, two cores of an AVX-512 machine (kokoro-streaming.md)."""
REAL_TIME = 1 / FRAME_RATE_HZ

lengths = st.integers(1, 3_300)
runs = st.floats(0.0, 0.02)
"""Seconds a chunk costs however small it is."""


def taught(per_run: float, per_frame: float) -> SpeedModel:
    speed = SpeedModel()
    for frames in (24, 32, 104, 144):
        speed.learn(frames, per_run + per_frame * frames)
    return speed


@dataclass
class FakeMachine:
    """Computes chunks in their order and plays them as soon as it can, on a virtual clock."""

    per_run: float
    per_frame: float
    jitter: float = 0.0
    front_s: float = 0.0
    now: float = 0.0
    plays_until: float | None = None
    gaps: list[tuple[float, int]] = field(default_factory=list)
    """Seconds, and the frame it was before."""

    def __post_init__(self) -> None:
        self.speed = taught(self.per_run, self.per_frame)
        self.playout = Playout()
        self.dice = random.Random(1)

    def speak(self, frames: int) -> list[tuple[int, int]]:
        planner = ChunkPlanner(frames, self.speed, playout=self.playout)
        self.now += self.front_s
        chunks = []
        while (chunk := planner.next(self.now)) is not None:
            chunks.append(chunk)
            self._compute(*chunk, frames)
            planner.delivered(chunk[1], self.now)
        return chunks

    def _compute(self, start: int, stop: int, frames: int) -> None:
        width = min(frames, stop + CONTEXT_FRAMES) - max(0, start - CONTEXT_FRAMES)
        cost = self.per_run + self.per_frame * width
        cost *= 1 + self.jitter * self.dice.uniform(-1, 1)
        self.speed.learn(width, cost)
        self.now += cost
        if self.plays_until is not None and self.now > self.plays_until + 1e-9:
            self.gaps.append((self.now - self.plays_until, start))
        self.plays_until = max(self.now, self.plays_until or 0.0) + (stop - start) / FRAME_RATE_HZ


def sizes(chunks: list[tuple[int, int]]) -> list[int]:
    return [stop - start for start, stop in chunks]


class TestTiling:
    @given(lengths, runs, st.floats(1e-5, 0.1), st.floats(0.0, 0.9))
    def test_chunks_are_the_unit_in_order_whatever_the_speed(
        self, frames: int, per_run: float, per_frame: float, jitter: float
    ) -> None:
        chunks = FakeMachine(per_run, per_frame, jitter).speak(frames)
        assert (chunks[0][0], chunks[-1][1]) == (0, frames)
        assert all(before[1] == after[0] for before, after in pairwise(chunks))
        assert all(min(FIRST_FRAMES, frames) <= size <= LONGEST_FRAMES for size in sizes(chunks))

    @given(st.integers(0, 50), lengths)
    def test_a_skipped_beginning_is_left_out(self, start: int, more: int) -> None:
        planner = ChunkPlanner(start + more, taught(*HERE), start=start)
        first = planner.next(0.0)
        assert first is not None
        assert first[0] == start

    def test_nothing_of_nothing(self) -> None:
        assert ChunkPlanner(0, SpeedModel()).next(0.0) is None

    @given(lengths, runs, st.floats(1e-5, 0.1))
    def test_the_same_twice_is_the_same(self, frames: int, run: float, per_frame: float) -> None:
        assert FakeMachine(run, per_frame).speak(frames) == FakeMachine(run, per_frame).speak(
            frames
        )


class TestFirstChunk:
    @given(st.integers(2 * FIRST_FRAMES, 3_300), runs, st.floats(1e-5, REAL_TIME))
    def test_is_200_ms_where_such_chunks_keep_up(
        self, frames: int, per_run: float, per_frame: float
    ) -> None:
        small = per_run + per_frame * (FIRST_FRAMES + 2 * CONTEXT_FRAMES)
        if small > 0.8 * FIRST_FRAMES * REAL_TIME:
            return
        assert sizes(FakeMachine(per_run, per_frame).speak(frames))[0] == FIRST_FRAMES

    @pytest.mark.parametrize("frames", [1, 15, 16, 31])
    def test_is_the_unit_if_that_is_short(self, frames: int) -> None:
        assert FakeMachine(*HERE).speak(frames) == [(0, frames)]

    def test_is_larger_where_the_machine_is_slower(self) -> None:
        firsts = [sizes(FakeMachine(0.01, rtf * REAL_TIME).speak(640))[0]
                  for rtf in (0.3, 0.5, 0.65, 0.8, 1.2)]  # fmt: skip
        assert firsts == sorted(firsts)
        assert firsts[0] == FIRST_FRAMES
        assert firsts[-1] == LONGEST_FRAMES

    def test_makes_up_for_silence_that_will_be_cut_off(self) -> None:
        speed = taught(0.010, 0.0045)
        assert ChunkPlanner(640, speed).next(0.0) == (0, 16)
        assert ChunkPlanner(640, speed, silent_frames=8).next(0.0) == (0, 24)

    def test_is_larger_while_the_unit_before_sounds(self) -> None:
        playout = Playout()
        playout.add(2.0, now=10.0)
        planner = ChunkPlanner(640, taught(*HERE), playout=playout)
        assert planner.next(10.5) == (0, LONGEST_FRAMES)


class TestSound:
    @given(lengths, runs, st.floats(1e-5, 0.8 * REAL_TIME))
    def test_never_runs_out_on_a_machine_faster_than_08_of_real_time(
        self, frames: int, per_run: float, per_frame: float
    ) -> None:
        machine = FakeMachine(per_run, per_frame)
        machine.speak(frames)
        assert machine.gaps == []

    @given(st.integers(1, 320), st.floats(0.8 * REAL_TIME, 1.1 * REAL_TIME))
    def test_nor_on_a_slower_one_in_4_seconds(self, frames: int, per_frame: float) -> None:
        machine = FakeMachine(0.01, per_frame)
        machine.speak(frames)
        assert machine.gaps == []

    @pytest.mark.parametrize("frames", [200, 640, 3_000])
    def test_does_not_run_out_when_chunks_take_up_to_30_percent_longer(self, frames: int) -> None:
        machine = FakeMachine(*HERE, jitter=0.3)
        machine.speak(frames)
        assert machine.gaps == []

    def test_chunks_grow_to_the_longest(self) -> None:
        assert sizes(FakeMachine(*HERE).speak(800)) == [
            16, 16, 32, 80, 128, 128, 128, 128, 128, 16,
        ]  # fmt: skip

    def test_after_a_gap_it_begins_anew(self) -> None:
        planner = ChunkPlanner(640, taught(*HERE))
        for now in (0.0, 0.2):
            chunk = planner.next(now)
            assert chunk is not None
            planner.delivered(chunk[1], now)
        assert planner.next(9.0) == (32, 48)

    def test_on_a_machine_slower_than_sound_gaps_are_few(self) -> None:
        machine = FakeMachine(0.01, 1.04 * REAL_TIME)
        machine.speak(800)
        assert len(machine.gaps) <= 3
        assert all(seconds < 0.3 for seconds, _ in machine.gaps)

    def test_chunks_not_yet_handed_on_count_as_sound(self) -> None:
        planner = ChunkPlanner(640, taught(*HERE))
        first = [planner.next(0.0) for _ in range(4)]
        assert first == [(0, 16), (16, 32), (32, 88), (88, 216)]


class TestQueue:
    """Units back to back: 0.36 s and 0.5 ms a phoneme for each before its first chunk."""

    @staticmethod
    def queue(seconds: int, rtf: float) -> FakeMachine:
        """The whole of a unit takes ``rtf`` of its sound when computed in the longest chunks."""
        frames = seconds * FRAME_RATE_HZ
        front_s = 0.36 + 0.0005 * 16 * seconds
        chunks = -(-frames // LONGEST_FRAMES)
        computed = frames + 2 * CONTEXT_FRAMES * (chunks - 1)
        per_frame = (rtf * seconds - front_s - 0.01 * chunks) / computed
        machine = FakeMachine(0.01, per_frame, front_s=front_s)
        for _ in range(12):
            machine.speak(frames)
        return machine

    @pytest.mark.parametrize("seconds", [1, 2, 4, 8])
    @pytest.mark.parametrize("rtf", [0.6, 0.7])
    def test_no_gap_below_08_of_real_time(self, seconds: int, rtf: float) -> None:
        assert self.queue(seconds, rtf).gaps == []

    @pytest.mark.parametrize("seconds", [4, 8])
    def test_nor_at_08_between_long_units(self, seconds: int) -> None:
        assert self.queue(seconds, 0.8).gaps == []

    @pytest.mark.parametrize("seconds", [1, 2])
    def test_short_units_at_08_are_less_than_100_ms_late_and_whole(self, seconds: int) -> None:
        gaps = self.queue(seconds, 0.8).gaps
        assert all(late < 0.1 and before == 0 for late, before in gaps)

    @pytest.mark.parametrize("seconds", [1, 2, 4, 8])
    @pytest.mark.parametrize(("rtf", "latest"), [(0.9, 0.15), (1.0, 0.4)])
    def test_above_only_the_pauses_between_units_grow(
        self, seconds: int, rtf: float, latest: float
    ) -> None:
        gaps = self.queue(seconds, rtf).gaps
        assert all(late < latest and before == 0 for late, before in gaps)


class TestPlayout:
    def test_a_pause_of_the_sound_is_not_owed(self) -> None:
        playout = Playout()
        assert playout.ahead_s(5.0) == 0.0
        playout.add(1.0, now=5.0)
        assert playout.ahead_s(5.25) == 0.75
        assert playout.ahead_s(7.0) == 0.0
        playout.add(1.0, now=7.0)
        assert playout.ahead_s(7.5) == 0.5

    def test_what_was_thrown_away_is_not_ahead(self) -> None:
        playout = Playout()
        playout.add(1.0, now=5.0)
        playout.clear()
        assert playout.ahead_s(5.0) == 0.0


class TestSpeedModel:
    @given(st.floats(0.0, 0.1), st.floats(1e-4, 0.05), st.sampled_from([32, 80, 112, 144]))
    def test_finds_the_cost_of_a_run_and_of_a_frame(
        self, per_run: float, per_frame: float, frames: int
    ) -> None:
        expected = per_run + per_frame * frames
        assert taught(per_run, per_frame).seconds(frames) == pytest.approx(expected, rel=1e-3)

    @given(st.lists(st.floats(0.0, 60.0), max_size=4), st.booleans())
    def test_up_to_four_wild_chunks_change_little(self, wild: list[float], small: bool) -> None:
        speed = SpeedModel()
        for _ in range(9):
            speed.learn(32, 0.122)
            speed.learn(144, 0.514)
        for seconds in wild:
            speed.learn(32 if small else 144, seconds)
        assert speed.seconds(64) == pytest.approx(0.234, rel=0.01)

    def test_follows_a_machine_that_has_become_slower(self) -> None:
        speed = taught(*HERE)
        for _ in range(5):
            speed.learn(144, 1.0)
        assert speed.seconds(144) == pytest.approx(1.0)

    @pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
    def test_learns_nothing_from_nonsense(self, seconds: float) -> None:
        speed = taught(*HERE)
        speed.learn(144, seconds)
        speed.learn(0, 0.1)
        assert speed.seconds(144) == pytest.approx(0.514)

    def test_with_chunks_of_one_size_only_the_rest_is_in_proportion(self) -> None:
        speed = SpeedModel()
        speed.learn(32, 0.16)
        assert speed.seconds(64) == pytest.approx(0.32)
