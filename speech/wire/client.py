"""What a client may say in version 1."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from speech.wire.fields import (
    CancelId,
    CreditMs,
    DeadlineMs,
    Nonce,
    SampleRate,
    Speed,
    UnitId,
    Version,
    Voice,
)


@dataclass(frozen=True, slots=True)
class Hello:
    """Turns a session to version 1; answered with ``ready``. Once a session, before units.

    ``voice`` and ``speed`` are those of units that name none; audio comes at ``sample_rate``.
    With ``credit_ms`` the session starts under credit, see ``credit``.
    """

    version: Version
    sample_rate: SampleRate = 24_000
    voice: Voice | None = None
    speed: Speed | None = None
    credit_ms: CreditMs | None = None
    _: KW_ONLY
    type: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True)
class Speak:
    """A unit to be spoken after those before it.

    Answered with ``started``, then ``words`` and audio, then exactly one of ``done``,
    ``cancelled``, ``error``; or at once with ``busy`` or ``error`` and nothing else.
    """

    id: UnitId
    text: str
    voice: Voice | None = None
    speed: Speed | None = None
    deadline_ms: DeadlineMs | None = None
    _: KW_ONLY
    type: Literal["speak"] = "speak"


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stops a unit, its computation too; or all of them.

    Each unit stopped is answered with ``cancelled``, after which none of its audio comes.
    """

    id: CancelId
    _: KW_ONLY
    type: Literal["cancel"] = "cancel"


@dataclass(frozen=True, slots=True)
class Credit:
    """So much more audio may be sent; it adds to what is left.

    The first one (or ``hello``) puts the session under credit; until then only the
    connection holds the server back.
    """

    ms: CreditMs
    _: KW_ONLY
    type: Literal["credit"] = "credit"


@dataclass(frozen=True, slots=True)
class Ping:
    """Answered with ``pong`` and the same ``nonce``; keeps a silent session alive."""

    nonce: Nonce | None = None
    _: KW_ONLY
    type: Literal["ping"] = "ping"


@dataclass(frozen=True, slots=True)
class Close:
    """No unit follows. Those queued are spoken, then ``closed`` is sent and the socket closes."""

    _: KW_ONLY
    type: Literal["close"] = "close"


ClientMessage = Hello | Speak | Cancel | Credit | Ping | Close
CLIENT_MESSAGES: tuple[type[ClientMessage], ...] = (Hello, Speak, Cancel, Credit, Ping, Close)
