"""Whether an engine with limits takes on one more unit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from speech.errors import EngineBusyError, UsageError
from speech.kokoro.unit import Unit
from speech.scheduler.admission import Outlook, wait_s
from speech.scheduler.listener import Listener

if TYPE_CHECKING:
    from speech.kokoro.engine import KokoroEngine
    from speech.kokoro.session import KokoroSession

_JUST_ASKED_S = 1.0
"""A unit asked for so lately will be read, though nobody waits for it yet."""


@dataclass
class Hearing:
    """One listener: what is to be said to them by whichever of their sessions, in its order."""

    listener: Listener
    units: list[Unit] = field(default_factory=list)
    is_read: bool = False

    def speaks(self, now: float) -> bool:
        """Not one whose listener has stopped reading and heard all it has read."""
        asked = any(unit.asked_at > now - _JUST_ASKED_S for unit in self.units)
        return asked or self.is_read or self.listener.sounds(now)


def admit(engine: KokoroEngine, session: KokoroSession, unit: Unit) -> None:
    """Return if everybody's sound comes in time with this unit too, at once.

    Raises ``EngineBusyError`` and ``UsageError`` as ``PacedSession.speak`` does.
    """
    limits = engine.limits
    if limits is None:
        return
    if unit.characters > limits.text_characters:
        raise UsageError(
            f"the text has {unit.characters} characters, and {limits.text_characters} are the most"
        )
    others = _hearings(engine.sessions)
    asking = others.pop(session.listener, Hearing(session.listener))
    if len(asking.units) >= limits.units:
        raise EngineBusyError(f"{limits.units} units wait in this session already")
    later_s = _wait_s(engine, asking, unit, list(others.values()))
    if later_s > 0:
        raise EngineBusyError("every listener this machine can serve is being served", later_s)


def _hearings(sessions: Sequence[KokoroSession]) -> dict[Listener, Hearing]:
    """Who listens, however many voices speak to them."""
    hearings: dict[Listener, Hearing] = {}
    for session in sessions:
        hearing = hearings.setdefault(session.listener, Hearing(session.listener))
        hearing.units += session.pending
        hearing.is_read |= session.is_read
    for hearing in hearings.values():
        hearing.units.sort(key=lambda unit: unit.asked_at)
    return hearings


def _wait_s(engine: KokoroEngine, asking: Hearing, unit: Unit, others: Sequence[Hearing]) -> float:
    """Where the unit begins a reply, everybody is thought to speak as long as replies usually
    are: one that is taken on shall be spoken to its end."""
    now = time.monotonic()
    begins = not (asking.units or asking.listener.sounds(now))
    turn_s = engine.costs.turn_s if begins else 0.0
    speaking = [_outlook(engine, other, turn_s) for other in others if other.speaks(now)]
    asking.units.append(unit)
    own = _outlook(engine, asking, turn_s)
    return wait_s(now, engine.worker.busy_s, own, speaking, engine.max_concurrent)


def _outlook(engine: KokoroEngine, hearing: Hearing, turn_s: float) -> Outlook:
    costs, chunk = engine.costs, engine.speed_model
    listener, units = hearing.listener, hearing.units
    begins = bool(units) and listener.begins(units[0].asked_at)
    known_s = 0.0 if begins else listener.turn_s
    work = []
    for unit in units:
        sound_s = max(0.0, costs.sound_s(unit.characters) - unit.sound_s)
        known_s += sound_s
        work.append(costs.work(0 if unit.begun else unit.characters, sound_s, chunk))
    work.append(costs.work(0, turn_s - known_s, chunk))
    due = listener.due_of(units[0].asked_at, units[0].within_s) if units else listener.due
    return Outlook(due, chain.from_iterable(work))
