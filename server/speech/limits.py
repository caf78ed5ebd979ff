"""What the server takes on at most."""

from __future__ import annotations

from dataclasses import dataclass

from speech.wire import MAX_MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Bounds of what comes over the network; where the engine has its own, both hold."""

    text_chars: int = 5_000
    """Of one unit or request."""
    units_queued: int = 128
    """Of one session, the one that is spoken included."""
    sessions: int = 64
    requests: int = 64
    """HTTP requests being answered; 0: no bound, as the reference's MAX_QUEUE_DEPTH."""
    connections: int = 256
    """Of any kind, open at the same time: sessions, requests, and who has asked nothing yet."""
    arrival_s: float = 20.0
    """What a request may take to arrive, from its first byte to its last: who sends a byte a
    minute holds a place. Apache's figure for the header alone; ours are of a few kilobytes."""
    first_message_s: float = 60.0
    """A session that has never said anything ends after this. A client may open it while its
    user still speaks."""
    session_s: float = 3_600.0
    idle_s: float = 300.0
    """A session with nothing said and nothing sent for so long ends; so does a request whose
    reader takes nothing for so long."""
    request_age_s: float = 56.0
    """A request that was made longer ago, or is not begun by then, is stale; 0: never. The
    reference's, whose caller gives up after 60 s."""
    drain_s: float = 30.0
    """What is being said gets so long to end when the server stops; SageMaker kills after 30 s."""
    body_bytes: int = 256 * 1024
    message_bytes: int = MAX_MESSAGE_BYTES
