"""Signs that are words wherever they stand, and those that are never said."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, Say, rule

_DIAL = re.compile(r"\b(?:press|dial|hit|enter|push|key|then|the) $", re.IGNORECASE)
_DIALLED = re.compile(r"\b(?:press|dial|hit|enter|push|key) $", re.IGNORECASE)


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    signs, spaced = lexicon.signs, lexicon.spaced
    plural = "s" if lexicon.is_english else ""
    yield rule("%", r"(?<=[0-9½¼¾ )])%|%(?=$)", _word(signs.percent, spaced))
    yield rule("‰", r"‰", _word(signs.per_mille, spaced))
    yield rule("°", r"°", _word(signs.degrees, spaced))
    if lexicon.is_english:
        yield rule("a", r"(?<=[0-9])º", _word(signs.degrees, spaced))
        yield rule("¶", r"¶ ?(?=[0-9])", "paragraph ")
        yield rule("$", r"(?<=\s)\$(?=[\s.,;:!?]|$)", "dollar")
        yield rule("$", r"\${1,99}(?![0-9.]|\s\d)", "")
        yield rule('"″', r'(?<=[½¼¾⅛⅜⅝⅞])["″]|(?<=[0-9]/[0-9])["″](?!\w)', " inches")
    yield rule("†‡¶", r"[†‡¶]", "")
    yield rule("©", r"© ?", f"{signs.copyright} ")
    yield rule("®", r"®", f" {signs.registered}")
    yield rule("™", r"™", f" {signs.trademark}")
    yield rule("§", r"§§ ?", f"{signs.section}{plural} ")
    yield rule("§", r"§ ?", f"{signs.section} ")
    yield rule("#", r"(?<![\w#])#+ ?(?=[0-9])", _number_sign(lexicon))
    yield rule("#", r"#{1,400}", _hash(lexicon))
    yield rule("@", r"@(?= ?[\w$€£])", _word(signs.at, spaced))
    yield rule("/", r"(?<=[^\W_])/(?=[^\W_])", " ")
    yield rule("_", r"_{1,400}", " ")
    yield rule("\\", r"\\{1,400}", " ")
    yield rule("•‣·▪●○■□◦※~^=|`", r"[•‣·▪●○■□◦※~^=|`]{1,400}", " ")
    yield rule("<>", r"[<>]{1,400}", " ")


def _word(word: str, spaced: bool) -> Say:
    def say(match: re.Match[str]) -> str:
        before_it = " " if spaced and before(match)[-1:].isalnum() else ""
        after_it = " " if spaced and after(match)[:1].isalnum() else ""
        return f"{before_it}{word}{after_it}"

    return say


def _number_sign(lexicon: Lexicon) -> Say:
    def say(match: re.Match[str]) -> str:
        is_key = lexicon.is_english and _DIALLED.search(before(match))
        return "pound " if is_key else f"{lexicon.signs.number} "

    return say


def _hash(lexicon: Lexicon) -> Say:
    def say(match: re.Match[str]) -> str:
        return "pound" if lexicon.is_english and _DIAL.search(before(match)) else ""

    return say
