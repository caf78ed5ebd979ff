"""A unit that somebody waits for, and whose turn it is."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from speech.engine import Stamp
from speech.errors import EngineError

T = TypeVar("T")


class UnitCancelled(Exception):
    """The unit was cancelled while something was awaited for it."""


class AwaitedUnit:
    """One ``speak``: what is waited for ends when it is cancelled. Belongs to the event loop."""

    def __init__(self, unit_id: str) -> None:
        self.id = unit_id
        self._cancelled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._callbacks: list[Callable[[], object]] = []
        self._stamped: set[str] = set()

    def stamp_once(self, stamp: Stamp, stage: str) -> None:
        """Mark a stage the first time it is reached."""
        if stage not in self._stamped:
            self._stamped.add(stage)
            stamp(stage, self.id)

    @property
    def cancelled(self) -> bool:
        return self._cancelled.done()

    def cancel(self) -> None:
        """Give everything back and end every wait; idempotent."""
        if not self._cancelled.done():
            self._cancelled.set_result(None)
        while self._callbacks:
            self._callbacks.pop()()

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Call back when the unit is cancelled, which every unit is at its end."""
        self._callbacks.append(callback)

    async def wait(self, future: asyncio.Future[T], timeout_s: float | None = None) -> T:
        """The future's result.

        Raises ``UnitCancelled`` as soon as the unit is cancelled, ``EngineError`` after
        ``timeout_s``. The future itself is left alone.
        """
        if not await self.done_within(future, timeout_s):
            raise EngineError(f"no speech within {timeout_s:g} s (tts.unit_timeout_s)")
        return future.result()

    async def done_within(self, future: asyncio.Future[Any], timeout_s: float | None) -> bool:
        """Whether the future is done before ``timeout_s``; raises ``UnitCancelled``."""
        either: set[asyncio.Future[Any]] = {future, self._cancelled}
        await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        if self.cancelled:
            raise UnitCancelled
        return future.done()


class Line:
    """One place at the front, first come first served."""

    def __init__(self) -> None:
        self._places: deque[asyncio.Future[None]] = deque()

    def join(self) -> asyncio.Future[None]:
        """A place at the end; done once it is at the front."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._places.append(place)
        self._serve()
        return place

    def leave(self, place: asyncio.Future[None]) -> None:
        """Give the place up, wherever it is; idempotent."""
        if place in self._places:
            self._places.remove(place)
            self._serve()

    def _serve(self) -> None:
        if self._places and not self._places[0].done():
            self._places[0].set_result(None)
