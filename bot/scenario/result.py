"""What a run gives: the record that ``--json`` prints and the report reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.scenario.checks import Check
from bot.scenario.interruptions import Interruption
from bot.scenario.turns import Conversation, Turn


@dataclass(frozen=True, slots=True)
class Result:
    """A run that is over. Times are seconds from ``origin``, the recording's moment 0.

    ``ended`` is ``finished``, ``timeout``, ``stopped`` (Ctrl-C) or ``failed`` (the bot; the
    reason is in ``problems``). ``notices`` are remarks that fail nothing.
    """

    name: str
    description: str
    ended: str
    origin: float
    duration_s: float
    conversation: Conversation
    checks: list[Check]
    problems: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """The run came to its end, without a problem, and every check holds."""
        return self.ended == "finished" and not self.problems and all(c.passed for c in self.checks)

    def to_json(self) -> dict[str, Any]:
        """The documented record of ``result.json``."""
        talk = self.conversation
        return {
            "passed": self.passed,
            "name": self.name,
            "description": self.description,
            "ended": self.ended,
            "duration_s": round(self.duration_s, 3),
            "greeting": {"bot_text": talk.opening, "heard_text": talk.opening_heard},
            "turns": [self._turn(turn) for turn in talk.turns],
            "interruptions": [self._interruption(cut) for cut in talk.interruptions],
            "checks": [_check(check) for check in self.checks],
            "problems": self.problems,
            "notices": self.notices,
            "environment": self.environment,
            "files": dict(self.files),
        }

    def _turn(self, turn: Turn) -> dict[str, Any]:
        return {
            "user_text": turn.user_text,
            "bot_text": turn.bot_text,
            "heard_text": turn.heard_text,
            "user_speech_end_s": round(turn.anchor - self.origin, 4),
            "user_speech_end_from": turn.anchor_source,
            "began_with_filler": turn.began_with_filler,
            "times": {stage: round(at, 4) for stage, at in turn.times.items()},
            "segments": [
                {"name": part.name, "from": round(part.start, 4), "to": round(part.end, 4)}
                for part in turn.segments
            ],
            "reply_ids": list(turn.reply_ids),
        }

    def _interruption(self, cut: Interruption) -> dict[str, Any]:
        return {
            "at": round(cut.at - self.origin, 4),
            "user_onset": _relative(cut.user_onset, self.origin),
            "silent": _relative(cut.silent, self.origin),
            "cut_to_silent_s": _rounded(cut.cut_to_silent_s),
            "onset_to_silent_s": _rounded(cut.onset_to_silent_s),
            "unheard_text": cut.unheard_text,
            "reply_id": cut.reply_id,
        }


def _check(check: Check) -> dict[str, Any]:
    record: dict[str, Any] = {"what": check.what, "passed": check.passed, "saw": check.saw}
    return record if check.turn is None else record | {"turn": check.turn}


def _relative(at: float | None, origin: float) -> float | None:
    return None if at is None else round(at - origin, 4)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
