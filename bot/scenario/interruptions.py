"""Where the user's speech cut the bot's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.scenario.picking import heard_of, joined_text, last_at
from speech.timeline import TimelineEvent

Span = tuple[float, float]

SPEECH_SLACK_S = 0.5
"""How far the detector's idea of speech may lie from the recording's."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """The user's speech cut a reply. ``silent`` is None where nothing was recorded."""

    at: float
    user_onset: float | None
    silent: float | None
    reply_id: str | None
    unheard_text: str = ""

    @property
    def cut_to_silent_s(self) -> float | None:
        """From the decision to the reply's last audible sample; 0 when it was in a pause."""
        return None if self.silent is None else max(0.0, self.silent - self.at)

    @property
    def onset_to_silent_s(self) -> float | None:
        """From the user's first sound to the reply's last audible sample."""
        if self.silent is None or self.user_onset is None:
            return None
        return self.silent - self.user_onset


def find_interruptions(
    events: Sequence[TimelineEvent], speech: Sequence[Span]
) -> list[Interruption]:
    """Each ``interrupt`` while the bot spoke; ``speech`` is where the user is known to have."""
    found = []
    speaking = False
    for event in events:
        if event.name == "bot_started":
            speaking = True
        elif event.name == "bot_stopped":
            speaking = False
        elif event.name == "interrupt" and speaking:
            found.append(_interruption(events, event.at, speech))
            speaking = False
    return found


def _interruption(
    events: Sequence[TimelineEvent], at: float, speech: Sequence[Span]
) -> Interruption:
    booked = [e for e in events if e.name == "scheduled" and e.at <= at]
    reply = booked[-1].reply_id if booked else None
    silent = last_at(events, "silent", float("-inf"), float("inf"), (reply,)) if reply else None
    detected = last_at(events, "user_onset", float("-inf"), at)
    known = [start for start, end in speech if start <= at and end > at - SPEECH_SLACK_S]
    unheard = _unheard(events, at, reply)
    return Interruption(at, known[-1] if known else detected, silent, reply, unheard)


def _unheard(events: Sequence[TimelineEvent], at: float, reply: str | None) -> str:
    """What had been handed to the voice since the user's last turn and was not played."""
    since = last_at(events, "user_stopped", float("-inf"), at)
    begin = float("-inf") if since is None else since
    said = joined_text(events, "bot_text", begin, at)
    heard = heard_of(events, [reply] if reply else [], begin, at)
    return said[len(heard) :].strip() if said.startswith(heard) else said
