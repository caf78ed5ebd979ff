"""Roman numerals, where they number something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, Say, alternatives, rule
from speech.spoken.words import words

NUMERAL = r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_RULERS = words(
    "Albert Alexander Alfonso Alfred Amadeus Baldwin Benedict Boniface Catherine Charles "
    "Christian Clement Edward Elizabeth Eric Ferdinand Francis Frederick George Gregory "
    "Gustav Haakon Harald Henry Innocent Ivan James John Juan Carlos Julius Leo Leopold "
    "Louis Ludwig Mary Maximilian Napoleon Nicholas Olaf Oscar Otto Paul Peter Philip Pius "
    "Ptolemy Ramses Ramesses Richard Robert Rudolf Sixtus Stephen Umberto Urban Victor "
    "Wilhelm William Xerxes Darius Cyrus Margrethe Willem"
)
_NUMBERED = words(
    "Chapter Part Volume Vol Book Act Scene Section Article Appendix Title Phase Stage "
    "Level Class Type Grade Mark Round Figure Table Unit Lesson Episode Season Schedule "
    "Annex War Bowl Division Category Tier Factor Corps Apollo Saturn Titan Gemini Fantasy"
)

_KINDS = words("Type Phase Class Grade Stage Category Division Tier Level")
"""No one says "Type, I think" without a comma."""
_PRONOUN = re.compile(
    r"'| (?!(?:of|and|or|to|in|on|is|was|through|covers|the|had|became|ruled)\b)[a-z]"
)
"""What follows the pronoun and not the numeral."""


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module; elsewhere than in English only centuries."""
    if not lexicon.is_english:
        yield rule("a", rf"(?P<name>siglo|século|secolo) (?P<numeral>{NUMERAL})(?!\w)",
                   _numbered(lexicon))  # fmt: skip
        if lexicon.language == "fr":
            yield rule("a", rf"(?P<numeral>{NUMERAL})e(?= siècle)",
                       lambda m: lexicon.ordinal(numeral_value(m["numeral"])))  # fmt: skip
        return

    def ruler(match: re.Match[str]) -> str | None:
        value = numeral_value(match["numeral"])
        if not value or (match["numeral"] == "I" and _PRONOUN.match(match.string, match.end())):
            return None
        return f"{match['name']} the {lexicon.ordinal(value)}"

    def numbered(match: re.Match[str]) -> str | None:
        value = numeral_value(match["numeral"])
        may_speak = match["numeral"] == "I" and match["name"] not in _KINDS
        if not value or (may_speak and _PRONOUN.match(match.string, match.end())):
            return None
        name = "Volume" if match["name"].startswith("Vol") else match["name"]
        return f"{name} {lexicon.cardinal(value)}"

    always = _numbered(lexicon)
    yield rule("a", r"(?P<name>World War) (?P<numeral>I{1,3})(?!\w)", always)
    yield rule(
        "a",
        r"(?P<name>)WW ?(?P<numeral>I{1,3})(?!\w)",
        lambda m: "World War " + lexicon.cardinal(len(m["numeral"])),
    )
    yield rule("a", rf"(?P<name>{alternatives(_RULERS)}) (?P<numeral>{NUMERAL})(?![\w])", ruler)
    yield rule(
        "a",
        rf"(?P<name>(?:{alternatives(_NUMBERED)})\.?) (?P<numeral>{NUMERAL})(?![\w])",
        numbered,
    )
    yield rule(
        "a",
        r"(?P<name>[A-Z][a-z]{2,20}) (?P<numeral>I[IVX]{1,3}|VI{1,3}|XI{1,3}|X[VX]I{0,3})(?!\w)",
        always,
    )


def _numbered(lexicon: Lexicon) -> Say:
    def say(match: re.Match[str]) -> str | None:
        value = numeral_value(match["numeral"])
        return f"{match['name']} {lexicon.cardinal(value)}" if value else None

    return say


def numeral_value(numeral: str) -> int:
    """XIV is 14."""
    values = [_VALUES[letter] for letter in numeral]
    signed = [
        -one if one < following else one
        for one, following in zip(values, [*values[1:], 0], strict=True)
    ]
    return sum(signed)
