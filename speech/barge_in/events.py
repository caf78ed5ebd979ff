"""What the policy is told. ``at``: seconds on the caller's one monotonic clock."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a reply is for. Only a lost ``ANSWER`` is asked for again."""

    ANSWER = "answer"
    FILLER = "filler"
    GREETING = "greeting"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Voice:
    """One frame of the voice detector, or the change of one that only says on and off (1.0, 0.0).

    ``speech``: 0 to 1. ``echo``: how likely the frame is the bot's own sound, 0 to 1; 0 where
    nobody knows. ``at``: when the frame was captured, so that a late burst has its true length.
    """

    at: float
    speech: float
    echo: float = 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """A transcript of the user's speech; an empty final one says that it was no speech.

    ``began``: when the speech in it began; None: the beginning of the last stretch of voice.
    ``logprob``: how sure the recogniser is of it (mean log probability a token, 0 at most); None
    where it does not say.
    """

    at: float
    text: str
    final: bool = True
    began: float | None = None
    logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply was asked for: from now on there is something to interrupt."""

    at: float
    reply_id: str
    kind: Kind = Kind.ANSWER
    interruptible: bool = True


@dataclass(frozen=True, slots=True)
class Playing:
    """A unit of the reply begins to be audible. ``text``: its spoken words, for the echo guard."""

    at: float
    reply_id: str
    text: str = ""
    interruptible: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more of the reply will be audible. ``lost``: nobody cut it, yet it was not heard."""

    at: float
    reply_id: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """The talk key went down or up."""

    at: float
    down: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """An explicit stop. ``everything``: it cuts what nothing else cuts; otherwise what may be
    interrupted. After a shutdown nothing is decided."""

    at: float
    shutdown: bool = False
    everything: bool = True


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passes; due at ``BargeIn.deadline``."""

    at: float


Event = Voice | Words | Reply | Playing | Ended | Key | Stop | Tick
