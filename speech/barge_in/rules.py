"""Small rules that look at the user's sound and say what they want done with the reply.

A rule knows nothing of replies: ``BargeIn`` asks the rules of its strategy in order, takes the
first verdict and says whether it may be carried out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from speech.barge_in.config import BargeInConfig
from speech.barge_in.decision import Action, Verdict, Why
from speech.barge_in.words import Sort


@dataclass(frozen=True, slots=True)
class Seen:
    """The user's sound as it stands. Times in seconds; ``ducked_s`` None: not ducked.

    ``sort``, ``word_count`` and ``final`` are those of a transcript that came just now.
    """

    now: float
    speaking: bool = False
    sure: bool = False
    settled: bool = True
    voiced_s: float = 0.0
    quiet_s: float = 0.0
    ducked_s: float | None = None
    pressed: bool = False
    sort: Sort | None = None
    word_count: int = 0
    final: bool = False


class Rule(Protocol):
    """``judge``: a verdict or None. ``due``: in how many seconds it may judge otherwise though
    nothing happens; None: never."""

    def judge(self, seen: Seen) -> Verdict | None: ...

    def due(self, seen: Seen) -> float | None: ...


_ROUNDING_S = 1e-6
"""A tick at the time that ``due`` gave must find it due, though sums of floats differ."""


def _is_due(left: float | None) -> bool:
    return left is not None and left <= _ROUNDING_S


@dataclass(frozen=True, slots=True)
class KeyCuts:
    """The talk key goes down: a person wants to speak, there is nothing to make out."""

    def judge(self, seen: Seen) -> Verdict | None:
        return Verdict(Action.CUT, Why.KEY) if seen.pressed else None

    def due(self, seen: Seen) -> float | None:
        return None


_GOES_ON = {
    Sort.ECHO: Why.ECHO,
    Sort.BACKCHANNEL: Why.BACKCHANNEL,
    Sort.NOTHING: Why.NOTHING_SAID,
    Sort.UNSURE: Why.UNSURE,
}


@dataclass(frozen=True, slots=True)
class WordsDecide:
    """Real words cut, also after a resume; final ones that are none let the reply go on.

    So does a partial echo, without which the voice of an echo would be long enough to cut.
    """

    partial_words: int

    def judge(self, seen: Seen) -> Verdict | None:
        if seen.sort is None:
            return None
        if why := _GOES_ON.get(seen.sort):
            long_echo = seen.sort is Sort.ECHO and seen.word_count > self.partial_words
            certain = seen.final or long_echo
            return Verdict(Action.RESUME, why) if certain else None
        enough = seen.final or seen.sort is Sort.COMMAND or seen.word_count >= self.partial_words
        return Verdict(Action.CUT, Why.WORDS) if enough else None

    def due(self, seen: Seen) -> float | None:
        return None


@dataclass(frozen=True, slots=True)
class ActAtOnset:
    """The first confident frames of a stretch duck (or, for those who may always speak, cut): the
    second as it comes, or one that is sure."""

    onset_s: float
    action: Action = Action.DUCK

    def judge(self, seen: Seen) -> Verdict | None:
        left = self.due(seen)
        return Verdict(self.action, Why.ONSET) if _is_due(left) else None

    def due(self, seen: Seen) -> float | None:
        if not seen.speaking or seen.settled or seen.ducked_s is not None:
            return None
        return 0.0 if seen.sure else self.onset_s - seen.voiced_s


@dataclass(frozen=True, slots=True)
class SpeechCuts:
    """Voice for ``cut_after_s`` is an interruption, whatever it says."""

    cut_after_s: float

    def judge(self, seen: Seen) -> Verdict | None:
        left = self.due(seen)
        return Verdict(Action.CUT, Why.SPEECH) if _is_due(left) else None

    def due(self, seen: Seen) -> float | None:
        if seen.ducked_s is None or not seen.speaking:
            return None
        return self.cut_after_s - seen.voiced_s


@dataclass(frozen=True, slots=True)
class BriefResumes:
    """A stretch too short for a word is not waited upon once it is over."""

    brief_s: float
    quiet_s: float

    def judge(self, seen: Seen) -> Verdict | None:
        left = self.due(seen)
        return Verdict(Action.RESUME, Why.BRIEF) if _is_due(left) else None

    def due(self, seen: Seen) -> float | None:
        if seen.ducked_s is None or seen.speaking or seen.voiced_s >= self.brief_s:
            return None
        return self.quiet_s - seen.quiet_s


@dataclass(frozen=True, slots=True)
class WindowEnds:
    """The window is over: never talk over a user who speaks, never stay silent for one who does
    not."""

    window_s: float

    def judge(self, seen: Seen) -> Verdict | None:
        left = self.due(seen)
        if not _is_due(left):
            return None
        if seen.speaking:
            return Verdict(Action.CUT, Why.STILL_SPEAKING)
        return Verdict(Action.RESUME, Why.NO_WORDS)

    def due(self, seen: Seen) -> float | None:
        return None if seen.ducked_s is None else self.window_s - seen.ducked_s


@dataclass(frozen=True, slots=True)
class Strategy:
    """A policy is a list of rules. ``needs_key``: voice and words count only with the key down."""

    rules: tuple[Rule, ...]
    needs_key: bool = False


def natural(config: BargeInConfig) -> Strategy:
    """The default: duck, listen, then cut or go on."""
    return Strategy(
        (
            KeyCuts(),
            WordsDecide(config.partial_words),
            ActAtOnset(config.onset_s),
            SpeechCuts(config.cut_after_s),
            BriefResumes(config.brief_s, config.quiet_s),
            WindowEnds(config.window_s),
        )
    )


def always_let_speak(config: BargeInConfig) -> Strategy:
    """Any voice cuts at once; a false alarm costs the answer, which is asked for again."""
    return Strategy(
        (
            KeyCuts(),
            WordsDecide(config.partial_words),
            ActAtOnset(config.onset_s, Action.CUT),
        )
    )


def push_to_talk(config: BargeInConfig) -> Strategy:
    """The key cuts, and words said with it, of an answer that began meanwhile; no voice does: for
    rooms in which everything leaks into the microphone."""
    return Strategy((KeyCuts(), WordsDecide(config.partial_words)), needs_key=True)


def never(config: BargeInConfig) -> Strategy:
    """Replies are heard to their end (``barge_in.policy: never``); a stop still stops."""
    return Strategy(())
