"""Dates, in figures and with the names of months."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from speech.spoken.context import before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, alternatives, rule
from speech.spoken.words import words
from speech.units.vocabulary import STARTERS

_TH = r"(?:st|nd|rd|th)?"
_WEEKDAYS = {"Mon": "Monday", "Tue": "Tuesday", "Tues": "Tuesday", "Wed": "Wednesday",
             "Thu": "Thursday", "Thur": "Thursday", "Thurs": "Thursday", "Fri": "Friday",
             "Sat": "Saturday", "Sun": "Sunday"}  # fmt: skip

_BEFORE_ORDINAL = re.compile(r"([^\W\d_]{2,6})\.? $")
_GERMAN_STARTERS = words(STARTERS["de"])
_ENDING_E = words("der die das")
_ENDING_EN = words(
    "am im vom zum zur beim den dem des bis ab seit nach vor und oder diesem dieser jeden jedem"
    " einem einer ihrem ihren seinem seinen meinem meinen unserem unseren"
)


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    yield rule(
        "0", r"(?P<year>[12][0-9]{3})(?P<gap>[-/.])(?P<month>[01]?[0-9])(?P=gap)"
        r"(?P<day>[0-3]?[0-9])(?:T(?=[0-9])|(?![\w-]))", read.figures,
    )  # fmt: skip
    yield rule(
        "0", r"(?P<one>[0-3]?[0-9])(?P<gap>[/.-])(?P<two>[0-3]?[0-9])(?P=gap)"
        r"(?P<year>[12][0-9]{3})(?!\w)", read.ambiguous,
    )  # fmt: skip
    yield rule(
        "0", r"(?P<one>[0-3]?[0-9])(?P<gap>[/])(?P<two>[0-3]?[0-9])/(?P<year>[0-9]{2})(?![\w/])",
        read.ambiguous,
    )  # fmt: skip
    if lexicon.is_english:
        yield from _english(lexicon, read)
    elif lexicon.language == "de":
        months = alternatives(lexicon.months["wide"].values())
        yield rule("0", rf"(?P<day>[0-3]?[0-9])\. ?(?=(?:{months})\b)", read.german_day)
        yield rule("0", r"(?P<day>[0-9]{1,3})\. (?=(?P<next>[^\W\d_]{2,24}))", read.german_ordinal)
        yield rule("0", r"(?P<day>[0-3]?[0-9])\.(?P<month>1[0-2]|0?[1-9])\.(?![0-9])", read.german)


def _english(lexicon: Lexicon, read: _Reader) -> Iterator[Rule]:
    names = {name: n for n, name in lexicon.months["wide"].items()}
    names |= {name[:3]: n for n, name in lexicon.months["wide"].items()} | {"Sept": 9}
    read.names = names
    month = rf"(?P<month>{alternatives(names)})\b\.?"
    day = rf"(?P<day>[0-3]?[0-9]){_TH}"
    year = r"(?P<year>[12][0-9]{3})(?![\w]|[.,]\d)"
    until = rf"(?: ?[-–] ?(?P<until>[0-3]?[0-9]){_TH}(?![\w]))?"
    end = r"(?![\w%]|[.,:/]\d)"
    yield rule("a", rf"{month} {day}{until}(?:,? {year})?{end}", read.month_first)
    yield rule("0", rf"(?P<month>0?[1-9]|1[0-2])/{year}(?!/)", read.month_and_year)
    yield rule("0", rf"(?:the )?{day}{until} (?:of )?{month}(?:,? {year})?{end}", read.day_first)
    yield rule("a", rf"{month},? {year}", read.month_and_year)
    short = alternatives(
        name for name in names if len(name) < 5 and name not in lexicon.months["wide"].values()
    )
    yield rule("a", rf"(?P<month>{short})\.(?=,?\s+\w)", lambda m: lexicon.month(names[m["month"]]))
    days = alternatives([*_WEEKDAYS, *_WEEKDAYS.values()])
    yield rule("a", rf"(?P<one>{days})\.? ?[-–] ?(?P<two>{days})(?!\w)", _days)
    weekday = alternatives(_WEEKDAYS)
    yield rule("a", rf"(?P<day>{weekday})\.(?=,? [\w])", lambda m: _WEEKDAYS[m["day"]])
    yield rule("a", rf"(?P<day>{weekday})(?=, (?:{alternatives(names)}|[0-3]?[0-9]\b))",
               lambda m: _WEEKDAYS[m["day"]])  # fmt: skip


def _days(match: re.Match[str]) -> str:
    """Mon-Fri."""
    one, two = (_WEEKDAYS.get(match[name], match[name]) for name in ("one", "two"))
    return f"{one} to {two}"


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.names: dict[str, int] = {}

    def figures(self, match: re.Match[str]) -> str | None:
        """2025-03-04."""
        said = self._said(match, int(match["year"]), int(match["month"]), int(match["day"]))
        return said + " " if said and match.group().endswith("T") else said

    def ambiguous(self, match: re.Match[str]) -> str | None:
        """3/4/2025: in America the month comes first, unless it cannot."""
        one, two, year = int(match["one"]), int(match["two"]), int(match["year"])
        if year < 100:
            year += 2000 if year < 50 else 1900
        american = self._lexicon.is_english and not self._lexicon.british and match["gap"] != "."
        month, day = (one, two) if american else (two, one)
        return self._said(match, year, month, day) or self._said(match, year, day, month)

    def _said(self, match: re.Match[str], year: int, month: int, day: int) -> str | None:
        try:
            date(year, month, day)
        except ValueError:
            return None
        lexicon = self._lexicon
        if lexicon.british:
            return f"the {lexicon.ordinal(day)} of {lexicon.month(month)} {lexicon.year(year)}"
        number = lexicon.cardinal(month) + "月" if lexicon.language in ("ja", "zh") else ""
        return lexicon.signs.date.format(
            year=lexicon.year(year),
            month=number or lexicon.month(month),
            day=self._german(match, day) if lexicon.language == "de" else self._day(day),
        )

    def _day(self, day: int) -> str:
        lexicon = self._lexicon
        if lexicon.is_english or (day == 1 and lexicon.language in ("fr", "it")):
            return lexicon.ordinal(day)
        return lexicon.cardinal(day)

    def _german(self, match: re.Match[str], day: int) -> str:
        """ "vierte" with the ending that what stands before it asks for."""
        word = _BEFORE_ORDINAL.search(before(match))
        low = word[1].lower() if word else ""
        ending = "" if low in _ENDING_E else "n" if low in _ENDING_EN else "r"
        return self._lexicon.ordinal(day) + ending

    def german_day(self, match: re.Match[str]) -> str | None:
        """Am 4. März → "vierten März"; alone "vierter"."""
        day = int(match["day"])
        return f"{self._german(match, day)} " if 1 <= day <= 31 else None

    def german_ordinal(self, match: re.Match[str]) -> str | None:
        """Im 2. Stock, das 20. Jahrhundert."""
        word = _BEFORE_ORDINAL.search(before(match))
        known = word and word[1].lower() in _ENDING_E | _ENDING_EN
        begins = match["next"][0].isupper() and match["next"].lower() in _GERMAN_STARTERS
        if begins:  # the next sentence
            return None
        return f"{self._german(match, int(match['day']))} " if known else None

    def german(self, match: re.Match[str]) -> str | None:
        """24.12."""
        day = self.german_day(match)
        return day + self._lexicon.month(int(match["month"])) if day else None

    def month_first(self, match: re.Match[str]) -> str | None:
        """Dec. 5, 2024."""
        days = self._days(match)
        if not days:
            return None
        said = f"{self._lexicon.month(self.names[match['month']])} {days}"
        return said + (f", {self._lexicon.year(int(match['year']))}" if match["year"] else "")

    def day_first(self, match: re.Match[str]) -> str | None:
        """5 Dec 2024."""
        days = self._days(match)
        if not days:
            return None
        said = f"{days} of {self._lexicon.month(self.names[match['month']])}"
        article = "" if re.search(r"\b[Tt]he $", before(match)) else "the "
        return (
            article + said + (f" {self._lexicon.year(int(match['year']))}" if match["year"] else "")
        )

    def month_and_year(self, match: re.Match[str]) -> str:
        """Dec. 2024."""
        name = match["month"]
        month = self._lexicon.month(int(name) if name.isdecimal() else self.names[name])
        return f"{month} {self._lexicon.year(int(match['year']))}"

    def _days(self, match: re.Match[str]) -> str:
        days = [int(day) for day in (match["day"], match["until"]) if day]
        if not all(1 <= day <= 31 for day in days):
            return ""
        return f" {self._lexicon.signs.to} ".join(map(self._lexicon.ordinal, days))
