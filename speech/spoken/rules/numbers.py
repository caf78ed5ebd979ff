"""Plain numbers: ordinals and all the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule

_MASCULINE = {"fr": r"(?:er|e|ème|nd|re|nde)\b", "es": r"\.?[ºª°]|(?:er|ro|ra|do|da|to|ta)\b",
              "it": r"[ºª°]", "pt": r"\.?[ºª°]"}  # fmt: skip
_SCALES = {"K": "thousand", "k": "thousand", "M": "million", "B": "billion"}
_COUNTED = (
    "views|followers|likes|people|users|downloads|subscribers|miles|steps|rows|tokens|parameters"
    "|customers|items|units|jobs|residents|messages|requests"
)
_LONG = 10
"""Digits without commas; so many are a name (an account, a card) and not a quantity."""


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    amount = lexicon.amount
    if lexicon.is_english:
        number = r"(?P<number>[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,9})"
        yield rule("0", rf"{number}(?:st|nd|rd|th|ST|ND|RD|TH)\b", read.ordinal)
        yield rule("0", rf"(?P<number>{amount})(?P<scale>[KkMB])(?=\+|\+? (?:{_COUNTED})\b)",
                   lambda m: f"{lexicon.number(m['number'])} {_SCALES[m['scale']]}")  # fmt: skip
    elif lexicon.language in _MASCULINE:
        yield rule(
            "0", rf"(?P<number>[0-9]{{1,4}})(?P<mark>{_MASCULINE[lexicon.language]})", read.marked
        )
    if lexicon.language == "de":
        yield rule("0", rf"(?P<number>{amount}) ?(?P<scale>(?:Mio|Mrd)(?:\.(?=\s+\S))?|"
                   r"Million(?:en)?|Milliarden?)(?!\w)", read.german_scale)  # fmt: skip
    if lexicon.language == "zh":
        yield rule("0", rf"(?P<number>{amount})(?P<mark>[%‰])", read.chinese_percent)
    yield rule("0", rf"[0-9]{{{_LONG},64}}(?![\w.,]\d)", lambda m: lexicon.digits(m.group()))
    yield rule("0", r"[1-9][0-9]{7,9}(?<!000)(?![\w.,]\d)", lambda m: lexicon.digits(m.group()))
    yield rule("0", r"0[0-9]{1,15}(?![\w]|[.,:]\d)", lambda m: lexicon.digits(m.group()))
    yield rule("0", rf"{amount}", lambda m: lexicon.number(m.group()))
    yield rule(".", r"(?<![\w.])\.(?P<decimals>[0-9]{1,30})(?!\w)", read.bare_decimals)


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def ordinal(self, match: re.Match[str]) -> str:
        """22nd."""
        return self._lexicon.ordinal(int(match["number"].replace(",", "")))

    def marked(self, match: re.Match[str]) -> str:
        """1er, 3º, 2ª."""
        said = self._lexicon.ordinal(int(match["number"]))
        if match["mark"] in ("re", "nde") and said.startswith("premier"):
            return "première"
        return re.sub("o$", "a", said) if match["mark"][-1:] in "ªa" else said

    def german_scale(self, match: re.Match[str]) -> str:
        """5 Mio., 1 Milliarde."""
        name = "Milliarde" if match["scale"].startswith(("Mrd", "Milliard")) else "Million"
        if self._lexicon.value(match["number"]) == 1:
            return f"eine {name}"
        return f"{self._lexicon.number(match['number'])} {name}{'n' if name[-1] == 'e' else 'en'}"

    def chinese_percent(self, match: re.Match[str]) -> str:
        """5% → 百分之五."""
        signs = self._lexicon.signs
        name = signs.percent if match["mark"] == "%" else signs.per_mille
        return name + self._lexicon.number(match["number"])

    def bare_decimals(self, match: re.Match[str]) -> str:
        """.5 → "point five"."""
        return f"{self._lexicon.signs.point} {self._lexicon.digits(match['decimals'])}"
