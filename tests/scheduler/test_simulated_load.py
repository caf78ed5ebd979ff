"""Under load whoever was admitted hears no gap; a greedy session costs no neighbour anything."""

from __future__ import annotations

import random

import pytest

from speech.scheduler.policy import Policy
from tests.scheduler.simulation import Clock, Device, Session, refused_s

UNITS = (20, 40, 60, 60, 90, 120)
"""Characters: 1.3 to 7.8 s of sound."""


class People:
    """Conversations: a reply of one to three units, some seconds for the user, and so on."""

    def __init__(self, number: int, seed: int, *, limited: bool) -> None:
        self.clock = Clock()
        self.device = Device(self.clock, Policy(), noise=0.1, seed=seed)
        self.sessions = [Session(self.device, within_s=1.0) for _ in range(number)]
        self.refused, self.spoken, self._limited = 0, 0, limited
        self._dice = random.Random(seed)
        for session in self.sessions:
            self.clock.after(self._dice.uniform(0, 5), lambda session=session: self._reply(session))

    def _reply(self, session: Session) -> None:
        units = [self._dice.choice(UNITS) for _ in range(self._dice.choice((1, 1, 2, 2, 3)))]
        wait_s = refused_s(self.device, self.sessions, session, units[0]) if self._limited else 0.0
        if wait_s > 0:
            self.refused += 1
            self.clock.after(max(wait_s, 0.2), lambda: self._reply(session))
            return
        self.spoken += 1
        self.device.costs.learn_turn(session.listener.turn_s)
        session.speak(units[0])
        for number, characters in enumerate(units[1:], 1):  # they come at 200 characters a second
            said_after_s = sum(units[:number]) / 200
            self.clock.after(said_after_s, lambda characters=characters: session.speak(characters))
        self.clock.after(1.0, lambda: self._listen(session))

    def _listen(self, session: Session) -> None:
        if session.queue or session.listener.sounds(self.clock.now):
            self.clock.after(0.1, lambda: self._listen(session))
        else:
            self.clock.after(self._dice.uniform(4, 10), lambda: self._reply(session))

    @property
    def gaps_s(self) -> list[float]:
        return [gap for session in self.sessions for gap in session.gaps_s]

    @property
    def first_audio_s(self) -> list[float]:
        return sorted(first for session in self.sessions for first in session.first_audio_s)


@pytest.mark.parametrize("seed", range(4))
def test_two_conversations_never_wait(seed: int) -> None:
    people = People(2, seed, limited=False)
    people.clock.run(300)
    assert people.spoken > 30
    assert sum(people.gaps_s) < 0.15
    assert people.first_audio_s[int(0.95 * len(people.first_audio_s))] < 1.0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("number", [4, 7])
def test_beyond_capacity_there_are_refusals_not_gaps(number: int, seed: int) -> None:
    limited, unlimited = People(number, seed, limited=True), People(number, seed, limited=False)
    for people in (limited, unlimited):
        people.clock.run(200)
    assert limited.refused > 0
    assert limited.spoken > 40
    assert sum(limited.gaps_s) < 0.15  # in minutes of speech, computed 10 % slower or faster
    assert sum(unlimited.gaps_s) > 20 * sum(limited.gaps_s)
    assert limited.first_audio_s[-1] < 1.2


@pytest.mark.parametrize("units", [1, 100])
def test_a_session_that_queues_a_hundred_units_delays_its_neighbour_no_more_than_one(
    units: int,
) -> None:
    people = People(1, 5, limited=False)
    greedy = Session(people.device, within_s=1.0)

    def again() -> None:
        for _ in range(units - len(greedy.queue)):
            greedy.speak(90)
        people.clock.after(1.0, again)

    again()
    people.clock.run(300)
    assert people.gaps_s == []
    assert people.first_audio_s[-1] < 1.0
    assert len(greedy.queue) == units
    assert len(people.device.policy.waiting(greedy.listener)) <= 1


def test_a_session_that_closes_frees_the_device_within_a_job() -> None:
    people = People(0, 1, limited=False)
    leaving, staying = Session(people.device), Session(people.device)
    leaving.speak(120)
    staying.speak(60)
    people.clock.run(1.0)
    leaving.close()
    ran = len(people.device.ran)
    people.clock.run(30.0)
    late = [job.listener for job in people.device.ran[ran:]]
    assert leaving.listener not in late
    assert late.count(staying.listener) > 0


def test_a_hundred_sessions_at_once_are_all_served_in_the_end() -> None:
    people = People(0, 1, limited=False)
    sessions = [Session(people.device) for _ in range(100)]
    for session in sessions:
        session.speak(40)
    people.clock.run(300)
    assert all(session.queue == [] for session in sessions)
    assert people.device.policy.waiting() == []
