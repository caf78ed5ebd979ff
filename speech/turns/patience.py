"""How long to wait for the rest of what is said."""

from __future__ import annotations

import re
from enum import Enum

from speech.turns import vocabulary
from speech.turns.address import AddressReader
from speech.turns.dictation import DictationReader, Run
from speech.turns.words import Words, ends_with, phrases, words

READ_CHARS = 400
"""The end of a turn says whether it is one; a turn may be minutes long."""

LONG_NUMBER = 9
"""Digits from which a number may be complete: most national telephone numbers have 9 to 11."""

LONG_NUMBER_SHARE = 0.5
"""Of the patience, where a number may be complete. What is longer (a card, a number with its
country) is said in groups, with pauses of a second at most."""

_TRAILS_OFF = re.compile(r"(?:[,、，;；:：…–—~-]|\.\.)[\"'”’»)\s]*$")
_ASKS = re.compile(r"[?!？！؟][\"'”’»)\s]*$")
_LETTER = re.compile(r"[^\W\d_] [A-HJ-Z][.!]?$")
"""One capital at the end is a letter: "plan A"; an article is small there."""
_CAPITALS = re.compile(r"([A-ZÀ-ÖØ-Þ]{2,16})\W*$")
"""How recognisers write a name that was spelled: "JOHN"."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？])")


class Open(Enum):
    """What is not finished."""

    DIGITS = "digits"
    LETTERS = "letters"
    ADDRESS = "address"
    SENTENCE = "sentence"


class Patience:
    """Judges the words of a turn so far, in one language (a BCP 47 tag; English if not known).

    ``longest_s`` is the silence after which nothing more is expected of an unfinished turn;
    0 switches it off. It holds tables and no state.
    """

    def __init__(self, language: str = "en", longest_s: float = 2.5) -> None:
        code = (language or "en").replace("_", "-").split("-")[0].casefold()
        self.longest_s = longest_s
        self._dictation = DictationReader(code)
        self._address = AddressReader(code)
        self._open = phrases(vocabulary.of(vocabulary.OPEN, code))
        self._fillers = phrases(vocabulary.of(vocabulary.FILLERS, code))
        self._stranded = phrases(vocabulary.of(vocabulary.STRANDED, code))
        self._not_alone = phrases(vocabulary.of(vocabulary.NOT_ALONE, code))
        self._relative = {w for p in phrases(vocabulary.of(vocabulary.RELATIVE, code)) for w in p}

    def wait_s(self, text: str, asked: str = "") -> float:
        """Seconds of silence, from the end of speech, before the turn may be over; 0: as usual.

        ``text``: the turn so far, partial or final. ``asked``: what the bot said last; after
        "What is your number?" one digit is the beginning of a number.
        """
        kind, run = self._judge(text, asked)
        if kind is None:
            return 0.0
        complete = kind is Open.DIGITS and run.digits >= LONG_NUMBER and not run.joined
        return self.longest_s * (LONG_NUMBER_SHARE if complete else 1.0)

    def unfinished(self, text: str, asked: str = "") -> Open | None:
        """What is not finished; None: nothing of which the words tell."""
        return self._judge(text, asked)[0]

    def _judge(self, text: str, asked: str) -> tuple[Open | None, Run]:
        question = words(_question(asked))
        spoken = self._spoken(text[-READ_CHARS:], question)
        run = self._dictation.run(spoken)
        if not spoken:
            return None, run
        address_open = self._address.is_open(spoken, question, run)
        if address_open is not None:
            return (Open.ADDRESS if address_open else None), run
        if self._dictates(run, spoken, question):
            return (Open.LETTERS if run.spells else Open.DIGITS), run
        return (Open.SENTENCE if self._is_left_open(text, spoken, run) else None), run

    def _spoken(self, text: str, question: Words) -> Words:
        """The words; letter by letter where the last one was spelled."""
        spoken, capitals = words(text), _CAPITALS.search(text)
        if capitals is None or not self._dictation.has_cue(question + spoken[:-1]):
            return spoken
        return words(text[: capitals.start()]) + words(" ".join(capitals.group(1)))

    def _dictates(self, run: Run, spoken: Words, question: Words) -> bool:
        if not run.items:
            return False
        announced = self._dictation.is_announced(run, spoken)
        return run.is_dictation or announced or self._dictation.has_cue(question)

    def _is_left_open(self, text: str, spoken: Words, run: Run) -> bool:
        """Whether the sentence goes on: after a comma, "and", "my name is", "um"."""
        if _TRAILS_OFF.search(text[-READ_CHARS:]):
            return True
        if _ASKS.search(text[-READ_CHARS:]) or self._is_stranded(text):
            return False
        if _LETTER.search(text[-READ_CHARS:]) or (run.items and not run.joined):
            return False  # "plan A"; "vingt et un"
        ends = [p for p in self._open | self._fillers if ends_with(spoken, p)]
        return any(len(spoken) > len(p) or self._stands_alone(p) for p in ends)

    def _is_stranded(self, text: str) -> bool:
        """Whether the word that leaves it open belongs to an earlier one: "who I live with"."""
        sentences = _BETWEEN_SENTENCES.split(text[-READ_CHARS:].strip())
        spoken = words(sentences[-1])
        before = spoken[:-2] or spoken[:-1]  # "what for"
        return spoken[-1:] in self._stranded and not self._relative.isdisjoint(before)

    def _stands_alone(self, phrase: Words) -> bool:
        """Whether it is open without a word before it; "A." may be an answer."""
        return len("".join(phrase)) > 1 and phrase not in self._not_alone


def _question(text: str) -> str:
    """The last sentence that asks, else the last."""
    sentences = [s for s in _BETWEEN_SENTENCES.split(text[-READ_CHARS:]) if s]
    asking = [sentence for sentence in sentences if _ASKS.search(sentence)]
    return (asking or sentences or [""])[-1]
