"""Words of capitals, of letters and figures, of letters and signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, Say, alternatives, rule
from speech.spoken.words import words

_SPELLED_ALWAYS = words("VIP LED FAQ AWS ACLU AARP OS RV")
"""Those that synthesisers take for words. The others (FBI, URL, PDFs) they spell themselves, and
more fluently than letters with spaces between."""
_SAID = {"SaaS": "sass", "PaaS": "pass", "IaaS": "eye ass", "JPEG": "jay peg", "JPG": "jay peg",
         "MySQL": "my sequel", "WiFi": "Wi-Fi", "Wifi": "Wi-Fi", "wifi": "Wi-Fi",
         "LaTeX": "lay tech", "GIFs": "gifs", "OKs": "okays"}  # fmt: skip
_ALTERNATIVES = words("he/she she/he him/her his/her her/his yes/no true/false his/hers either/or")


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    signs = lexicon.signs
    if lexicon.is_english:
        yield rule("a", rf"(?P<said>{alternatives(_SAID)})(?![\w-])", lambda m: _SAID[m["said"]])
        yield rule("a", r"[A-Z]/[A-Z](?![\w/])", lambda m: m.group().replace("/", "-"))
        yield rule("a", r"and/or(?!\w)", "and or")
        yield rule(
            "a",
            rf"(?:{alternatives(_ALTERNATIVES)})(?!\w)",
            lambda m: m.group().replace("/", " or "),
        )
        yield rule("a", r"s/he(?!\w)", "she or he")
        yield rule("a", r"[A-Z]{1,3}&[A-Z]{1,3}(?!\w)",
                   lambda m: " and ".join(map(_spelled, m.group().split("&"))))  # fmt: skip
        yield rule(
            "a", rf"(?P<letters>{alternatives(_SPELLED_ALWAYS)})(?P<s>s?)(?![\w-])", _letters
        )
        yield rule("a", r"(?P<letters>[A-Z]{1,4}-?)(?P<number>[0-9]{1,3})s(?![\w-])",
                   lambda m: _joined(m["letters"], lexicon.number(m["number"])))  # fmt: skip
        # espeak loses the s of two letters.
        yield rule("a", r"(?P<one>[A-Z])(?P<two>[A-Z])s(?![\w-])",
                   lambda m: f"{m['one']}-{m['two']}'s")  # fmt: skip
        yield rule("a", r"(?P<note>[CFAJ])#(?!\w)", lambda m: f"{m['note']} sharp")
        yield rule("a", r"A(?P<number>[0-9]{1,3})(?!\w)",
                   lambda m: f"A-{lexicon.number(m['number'])}")  # fmt: skip
        # A full stop in mid-sentence would be a pause.
        yield rule(
            "a", r"(?:[A-Za-z]\.){1,5}[A-Za-z]\.(?=\s+[a-z0-9]|[,;:])", lambda m: m.group()[:-1]
        )
    yield rule("+", r"(?<=\w)\+\+(?!\+)", f" {signs.plus} {signs.plus}")
    yield rule(".", r"(?<![\w.])\.(?=[A-Z]{3}(?!\w))", f"{signs.dot} ")
    yield rule("&", r"&", _and(signs.and_, spaced=lexicon.spaced))


def _and(word: str, *, spaced: bool) -> Say:
    def say(match: re.Match[str]) -> str:
        left, right = before(match)[-1:], after(match)[:1]
        return f"{' ' * (left != ' ')}{word}{' ' * (right != ' ')}" if spaced else word

    return say


def _joined(letters: str, words: str) -> str:
    """ "MP threes", "F-sixteens"."""
    return f"{letters}{'' if letters.endswith('-') else ' '}{_several(words)}"


def _several(number: str) -> str:
    """ "three" → "threes", "six" → "sixes", "fifty" → "fifties"."""
    if number.endswith("y"):
        return number[:-1] + "ies"
    return number + ("es" if number.endswith("x") else "s")


def _letters(match: re.Match[str]) -> str | None:
    if re.search(r"[A-Z]{4,} $", before(match)):  # among words of capitals it is one of them
        return None
    return _spelled(match["letters"]) + ("'s" if match["s"] else "")


def _spelled(letters: str) -> str:
    """ "VIP" → "V.I.P": a space would make an article of each A."""
    return ".".join(letters)
