"""A gate with a clock that stands still, and what left it, in words."""

from __future__ import annotations

import random
from typing import Any

from speech.evidence.actions import Action, Pass, Release, Say, TakeBack, Withhold
from speech.evidence.gate import Gate
from speech.evidence.rules import Rules
from speech.evidence.waits import WaitTimes
from tests.evidence.fake_clock import FakeClock

WORDS: dict[str, Any] = {
    "preambles": ("Moment.", "Second."),
    "apology": "Not yet.",
    "hedge": "Unchecked.",
    "correction": "Not so.",
}


class Bench:
    """``log`` holds released texts as they are, passages in (), what was withheld in []."""

    def __init__(self, waits: WaitTimes | None = None, **rules: Any) -> None:
        self.clock = FakeClock()
        self.waits = waits if waits is not None else WaitTimes()
        self.rules = Rules(**WORDS | rules)
        self.gate = Gate(self.rules, self.waits, clock=self.clock, rng=random.Random(1))
        self.log: list[str] = []
        self.actions: list[Action] = []

    def do(self, actions: list[Action]) -> None:
        self.actions += actions
        for action in actions:
            match action:
                case Pass():
                    self.log.append(f"({action.item})")
                case Release():
                    self.log.append(str(action.item))
                case Withhold():
                    self.log.append(f"[{action.text}]")
                case Say():
                    self.log.append(f"*{action.text}")
                case TakeBack():
                    self.log.append(f"!{action.text}")

    def start(self) -> None:
        self.do(self.gate.reply_started("start"))

    def say(self, *texts: str, names: tuple[str, ...] = ()) -> None:
        for text in texts:
            self.do(self.gate.unit(text, text, names))

    def call(self, *ids: str, tool: str = "book", evidence: bool = True) -> None:
        self.do(self.gate.calls_begun([(call_id, tool, evidence) for call_id in ids]))

    def end(self) -> None:
        self.do(self.gate.reply_ended("end"))

    def ok(self, call_id: str) -> None:
        self.do(self.gate.settle(call_id, verified=True))

    def bad(self, call_id: str, why: str = "full") -> None:
        self.do(self.gate.settle(call_id, verified=False, why=why))

    def wait(self, seconds: float) -> None:
        """Time passes; the gate is woken whenever it asked for it."""
        until = self.clock.now + seconds
        while (due := self.gate.deadline) is not None and due <= until:
            self.clock.now = max(due, self.clock.now)
            self.do(self.gate.tick())
        self.clock.now = until

    @property
    def text(self) -> str:
        return " ".join(self.log)
