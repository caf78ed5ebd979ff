"""One conversation with a speech container, whatever carries it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from speech.errors import EngineError


class LinkEndedError(EngineError):
    """The conversation is over: closed by the container, cut off, or at its end in time.

    ``code`` is the WebSocket's close code where one is known.
    """

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class Link(Protocol):
    """Frames to and from a container, each whole; text frames are ``str``, binary ``bytes``."""

    lifetime_s: float | None
    """Whoever carries the link cuts it off after so long; None: never."""

    async def send(self, text: str) -> None:
        """Send a text frame; waits while the way is full. Raises ``LinkEndedError``.

        One caller at a time.
        """
        ...

    async def receive(self) -> str | bytes:
        """The next frame. Raises ``LinkEndedError``, also for what is still to be received.

        One caller at a time; one that is cancelled loses no frame.
        """
        ...

    def lost(self) -> None:
        """What was said last is not answered in time.

        Where several links go over one connection, that is given up unless others hear of it
        still, so that the next link does not wait in vain either.
        """
        ...

    async def aclose(self) -> None:
        """End the conversation, so that the container stops what it does; idempotent.

        Takes a bounded time, also where the other side is gone.
        """
        ...


Connect = Callable[[], Awaitable[Link]]
"""Opens a link. Raises ``EngineBusyError``, ``EngineRefusedError``, or ``EngineError`` for what
may mend by itself; takes a bounded time."""
