"""Whether what the user's microphone gives interrupts the reply.

::

                  Reply, Playing
     nothing to  ────────────────▶  under way  ◀────────────────────────┐
     interrupt   ◀────────────────      │                               │ RESUME: brief, no words,
        ▲  ▲           Ended            │ DUCK: voice for onset_s       │ backchannel, echo, over,
        │  │                            ▼                               │ uninterruptible begins
        │  │                         ducked  ───────────────────────────┘
        │  │ CUT: words, key, stop      │
        │  │ (also from "under way")    │ CUT: words, cut_after_s of voice,
        │  │                            │ still speaking after window_s, key, stop
        │  │                            ▼
        │  └──────────────────────────  cut  ── real words come ──▶ (a new turn)
        │                               │
        │                               │ no words, a backchannel, an echo
        └─────── ASK_AGAIN, once  ◀─────┘

"Under way" is a reply from its request to its last audible sample: before the first sound a duck
holds the first sound and the tools that have not run. An uninterruptible unit turns DUCK into
IGNORE; words said during it owe a CUT, which comes when the unit is over.
"""

from __future__ import annotations

from dataclasses import replace

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Decision, Why
from speech.barge_in.events import Ended, Event, Key, Kind, Playing, Reply, Stop, Voice, Words
from speech.barge_in.floor import Floor, Live
from speech.barge_in.recovery import Recovery
from speech.barge_in.replies import Replies
from speech.barge_in.rules import Seen, Strategy, natural
from speech.barge_in.trust import Trust
from speech.barge_in.user import User
from speech.barge_in.words import Sort, WordSorter

_NOTHING_REAL = {
    Sort.NOTHING: Why.NOTHING_SAID,
    Sort.ECHO: Why.ECHO,
    Sort.BACKCHANNEL: Why.BACKCHANNEL,
    Sort.UNSURE: Why.UNSURE,
}
_SAYS_WHY = frozenset({Why.WORDS, Why.STOP, Why.OWED})
"""A cut for these was meant."""
_ROUNDING_S = 1e-6


def _goes_on(seen: Seen) -> bool:
    """Whether the user speaks on behind the final words that came: those of an earlier stretch.
    Not so for an echo, which is transcribed while it sounds."""
    return seen.speaking and seen.sort not in (None, Sort.ECHO)


