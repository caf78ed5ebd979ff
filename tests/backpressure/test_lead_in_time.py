"""Guards: the configured lead makes no hole that a voice without a bound would not make."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.config.voice import TtsSettings
from speech.kokoro.planner import FIRST_FRAMES, ChunkPlanner, Playout, SpeedModel
from speech.kokoro.streaming import FRAME_RATE_HZ
from speech.lead import Lead

DEFAULT_S = TtsSettings().lead_s
NO_BOUND_S = 1e9
PART_S = 0.2
FRONT_SHARE = 0.1
"""Of a unit's computation: its phonemes, durations and style, before the first chunk."""


@dataclass
class Machine:
    """A voice of one conversation in virtual time. ``others_s``: before each of its chunks the
    model is busy so long with another conversation's."""

    per_frame_s: float
    others_s: float = 0.0
    now: float = 0.0
    silent_s: float = field(default=0.0, init=False)
    _heard_from: float | None = field(default=None, init=False)
    _end: float = field(default=0.0, init=False)
    _total: float = field(default=0.0, init=False)

    def played(self) -> float:
        return self._total - max(0.0, self._end - self.now)

    def play(self, seconds: float) -> None:
        if self._heard_from is None:
            self._heard_from = self._end = self.now
        self.silent_s += max(0.0, self.now - self._end)
        self._end = max(self._end, self.now) + seconds
        self._total += seconds

    def speak(self, units_s: list[float], lead_s: float) -> float:
        """Speak the units as the session and the service do; seconds of holes between sounds."""
        lead = Lead(lead_s, self.played, lambda: self.now)
        speed, playout = SpeedModel(self.per_frame_s), Playout()
        for unit_s in units_s:
            self._wait(lead)
            self.now += FRONT_SHARE * unit_s * self.per_frame_s * FRAME_RATE_HZ
            frames = max(FIRST_FRAMES, round(unit_s * FRAME_RATE_HZ))
            planner = ChunkPlanner(frames, speed, playout=playout)
            plan = planner.next(self.now)
            ready = self.now + self._cost(speed, plan, frames)
            while plan is not None:
                self.now = max(self.now, ready)
                planner.delivered(plan[1], self.now)
                start, stop = plan
                plan = planner.next(self.now)
                ready = self.now + self._cost(speed, plan, frames)  # while this one is handed on
                self._hand_on((stop - start) / FRAME_RATE_HZ, lead)
        return self.silent_s

    def _hand_on(self, seconds: float, lead: Lead) -> None:
        while seconds > 0:
            part_s = min(PART_S, seconds)
            lead.made(part_s)
            self.play(part_s)
            self._wait(lead)
            seconds -= PART_S

    def _wait(self, lead: Lead) -> None:
        while (wait_s := lead.wait_s()) > 0:
            self.now += wait_s

    def _cost(self, speed: SpeedModel, plan: tuple[int, int] | None, frames: int) -> float:
        if plan is None:
            return 0.0
        return self.others_s + speed.seconds(speed.width(*plan, frames))


UNITS = st.lists(st.floats(0.8, 16.0), min_size=1, max_size=12)


def holes(units_s: list[float], lead_s: float, share: float, others_s: float = 0.0) -> float:
    return Machine(share / FRAME_RATE_HZ, others_s).speak(units_s, lead_s)


@pytest.mark.parametrize(("share", "others_s"), [(0.3, 0.0), (0.55, 0.0), (0.7, 0.0), (0.3, 0.6)])
@settings(deadline=None, max_examples=40)
@given(units_s=UNITS)
def test_the_default_is_as_good_as_no_bound(
    share: float, others_s: float, units_s: list[float]
) -> None:
    assert holes(units_s, DEFAULT_S, share, others_s) <= (
        holes(units_s, NO_BOUND_S, share, others_s) + 1e-6
    )


def test_the_simulation_knows_a_lead_that_is_too_short() -> None:
    assert holes([16.0] * 4, 0.2, 0.55) > holes([16.0] * 4, NO_BOUND_S, 0.55)
