"""A session's units one after the other: what every engine's session has in common."""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial

from speech.engine import PcmChunk
from speech.errors import EngineError
from speech.line import AwaitedUnit, Line, UnitCancelled


class OrderedSession:
    """See ``speech.engine.SpeechSession``; a subclass gives ``_unit``, the audio of one unit.

    ``_unit`` runs for one unit at a time. What it awaits through the unit's ``wait`` ends when
    the unit is cancelled, and the unit is cancelled at its end in any case. A subclass whose
    units know more than that makes them in a ``speak`` of its own, and puts them ``_in_line``.
    """

    def __init__(self) -> None:
        self._line = Line()
        # Weak: a unit lives as long as its iterator does.
        self._units: weakref.WeakSet[AwaitedUnit] = weakref.WeakSet()
        self.closed = False
        self.spoken: AwaitedUnit | None = None
        """The unit whose turn it is."""

    def speak(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk, None]:
        """The unit's audio; see ``SpeechSession``."""
        unit = AwaitedUnit(unit_id)
        return self._in_line(unit, partial(self._unit, unit, text))

    def cancel(self, unit_id: str) -> None:
        """Stop every unit of this id; what was handed on of the one that is spoken is cut."""
        for unit in [unit for unit in self._units if unit.id == unit_id]:
            cuts = unit is self.spoken and not unit.cancelled
            unit.cancel()
            if cuts:
                self.cut()

    def played(self, ahead_s: float) -> None:
        """See ``HeardSession``; for engines to which it makes a difference."""

    def cut(self) -> None:
        """As ``played``."""

    async def aclose(self) -> None:
        """Cancel all units; later ones are refused."""
        self.closed = True
        for unit in list(self._units):
            unit.cancel()

    def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        raise NotImplementedError

    def _in_line(
        self, unit: AwaitedUnit, audio: Callable[[], AsyncGenerator[PcmChunk, None]]
    ) -> AsyncGenerator[PcmChunk, None]:
        """What ``audio`` gives when the unit's turn has come."""
        self._units.add(unit)
        return self._in_turn(unit, audio)

    async def _in_turn(
        self, unit: AwaitedUnit, audio: Callable[[], AsyncGenerator[PcmChunk, None]]
    ) -> AsyncGenerator[PcmChunk, None]:
        if unit.cancelled:
            return
        if self.closed:
            raise EngineError("the speech session is closed")
        place = self._line.join()
        unit.on_cancel(partial(self._line.leave, place))
        try:
            await unit.wait(place)
            self.spoken = unit
            async with aclosing(audio()) as chunks:
                async for chunk in chunks:
                    if unit.cancelled:
                        return
                    yield chunk
        except UnitCancelled:
            return
        finally:
            unit.cancel()
            if self.spoken is unit:
                self.spoken = None
