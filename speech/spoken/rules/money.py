"""Prices: signs and codes of money, millions, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before, word_after
from speech.spoken.currencies import CODES, NATIONAL, SYMBOL_CODES
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, alternatives, rule
from speech.spoken.words import words

_LETTERED = [
    name for name in (*SYMBOL_CODES, *NATIONAL, *CODES) if name[0].isascii() and name[0].isalpha()
]
_SIGNED = [name for name in SYMBOL_CODES if name not in _LETTERED and name not in ("円", "元")]
_SCALES = {
    "en": {
        "thousand": "thousand", "million": "million", "billion": "billion", "trillion": "trillion",
        "k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million",
        "mln": "million", "mm": "million", "MM": "million", "b": "billion", "B": "billion",
        "bn": "billion", "T": "trillion", "tn": "trillion", "trn": "trillion",
    },
    "de": {"Millionen": "", "Million": "", "Milliarden": "", "Milliarde": "", "Tausend": "",
           "Mio.": "Millionen", "Mio": "Millionen", "Mrd.": "Milliarden", "Mrd": "Milliarden"},
    "fr": {"millions": "", "million": "", "milliards": "", "milliard": "", "M": "millions",
           "Md": "milliards"},
    "es": {"millones": "", "millón": "", "mil": "", "M": "millones"},
    "it": {"milioni": "", "milione": "", "miliardi": "", "miliardo": "", "mila": ""},
    "pt": {"milhões": "", "milhão": "", "bilhões": "", "bilhão": "", "mil": ""},
    "ja": {"万": "", "億": "", "兆": ""},
    "zh": {"万": "", "亿": ""},
}  # fmt: skip
"""What is written behind the number, and what is said for it ("" for the same)."""
_ONE = {"Millionen": "Million", "Milliarden": "Milliarde", "millions": "million",
        "milliards": "milliard", "millones": "millón"}  # fmt: skip


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    scales = _SCALES.get(lexicon.language, {})
    scale = rf"(?: ?(?P<scale>{alternatives(scales)})(?![\w]))?" if scales else "(?P<scale>)"
    if not lexicon.spaced:
        scale = rf"(?P<scale>{alternatives(scales)})?"
    amount, read = lexicon.amount, _Reader(lexicon, scales)
    signs, letters = alternatives(_SIGNED), alternatives(_LETTERED)
    until = rf"(?: ?[-–—] ?(?:[{re.escape('$€£¥₹')}] ?)?(?P<until>{amount})(?!\w*[:/]))?"
    # "€5,50" is written in English texts too.
    cents = "[0-9]{1,6},[0-9]{2}(?![0-9,])|" if lexicon.is_english else ""
    number, first = rf"(?P<amount>{cents}{amount}|\.[0-9]{{1,4}})", {name[0] for name in _SIGNED}
    yield rule(
        "".join(first | {"-", "−"}),
        rf"(?<!\w)(?P<minus>[-−])?(?P<money>{signs}) ?(?P<minus2>[-−](?=[0-9]))?"
        rf"{number}{scale}{until}{scale.replace('scale', 'scale2')}(?: ?USD\b)?",
        read.price,
    )
    none = "(?P<minus>)(?P<minus2>)(?P<scale2>)"
    yield rule("a", rf"{none}(?P<money>{letters}) ?{number}{scale}(?P<until>)(?!\w)", read.price)
    until = rf"(?: ?[-–] ?(?P<until>{amount}))?"
    behind = alternatives([*SYMBOL_CODES, *CODES, "CN¥", "RMB"])
    end = r"(?!\w)" if lexicon.spaced else ""
    yield rule(
        "0",
        rf"{none}(?P<amount>{cents}{amount}){until}{scale} ?(?P<money>{behind}){end}",
        read.price,
    )
    if lexicon.is_english:
        yield rule("0", rf"(?P<amount>{amount})¢", read.cents)
        yield rule("/", r"(?<=[0-9$€£¥%KkMB])/(?P<what>[A-Za-z]{1,12})\b(?![/])", read.per)


PERIODS = {"mo": "month", "mos": "month", "mth": "month", "hr": "hour", "h": "hour", "yr": "year",
            "y": "year", "wk": "week", "w": "week", "d": "day", "min": "minute", "sec": "second",
            "s": "second", "ea": "each", "kg": "kilogram", "lb": "pound", "sqft": "square foot",
            "gal": "gallon", "l": "liter", "oz": "ounce", "mi": "mile", "km": "kilometer",
            "pp": "person", "pax": "person"}  # fmt: skip


_THINGS = re.compile(r" (?:bill|note|coin|question|gift card|fee|fine|discount|prize)s?\b")
_DETERMINER = re.compile(r"\b(?:the|this|that|my|your|his|her|our|their|another) $", re.I)
_NO_THING = words(
    "is was are were in on at for to of and or per a by from off more less each every plus "
    "that which you we they i he she it has had will can could would should goes went now "
    "today if when but as with than back worth"
)


def _is_attribute(match: re.Match[str]) -> bool:
    """A five dollar coffee, the million dollar question."""
    rest = after(match)
    if not re.match(r" [a-z]", rest):
        return False
    if _THINGS.match(rest) or re.search(r"\b[Aa]n? $", before(match)):
        return True
    return bool(_DETERMINER.search(before(match))) and word_after(match) not in _NO_THING


class _Reader:
    def __init__(self, lexicon: Lexicon, scales: dict[str, str]) -> None:
        self._lexicon, self._scales = lexicon, scales

    def price(self, match: re.Match[str]) -> str:
        """$1,234.56 and its like."""
        lexicon = self._lexicon
        money = match["money"]
        currency = NATIONAL.get(money, money)
        written = match["scale"] or match["scale2"] or ""
        scale = self._scales.get(written, "") or written
        last = match["until"] or match["amount"]
        if lexicon.is_english:
            last = re.sub(r"^([0-9]+),([0-9]{2})$", r"\1.\2", last)
        attribute = lexicon.is_english and _is_attribute(match)
        if lexicon.value(last) == 1:
            scale = _ONE.get(scale, scale)
        said = lexicon.money(last, currency, scale=scale, attribute=attribute)
        gap = " " if lexicon.spaced else ""
        if match["until"]:
            said = f"{lexicon.number(match['amount'])}{gap}{lexicon.signs.to}{gap}{said}"
        if match["minus"] or match["minus2"]:
            said = f"{lexicon.signs.minus}{gap}{said}"
        return said

    def cents(self, match: re.Match[str]) -> str:
        """50¢."""
        value = self._lexicon.value(match["amount"])
        return f"{self._lexicon.number(match['amount'])} cent{'s' * (value != 1)}"

    def per(self, match: re.Match[str]) -> str:
        """$5/month, 100 MB/day."""
        what = match["what"]
        return f"{self._lexicon.signs.per} {PERIODS.get(what, what)}"
