"""A stream to Polly that is open before there is something to say."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from speech.errors import EngineError


class Stream(Protocol):
    """What a unit is spoken through."""

    async def keep_alive(self) -> None: ...
    async def say(self, text: str, kind: str) -> None: ...
    async def piece(self) -> bytes | None: ...
    def lost(self) -> None: ...
    async def aclose(self) -> None: ...


@dataclass(frozen=True)
class Times:
    """Seconds; Polly ends a stream after 5 without an event, and after 600 in any case."""

    keep_alive_s: float = 3.5
    longest_s: float = 540.0
    unused_s: float = 120.0
    """A conversation silent for so long needs no stream held open for it."""


class Spare:
    """At most one open stream; kept alive, and let go before Polly ends it.

    ``take`` gives it away, and then another may be made. Errors are nobody's: without a spare
    the next unit opens its own.
    """

    def __init__(self, open_stream: Callable[[], Awaitable[Stream]], times: Times) -> None:
        self._open, self._times = open_stream, times
        self._task: asyncio.Task[None] | None = None
        self._stream: Stream | None = None

    def make(self) -> None:
        """Open one in the background, unless there is one."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._hold())

    def take(self) -> Stream | None:
        """The spare stream, if it is open; it is the caller's now."""
        stream, self._stream = self._stream, None
        if stream is not None and self._task is not None:
            self._task.cancel()
        return stream

    async def aclose(self) -> None:
        """Let go of it; idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _hold(self) -> None:
        stream = None
        try:
            stream = self._stream = await self._open()
            async with asyncio.timeout(min(self._times.unused_s, self._times.longest_s)):
                while True:
                    await asyncio.sleep(self._times.keep_alive_s)
                    await stream.keep_alive()
        except (EngineError, TimeoutError):
            pass
        finally:
            # Taken by somebody, it is not ours to close.
            if stream is not None and stream is self._stream:
                self._stream = None
                await stream.aclose()
