"""Units of measure, by their names in CLDR."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, alternatives, rule
from speech.spoken.rules.money import PERIODS

UNITS = {
    "km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter",
    "mm": "length-millimeter", "µm": "length-micrometer", "μm": "length-micrometer",
    "nm": "length-nanometer", "mi": "length-mile", "ft": "length-foot", "yd": "length-yard",
    "yds": "length-yard", "km²": "area-square-kilometer", "km2": "area-square-kilometer",
    "m²": "area-square-meter", "m2": "area-square-meter", "cm²": "area-square-centimeter",
    "ft²": "area-square-foot", "sq ft": "area-square-foot", "sq. ft.": "area-square-foot",
    "sqft": "area-square-foot", "ha": "area-hectare", "m³": "volume-cubic-meter",
    "m3": "volume-cubic-meter", "cm³": "volume-cubic-centimeter", "l": "volume-liter",
    "L": "volume-liter", "ml": "volume-milliliter", "mL": "volume-milliliter",
    "cl": "volume-centiliter", "dl": "volume-deciliter", "gal": "volume-gallon",
    "tbsp": "volume-tablespoon", "tsp": "volume-teaspoon", "kg": "mass-kilogram",
    "g": "mass-gram", "mg": "mass-milligram", "µg": "mass-microgram", "μg": "mass-microgram",
    "mcg": "mass-microgram", "lb": "mass-pound", "lbs": "mass-pound", "oz": "mass-ounce",
    "km/h": "speed-kilometer-per-hour", "kmh": "speed-kilometer-per-hour",
    "kph": "speed-kilometer-per-hour", "m/s": "speed-meter-per-second",
    "mph": "speed-mile-per-hour", "kn": "speed-knot", "°C": "temperature-celsius",
    "°F": "temperature-fahrenheit", "℃": "temperature-celsius", "℉": "temperature-fahrenheit",
    "° C": "temperature-celsius", "° F": "temperature-fahrenheit", "°": "angle-degree",
    "h": "duration-hour", "hr": "duration-hour", "hrs": "duration-hour",
    "min": "duration-minute", "mins": "duration-minute", "s": "duration-second",
    "sec": "duration-second", "secs": "duration-second", "ms": "duration-millisecond",
    "µs": "duration-microsecond", "μs": "duration-microsecond", "ns": "duration-nanosecond",
    "Hz": "frequency-hertz", "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz",
    "GHz": "frequency-gigahertz", "W": "power-watt", "kW": "power-kilowatt",
    "MW": "power-megawatt", "GW": "power-gigawatt", "hp": "power-horsepower",
    "kWh": "energy-kilowatt-hour", "kcal": "energy-kilocalorie", "cal": "energy-calorie",
    "kJ": "energy-kilojoule", "V": "electric-volt", "mA": "electric-milliampere",
    "Ω": "electric-ohm", "Pa": "pressure-pascal", "kPa": "pressure-kilopascal",
    "hPa": "pressure-hectopascal", "mbar": "pressure-millibar", "bar": "pressure-bar",
    "psi": "pressure-pound-force-per-square-inch", "B": "digital-byte", "kB": "digital-kilobyte",
    "KB": "digital-kilobyte", "MB": "digital-megabyte", "GB": "digital-gigabyte",
    "TB": "digital-terabyte", "PB": "digital-petabyte", "mpg": "consumption-mile-per-gallon",
    "px": "graphics-pixel", "MP": "graphics-megapixel", "dpi": "graphics-dot-per-inch",
    "ppm": "concentr-permillion",
    "qt": "volume-quart", "wk": "duration-week", "wks": "duration-week",
    "mos": "duration-month", "yr": "duration-year", "yrs": "duration-year",
    "N·m": "torque-newton-meter", "Nm": "torque-newton-meter",
    "m/s²": "acceleration-meter-per-square-second",
    "m/s2": "acceleration-meter-per-square-second",
}  # fmt: skip
_RATES = {"kbps": "kilobits per second", "Kbps": "kilobits per second",
          "Mbps": "megabits per second", "Gbps": "gigabits per second",
          "MB/s": "megabytes per second", "GB/s": "gigabytes per second", "dB": "decibels",
          "rpm": "r.p.m", "fps": "frames per second", "bpm": "beats per minute",
          "mAh": "milliamp hours", "KiB": "kibibytes", "MiB": "mebibytes", "GiB": "gibibytes",
          "fl oz": "fluid ounces", "fl. oz.": "fluid ounces", "pts": "points", "pt": "points",
          "lbs.": "pounds", "oz.": "ounces", "ft.": "feet", "hrs.": "hours", "sec.": "seconds",
          "yrs": "years", "in.": "inches"}  # fmt: skip
"""Those CLDR has no name for, in English."""

_QUOTE = re.compile(r'(?<![0-9])"')


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read = _Reader(lexicon)
    amount = lexicon.amount
    end = r"(?![\w²³])" if lexicon.spaced else r"(?![A-Za-z0-9²³/])"
    until = rf"(?: ?[-–—] ?(?P<until>{amount}))?"
    per = "(?:/(?P<per>[A-Za-z]{1,8}²?))?" if lexicon.spaced else "(?P<per>)"
    if lexicon.is_english:
        feet = r"(?P<feet>[0-9]{1,2})(?:['′] ?| ?ft ?)"
        yield rule("0", feet + r"(?P<inches>[0-9]{1,2}) ?(?:[\"″”]|''|in\b)", read.height)
        yield rule("0", rf"(?P<amount>{amount})['′](?= (?:tall|long|wide|high|deep|by|x)\b)",
                   lambda m: lexicon.counted(m["amount"], UNITS["ft"]))  # fmt: skip
        yield rule("0", r"(?P<feet>[3-8])'(?P<inches>1[01]|[0-9])(?![\w'])", read.height)
        yield rule("0", rf"(?P<amount>{amount})(?:″|\"(?=[^\w]|$))", read.inches)
        yield rule(
            "0", rf"(?P<amount>{amount})[ -]?(?P<rate>{alternatives(_RATES)}){end}", read.rate
        )
        yield rule("0", rf"(?P<amount>{amount})-(?P<unit>{alternatives(UNITS)}){end}(?= [a-z])",
                   read.attribute)  # fmt: skip
    yield rule(
        "0",
        rf"(?P<amount>{amount}){until}[  ]?(?P<unit>{alternatives(UNITS)}){per}{end}",
        read.measure,
    )
    yield rule("a", r"(?:km/h|mph|kWh|m/s|km²|m²|m³)(?!\w)", read.alone)


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def measure(self, match: re.Match[str]) -> str | None:
        """5-10 km, 5°C."""
        unit = match["unit"]
        if self._is_name(match, unit):
            return None
        last = match["until"] or match["amount"]
        if self._is_attribute(match):
            return f"{self._lexicon.number(last)} {self._lexicon.unit(UNITS[unit], several=False)}"
        said = self._lexicon.counted(last, UNITS[unit]) + self._per(match["per"])
        if match["until"]:
            gap = " " if self._lexicon.spaced else ""
            first = self._lexicon.number(match["amount"])
            said = f"{first}{gap}{self._lexicon.signs.to}{gap}{said}"
        return said

    def _is_attribute(self, match: re.Match[str]) -> bool:
        """A 2 liter bottle."""
        if not self._lexicon.is_english or match["until"] or match["per"]:
            return False
        return bool(re.search(r"\b[Aa]n? $", before(match)) and re.match(r" [a-z]", after(match)))

    def _per(self, what: str | None) -> str:
        if not what:
            return ""
        known = UNITS.get(what)
        name = self._lexicon.unit(known, several=False) if known else PERIODS.get(what, what)
        return f" {self._lexicon.signs.per} {name}"

    def _is_name(self, match: re.Match[str], unit: str) -> bool:
        """Whether a letter behind a number is more likely a name than a unit."""
        if unit in ("B", "s", "V", "W", "L", "m", "g", "h") and "'" in after(match)[:1]:
            return True
        return unit == "B" and match["amount"].isdecimal() and len(match["amount"]) < 3

    def height(self, match: re.Match[str]) -> str:
        """5'10" → "five foot ten"."""
        inches = self._lexicon.number(match["inches"])
        return f"{self._lexicon.number(match['feet'])} foot {inches}"

    def inches(self, match: re.Match[str]) -> str | None:
        """15" — but not where the mark closes a quotation."""
        if len(_QUOTE.findall(match.string[max(0, match.start() - 200) : match.start()])) % 2:
            return None
        plural = (
            "" if self._lexicon.value(match["amount"]) == 1 or after(match)[:1] == " " else "es"
        )
        return f"{self._lexicon.number(match['amount'])} inch{plural}"

    def rate(self, match: re.Match[str]) -> str:
        """100 Mbps."""
        return f"{self._lexicon.number(match['amount'])} {_RATES[match['rate']]}"

    def attribute(self, match: re.Match[str]) -> str:
        """A 5-km run."""
        name = self._lexicon.unit(UNITS[match["unit"]], several=False)
        return f"{self._lexicon.number(match['amount'])}-{name}"

    def alone(self, match: re.Match[str]) -> str | None:
        """A unit behind words: "in km/h"."""
        if re.search(r"[0-9] ?$", before(match)):
            return None
        return self._lexicon.unit(UNITS[match.group()])
