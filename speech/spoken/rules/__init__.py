"""Rules by what they read, and the order in which they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, RuleBook
from speech.spoken.rules import (
    abbreviations,
    addresses,
    codes,
    dates,
    fractions,
    letters,
    maths,
    measures,
    money,
    numbers,
    phones,
    regnal,
    roman,
    symbols,
    times,
    years,
)

_ORDER = (
    addresses, dates, phones, codes, times, years, money, measures, fractions, maths, numbers,
    roman, regnal, abbreviations, letters, symbols,
)  # fmt: skip
"""Special before general: a version is no decimal, a price is no plain number."""


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """All rules of a language, the most special first."""
    for group in _ORDER:
        yield from group.rules(lexicon)


@lru_cache(maxsize=32)
def rule_book(language: str, *, british: bool = False) -> RuleBook:
    """The rules of a language that has ``Signs``."""
    lexicon = Lexicon(language, british=british)
    return RuleBook(rules(lexicon), spaced=lexicon.spaced)
