"""Where a sentence's opening clause is worth speaking ahead of the sentence.

Plain chat replies come from a model of a given pace, on a clock of their own. Either whole
sentences go to the voice, or what ``speech.units.release`` lets go. The voice begins
``FIRST_AUDIO_S`` after it got a unit, whatever its length, as ours does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from bench.figures import p95
from bench.split.reply import Reply
from bench.split.tokens import stream
from speech.units.characters import cost
from speech.units.release import FIRST_AUDIO_S, LETTERS_PER_S, Release, ReleaseRules
from speech.units.splitter import UnitSplitter

TOKENS_PER_S = (2, 4, 8, 16, 32, 64)
"""A large model on a small machine, to a small one or a fast service."""


@dataclass(frozen=True, slots=True)
class Talk:
    """How one reply would be heard; seconds from the model's first token."""

    first_sound_s: float
    silence_s: float
    clauses: int


def pace(replies: Iterable[Reply]) -> list[dict[str, Any]]:
    """One row for each pace, with whole sentences and with clauses.

    Median and 95th percentile of the first sound, mean silence between units, and the share of
    replies of which something left before the sentence's end was certain.
    """
    chat = [reply for reply in replies if reply.kind == "chat" and reply.lang == "en"]
    streams = [stream(reply.text, "pieces", reply.id) for reply in chat]
    return [_row(rate, streams) for rate in TOKENS_PER_S] if streams else []


def _row(rate: float, streams: Sequence[Sequence[str]]) -> dict[str, Any]:
    talks = {
        name: [talk(tokens, rate, ReleaseRules(first_clause=clauses)) for tokens in streams]
        for name, clauses in (("sentences", False), ("clauses", True))
    }
    return {
        "tokens_per_s": rate,
        "first_sound_s": {k: median(t.first_sound_s for t in v) for k, v in talks.items()},
        "first_sound_s_p95": {k: p95(t.first_sound_s for t in v) for k, v in talks.items()},
        "silence_s": {k: sum(t.silence_s for t in v) / len(v) for k, v in talks.items()},
        "parted_share": sum(t.clauses > 0 for t in talks["clauses"]) / len(streams),
    }


def talk(tokens: Sequence[str], rate: float, rules: ReleaseRules) -> Talk:
    """The reply at ``rate`` tokens a second."""
    now = 0.0
    splitter, release = UnitSplitter(), Release(rules, lambda: now)
    sounds: list[tuple[float, float]] = []
    clauses = 0

    def speak(text: str) -> None:
        release.left(text)
        begins = max(sounds[-1][1] if sounds else 0.0, now + FIRST_AUDIO_S)
        sounds.append((begins, begins + cost(text) / LETTERS_PER_S))

    for number, token in enumerate(tokens):
        now = number / rate
        release.came(token)
        for unit in splitter.feed(token):
            speak(unit.text)
        clause = "" if release.speaking else splitter.safe_clause()
        if clause and release.wants_clause(splitter.pending, clause):
            taken = splitter.take_clause(whole=True)
            if taken is not None:
                clauses += 1
                speak(taken.text)
    for unit in splitter.finish():
        speak(unit.text)
    silence = sum(max(0.0, b[0] - a[1]) for a, b in pairwise(sounds))
    return Talk(sounds[0][0] if sounds else now, silence, clauses)
