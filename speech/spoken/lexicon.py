"""A language's words for numbers, amounts and names: from CLDR (Babel) and ``numerals``."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from speech.spoken import numerals
from speech.spoken.currencies import CENTS, SYMBOL_CODES
from speech.spoken.signs import SIGNS, Signs

if TYPE_CHECKING:
    from babel import Locale

_D = "[0-9]"
_DIGITS = re.compile(r"[0-9][0-9., ]{0,80}")
_NAME_FIRST = frozenset({"fr", "es", "it", "pt"})
"""Where "dollar" comes before the country's name."""
_LOCALES = {"pt": "pt_BR", "zh": "zh_CN"}
_MILLIONS = (
    "million", "millions", "milliard", "milliards", "millón", "millones", "milione", "milioni",
    "miliardo", "miliardi", "milhão", "milhões", "bilhão", "bilhões",
)  # fmt: skip


class Lexicon:
    """What a language says. ``british`` is English with days before months and "and"."""

    def __init__(self, language: str, *, british: bool = False) -> None:
        self.language, self.british = language, british
        self.signs: Signs = SIGNS[language]
        self.is_english = language == "en"
        self.spaced = language not in ("ja", "zh")
        self._comma = language in ("de", "fr", "es", "it", "pt")

    @cached_property
    def amount(self) -> str:
        """A pattern, without groups, for a number as the language writes it; no sign."""
        if not self._comma:
            indian = rf"{_D}{{1,2}}(?:,{_D}{{2}}){{1,6}},{_D}{{3}}(?!{_D})"
            grouped = rf"{_D}{{1,3}}(?:,{_D}{{3}}){{1,9}}(?!{_D})"
            return rf"(?>{grouped}|{indian}|{_D}{{1,36}})(?>\.{_D}{{1,30}})?+"
        group = r"[ .]" if self.language in ("fr", "es", "pt") else r"\."
        # 1.5 with a point is no group of thousands; machines write it everywhere.
        return (
            rf"(?>{_D}{{1,3}}(?:{group}{_D}{{3}}){{1,9}}(?!{_D})|{_D}{{1,36}})"
            rf"(?>,{_D}{{1,30}}|\.{_D}{{1,30}}(?![.,]?{_D}))?+"
        )

    def value(self, written: str) -> Decimal:
        """The number that ``amount`` found."""
        return Decimal(self._standard(written))

    def _standard(self, written: str) -> str:
        """With a point for the decimals and nothing else."""
        if not self._comma:
            return written.replace(",", "")
        plain = written.replace(" ", "")
        if "," in plain:
            return plain.replace(".", "").replace(",", ".")
        is_grouped = re.fullmatch(rf"{_D}{{1,3}}(?:\.{_D}{{3}})+", plain)
        return plain.replace(".", "") if is_grouped else plain

    def number(self, written: str) -> str:
        """A number that ``amount`` found, in words; all its decimals, one by one."""
        whole, _, decimals = self._standard(written).partition(".")
        if len(whole) > 1 and whole[0] == "0" and not decimals:
            return self.digits(whole)
        words = self.cardinal(int(whole or "0"))
        if not decimals:
            return words
        gap = " " if self.spaced else ""
        return f"{words}{gap}{self.signs.point}{gap}{self.digits(decimals)}"

    def cardinal(self, value: int) -> str:
        """12 → "twelve"."""
        return numerals.cardinal(value, self.language, british=self.british)

    def ordinal(self, value: int) -> str:
        """12 → "twelfth"."""
        return numerals.ordinal(value, self.language)

    def year(self, value: int) -> str:
        """1905 → "nineteen oh five"."""
        return numerals.year(value, self.language)

    def digits(self, text: str) -> str:
        """42 → "four two"."""
        return numerals.digits(text, self.language)

    def before_noun(self, words: str, *, feminine: bool = False) -> str:
        """The number as it is before what is counted: "uno" → "un"."""
        forms = self.signs.feminine if feminine else self.signs.noun
        for ending, form in forms.items():
            if words == ending or words.endswith((f" {ending}", f"-{ending}")):
                return words.removesuffix(ending) + form
        return words

    def month(self, number: int) -> str:
        """3 → "March"."""
        return self.months["wide"][number]

    @cached_property
    def months(self) -> dict[str, dict[int, str]]:
        """Names by width (``wide``, ``abbreviated``) and number."""
        from babel.dates import get_month_names

        return {
            width: {number: str(name) for number, name in get_month_names(width, "format",
                    self._locale).items()}
            for width in ("wide", "abbreviated")
        }  # fmt: skip

    def counted(self, written: str, unit: str) -> str:
        """An amount of a CLDR unit: "5", "length-kilometer" → "five kilometers"."""
        form = _unit(self.value(written), unit, self._locale)
        words = self.before_noun(self.number(written))
        said = _DIGITS.sub(lambda match: words + " " * match.group().endswith(" "), form, count=1)
        return said if self.spaced else said.replace(" ", "")

    def unit(self, unit: str, *, several: bool = True) -> str:
        """A CLDR unit's name alone, after a number that is said already."""
        form = _unit(Decimal(5 if several else 1), unit, self._locale)
        return " ".join(_DIGITS.sub(" ", form, count=1).split())

    def money(
        self, written: str, currency: str, *, scale: str = "", attribute: bool = False
    ) -> str:
        """A price: "1.50", "USD" → "one dollar and fifty cents".

        ``scale`` is a word like "million" behind the number. ``attribute``: of a thing, as in
        "a five dollar coffee". ``currency`` is a code, or a sign for its short name.
        """
        value = self.value(written)
        whole, _, cents = self._standard(written).partition(".")
        if scale:
            name = self.currency(currency, Decimal(5))
            number = self.before_noun(self.number(written))
            if self.language == "de" and number == "ein":
                number = "eine"
            return self._join(number, scale, self._of(name) + name)
        if len(cents) != 2 or not self._has_cents(currency):
            name = self.currency(currency, Decimal(1) if attribute else value)
            return self._join(self._many(self.number(written), name), name).replace("' ", "'")
        said = self._with_cents(int(whole or 0), int(cents), currency)
        return said if not attribute else said.replace("dollars", "dollar")

    def _join(self, *words: str) -> str:
        return (" " if self.spaced else "").join(filter(None, words))

    def _of(self, name: str) -> str:
        if self.language == "fr" and name[:1] in "aeiouyé":
            return "d'"
        return self.signs.of

    def _many(self, words: str, name: str) -> str:
        """The number before the name: "un million d'euros", "un millón de euros"."""
        joined = words.endswith(_MILLIONS) and self._of(name).strip()
        return f"{words} {joined}" if joined else self.before_noun(words)

    def _has_cents(self, currency: str) -> bool:
        code = SYMBOL_CODES.get(currency, currency)
        return code in CENTS if self.is_english else bool(self.signs.cents) and code != "JPY"

    def _with_cents(self, whole: int, cents: int, currency: str) -> str:
        amount = Decimal(whole)
        name = self.currency(currency, amount)
        units = self._join(self._many(self.cardinal(whole), name), name).replace("' ", "'")
        if not cents:
            return units
        number = self.cardinal(cents)
        if not self.is_english:
            return f"{units}{self.signs.cents}{number}"
        names = CENTS[SYMBOL_CODES.get(currency, currency)]
        small = f"{number} {names[cents != 1]}"
        return small if not whole else f"{units}{self.signs.cents}{small}"

    def currency(self, currency: str, value: Decimal) -> str:
        """Its name for this many: the short one for a sign, the full one for a code."""
        return _currency(currency, value, self.language, self._locale)

    @cached_property
    def _locale(self) -> Locale:
        from babel import Locale  # 0.2 s with its data; only for texts that need it

        return Locale.parse(_LOCALES.get(self.language, self.language))


@lru_cache(maxsize=1_024)
def _unit(value: Decimal, unit: str, locale: Locale) -> str:
    from babel.units import format_unit

    form = format_unit(value, unit, "long", format="0.##########", locale=locale)
    return re.sub(r"\s", " ", form)


@lru_cache(maxsize=1_024)
def _currency(currency: str, value: Decimal, language: str, locale: Locale) -> str:
    from babel.numbers import get_currency_name

    if language == "zh" and currency in ("¥", "￥", "元"):
        return "元"
    code = SYMBOL_CODES.get(currency, currency)
    name = str(get_currency_name(code, count=value, locale=locale))
    if currency in SYMBOL_CODES:
        words = name.replace("英国", "").removeprefix("米").replace("-", " ").split()
        if code == "GBP":
            words = [word for word in words if word not in ("Sterling", "स्टर्लिंग")]
        name = words[0] if language in _NAME_FIRST else words[-1]
    return name.lower() if language == "pt" else name
