"""What the policy decides."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Action(Enum):
    """What is to be done with a reply."""

    DUCK = "duck"
    """Fade out and hold what is not audible yet: sound, first sound, tools not yet run."""
    CUT = "cut"
    """Silence now; the reply is dead."""
    RESUME = "resume"
    """Ramp back and go on from the same sample; what was held may go."""
    ASK_AGAIN = "ask_again"
    """The reply was lost to a false alarm: ask for the answer again."""
    IGNORE = "ignore"
    """Nothing; said once a stretch of voice and reason, for the record."""


class Why(Enum):
    """The reason of a decision, for the timeline."""

    ONSET = "voice began"
    SPEECH = "spoke long enough"
    STILL_SPEAKING = "still speaking when the window ended"
    WORDS = "words"
    BRIEF = "brief sound"
    NO_WORDS = "no words within the window"
    NOTHING_SAID = "transcript without words"
    BACKCHANNEL = "backchannel"
    ECHO = "the bot's own words"
    UNSURE = "words that may be none"
    KEY = "key"
    KEY_UP = "key is up"
    STOP = "stop"
    UNINTERRUPTIBLE = "uninterruptible"
    PROTECTED = "echo cancellation adapts"
    FALSE_ALARMS = "too many false alarms"
    OWED = "said during what could not be interrupted"
    OVER = "ended while ducked"
    LOST = "lost before it was heard"
    NOTHING_PLAYS = "nothing to interrupt"


@dataclass(frozen=True, slots=True)
class Decision:
    """``reply_id`` is None only for ``IGNORE`` with no reply there.

    ``drop_words``: the final transcript just taken is no user turn and must not reach the
    context or the model.
    """

    at: float
    action: Action
    reply_id: str | None
    why: Why
    drop_words: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule wants; the policy says whether it may."""

    action: Action
    why: Why