class BargeIn:
    """The policy of one conversation: ``take`` each event, carry out what it returns, in order.

    Promises, whatever the order of events, if ``Tick`` comes at ``deadline``:

    - a DUCK is followed by CUT or RESUME of the same reply within ``config.window_s``;
    - after a CUT nothing more is decided about that reply but ASK_AGAIN, at most once between
      two things the user said;
    - an uninterruptible reply or unit is neither ducked nor cut but by ``Stop(everything=True)``;
    - what comes of a dead reply is dropped and counted in ``replies.dropped``.

    Events are taken in the order they come; one that is older than the last counts as now, but a
    ``Voice`` frame keeps its own time for the length of the speech. Only the policy kills replies
    in ``replies``; whoever else wants one dead takes ``Stop``. Not thread-safe.
    """

    def __init__(
        self,
        config: BargeInConfig | None = None,
        strategy: Strategy | None = None,
        words: WordSorter | None = None,
        replies: Replies | None = None,
    ) -> None:
        self.config = config = config if config is not None else BargeInConfig()
        self.replies = replies if replies is not None else Replies()
        strategy = strategy if strategy is not None else natural(config)
        self._rules = strategy.rules
        self._floor = Floor(self.replies)
        self._user = User(config, words if words is not None else WordSorter(), strategy.needs_key)
        self._trust = Trust(config)
        self._recovery = Recovery(config)
        self._now = float("-inf")
        self._ducked: tuple[str, float] | None = None
        self._owed: set[str] = set()
        self._said: set[Why] = set()
        self._shut = False

    @property
    def ducked(self) -> str | None:
        """The reply that is ducked now."""
        return self._ducked[0] if self._ducked else None

    @property
    def _ducked_is_live(self) -> bool:
        return self.ducked is not None and self._floor.is_live(self.ducked)

    @property
    def interruptible(self) -> list[str]:
        """The live replies that voice, words and key may cut, in order."""
        return [live.reply_id for live in self._floor.interruptible]

    @property
    def deadline(self) -> float | None:
        """When a ``Tick`` must come though nothing happens; None: never."""
        if self._shut:
            return None
        wakes = [self._recovery.due(self._user.quiet_since(self._now)), *self._rules_due()]
        return min((at for at in wakes if at is not None), default=None)

    def is_echo(self, transcript: str, at: float) -> bool:
        """Whether it is the bot's own recent words, whenever its voice began."""
        return self._user.words.guard.is_echo(transcript, now=at)

    def take(self, event: Event) -> list[Decision]:
        """What is to be done now that this happened."""
        if self._shut:
            return []
        decisions = self._catch_up(event.at)
        self._now = max(self._now, event.at)
        return decisions + self._on(event)

    # --- what happens -----------------------------------------------------------------------

    def _on(self, event: Event) -> list[Decision]:
        match event:
            case Words():
                return self._on_words(event)
            case Reply():
                return self._on_reply(event)
            case Playing():
                return self._on_playing(event)
            case Ended():
                return self._on_ended(event)
            case Key():
                return self._judge(self._seen(self._user.key(event.down, self._now)))
            case Stop():
                self._shut = event.shutdown
                floor = self._floor
                return self._cut(floor.all if event.everything else floor.interruptible, Why.STOP)
            case Voice():
                if self._user.voice(event, self._now):
                    self._said.clear()
        return self._judge(self._seen()) + self._ask_if_due()

    def _on_words(self, event: Words) -> list[Decision]:
        if not self._user.may_say(self._now):
            return [self._ignore(Why.KEY_UP, drop=event.final)]
        sort = self._user.sort(event, self._now, self._floor.asked(self._now))
        count = self._user.words.count(event.text)
        seen = replace(self._seen(), sort=sort, word_count=count, final=event.final)
        decided = self._judge(seen)
        if not event.final:
            return decided
        if sort not in _NOTHING_REAL:
            self._recovery.words_came()
            return decided or [self._ignore(self._why(sort))]
        listens = self._floor.current is not None or self._recovery.lost is not None
        drop = listens or sort in (Sort.NOTHING, Sort.ECHO)
        asks = self._ask_again(self._why(sort))
        return asks + (decided or [self._ignore(self._why(sort), drop=drop)])

    def _on_reply(self, event: Reply) -> list[Decision]:
        known = self._floor.is_live(event.reply_id)
        if not self._floor.begin(event):
            return []
        if not known:
            self._trust.new_reply()
            if event.kind is Kind.ANSWER:
                self._recovery.answer_began()
        return self._hold() + self._judge(self._seen())

    def _on_playing(self, event: Playing) -> list[Decision]:
        if not self._floor.play(event):
            return []
        self._trust.sound_began(event.at)
        self._user.words.guard.said(event.text, event.at)
        passed = [] if self._ducked_is_live else self._resume(Why.OVER)
        return passed + self._hold() + self._pay() + self._judge(self._seen())

    def _on_ended(self, event: Ended) -> list[Decision]:
        if self._floor.sounds(event.reply_id):
            self._user.words.guard.silent(event.at)
        ended = self._floor.end(event)
        if ended is None:
            return []
        decisions = self._resume(Why.OVER) if self.ducked == event.reply_id else []
        self._owed.discard(event.reply_id)
        if event.lost and ended.kind is Kind.ANSWER:
            decisions += self._lose(event.reply_id)
        return decisions + self._hold() + self._pay() + self._judge(self._seen())

    # --- what is decided --------------------------------------------------------------------

    def _judge(self, seen: Seen) -> list[Decision]:
        current = self._floor.current
        verdict = next((v for rule in self._rules if (v := rule.judge(seen))), None)
        if current is None or verdict is None:
            return []
        if verdict.action is Action.RESUME:
            resumed = self._resume(verdict.why, seen.final, settles=not _goes_on(seen))
            return resumed or [self._ignore(verdict.why, drop=seen.final)]
        by_voice = seen.sort is None and not seen.pressed
        if current.holds:
            if not by_voice:
                self._owed |= {live.reply_id for live in self._floor.all}
            return self._ignore_once(Why.UNINTERRUPTIBLE)
        doubt = self._trust.doubt(self._now) if by_voice and self._ducked is None else None
        if doubt is not None:
            return self._ignore_once(doubt)
        if verdict.action is Action.DUCK:
            self._ducked = (current.reply_id, self._now)
            self._user.ducked(self._now)
            return [Decision(self._now, Action.DUCK, current.reply_id, verdict.why)]
        return self._cut(self._floor.interruptible, verdict.why, certain=seen.final)

    def _cut(self, replies: list[Live], why: Why, certain: bool = True) -> list[Decision]:
        """``certain``: not for partial words, which may come to nothing."""
        ducked, self._ducked = self.ducked, None
        self._user.settle()
        self._owed.clear()
        if any(self._floor.sounds(live.reply_id) for live in replies):
            self._user.words.guard.silent(self._now)
        for live in replies:
            self._floor.kill(live, self._now)
        answers = [live.reply_id for live in replies if live.kind is Kind.ANSWER]
        if answers and not (certain and why in _SAYS_WHY):
            self._recovery.lose(answers[-1], self._now)
        decisions = [Decision(self._now, Action.CUT, live.reply_id, why) for live in replies]
        if ducked and all(live.reply_id != ducked for live in replies):
            decisions.append(Decision(self._now, Action.RESUME, ducked, Why.OVER))
        return decisions

    def _resume(self, why: Why, drop: bool = False, settles: bool = True) -> list[Decision]:
        if self._ducked is None:
            return []
        reply_id, self._ducked = self._ducked[0], None
        false_alarm = why not in (Why.UNINTERRUPTIBLE, Why.OVER)
        self._user.settle(false_alarm and settles)
        if false_alarm:
            self._trust.false_alarm()
        return [Decision(self._now, Action.RESUME, reply_id, why, drop)]

    def _hold(self) -> list[Decision]:
        """What may not be interrupted does not stay ducked."""
        current = self._floor.current
        return self._resume(Why.UNINTERRUPTIBLE) if current is not None and current.holds else []

    def _pay(self) -> list[Decision]:
        """Cut what the user's words would have cut, had it not been uninterruptible."""
        current = self._floor.current
        if not self._owed or (current is not None and current.holds):
            return []
        owed = [live for live in self._floor.interruptible if live.reply_id in self._owed]
        self._owed.clear()
        return self._cut(owed, Why.OWED) if owed else []

    def _lose(self, reply_id: str) -> list[Decision]:
        """An answer died unheard: ask again now, or once the user's words must have come."""
        if self._floor.answering:
            return []
        self._recovery.lose(reply_id, self._now)
        quiet = self._user.quiet_since(self._now)
        calm = quiet is not None and self._now - quiet >= self.config.words_wait_s
        return self._ask_again(Why.LOST) if calm else []

    def _ask_if_due(self) -> list[Decision]:
        due = self._recovery.due(self._user.quiet_since(self._now))
        is_due = due is not None and self._now >= due - _ROUNDING_S
        return self._ask_again(Why.NO_WORDS) if is_due else []

    def _ask_again(self, why: Why) -> list[Decision]:
        lost = self._recovery.spend()
        return [Decision(self._now, Action.ASK_AGAIN, lost, why)] if lost else []

    def _ignore(self, why: Why, *, drop: bool = False) -> Decision:
        current = self._floor.current
        reply_id = current.reply_id if current else None
        return Decision(self._now, Action.IGNORE, reply_id, why, drop)

    def _ignore_once(self, why: Why) -> list[Decision]:
        if why in self._said:
            return []
        self._said.add(why)
        return [self._ignore(why)]

    # --- what is known ----------------------------------------------------------------------

    def _catch_up(self, at: float) -> list[Decision]:
        """What was due before this event is decided before it."""
        decisions: list[Decision] = []
        while (due := self.deadline) is not None and due < at:
            moves = due > self._now
            self._now = max(self._now, due)
            decided = self._judge(self._seen()) + self._ask_if_due()
            decisions += decided
            if not (moves or decided):
                break
        return decisions

    def _rules_due(self) -> list[float | None]:
        current = self._floor.current
        if current is None or current.holds:
            return []
        seen = self._seen()
        left = [rule.due(seen) for rule in self._rules]
        times = [self._now + max(0.0, seconds) for seconds in left if seconds is not None]
        return list(times) if self._ducked else [self._trust.believed_at(at) for at in times]

    def _seen(self, pressed: bool = False) -> Seen:
        ducked_s = self._now - self._ducked[1] if self._ducked else None
        return self._user.seen(self._now, ducked_s, pressed)

    def _why(self, sort: Sort) -> Why:
        real = Why.NOTHING_PLAYS if self._floor.current is None else Why.WORDS
        return _NOTHING_REAL.get(sort, real)
