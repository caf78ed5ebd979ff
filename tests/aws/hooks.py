"""What a test makes go wrong."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reject:
    """An answer before the stream: an HTTP status and the service's name for the error."""

    status: int
    error: str
    members: dict[str, object] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Hooks:
    """Of one emulator; read as sessions begin and go on, so they may be changed at any time."""

    rejects: deque[Reject] = field(default_factory=deque)
    """Taken one by one by the requests that come."""
    dead: bool = False
    """New connections are taken, and then nothing is read or said."""
    silent: bool = False
    """Requests are never answered."""
    delay_s: float = 0.0
    """Before each part, either way."""
    drop_after: int | None = None
    """The stream is reset once so many parts have gone to the client."""
    fail_after: int | None = None
    """As ``drop_after``, with an InternalStreamFailure."""
    failures: int = 0
    """So many parts to come are not sent: each stream fails instead."""
    stall_after: int | None = None
    """As ``drop_after``, but nothing more comes and nothing is said."""
    fragment_bytes: int | None = None
    """The container's messages come as PARTIAL parts of so many bytes, the last one COMPLETE."""
    session_s: float | None = 1_800.0
    """How long a session may last (30 minutes, by a third party's account)."""
    idle_s: float = 5.0
    """Without an event for so long Polly ends a stream."""
    ping_s: float = 60.0
    """Between pings to the container; it is cut off after five that are not answered."""
    pongs_lost: bool = False
    """The container's answers to pings do not arrive."""

    async def before_answer(self) -> None:
        """Returns when a request may be answered."""
        if self.silent:
            await forever()

    async def before_part(self, sent: int) -> None:
        """Returns when the next part may go to the client, who has been sent so many."""
        await asyncio.sleep(self.delay_s)
        if self.drop_after is not None and sent >= self.drop_after:
            raise ConnectionResetError
        if self.failures:
            self.failures -= 1
            raise FailingError
        if self.fail_after is not None and sent >= self.fail_after:
            raise FailingError
        if self.stall_after is not None and sent >= self.stall_after:
            await forever()


class FailingError(Exception):
    """The service is to fail now."""


async def forever() -> None:
    """Returns never."""
    await asyncio.Event().wait()


@dataclass
class Seen:
    """What an emulator has seen."""

    requests: list[dict[str, str]] = field(default_factory=list)
    """Their headers."""
    frames: list[tuple[str, bytes, bool]] = field(default_factory=list)
    """To the container: text, binary or continuation; bytes; whether the message is whole."""
    texts: list[str] = field(default_factory=list)
    """To Polly."""
    connections: int = 0
    ports: list[int] = field(default_factory=list)
    """The client's, of plain requests."""
    chunks_checked: int = 0
    half_closed: int = 0
    open_sessions: int = 0
