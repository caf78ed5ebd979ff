"""The played position never runs ahead of the device, nor back, and leaves holes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transports.local.playclock import PlayClock

_blocks = st.lists(st.tuples(st.floats(0, 0.5), st.floats(0, 0.1)), max_size=40)


@given(_blocks, st.lists(st.floats(0, 30), max_size=20))
def test_it_only_grows_and_stays_within_what_was_handed_over(
    blocks: list[tuple[float, float]], times: list[float]
) -> None:
    clock, at = PlayClock(), 1.0
    for hole, sound in blocks:
        at += hole
        clock.note(at, sound)
        at += sound
    positions = [clock.played_s(now) for now in sorted(times)]
    assert positions == sorted(positions)
    assert all(0 <= position <= clock.handed_s + 1e-9 for position in positions)
    assert clock.played_s(at + 1.0) == pytest.approx(clock.handed_s)


def test_nothing_is_heard_before_the_latency_has_passed() -> None:
    clock = PlayClock()
    clock.note(10.04, 0.02)
    assert clock.played_s(10.0) == 0.0
    assert clock.played_s(10.05) == pytest.approx(0.01)
    assert clock.silent_at == pytest.approx(10.06)


def test_a_hole_is_not_heard_sound() -> None:
    clock = PlayClock()
    clock.note(1.0, 0.02)
    clock.note(1.5, 0.02)
    assert clock.played_s(1.3) == pytest.approx(0.02)
    assert clock.played_s(1.51) == pytest.approx(0.03)


def test_each_reply_has_its_own_position() -> None:
    clock = PlayClock()
    clock.note(1.0, 0.1, [("r1", 0.0)])
    clock.note(1.1, 0.1, [("r2", 0.04)])
    clock.note(1.2, 0.1)
    assert clock.reply_played_s("r1", 1.05) == pytest.approx(0.05)
    assert clock.reply_played_s("r2", 1.05) == 0.0
    assert clock.reply_played_s("r1", 2.0) == pytest.approx(0.14)
    assert clock.reply_played_s("r2", 2.0) == pytest.approx(0.16)
    assert clock.reply_played_s("unknown", 2.0) == 0.0
    assert PlayClock().reply_played_s("r1", 2.0) == 0.0


def test_a_reply_that_begins_again_goes_on_counting() -> None:
    clock = PlayClock()
    for number, name in enumerate(["r1", "r2", "r1"]):
        clock.note(1.0 + number / 10, 0.1, [(name, 0.0)])
    assert clock.reply_played_s("r1", 2.0) == pytest.approx(0.2)


def test_what_a_device_was_told_to_forget_is_never_heard() -> None:
    clock = PlayClock()
    for number in range(5):
        clock.note(1.0 + number / 10, 0.1, [("r1", 0.0)] if number == 0 else [])
    assert clock.cut(1.25) == pytest.approx(0.25)
    assert clock.played_s(9.0) == pytest.approx(0.25)
    assert clock.silent_at == pytest.approx(1.25)
    clock.note(2.0, 0.1, [("r2", 0.0)])
    assert clock.played_s(9.0) == pytest.approx(0.35)
    assert clock.reply_played_s("r1", 9.0) == pytest.approx(0.25)
    assert clock.reply_played_s("r2", 9.0) == pytest.approx(0.1)


def test_a_cut_before_anything_sounds_leaves_nothing() -> None:
    clock = PlayClock()
    clock.note(1.0, 0.1)
    clock.cut(0.5)
    assert clock.played_s(9.0) == clock.handed_s == 0.0
