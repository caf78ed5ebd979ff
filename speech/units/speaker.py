"""Who spoke, told behind what was said."""

from __future__ import annotations

import re

from speech.units import vocabulary
from speech.units.characters import Undecided, Window
from speech.units.following import skip_blanks, word_at
from speech.units.language import Language

LONGEST_NAME = 4
"""Words: "Dr. Maria van Dyke asked."."""

_HAN_SPOKE = re.compile(
    r"[\u4e00-\u9fff]{1,5}?(?:[说說问問喊答]|(?<!知)道)[着了道]?(?=[。，；！,.!;])"
)
_HAN = re.compile(r"[\u4e00-\u9fff]*")
_LONGEST_HAN = 8


def is_told(window: Window, at: int, language: Language) -> bool:
    """Whether a name and a verb of speech begin there: "Why?" Anna asked."""
    if language.code != "en":
        return False
    for _ in range(LONGEST_NAME):
        word = word_at(window, at)
        if not word[:1].isupper():
            return word in vocabulary.SPOKE
        if word != "I" and language.starts_sentence(word):
            return False
        end = at + len(word)
        if window.at(end) == "." and (len(word) == 1 or word.lower() in language.titles):
            end += 1
        at = skip_blanks(window, end)
        if at == end:
            return False
    return False


def is_told_in_han(window: Window, at: int) -> bool:
    """Whether it goes on like “好！”他说。"""
    if _HAN_SPOKE.match(window.text, at):
        return True
    seen = _HAN.match(window.text, at, at + _LONGEST_HAN)
    end = seen.end() if seen else at
    if end == len(window.text) and end < at + _LONGEST_HAN and not window.complete:
        raise Undecided
    return False
