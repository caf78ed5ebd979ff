"""Versions, and numbers that are names and not quantities: read part by part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, rule

_NAMED = re.compile(
    r"(?:\b(?:code|pin|password|passcode|otp|zip(?: code)?|postcode|account|order|ticket|booking"
    r"|reference|ref|confirmation|invoice|serial|tracking|model|id|extension|ext|case|flight"
    r"|ending in|ends in|last four(?: digits)?)"
    r"(?: (?:number|no\.?|is|code))?[ :#.]{1,3})$",
    re.IGNORECASE,
)
_SHORT = re.compile(
    r"(?:\b(?:room|flight|apartment|apt|suite|highway|route|bus|gate|line) )$", re.I
)

_STANDARD = re.compile(r"\b(?:ISO|RFC|IEEE|DIN|EN|PEP|ANSI|IEC)[ -]$")


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""

    def parts(match: re.Match[str]) -> str | None:
        if not lexicon.is_english and re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+", match["parts"]):
            return None  # thousands
        point = f" {lexicon.signs.point if lexicon.is_english else lexicon.signs.dot} "
        return point.join(map(lexicon.number, match["parts"].split(".")))

    def version(match: re.Match[str]) -> str:
        return f"{lexicon.signs.version} {parts(match) or match['parts']}"

    def named(match: re.Match[str]) -> str | None:
        if not _NAMED.search(before(match)):
            return None
        return lexicon.digits(match.group())

    def short(match: re.Match[str]) -> str | None:
        """Room 101 is "one oh one"."""
        if not _SHORT.search(before(match)):
            return None
        return " ".join("oh" if digit == "0" else lexicon.digits(digit) for digit in match.group())

    def letters(run: str) -> str:
        return " ".join(lexicon.digits(each) or each.upper() for each in run)

    def lines(match: re.Match[str]) -> str:
        """1080p is "ten eighty p"."""
        return f"{_pairs(match)} {match['end']}"

    def standard(match: re.Match[str]) -> str | None:
        """ISO 8601 is "eighty-six oh one"."""
        return _pairs(match) if _STANDARD.search(before(match)) else None

    def _pairs(match: re.Match[str]) -> str:
        one, two = lexicon.cardinal(int(match["one"])), int(match["two"])
        if not two:
            return (
                f"{one} hundred"
                if int(match["one"]) % 10
                else lexicon.number(match["one"] + match["two"])
            )
        return f"{one} {'oh ' * (two < 10)}{lexicon.cardinal(two)}"

    yield rule(
        "a", r"v(?:\.\s?)?(?P<parts>[0-9]{1,4}(?:\.[0-9]{1,6}){0,4})(?![\w]|\.[0-9])", version
    )
    yield rule("0", r"[0-9]{1,3}(?:_[0-9]{3}){1,6}(?!\w)",
               lambda m: lexicon.number(m.group().replace("_", "")))  # fmt: skip
    yield rule("0", r"(?P<parts>[0-9]{1,4}(?:\.[0-9]{1,6}){2,5})(?![\w]|\.[0-9])", parts)
    if lexicon.is_english:
        yield rule("0", r"0x(?P<hex>[0-9A-Fa-f]{1,16})(?!\w)", lambda m: f"hex {letters(m['hex'])}")
        yield rule("0", r"(?<=\b[A-Z]{2} )[0-9]{5}(?:-[0-9]{4})?(?![\w,.]\d)",
                   lambda m: lexicon.digits(m.group()))  # fmt: skip
        yield rule("0", r"(?P<one>[1-9][0-9]?)(?P<two>[0-9]{2})(?P<end>[pi])(?!\w)", lines)
        yield rule(
            "0", r"(?<![\w.,-])(?P<one>[1-9][0-9])(?P<two>[0-9]{2})(?![\w/%]|[.,:-]\d)", standard
        )
        yield rule("0", r"(?<![\w.,-])[0-9]{3,20}(?![\w:/%]|[.,]\d|-\d)", named)
        yield rule("0", r"(?<![\w.,-])[1-9]0[1-9](?![\w:/%]|[.,]\d|-\d)", short)
