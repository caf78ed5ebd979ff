"""What stands behind a possible end."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from speech.units.characters import (
    BLANK_RUN,
    LINE_ENDS,
    LONGEST_BLANK,
    LONGEST_WORD,
    OPENER_RUN,
    WORD_RUN,
    Window,
)

_CONTINUES = ",;:)]}»”/%&=+|،؛、，；：）］」』】》"
_LONG_DASHES = "—–"
_OPENS_SENTENCE = "¿¡"
SHORT_NAME = 3
"""Letters: a.m and z.B are no names."""
_DASHES = "-–—−"


class Next(Enum):
    """The kind of what comes next on the line."""

    NOTHING = auto()
    """The line or the text ends."""
    GOES_ON = auto()
    """A mark that stands inside sentences."""
    SENTENCE = auto()
    """A mark that only opens one."""
    LOWER = auto()
    ACTION = auto()
    """In lower case behind a star, ``*waves*``: it can begin a sentence, and stand in one."""
    UPPER = auto()
    LETTER = auto()
    """Of a script without capitals."""
    DIGIT = auto()
    SIGN = auto()


class Following(NamedTuple):
    """``word`` is where the word itself begins, behind opening marks."""

    kind: Next
    word: int


def skip_blanks(window: Window, index: int) -> int:
    """The next character on the line that is not blank."""
    return window.run(BLANK_RUN, index, LONGEST_BLANK)


def following(window: Window, index: int) -> Following:
    """What the first character behind ``index`` that is not blank begins."""
    index = skip_blanks(window, index)
    character = window.at(index)
    if character == "" or character in LINE_ENDS:
        return Following(Next.NOTHING, index)
    if character in _OPENS_SENTENCE:
        return Following(Next.SENTENCE, index)
    if character in _CONTINUES:
        return Following(Next.GOES_ON, index)
    if character in _DASHES and _goes_on_behind_dash(window, index):
        return Following(Next.GOES_ON, index)
    if character == "." and (window.at(index + 1) == "." or not window.at(index + 1).strip()):
        return Following(Next.GOES_ON, index)  # . . .
    core = window.run(OPENER_RUN, index, 8)
    kind = _kind(window, core)
    action = kind is Next.LOWER and character == "*" and core == index + 1
    return Following(Next.ACTION if action else kind, core)


def word_at(window: Window, index: int) -> str:
    """The whole word that begins there."""
    return window.text[index : window.run(WORD_RUN, index, LONGEST_WORD)].rstrip("'’-")


def is_small_name(window: Window, index: int) -> bool:
    """Whether the word there is a name that is written small: v1.2, pip3, example.org."""
    word = word_at(window, index)
    if not word.isalpha():
        return word.isalnum()
    end = index + len(word)
    if window.at(end) != "." or not window.at(end + 1).isalnum():
        return False
    return len(word) + len(word_at(window, end + 1)) > SHORT_NAME


def _goes_on_behind_dash(window: Window, index: int) -> bool:
    """As in the Russian and Spanish way with speech: "Да!" — сказал он. —¡Sí! —dijo él."""
    behind = skip_blanks(window, index + 1)
    apart = behind > index + 1 or window.text[index] in _LONG_DASHES
    return apart and window.at(behind).islower()


def _kind(window: Window, index: int) -> Next:
    character = window.at(index)
    if character.isdigit():
        return Next.DIGIT
    if character.isupper() or character.istitle():
        return Next.UPPER
    if character.islower():
        inside = word_at(window, index)[1:]
        return Next.LOWER if inside.islower() or not inside.isalpha() else Next.UPPER  # iPhone
    return Next.LETTER if character.isalpha() else Next.SIGN
