"""A peer in real time loses nothing; a faster one gets a bounded share, and in the end the line."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.phone.flood import BURST_S, FLOOD_S, LEAST_S, PACE, Pace, Verdict

PACKET_S = 0.02


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


# Each step: seconds that pass, then seconds of audio in the message.
STEPS = st.lists(st.tuples(st.floats(0, 3), st.floats(0, 10)), max_size=200)


@given(STEPS)
def test_what_is_taken_is_bounded_by_the_time(steps: list[tuple[float, float]]) -> None:
    clock = FakeClock()
    pace, taken, begun = Pace(clock), 0.0, clock.now
    for passed, audio_s in steps:
        clock.now += passed
        if pace.judge(audio_s) is Verdict.TAKE:
            taken += max(audio_s, LEAST_S)
        assert taken <= BURST_S + PACE * (clock.now - begun) + 1e-6


@given(st.lists(st.floats(0, BURST_S - 2 * PACKET_S), min_size=1, max_size=300))
def test_a_late_network_in_real_time_loses_nothing(delays: list[float]) -> None:
    """Packet n is sent at n × 20 ms and comes ``delay`` later, in order."""
    clock = FakeClock()
    pace, begun, arrival = Pace(clock), clock.now, 0.0
    for n, delay in enumerate(delays):
        arrival = max(arrival, begun + n * PACKET_S + delay)
        clock.now = arrival
        assert pace.judge(PACKET_S) is Verdict.TAKE


@pytest.mark.parametrize("faster", [2.0, 10.0, 1_000.0])
def test_a_flood_ends_the_call(faster: float) -> None:
    clock = FakeClock()
    pace, begun, verdicts = Pace(clock), clock.now, [Verdict.TAKE]
    while verdicts[-1] is not Verdict.HANG_UP:
        clock.now += PACKET_S / faster
        verdicts.append(pace.judge(PACKET_S))
    assert Verdict.DROP in verdicts
    assert clock.now - begun < (BURST_S + FLOOD_S) / (faster - PACE) * 1.2 + 1


def test_empty_messages_are_no_way_around_it() -> None:
    pace = Pace(FakeClock())
    verdicts = [pace.judge(0) for _ in range(10_000)]
    assert verdicts[-1] is Verdict.HANG_UP
    assert verdicts.count(Verdict.TAKE) == pytest.approx(BURST_S / LEAST_S, abs=1)


def test_verdicts_only_get_worse_while_no_time_passes() -> None:
    pace = Pace(FakeClock())
    order = [Verdict.TAKE, Verdict.DROP, Verdict.HANG_UP]
    ranks = [order.index(pace.judge(PACKET_S)) for _ in range(2_000)]
    assert all(earlier <= later for earlier, later in pairwise(ranks))


def test_stalls_far_apart_are_forgiven() -> None:
    clock = FakeClock()
    pace = Pace(clock)
    for _ in range(50):
        clock.now += 300
        assert Verdict.HANG_UP not in [pace.judge(PACKET_S) for _ in range(1_000)]


def test_after_a_burst_a_caller_in_real_time_is_heard_again() -> None:
    clock = FakeClock()
    pace = Pace(clock)
    while pace.judge(PACKET_S) is Verdict.TAKE:
        pass
    clock.now += 1
    verdicts = []
    for _ in range(500):
        clock.now += PACKET_S
        verdicts.append(pace.judge(PACKET_S))
    assert set(verdicts) == {Verdict.TAKE}
