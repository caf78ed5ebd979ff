"""Fractions, written with a slash or as one character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from speech.spoken.context import after, before, word_after, word_before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule
from speech.spoken.words import words

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_ON = words("on by until since before after due dated from till")
_RATED = words("stars star rating rated score scored points")
_PARTS = frozenset({*range(2, 11), 12, 16, 20, 32, 64, 100})
"""What things are divided into; 10/11 is something else."""
_NAMED = {"24/7": "twenty-four seven", "9/11": "nine eleven", "50/50": "fifty-fifty",
          "20/20": "twenty twenty", "4/4": "four four"}  # fmt: skip


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    yield rule("0", rf"(?P<whole>[0-9]{{1,6}}) ?(?P<vulgar>[{_VULGAR}])", read.vulgar)
    yield rule(_VULGAR, rf"(?P<whole>)(?P<vulgar>[{_VULGAR}])", read.vulgar)
    end = r"(?![\w/%]|[.,]\d)"
    yield rule(
        "0",
        rf"(?P<whole>[0-9]{{1,4}})[ -](?P<top>[0-9]{{1,2}})[/⁄](?P<bottom>[0-9]{{1,3}}){end}",
        read.mixed,
    )
    if lexicon.is_english:
        rated = r"(?P<top>[0-9]{1,2}\.[0-9]{1,2})/(?P<bottom>5|10|100)(?![\w/.])"
        yield rule("0", rated, read.rated)
    yield rule("0", r"[0-9]{1,4}(?:/[0-9]{1,4}){2,5}(?![\w/])", read.several)
    yield rule("0", rf"(?P<top>[0-9]{{1,4}})[/⁄](?P<bottom>[0-9]{{1,4}}){end}", read.plain)


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._signs = lexicon, lexicon.signs

    def vulgar(self, match: re.Match[str]) -> str:
        """½, 2½."""
        top, _, bottom = unicodedata.normalize("NFKC", match["vulgar"]).partition("⁄")
        return self._said(match["whole"], int(top), int(bottom))

    def rated(self, match: re.Match[str]) -> str:
        """4.8/5."""
        top, bottom = (self._lexicon.number(match[name]) for name in ("top", "bottom"))
        return f"{top} out of {bottom}"

    def several(self, match: re.Match[str]) -> str:
        """99/99/2024, which is no date."""
        gap = f" {self._signs.slash} " if self._lexicon.spaced else self._signs.slash
        return gap.join(map(self._lexicon.number, match.group().split("/")))

    def mixed(self, match: re.Match[str]) -> str | None:
        """1 1/2."""
        top, bottom = int(match["top"]), int(match["bottom"])
        return self._said(match["whole"], top, bottom) if 0 < top < bottom else None

    def plain(self, match: re.Match[str]) -> str | None:
        """1/2, 24/7, on 3/4."""
        lexicon, top, bottom = self._lexicon, int(match["top"]), int(match["bottom"])
        if lexicon.is_english:
            if match.group() in _NAMED:
                return _NAMED[match.group()]
            if word_before(match).lower() in _ON and (day := self._day(top, bottom)):
                return day
            if (
                bottom in (5, 10, 100)
                and (word_after(match) in _RATED or bottom >= 10)
                and 0 <= top <= bottom
            ):
                return f"{lexicon.cardinal(top)} out of {lexicon.cardinal(bottom)}"
        if re.match(r" ?=", after(match)):
            words = lexicon.number(match["top"]), lexicon.number(match["bottom"])
            return f" {self._signs.divided} ".join(words)
        if not 0 < top < bottom or bottom not in _PARTS or before(match).endswith(("/", "-")):
            gap = f" {self._signs.slash} " if lexicon.spaced else self._signs.slash
            return f"{lexicon.number(match['top'])}{gap}{lexicon.number(match['bottom'])}"
        return self._said("", top, bottom)

    def _day(self, one: int, two: int) -> str:
        month, day = (two, one) if self._lexicon.british else (one, two)
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return ""
        name, ordinal = self._lexicon.month(month), self._lexicon.ordinal(day)
        return f"the {ordinal} of {name}" if self._lexicon.british else f"{name} {ordinal}"

    def _said(self, whole: str, top: int, bottom: int) -> str:
        lexicon = self._lexicon
        part = self._part(top, bottom)
        if not whole:
            return part
        if not lexicon.spaced:
            joined = {"zh": "又", "ja": "と"}[lexicon.language]
            return f"{lexicon.number(whole)}{joined}{part}"
        if lexicon.is_english and top == 1:
            part = ("an " if bottom in (8, 11) else "a ") + part.removeprefix("one ")
        return f"{lexicon.number(whole)} {self._signs.and_} {part}"

    def _part(self, top: int, bottom: int) -> str:
        lexicon = self._lexicon
        if (top, bottom) == (1, 2):
            return self._signs.half
        if lexicon.is_english:
            plural = "s" * (top != 1)
            names = {2: "halves" if top != 1 else "half", 4: f"quarter{plural}"}
            return (
                f"{lexicon.cardinal(top)} {names.get(bottom) or lexicon.ordinal(bottom) + plural}"
            )
        if not lexicon.spaced:
            of = {"zh": "分之", "ja": "分の"}[lexicon.language]
            return f"{lexicon.cardinal(bottom)}{of}{lexicon.cardinal(top)}"
        if lexicon.language == "de" and bottom < 20:
            name = {3: "Drittel", 7: "Siebtel", 8: "Achtel"}.get(
                bottom, lexicon.cardinal(bottom).capitalize() + "tel"
            )
            return f"{lexicon.before_noun(lexicon.cardinal(top))} {name}"
        return f"{lexicon.cardinal(top)} {self._signs.slash} {lexicon.cardinal(bottom)}"
