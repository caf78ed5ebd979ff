"""A virtual clock around the policy: events in milliseconds, ticks when they are due."""

from __future__ import annotations

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Decision, Why
from speech.barge_in.events import Ended, Event, Key, Kind, Playing, Reply, Stop, Tick, Voice, Words
from speech.barge_in.policy import BargeIn
from speech.barge_in.rules import Strategy
from speech.barge_in.words import WordSorter

FRAME_MS = 20
UNPROTECTED = BargeInConfig(protect_s=0, onset_s=0.06, confident=0.7, sure=2)
"""The figures that the tables were written with."""
TEXT = "Our shop opens at nine every day and closes at six in the evening."


class Bench:
    """Times in milliseconds from 0; ``log`` holds what was decided."""

    def __init__(
        self,
        config: BargeInConfig = UNPROTECTED,
        strategy: Strategy | None = None,
        language: str = "en",
    ) -> None:
        self.policy = BargeIn(config, strategy, WordSorter(language))
        self.log: list[Decision] = []

    def take(self, event: Event) -> list[Decision]:
        self.tick_before(event.at)
        decisions = self.policy.take(event)
        self.log += decisions
        return decisions

    def wait(self, until_ms: float) -> None:
        self.tick_before(until_ms / 1000)

    def tick_before(self, at: float) -> None:
        """In seconds, as they are: rounding would tick for what is due at ``at`` itself."""
        while (due := self.policy.deadline) is not None and due < at:
            self.log += self.policy.take(Tick(due))

    def settle(self) -> None:
        """Wait until nothing is due any more."""
        for _ in range(100):
            if (due := self.policy.deadline) is None:
                return
            self.log += self.policy.take(Tick(due))
        raise AssertionError("the policy wants to be woken for ever")

    def reply(
        self, ms: float, reply_id: str = "R1", kind: Kind = Kind.ANSWER, **more: bool
    ) -> None:
        self.take(Reply(ms / 1000, reply_id, kind, **more))

    def play(self, ms: float, reply_id: str = "R1", text: str = TEXT, **more: bool) -> None:
        self.take(Playing(ms / 1000, reply_id, text, **more))

    def end(self, ms: float, reply_id: str = "R1", lost: bool = False) -> None:
        self.take(Ended(ms / 1000, reply_id, lost))

    def voice(self, start: float, stop: float, speech: float = 0.9, echo: float = 0.0) -> None:
        """Frames from ``start`` to ``stop``, then one of silence."""
        for ms in range(round(start), round(stop), FRAME_MS):
            self.take(Voice(ms / 1000, speech, echo))
        self.take(Voice(stop / 1000, 0.0))

    def words(
        self, ms: float, text: str, final: bool = True, logprob: float | None = None
    ) -> list[Decision]:
        return self.take(Words(ms / 1000, text, final, logprob=logprob))

    def key(self, ms: float, down: bool) -> None:
        self.take(Key(ms / 1000, down))

    def stop(self, ms: float, shutdown: bool = False) -> None:
        self.take(Stop(ms / 1000, shutdown))

    @property
    def done(self) -> list[str]:
        """What was decided but to ignore: "duck R1"."""
        return [f"{d.action.value} {d.reply_id}" for d in self.log if d.action is not Action.IGNORE]

    @property
    def whys(self) -> list[Why]:
        return [d.why for d in self.log]

    def at(self, action: Action) -> list[float]:
        """Times of the decisions, in milliseconds."""
        return [round(d.at * 1000, 3) for d in self.log if d.action is action]

    def dropped(self) -> list[bool]:
        return [d.drop_words for d in self.log]


def playing(config: BargeInConfig = UNPROTECTED, language: str = "en") -> Bench:
    b = Bench(config, language=language)
    b.reply(0)
    b.play(500)
    return b
