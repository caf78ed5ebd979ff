"""Whether an engine with limits takes on one more unit."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from speech.errors import EngineBusyError, UsageError
from speech.kokoro.unit import Unit
from speech.scheduler.admission import Outlook, lateness_s, retry_after_s

if TYPE_CHECKING:
    from speech.kokoro.engine import KokoroEngine
    from speech.kokoro.session import KokoroSession

_JUST_ASKED_S = 1.0
"""A unit asked for so lately will be read, though nobody waits for it yet."""


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
    if len(session.pending) >= limits.units:
        raise EngineBusyError(f"{limits.units} units wait in this session already")
    wait_s = retry_after_s(_lateness_s(engine, session, unit))
    if wait_s > 0:
        raise EngineBusyError("every listener this machine can serve is being served", wait_s)


def _lateness_s(engine: KokoroEngine, session: KokoroSession, unit: Unit) -> float:
    """By how much somebody's sound would come too late.

    Where the unit begins a reply, everybody is thought to speak as long as replies usually are:
    one that is taken on shall be spoken to its end.
    """
    now = time.monotonic()
    others = [other for other in engine.sessions if other is not session and _speaks(other, now)]
    if not others:  # a machine that is too slow for one is no better without it
        return -math.inf
    begins = not (session.pending or session.listener.sounds(now))
    turn_s = engine.costs.turn_s if begins else 0.0
    outlooks = [_outlook(engine, other, other.pending, turn_s) for other in others]
    outlooks.append(_outlook(engine, session, [*session.pending, unit], turn_s))
    return lateness_s(now, engine.worker.busy_s, outlooks, engine.max_concurrent)


def _speaks(session: KokoroSession, now: float) -> bool:
    """Not one whose listener has stopped reading and heard all it has read."""
    asked = any(unit.asked_at > now - _JUST_ASKED_S for unit in session.pending)
    return asked or session.is_read or session.listener.sounds(now)


def _outlook(
    engine: KokoroEngine, session: KokoroSession, units: Sequence[Unit], turn_s: float
) -> Outlook:
    costs, chunk, listener = engine.costs, engine.speed_model, session.listener
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
