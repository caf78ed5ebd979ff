"""Years and decades, in English and German; elsewhere a year is read as any number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before, word_after, word_before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule
from speech.spoken.words import words

_IN_A_YEAR = words(
    "in since by from until till of year years before after during circa around early late "
    "mid to and between spring summer autumn fall winter class copyright january february "
    "march april may june july august september october november december the"
)
_NOT_A_YEAR = words("about nearly almost over under only exactly roughly")
_SMALL = words("in and or to was is were when the a he she it we they by at on who i but")
_GERMAN_SMALL = words("in an am im er es sie zu um so da")
_GERMAN_NO_YEAR = words("nummer nr ca circa etwa rund fast über unter nur code pin plz")
_TENS = {2: "twenties", 3: "thirties", 4: "forties", 5: "fifties", 6: "sixties", 7: "seventies",
         8: "eighties", 9: "nineties", 1: "tens"}  # fmt: skip


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    if lexicon.language == "de":
        yield rule("0", r"(?P<year>[12][0-9]{3})er(?!\w)",
                   lambda m: f"{lexicon.year(int(m['year']))}er")  # fmt: skip
        yield rule("0", r"(?<![\w.,:/+])(?<!(?<!\d)-)(?P<year>1[1-9][0-9]{2})"
                   r"(?![\w%€$/+:]|[.,]\d| ?[–-](?!1[1-9]\d\d))",
                   lambda m: _german_year(lexicon, m))  # fmt: skip
    if lexicon.language == "zh":
        yield rule("0", r"[12][0-9]{3}(?=年)", lambda m: lexicon.year(int(m.group())))
    if not lexicon.is_english:
        return
    read = _Reader(lexicon)
    yield rule("0", r"(?<![\w.,])(?P<century>1[0-9]|20)(?P<ten>[0-9])0(?:'?s)\b", read.decade)
    yield rule("0'", r"(?<![\w.,])'?(?P<century>)(?P<ten>[1-9])0(?:'?s)\b", read.decade)
    yield rule("'", r"(?<!\w)'(?P<two>[0-9]{2})(?!\w)", read.short_year)
    yield rule("0", r"(?<![\d.,$€£])(?P<year>1[0-9]{3}|20[0-9]{2})(?!\d|[.,]\d|\w)", read.year)


def _german_year(lexicon: Lexicon, match: re.Match[str]) -> str | None:
    """Im Jahr 1989, 1989 fiel; but not 1500 Leute, 1500 g."""
    if word_before(match).lower() in _GERMAN_NO_YEAR:
        return None
    following = word_after(match)
    counted = following[:1].isupper() or 0 < len(following) < 3
    if counted and following not in _GERMAN_SMALL:
        return None
    return None if re.match(r" ?[€$£%°]", after(match)) else lexicon.year(int(match["year"]))


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def decade(self, match: re.Match[str]) -> str:
        """1990s, '90s, 2000s."""
        ten, century = int(match["ten"]), match["century"]
        if not century:
            return _TENS[ten]
        if not ten:
            return (
                "two thousands"
                if century == "20"
                else f"{self._lexicon.cardinal(int(century))} hundreds"
            )
        return f"{self._lexicon.cardinal(int(century))} {_TENS[ten]}"

    def short_year(self, match: re.Match[str]) -> str:
        """'98."""
        two = match["two"]
        return (
            f"oh {self._lexicon.cardinal(int(two))}"
            if two[0] == "0"
            else self._lexicon.cardinal(int(two))
        )

    def year(self, match: re.Match[str]) -> str | None:
        """In 1905; but not 1500 people."""
        return self._lexicon.year(int(match["year"])) if self._is_year(match) else None

    def _is_year(self, match: re.Match[str]) -> bool:
        word = word_before(match).lower()
        if word in _NOT_A_YEAR or re.search(r"[#=+*/×÷<>≈~]\s?$", before(match)):
            return False
        if word in _IN_A_YEAR or re.match(r"[-–—/][0-9]{2}", after(match)):
            return True
        if match["year"] < "1100":
            return False
        if re.search(r"[0-9][-–—]$", before(match)):
            return True
        following = word_after(match)
        return not following or following in _SMALL or following[0].isupper()
