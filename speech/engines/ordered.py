"""A session's units one after the other: what every engine's session has in common."""

from __future__ import annotations

import weakref
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

from speech.engine import PcmChunk
from speech.errors import EngineError
from speech.line import AwaitedUnit, Line, UnitCancelled


class OrderedSession:
    """See ``speech.engine.SpeechSession``; a subclass gives ``_unit``, the audio of one unit.

    ``_unit`` runs for one unit at a time. What it awaits through the unit's ``wait`` ends when
    the unit is cancelled, and the unit is cancelled at its end in any case.
    """

    def __init__(self) -> None:
        self._line = Line()
        # Weak: a unit lives as long as its iterator does.
        self._units: weakref.WeakSet[AwaitedUnit] = weakref.WeakSet()
        self._closed = False

    def speak(self, unit_id: str, text: str) -> AsyncGenerator[PcmChunk, None]:
        """The unit's audio; see ``SpeechSession``."""
        unit = AwaitedUnit(unit_id)
        self._units.add(unit)
        return self._in_turn(unit, text)

    def cancel(self, unit_id: str) -> None:
        """Stop every unit of this id."""
        for unit in [unit for unit in self._units if unit.id == unit_id]:
            unit.cancel()

    async def aclose(self) -> None:
        """Cancel all units; later ones are refused."""
        self._closed = True
        for unit in list(self._units):
            unit.cancel()

    def _unit(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        raise NotImplementedError

    async def _in_turn(self, unit: AwaitedUnit, text: str) -> AsyncGenerator[PcmChunk, None]:
        if unit.cancelled:
            return
        if self._closed:
            raise EngineError("the speech session is closed")
        place = self._line.join()
        unit.on_cancel(partial(self._line.leave, place))
        try:
            await unit.wait(place)
            async with aclosing(self._unit(unit, text)) as chunks:
                async for chunk in chunks:
                    if unit.cancelled:
                        return
                    yield chunk
        except UnitCancelled:
            return
        finally:
            unit.cancel()
