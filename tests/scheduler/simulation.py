"""Sessions, listeners and one device on a virtual clock, with the real policy and planner."""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from speech.kokoro.costs import Costs
from speech.kokoro.planner import FIRST_FRAMES, ChunkPlanner, Playout, SpeedModel
from speech.kokoro.streaming import FRAME_RATE_HZ
from speech.scheduler.admission import Outlook, wait_s
from speech.scheduler.listener import Listener
from speech.scheduler.policy import Job, Policy, Share, Wait

LOOP_S = 0.001
"""A session's answer to a finished job takes a turn of the event loop."""
PER_PHONEME_S, PER_RUN_S, PER_FRAME_S = 0.0015, 0.01, 0.0035
"""Two cores with VNNI: a real-time factor of 0.3 to 0.4."""
S_PER_CHARACTER = 0.065


class Clock:
    """Events in the order of their time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = itertools.count()

    def after(self, seconds: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._number), event))

    def run(self, until: float) -> None:
        while self._events and self._events[0][0] <= until:
            self.now, _, event = heapq.heappop(self._events)
            event()


class Device:
    """Runs the policy's jobs one at a time; each takes what it says, give or take ``noise``."""

    def __init__(self, clock: Clock, policy: Policy, noise: float = 0.0, seed: int = 1) -> None:
        self.clock, self.policy, self.noise = clock, policy, noise
        self.speed, self.costs = SpeedModel(), Costs()
        for frames in (24, 32, 104, 144):
            self.speed.learn(frames, PER_RUN_S + PER_FRAME_S * frames)
        for phonemes in (20, 60, 100):
            self.costs.front.learn(phonemes, PER_PHONEME_S * phonemes)
        self.costs.learn_length(1000, 1000 * S_PER_CHARACTER)
        self.free_at: float = 0.0
        self.ran: list[Job] = []
        self._dice = random.Random(seed)

    def submit(self, job: Job) -> None:
        self.policy.add(job)
        self._look()

    @property
    def busy_s(self) -> float:
        return max(0.0, self.free_at - self.clock.now)

    def _look(self) -> None:
        if self.free_at > self.clock.now:
            return
        turn = self.policy.next(self.clock.now)
        if turn is None:
            return
        if isinstance(turn, Wait):
            self.clock.after(turn.until - self.clock.now, self._look)
            return
        cost_s, answer = turn.job.run(turn.share)
        cost_s *= 1 + self.noise * self._dice.uniform(-1, 1)
        self.free_at = self.clock.now + cost_s
        self.ran.append(turn.job)

        def done() -> None:
            self.policy.done(turn.job, self.clock.now)
            self.clock.after(LOOP_S, answer)
            self._look()

        self.clock.after(cost_s, done)


@dataclass
class Session:
    """One conversation: speaks units as ``KokoroSession`` does, and its listener's diary."""

    device: Device
    within_s: float = 0.5
    listener: Listener = field(default_factory=Listener)
    queue: list[tuple[int, float]] = field(default_factory=list)
    """Characters of the units not ended, and when they were asked for."""
    first_audio_s: list[float] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)
    left_s: float = 0.0
    begun: bool = False

    def __post_init__(self) -> None:
        self.playout = Playout()
        self.device.policy.join(self.listener)

    def speak(self, characters: int) -> None:
        self.queue.append((characters, self.device.clock.now))
        if len(self.queue) == 1:
            self._begin()

    def close(self) -> None:
        self.queue.clear()
        self.device.policy.leave(self.listener)

    def outlook(self, more: int = 0, turn_s: float = 0.0) -> Outlook:
        costs, speed = self.device.costs, self.device.speed
        asked_at = self.queue[0][1] if self.queue else self.device.clock.now
        begins = bool(self.queue or more) and self.listener.begins(asked_at)
        known_s, work = 0.0 if begins else self.listener.turn_s, []
        units = [characters for characters, _ in self.queue] + ([more] if more else [])
        for number, characters in enumerate(units):
            begun = self.begun and number == 0
            sound_s = self.left_s if begun else characters * S_PER_CHARACTER
            known_s += sound_s
            work += costs.work(0 if begun else characters, sound_s, speed)
        work += costs.work(0, turn_s - known_s, speed)
        due = self.listener.due_of(asked_at, self.within_s) if units else self.listener.due
        return Outlook(due, work)

    def _begin(self) -> None:
        characters, asked_at = self.queue[0]
        self._asked = asked_at if self.listener.ask(asked_at, self.within_s) else None
        self.left_s, self.begun = characters * S_PER_CHARACTER, False
        self._steps = self._unit(characters)
        next(self._steps, None)

    def _unit(self, characters: int) -> Generator[None, None, None]:
        device = self.device
        least_s = device.speed.seconds(FIRST_FRAMES + 16)
        front_s = device.costs.front.seconds(min(characters, 100))
        self._submit(lambda _: front_s, cost_s=front_s, before_s=least_s, more=lambda: True)
        yield
        self.begun = True
        frames = round(self.left_s * FRAME_RATE_HZ)
        planner = ChunkPlanner(frames, device.speed, playout=self.playout)
        plan = [0, 0]

        def chunk(share: Share) -> float:
            plan[:] = planner.next(device.clock.now, share) or (0, 0)
            return device.speed.seconds(device.speed.width(plan[0], plan[1], frames))

        while not planner.done:
            self._submit(chunk, cost_s=least_s, more=lambda: not planner.done)
            yield
            planner.delivered(plan[1], device.clock.now)
            self._hear((plan[1] - plan[0]) / FRAME_RATE_HZ)
        self.queue.pop(0)
        if self.queue:
            self._begin()

    def _submit(self, cost: Callable[[Share], float], **of_job: object) -> None:
        steps = self._steps if hasattr(self, "_steps") else None

        def run(share: Share) -> tuple[float, Callable[[], None]]:
            return cost(share), lambda: self._next(steps)

        self.device.submit(Job(run, listener=self.listener, **of_job))  # type: ignore[arg-type]

    def _next(self, steps: object) -> None:
        if self.queue:
            next(self._steps, None)

    def _hear(self, seconds: float) -> None:
        now = self.device.clock.now
        if self._asked is not None:
            self.first_audio_s.append(now - self._asked)
            self._asked = None
        elif now > self.listener.due + 1e-9:
            self.gaps_s.append(now - self.listener.due)
        self.listener.hear(seconds, now)
        self.left_s -= seconds


def refused_s(device: Device, sessions: list[Session], asking: Session, characters: int) -> float:
    """What admission foresees if ``asking`` speaks one more unit; over 0 refuses it."""
    now = device.clock.now
    begins = not (asking.queue or asking.listener.sounds(now))
    turn_s = device.costs.turn_s if begins else 0.0
    speaking = [s for s in sessions if s is not asking and (s.queue or s.listener.sounds(now))]
    others = [s.outlook(turn_s=turn_s) for s in speaking]
    return wait_s(now, device.busy_s, asking.outlook(characters, turn_s), others)
