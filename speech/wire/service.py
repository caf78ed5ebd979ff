"""What the server may say in version 1."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal

from pydantic import Field

from speech.wire.fields import Nonce, SampleRate, Samples, Seconds, UnitId, Version

UnitNumber = Annotated[
    int, Field(ge=1, le=2**32 - 1, description="The unit's number in its audio frames.")
]
Reason = Literal["client_closed", "idle", "session_age", "draining"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What this session is held to; sizes in characters or bytes, times in seconds."""

    text_chars: int
    units_queued: int
    message_bytes: int
    frame_bytes: int
    session_s: Seconds
    idle_s: Seconds


@dataclass(frozen=True, slots=True)
class Ready:
    """The answer to ``hello``. ``sample_rate`` is the session's, ``rates`` those there are."""

    version: Version
    model: str
    sample_rate: SampleRate
    rates: tuple[SampleRate, ...]
    voices: tuple[str, ...]
    limits: Limits
    _: KW_ONLY
    type: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True)
class Started:
    """The unit's turn has come; its audio frames will carry ``unit``."""

    id: UnitId
    unit: UnitNumber
    _: KW_ONLY
    type: Literal["started"] = "started"


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word as the text writes it, and the samples of the unit it is heard in."""

    text: str
    start: Samples
    end: Samples


@dataclass(frozen=True, slots=True)
class Words:
    """Words that begin in the audio frames that follow; samples at the session's rate."""

    id: UnitId
    words: tuple[SpokenWord, ...]
    _: KW_ONLY
    type: Literal["words"] = "words"


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a unit (not of the session): all of its audio has been sent.

    ``samples`` at the session's rate and ``audio_s`` say how much; ``synth_s`` is the time
    from the unit's turn to its last sample without the waits for the client.
    """

    id: UnitId
    audio_s: Seconds
    synth_s: Seconds
    samples: Samples
    _: KW_ONLY
    type: Literal["done"] = "done"


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The unit was cancelled, and no more of its audio comes.

    ``wasted_s``: seconds of audio that were made and not sent.
    """

    id: UnitId
    wasted_s: Seconds
    _: KW_ONLY
    type: Literal["cancelled"] = "cancelled"


@dataclass(frozen=True, slots=True)
class Error:
    """A message or a unit was refused; see ``error_codes``. The session goes on.

    Without ``id`` it is about the last message that could not be read.
    """

    code: str
    message: str
    retryable: bool
    id: UnitId | None = None
    _: KW_ONLY
    type: Literal["error"] = "error"


@dataclass(frozen=True, slots=True)
class Busy:
    """The unit was not queued; ask again after ``retry_after_s``, or elsewhere.

    ``queue_full``: the session has too many units; ``capacity``: the server has too much to
    do to keep the deadlines it has accepted; ``draining``: it stops, and takes no new units.
    """

    id: UnitId
    retry_after_s: Seconds
    reason: Literal["queue_full", "capacity", "draining"]
    _: KW_ONLY
    type: Literal["busy"] = "busy"


@dataclass(frozen=True, slots=True)
class Pong:
    """The answer to ``ping``."""

    nonce: Nonce | None = None
    _: KW_ONLY
    type: Literal["pong"] = "pong"


@dataclass(frozen=True, slots=True)
class Draining:
    """The session ends within ``within_s``: units queued are spoken, new ones are refused."""

    within_s: Seconds
    reason: Reason
    _: KW_ONLY
    type: Literal["draining"] = "draining"


@dataclass(frozen=True, slots=True)
class Closed:
    """The end of the session: nothing follows but the close of the socket."""

    reason: Reason
    units: Samples
    _: KW_ONLY
    type: Literal["closed"] = "closed"


ServerMessage = Ready | Started | Words | Done | Cancelled | Error | Busy | Pong | Draining | Closed
SERVER_MESSAGES: tuple[type[ServerMessage], ...] = (
    Ready,
    Started,
    Words,
    Done,
    Cancelled,
    Error,
    Busy,
    Pong,
    Draining,
    Closed,
)
