"""Numbers in words, by num2words; by cn2an in Chinese and indic-numtowords in Hindi."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 36
"""Digits; what is longer is no quantity."""
_CODES = {"pt": "pt_BR"}
_JOINED = {"ja": "", "zh": ""}
_CARDINALS_ONLY = frozenset({"hi", "zh", "ja"})


@lru_cache(maxsize=4_096)
def cardinal(value: int, language: str, *, british: bool = False) -> str:
    """12 → "twelve"; digits where a language has no words."""
    if len(str(value)) > _LONGEST:
        return digits(str(value), language)
    return _plain(_words(value, language, "cardinal"), language, british=british)


@lru_cache(maxsize=1_024)
def ordinal(value: int, language: str) -> str:
    """12 → "twelfth"."""
    if language in _CARDINALS_ONLY or value > 10**9:
        return cardinal(value, language)
    return _plain(_words(value, language, "ordinal"), language)


@lru_cache(maxsize=1_024)
def year(value: int, language: str) -> str:
    """1905 → "nineteen oh-five", 2010 → "twenty ten"."""
    if language == "zh":
        return digits(str(value), language)
    if language == "en" and 2010 <= value <= 2099:  # there it takes thousands
        return f"twenty {cardinal(value % 100, language)}"
    if language in ("en", "de"):
        return _plain(_words(value, language, "year"), language).replace("oh-", "oh ")
    return cardinal(value, language)


@lru_cache(maxsize=1_024)
def digits(text: str, language: str) -> str:
    """One by one: "42" → "four two"; what is no digit is left out."""
    found = [character for character in text if character in "0123456789"]
    return _JOINED.get(language, " ").join(cardinal(int(digit), language) for digit in found)


def _words(value: int, language: str, kind: str) -> str:
    try:
        if language == "zh":
            from cn2an import an2cn

            return str(an2cn(value))
        if language == "hi":
            from indic_numtowords import num2words as hindi

            return str(hindi(str(value), lang="hi"))
        from num2words import num2words  # 0.1 s for its 50 languages

        return str(num2words(value, lang=_CODES.get(language, language), to=kind))
    except (NotImplementedError, OverflowError, ValueError, KeyError, IndexError, TypeError):
        return str(value)


def _plain(words: str, language: str, *, british: bool = False) -> str:
    """Without commas, each of which would be a pause; the American "and" is left out too."""
    words = words.replace(",", "")
    if language == "en" and not british:
        words = words.replace(" and ", " ")
    return re.sub(r"\s+", " ", words).strip()
