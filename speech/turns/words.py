"""The words of a transcript, with the signs that tell digits, addresses and amounts apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from speech.barge_in.tokens import unspaced

AT, DOT, PLUS = "@", "·", "+"
"""Tokens for what stands inside an address or before a number; a full stop is none."""
AMOUNT = "#"
"""The token for a number that is a quantity: money, a time of day, a decimal, an ordinal."""

Words = tuple[str, ...]

_APOSTROPHES = re.compile("[’ʼ`´]")
_AMOUNT = re.compile(
    r"[$€£¥₹]\s?\d[\d.,]*"
    r"|(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])"
    r"|(?<![\d.,])(?:0|[1-9]\d{0,9})[.,]\d{1,2}(?![\d.,]?\d)"
    r"|(?<!\d)\d{1,2}:\d{2}(?!\d)"
    r"|\d+\s?[%€$£°]"
    r"|\d+(?:st|nd|rd|th|er|ème|º|ª)\b"
)
_INNER_DOT = re.compile(r"(?<=[^\W\d_])\.(?=\w)|(?<=\d)\.(?=[^\W\d_])")
_KOREAN_DIGITS = re.compile("[영공일이삼사오육륙칠팔구]{3,}")
"""Written without blanks; two of them are words as well ("이사", a move)."""


def words(text: str) -> Words:
    """Small letters, signs apart; scripts without blanks by the character."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    for sign in (DOT, AMOUNT):
        plain = plain.replace(sign, " ")
    plain = _AMOUNT.sub(f" {AMOUNT} ", _APOSTROPHES.sub("'", plain))
    plain = _INNER_DOT.sub(f" {DOT} ", plain)
    return tuple(
        piece for word in "".join(map(_kept, plain)).split() for piece in _pieces(word.strip("'"))
    )


def phrases(texts: Iterable[str]) -> frozenset[Words]:
    """Each text as words; those without any are left out."""
    return frozenset(map(words, texts)) - {()}


def find(spoken: Words, sought: Iterable[Words]) -> list[tuple[int, int]]:
    """Where each of the phrases begins and ends, in no order."""
    return [
        (at, at + len(phrase))
        for phrase in sought
        for at in range(len(spoken) - len(phrase) + 1)
        if spoken[at : at + len(phrase)] == phrase
    ]


def ends_with(spoken: Words, phrase: Words) -> bool:
    """Whether the phrase, which is not empty, is the last of the words."""
    return bool(phrase) and spoken[-len(phrase) :] == phrase


def _pieces(word: str) -> Iterable[str]:
    return word if _KOREAN_DIGITS.fullmatch(word) else [word]


def _kept(character: str) -> str:
    if character in (AT, DOT, PLUS, AMOUNT) or unspaced(character):
        return f" {character} "
    inside = character.isalnum() or unicodedata.category(character)[0] == "M"
    return character if inside or character == "'" else " "
