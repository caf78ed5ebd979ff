"""Words as they are compared: what was asked for against what whisper heard."""

from __future__ import annotations

import re
import unicodedata

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_TOKEN = re.compile(r"(\d+)(st|nd|rd|th)\b|(\d+)|([a-z]+(?:'[a-z]+)*)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


def plain_words(text: str) -> list[str]:
    """Lower-case words without marks; digits become the words they are read as.

    Whisper writes ``2``, ``2nd`` or ``9:30`` where the text has words, which is no error
    of the voice.
    """
    flat = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    words: list[str] = []
    for ordinal, _suffix, number, word in _TOKEN.findall(_THOUSANDS.sub("", flat)):
        if ordinal:
            words += _ordinal(int(ordinal))
        else:
            words += [word] if word else number_words(int(number))
    return words


def number_words(number: int) -> list[str]:
    """``1203``: one thousand two hundred three. A million and more digit by digit."""
    if number < 20:
        return [_ONES[number]]
    if number < 100:
        tens, ones = divmod(number, 10)
        return [_TENS[tens - 2], *([_ONES[ones]] if ones else [])]
    if number >= 1_000_000:
        return [_ONES[int(digit)] for digit in str(number)]
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    many, rest = divmod(number, size)
    return [*number_words(many), name, *(number_words(rest) if rest else [])]


def _ordinal(number: int) -> list[str]:
    *front, last = number_words(number)
    stem = last[:-1] + "ie" if last.endswith("y") else last
    return [*front, _ORDINALS.get(last, f"{stem}th")]
