"""Times of day, and ratios, which look like them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule

_HOUR, _MINUTE = r"(?:[01]?[0-9]|2[0-4])", r"[0-5][0-9]"
_HALF = r"(?: ?(?P<half>[AaPp])(?:\. ?[Mm](?:\.(?=\s+[a-z0-9(]|\s{0,2}[,;:!?)\-–]))?|[Mm])(?![\w]))"
"""a.m. or p.m.; its last full stop is left where it may end the sentence too."""
_END = r"(?![\w%]|[.,:]\d)"


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    letter = r"\w" if lexicon.spaced else "A-Za-z0-9"
    end = rf"(?![{letter}%]|[.,]\d)"
    clock = (
        rf"(?P<hour>{_HOUR}):(?P<minute>{_MINUTE})(?::(?P<second>{_MINUTE})(?:[.,][0-9]{{1,6}})?)?"
    )
    if lexicon.is_english:
        until = rf"{_HOUR}(?::{_MINUTE})?"
        yield rule("0", rf"(?P<from>{until}) ?[-–—] ?(?P<to>{until}){_HALF}", read.until)
        first = _HALF.replace("<half>", "<first>")
        yield rule("0", rf"(?P<from>{until}){first} ?[-–—] ?(?P<to>{until}){_HALF}", read.until)
        yield rule("0", rf"{clock}{_HALF}", read.clock)
        yield rule(
            "0", rf"(?P<hour>{_HOUR})[.](?P<minute>{_MINUTE})(?P<second>){_HALF}", read.clock
        )
        yield rule("0", rf"(?P<hour>{_HOUR})(?P<minute>)(?P<second>){_HALF}", read.clock)
        yield rule("a", r"(?P<half>[AaPp])\.[Mm](?:\.(?=\s+[a-z0-9(]|\s{0,2}[,;:!?)]))?(?!\w)",
                   lambda match: f"{match['half'].lower()}.m")  # fmt: skip
        yield rule("0", rf"{clock}(?P<half>)Z?{end}", read.clock)
    else:
        named = {"de": r"(?: ?Uhr\b)?", "fr": r"(?: ?h\b)?", "pt": r"(?: ?h(?:oras)?\b)?",
                 "hi": r"(?: ?बजे)?"}.get(lexicon.language, "")  # fmt: skip
        yield rule("0", rf"{clock}{named}{end}", read.other)
        minutes = rf"(?: ?(?P<minute>{_MINUTE}))?(?: ?min)?"
        yield rule("0", rf"(?P<hour>{_HOUR}) ?[hH]{minutes}(?P<second>)(?!\w)", read.hours)
        yield rule("0", rf"(?P<hour>{_HOUR})\.(?P<minute>{_MINUTE})(?P<second>) ?Uhr\b", read.other)
    yield rule("0", r"(?P<one>[0-9]{1,4}):(?P<two>[0-9]{1,4})(?![\w:]|[.,]\d)", read.ratio)


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def clock(self, match: re.Match[str]) -> str | None:
        """10:30, 3 p.m., 14:05:09."""
        half = match["half"]
        hour = int(match["hour"])
        if half and not 0 <= hour <= 24:
            return None
        said = self._time(hour, match["minute"], has_half=bool(half))
        if seconds := int(match["second"] or 0):
            said += f" and {self._lexicon.cardinal(seconds)} second{'s' * (seconds != 1)}"
        return f"{said} {half.lower()}.m" if half else said

    def _time(self, hour: int, minute: str | None, *, has_half: bool) -> str:
        words = self._lexicon.cardinal(hour)
        if not minute:
            return words
        if int(minute):
            oh = "oh " if int(minute) < 10 else ""
            return f"{words} {oh}{self._lexicon.cardinal(int(minute))}"
        if has_half:
            return words
        if hour == 0:
            return "midnight"
        return f"{words} o'clock" if hour <= 12 else f"{words} hundred"

    def until(self, match: re.Match[str]) -> str:
        """3–4 p.m., 9 a.m.–5 p.m."""
        first = match.groupdict().get("first")
        half = f" {first.lower()}.m" if first else ""
        ends = [match[name].partition(":") for name in ("from", "to")]
        said = [self._time(int(hour), minute, has_half=True) for hour, _, minute in ends]
        return f"{said[0]}{half} to {said[1]} {match['half'].lower()}.m"

    def other(self, match: re.Match[str]) -> str:
        """The clock of a language with a form for it."""
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        hours = self._lexicon.before_noun(self._lexicon.cardinal(hour), feminine=True)
        form = self._lexicon.signs.clock if minute else self._lexicon.signs.hour
        if hour == 1:
            form = form.replace("heures", "heure").replace("horas", "hora")
        return form.format(hour=hours, minute=self._lexicon.cardinal(minute))

    def hours(self, match: re.Match[str]) -> str | None:
        """12 h 30, as French and Portuguese write it."""
        return self.other(match) if self._lexicon.language in ("fr", "pt") else None

    def ratio(self, match: re.Match[str]) -> str:
        """2:1 → "two to one"."""
        words = [self._lexicon.number(match[name]) for name in ("one", "two")]
        gap = " " if self._lexicon.spaced else ""
        return f"{gap}{self._lexicon.signs.to}{gap}".join(words)
