"""A listener hears a gap exactly where the next piece comes after the last one has ended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.playback import Arrival, Gap, play, real_time_factor


@pytest.mark.parametrize(
    ("arrivals", "gaps", "least_lead_s"),
    [
        ([], (), None),
        ([(5, 1, 0)], (), None),
        ([(1, 2, 0), (2, 2, 0)], (), 1),
        ([(1, 1, 0), (2, 1, 0)], (), 0),
        ([(1, 1, 0), (2.5, 1, 0)], (Gap(2, 0.5, 0, False),), -0.5),
        ([(1, 1, 0), (3, 1, 1)], (Gap(2, 1, 1, True),), -1),
        # The player's clock starts anew after a gap: the third piece is late by its own measure.
        (
            [(0, 1, 0), (2, 1, 1), (4, 1, 1)],
            (Gap(1, 1, 1, True), Gap(3, 1, 1, False)),
            -1,
        ),
        # What came early covers what comes late.
        ([(0, 5, 0), (0.1, 5, 0), (9, 1, 1)], (), 1),
        # Within what a device's block hides.
        ([(0, 1, 0), (1.0005, 1, 0)], (), -0.0005),
    ],
)
def test_gaps(
    arrivals: list[tuple[float, float, int]], gaps: tuple[Gap, ...], least_lead_s: float | None
) -> None:
    playback = play([Arrival(*arrival) for arrival in arrivals])
    assert playback.gaps == gaps
    assert playback.least_lead_s == pytest.approx(least_lead_s)


pieces = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=20)


@given(pieces)
def test_nothing_is_lost_and_nothing_overlaps(steps: list[tuple[int, int]]) -> None:
    at, arrivals = 0, []
    for wait, length in steps:
        at += wait
        arrivals.append(Arrival(at, length))
    playback = play(arrivals)
    silent = sum(gap.length_s for gap in playback.gaps)
    sound = sum(piece.audio_s for piece in arrivals)
    # Played from the first arrival on, it never ends before the last piece is heard.
    assert arrivals[0].at_s + sound + silent >= arrivals[-1].at_s + arrivals[-1].audio_s
    assert (playback.least_lead_s or 0) >= -max((g.length_s for g in playback.gaps), default=0)


def test_real_time_factor() -> None:
    assert real_time_factor([Arrival(1.5, 2), Arrival(2, 2)], begun_s=0.0) == 0.5
    assert real_time_factor([Arrival(1, 0)], begun_s=0.0) is None
