"""The replies that are under way, as the policy sees them."""

from __future__ import annotations

from dataclasses import dataclass

from speech.barge_in.events import Ended, Kind, Playing, Reply
from speech.barge_in.replies import Replies
from speech.barge_in.tokens import is_question

ANSWER_S = 2.0
"""After a question: people answer within 0.2 s in the mean and 1 s nearly always, and the
recogniser takes 0.7 s (see ``BargeInConfig.window_s``)."""


@dataclass(slots=True)
class Live:
    """One reply. ``holds``: it, or the unit that is audible, may not be interrupted."""

    reply_id: str
    kind: Kind = Kind.ANSWER
    interruptible: bool = True
    unit_interruptible: bool = True

    @property
    def holds(self) -> bool:
        return not (self.interruptible and self.unit_interruptible)


class Floor:
    """Who has the floor: the replies in order, and which of them sounds."""

    def __init__(self, replies: Replies) -> None:
        self.replies = replies
        self._asks = False
        self._asked_at = float("-inf")
        self._live: dict[str, Live] = {}
        self._sounding: str | None = None

    @property
    def all(self) -> list[Live]:
        """Every live reply, in order."""
        return list(self._live.values())

    @property
    def current(self) -> Live | None:
        """The reply that sounds, else the next to sound."""
        if self._sounding in self._live:
            return self._live[self._sounding]
        return next(iter(self._live.values()), None)

    def begin(self, event: Reply) -> bool:
        """Whether it lives: a dead reply stays dead and is counted."""
        if not self._admits(event.reply_id, "reply"):
            return False
        if event.reply_id not in self._live and event.kind is Kind.ANSWER:
            self._asks, self._asked_at = False, float("-inf")
        live = self._live.setdefault(event.reply_id, Live(event.reply_id))
        live.kind, live.interruptible = event.kind, event.interruptible
        return True

    def play(self, event: Playing) -> bool:
        """A unit becomes audible; whether its reply lives."""
        if not self._admits(event.reply_id, "playing"):
            return False
        live = self._live.setdefault(event.reply_id, Live(event.reply_id))
        live.unit_interruptible = event.interruptible
        self._pass_over_to(event.reply_id)
        self._sounding = event.reply_id
        self._close_question(event.at)
        self._asks = is_question(event.text)
        return True

    def end(self, event: Ended) -> Live | None:
        """The reply that was live until now; None: it was not."""
        if self.replies.is_dead(event.reply_id):
            self.replies.admits(event.reply_id, "ended")
            return None
        self.replies.end(event.reply_id)
        return self._forget(event.reply_id, event.at)

    def asked(self, now: float) -> bool:
        """Whether what the user says now may answer a question of the bot."""
        return self._asks or now - self._asked_at <= ANSWER_S

    @property
    def answering(self) -> bool:
        """Whether an answer is under way."""
        return any(live.kind is Kind.ANSWER for live in self._live.values())

    @property
    def interruptible(self) -> list[Live]:
        """The replies that voice, words and key may cut, in order."""
        return [live for live in self._live.values() if not live.holds]

    def is_live(self, reply_id: str) -> bool:
        """Whether the reply is under way."""
        return reply_id in self._live

    def sounds(self, reply_id: str) -> bool:
        """Whether the reply is the one that is audible."""
        return self._sounding == reply_id

    def kill(self, live: Live, now: float) -> None:
        """Cut: whatever comes of it later is dropped."""
        self.replies.kill(live.reply_id)
        self._forget(live.reply_id, now)

    def _pass_over_to(self, reply_id: str) -> None:
        """Replies sound in the order in which they began: what was before this one is over, though
        its end was lost. An answer that waits for its tools is not."""
        for live in self.all:
            if live.reply_id == reply_id:
                return
            if live.kind is not Kind.ANSWER:
                self.replies.end(live.reply_id)
                del self._live[live.reply_id]

    def _admits(self, reply_id: str, what: str) -> bool:
        return self.replies.admits(reply_id, what) and self.replies.begin(reply_id)

    def _close_question(self, now: float) -> None:
        if self._asks:
            self._asks, self._asked_at = False, now

    def _forget(self, reply_id: str, now: float) -> Live | None:
        if self._sounding == reply_id:
            self._sounding = None
            self._close_question(now)
        return self._live.pop(reply_id, None)
