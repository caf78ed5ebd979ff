"""Digits and letters said one after the other: a telephone number, a code, a spelled name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from speech.spoken.numerals import cardinal
from speech.turns import vocabulary
from speech.turns.words import AT, DOT, PLUS, Words, find, phrases, words

_NUMBER_WORDS_TO = 99
"""People say numbers in ones, or in pairs: "zéro six, douze, trente-quatre"."""

_CUE_REACH = 4
"""Words between what announces the digits and the first: "my number for today is"."""

_YEARS = ("19", "20")

_CODE = re.compile(r"(?=.*\d)[a-z]?(?:\d+[a-z])*\d*")
"""Letters, each by itself, and digits: "b7", "9k2"; not "3pm", which ends a sentence."""


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a dictation: "4", "555", "b", "b7".

    ``digits``: those in it. ``size``: how many digits and letters. ``ambiguous``: it is also a
    word of its own, such as "a".
    """

    digits: str = ""
    size: int = 1
    ambiguous: bool = False

    @property
    def has_zero_first(self) -> bool:
        """As telephone numbers and codes have, and quantities do not."""
        return self.size == len(self.digits) and self.digits.startswith("0")


@dataclass(frozen=True, slots=True)
class Run:
    """What is dictated at the end of a text, and where it begins among the words.

    ``plus``: begins with "+". ``joined``: ends with what joins: "dash", "double", "B as in".
    """

    items: tuple[Item, ...]
    start: int
    plus: bool = False
    joined: bool = False

    @property
    def digits(self) -> int:
        """How many digits there are."""
        return sum(len(item.digits) for item in self.items)

    @property
    def spells(self) -> bool:
        """Letters rather than digits."""
        return sum(not item.digits for item in self.items) * 2 > len(self.items)

    @property
    def is_dictation(self) -> bool:
        """Whether the pieces alone say so, without a word that announces them.

        One number is a quantity ("twenty five", "1987"), two are often a date or a time; three
        in a row, two of one digit, a leading zero and five digits without a separator are not.
        """
        items = self.items
        zero = self.digits > 1 and items[0].has_zero_first
        if len(items) >= 3 or zero or (items and (self.plus or self.joined)):
            return True
        if len(items) == 2:
            return all(item.size == 1 for item in items) or _is_grouped(*items)
        return bool(items) and len(items[0].digits) >= 5


class DictationReader:
    """Finds what is dictated at the end of a text in one language (a code without region)."""

    def __init__(self, language: str) -> None:
        def of(table: dict[str, str]) -> frozenset[Words]:
            return phrases(vocabulary.of(table, language))

        self._numbers = _number_words(language)
        self._longest = max(map(len, self._numbers), default=1)
        self._as_in = of(vocabulary.AS_IN)
        signs = of(vocabulary.AT) | of(vocabulary.DOT) | {(AT,), (DOT,)}
        self._joiners = of(vocabulary.JOINERS) | signs | self._as_in
        self._ambiguous = of(vocabulary.AMBIGUOUS)
        self._nato = phrases(vocabulary.NATO.split(", "))
        self._cues = of(vocabulary.DICTATION_CUES)
        self._plain = of(vocabulary.PLAIN_JOINERS)
        self._choice, self._choosing = of(vocabulary.CHOICE), of(vocabulary.CHOOSING)

    def run(self, spoken: Words) -> Run:
        """The longest row of pieces that the words end with."""
        items: list[Item] = []
        start, plus, joined, at = 0, False, False, 0
        while at < len(spoken):
            length, item = self._piece(spoken, at)
            if self._is_other_word(spoken[at : at + length], item, items):
                items, plus, joined = [], False, False
            elif item is not None:
                start = start if items or plus else at
                items.append(item)
                joined = False
            elif spoken[at] == PLUS:
                items, start, plus, joined = [], at, True, False
            elif length and items:
                joined = True
            else:
                items, plus, joined = [], False, False
            at += length or 1
        while items and items[0].ambiguous and len(items) <= 2:
            if self.has_cue(spoken[max(0, start - _CUE_REACH) : start]):
                break  # "my PIN is one"
            items.pop(0)
        return Run(tuple(items), start if items else len(spoken), plus, joined)

    def _is_other_word(self, phrase: Words, item: Item | None, before: list[Item]) -> bool:
        """Whether the piece is a word of a sentence about quantities: "for two at seven", "two
        plus two", "due o tre". It joins what is spelled or is a dictation already."""
        if not (before and before[-1].digits) or Run(tuple(before), 0).is_dictation:
            return False
        return phrase in self._plain if item is None else item.ambiguous and not item.digits

    def is_announced(self, run: Run, spoken: Words) -> bool:
        """Whether a word shortly before the run says what it is: "my number is"."""
        near = spoken[max(0, run.start - _CUE_REACH) : run.start]
        return self.has_cue(near) and not self._chooses(run, spoken)

    def _chooses(self, run: Run, spoken: Words) -> bool:
        """Whether it is one of several: "I'd like number two", not "order number two"."""
        if len(run.items) != 1 or run.joined or run.digits > 2:
            return False
        before = spoken[: run.start]
        return before[-1:] in self._choice and before[-2:-1] in self._choosing | {()}

    def has_cue(self, spoken: Words) -> bool:
        """Whether a number or a spelling is spoken of; "the number of guests" is none."""
        return any(spoken[end : end + 1] != ("of",) for _, end in find(spoken, self._cues))

    def _piece(self, spoken: Words, at: int) -> tuple[int, Item | None]:
        """How many words the piece at this place takes; a joiner has a length and no item."""
        word = spoken[at]
        if word.isdecimal():
            return 1, Item(word, len(word))
        if _CODE.fullmatch(word):
            return 1, Item("".join(filter(str.isdecimal, word)), len(word))
        for length in range(min(self._longest, len(spoken) - at), 0, -1):
            phrase = spoken[at : at + length]
            if phrase in self._numbers:
                digits = self._numbers[phrase]
                return length, Item(digits, len(digits), phrase in self._ambiguous)
        if len(word) == 1 and word.isascii() and word.isalpha():
            length = 1 + self._example(spoken, at + 1)
            return length, Item(ambiguous=length == 1 and (word,) in self._ambiguous)
        if (word,) in self._nato:
            return 1, Item()
        return max(
            (len(j) for j in self._joiners if spoken[at : at + len(j)] == j), default=0
        ), None

    def _example(self, spoken: Words, at: int) -> int:
        """Of "B as in Bravo", how many words follow the letter."""
        for link in self._as_in:
            end = at + len(link)
            if spoken[at:end] == link and end < len(spoken) and len(spoken[end]) > 1:
                return len(link) + 1
        return 0


def _is_grouped(first: Item, second: Item) -> bool:
    """ "415 555" and "1 800", but not the day and year of "May 4, 1987"."""
    year = len(second.digits) == 4 and second.digits.startswith(_YEARS)
    long = max(first.size, second.size) >= 3
    return long and not (year and len(first.digits) <= 2)


@cache
def _number_words(language: str) -> dict[Words, str]:
    """The words for 0 to 99. The first call for a language takes up to 0.2 s: libraries load."""
    spelled = {words(cardinal(n, language)): str(n) for n in range(_NUMBER_WORDS_TO + 1)}
    extra = {words(word): "0" for word in vocabulary.of(vocabulary.DIGIT_WORDS, language)}
    return {phrase: digits for phrase, digits in (extra | spelled).items() if phrase}
