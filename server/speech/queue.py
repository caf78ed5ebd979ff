"""The units of a session that have not ended, in the order they are said."""

from __future__ import annotations

from collections import deque

from server.speech.changed import Changed
from server.speech.unit import Talk1, Unit
from speech.engine import SpeechSession


class UnitQueue:
    """First come first said; ``current`` is the one that is being said."""

    def __init__(self) -> None:
        self._waiting: deque[Unit] = deque()
        self._changed = Changed()
        self.current: Unit | None = None
        self.ended = False
        self.spoken = 0

    def __len__(self) -> int:
        """Those that have not ended."""
        return len(self._waiting) + (self.current is not None and not self.current.ended)

    def add(self, unit: Unit) -> None:
        """Put the unit at the end."""
        self._waiting.append(unit)
        self._changed.notify()

    def end(self) -> None:
        """Nothing is added any more: ``next`` gives None once all are said."""
        self.ended = True
        self._changed.notify()

    async def next(self) -> Unit | None:
        """The next unit, which becomes ``current``; waits for one. None: there is none to come."""
        while not self._waiting:
            if self.ended:
                return None
            await self._changed.wait()
        self.spoken += 1
        self.current = self._waiting.popleft()
        return self.current

    def settle(self) -> None:
        """The current unit is over."""
        self.current = None

    def waiting(self) -> list[Unit]:
        """Those whose turn has not come."""
        return list(self._waiting)

    def remove(self, unit: Unit) -> None:
        """Forget a unit that waits."""
        self._waiting.remove(unit)

    def find(self, unit_id: str) -> Unit | None:
        """The unit that the client calls so (version 1)."""
        for unit in self.all():
            ours = isinstance(unit.talk, Talk1) and unit.talk.unit_id == unit_id
            if ours and not unit.ended:
                return unit
        return None

    def voices(self) -> set[SpeechSession]:
        """The engine's sessions that are still needed."""
        return {unit.session for unit in self.all()}

    def all(self) -> list[Unit]:
        """The current one, then those that wait."""
        return [*([self.current] if self.current else []), *self._waiting]
