"""What a language's words say about the full stop behind them."""

from __future__ import annotations

from functools import lru_cache

import sentencex

from speech.units import vocabulary as words

DEFAULT = "en"
ONCE_ASKED = 4_096
"""Words whose answer is kept; an answer takes a microsecond to get again."""


class Language:
    """Answers for one language. ``tag`` is a BCP 47 tag; only its first part counts.

    Abbreviations and English sentence openers are sentencex's (Wikimedia, MIT), asked by
    segmenting a probe; ``speech.units.vocabulary`` says what follows an abbreviation.
    """

    def __init__(self, tag: str) -> None:
        self.code = code = (tag or DEFAULT).replace("_", "-").split("-")[0].lower() or DEFAULT
        self.titles = _words(words.TITLES, code)
        self.places = frozenset(words.PLACES.split()) if code in ("en", "fr") else frozenset()
        self.numbered = _words(words.NUMBERED, code)
        self.never_last = _words(words.NEVER_LAST, code)
        self.often_last = _words(words.OFTEN_LAST, code)
        self.plain = _words(words.WORDS, code)
        self.ordinals = code in words.ORDINAL_CONTEXT
        self.ordinal_context = _words(words.ORDINAL_CONTEXT, code)
        self.ordinal_nouns = _words(words.ORDINAL_NOUNS, code)
        self.nouns_have_capitals = code in words.NOUNS_HAVE_CAPITALS
        self.semicolon_asks = code == "el"
        self._known = self.titles | self.places | self.never_last | self.often_last
        self._known |= _words(words.SHORT, code) | (self.numbered - self.plain)
        self._starters = _words(words.STARTERS, code)
        self._asked = lru_cache(ONCE_ASKED)(self._ask)
        self._asked_starters = lru_cache(ONCE_ASKED)(self._ask_starter)

    def abbreviation(self, word: str) -> bool:
        """Whether the word, written without its last full stop, is short for another."""
        low = word.lower()
        if low in self._known:
            return True
        return low not in self.plain and self._asked(word)

    def numbers(self, low: str) -> bool:
        """Whether a number may follow the word: "No.", and German streets."""
        return low in self.numbered or (self.code == "de" and low.endswith("str"))

    def starts_sentence(self, word: str) -> bool:
        """Whether the word, met with a capital, is one that names do not begin with."""
        return word.lower() in self._starters or self._asked_starters(word)

    def ends_in_exclamation(self, word: str) -> bool:
        """Whether the exclamation mark behind it belongs to the word: Yahoo!"""
        return word.isalpha() and len(sentencex.segment(self.code, f"A b {word}! Qwx y.")) == 1

    def _ask(self, word: str) -> bool:
        return word.isprintable() and len(sentencex.segment(self.code, f"A b {word}. Qwx y.")) == 1

    def _ask_starter(self, word: str) -> bool:
        if self.code != DEFAULT or not word.isalpha():
            return False
        return len(sentencex.segment(DEFAULT, f"A b Mr. {word} y.")) == 2


@lru_cache(64)
def language(tag: str) -> Language:
    """The language of a tag; shared."""
    return Language(tag)


def _words(table: dict[str, str], code: str) -> frozenset[str]:
    return frozenset(table.get(code, "").split())
