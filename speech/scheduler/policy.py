"""Earliest deadline first."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from speech.scheduler.listener import Listener

SLICE_S = 0.5
"""Where several sessions are open a job is asked to take no longer than this, as a listener who
has nothing yet may come at any moment and no job is interrupted. Shorter jobs cost more: with
0.3 s and their context, 7 % more of the machine, and the simulation found more gaps."""
OUTLOOK_S = 8.0
"""How far a listener looks ahead: with so much in hand it asks for no share of the machine. In the
simulation 8 gave the fewest gaps (2 and 4 left more, to let others begin sooner by nothing)."""
GRACE_S = 0.01
"""Between two jobs of a unit there is a turn of the event loop; so long the place of a unit whose
next job is more urgent than any that waits is held."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a job may take: ``load`` listeners, itself included, need the machine by turns; at most
    ``longest_s``."""

    load: float = 1.0
    longest_s: float = math.inf


ALONE = Share()


@dataclass(eq=False, slots=True)
class Job:
    """A stretch of work; ``run`` is given its ``Share``.

    ``before_s`` of work for the same listener follows before there is sound. ``more`` tells after
    the run whether the unit goes on at once. ``due`` is for jobs nobody listens to.
    """

    run: Callable[[Share], Any]
    cost_s: float = 0.0
    listener: Listener | None = None
    before_s: float = 0.0
    due: float = math.inf
    more: Callable[[], bool] = lambda: False

    @property
    def deadline(self) -> float:
        """When it has to be finished, as things stand: listeners tell what they have played."""
        return self.due if self.listener is None else self.listener.due - self.before_s

    @property
    def may_run(self) -> bool:
        return self.listener is None or self.listener.credit_s > 0


@dataclass(frozen=True, slots=True)
class Turn:
    """Run this job."""

    job: Job
    share: Share


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing yet: a more urgent job comes before ``until``, or none does."""

    until: float


class Policy:
    """Jobs that wait. Of two with one deadline the one that came first runs first."""

    def __init__(self, slice_s: float = SLICE_S, grace_s: float = GRACE_S) -> None:
        self._slice_s, self._grace_s = slice_s, grace_s
        self._listeners: weakref.WeakSet[Listener] = weakref.WeakSet()
        self._waiting: list[Job] = []
        self._held: dict[Listener, float] = {}

    def join(self, listener: Listener) -> None:
        """A session was opened."""
        self._listeners.add(listener)

    def leave(self, listener: Listener) -> list[Job]:
        """It was closed; these jobs of it were still waiting."""
        self._listeners.discard(listener)
        self._held.pop(listener, None)
        gone = [job for job in self._waiting if job.listener is listener]
        self._waiting = [job for job in self._waiting if job.listener is not listener]
        return gone

    def add(self, job: Job) -> None:
        """One more that waits."""
        self._waiting.append(job)
        if job.listener is not None:
            self._held.pop(job.listener, None)

    def remove(self, job: Job) -> bool:
        """It is not wanted any more; False if it does not wait."""
        if job.listener is not None:
            self._held.pop(job.listener, None)
        if job not in self._waiting:
            return False
        self._waiting.remove(job)
        return True

    def next(self, now: float) -> Turn | Wait | None:
        """What to do now; None if there is nothing that may run."""
        ready = [job for job in self._waiting if job.may_run]
        if not ready:
            return None
        first = min(ready, key=lambda job: job.deadline)
        self._held = {who: until for who, until in self._held.items() if until > now}
        urgent = [until for who, until in self._held.items() if who.due < first.deadline]
        if urgent:
            return Wait(max(urgent))
        self._waiting.remove(first)
        return Turn(first, self._share(now, [job for job in ready if job is not first]))

    def done(self, job: Job, now: float) -> None:
        """It has run."""
        if job.listener is not None and job.listener in self._listeners and job.more():
            self._held[job.listener] = now + self._grace_s

    def _share(self, now: float, others: list[Job]) -> Share:
        if len(self._listeners) < 2:
            return ALONE
        needs = (1 - (job.deadline - now) / OUTLOOK_S for job in others)
        return Share(1 + sum(min(1.0, max(0.0, need)) for need in needs), self._slice_s)

    def waiting(self, listener: Listener | None = None) -> list[Job]:
        """Those that wait, of one listener or of all."""
        return [job for job in self._waiting if listener in (None, job.listener)]
