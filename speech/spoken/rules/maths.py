"""Signs of arithmetic, which are words only between or before numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from speech.spoken.context import after, before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, Say, rule

_UP = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_DOWN = "₀₁₂₃₄₅₆₇₈₉"
_OPERATORS = re.compile(r"[=+*/×÷]")
_DIAL = re.compile(r"\b(?:press|dial|hit|enter|push|key|then|the) $", re.IGNORECASE)


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    read, signs = _Reader(lexicon), lexicon.signs
    number = lexicon.amount
    power = r"(?P<sign>[-+−])?(?P<exponent>[0-9]{1,3})"
    yield rule("0", rf"(?P<base>{number})[eE]{power}(?![\w.])", read.scientific)
    yield rule("^", rf"(?<=[\w)\]])\^\{{?{power}\}}?", read.raised)
    yield rule("*", rf"(?<=[0-9])\*\*{power}(?!\w)", read.raised)
    to_the = " to the " if lexicon.is_english else f" {signs.power} "
    yield rule("^", r"(?<=[\w)\]])\^(?=[A-Za-z(])", to_the)
    yield rule(_UP, rf"(?<=[\w)\]])[{_UP}]{{1,6}}", read.superscript)
    yield rule(_DOWN, rf"[{_DOWN}]{{1,6}}", lambda m: lexicon.number(_normal(m.group())))
    yield rule("-−–—", r"(?<=[0-9%°)])[-–—](?=[$€£¥]?[0-9])", read.close_dash)
    yield rule("~〜～", r"(?<=[0-9])[~〜～](?=[0-9])", read.close_dash)
    yield rule("–", r"(?<=\b[A-Z])–(?=[A-Z]\b)", f" {signs.to} ")
    yield rule("-−–—", r"(?<=[0-9%°CFmM.] )[-–—](?= [$€£¥]?[0-9])", read.spaced_dash)
    for half in (r"(?<=[AaPp][Mm])", r"(?<=\.m)", r"(?<=\.m\.)"):
        yield rule("-–—", rf"{half}[-–—](?=[0-9])", f" {signs.to} ")
    yield rule("-–—", r"(?<=\w)[-–—](?=(?:noon|midnight|present|now)\b)", signs.to)
    yield rule("−", r"(?<=[\w)]) ?− ?(?=[\w(])", signs.minus)
    yield rule("-−", r"(?<![^\s(\[{\"'=<>~≈:/$€£,])[-−](?=\.?[0-9]|[$€£¥₹]\s?[0-9])", signs.minus)
    yield rule("+", r"\+(?=[0-9])|(?<=\w)\+(?=[\s,.!?;:)\w]|$)|(?<= )\+(?= )", read.plus)
    yield rule("±", r"± ?(?=[\w$€£])", signs.plus_minus + " ")
    yield rule("+", r"\+/-\s?(?=[\w$€£])", signs.plus_minus + " ")
    yield rule("~", r"(?<![\w~])~ ?(?=[$€£¥]?[0-9])", signs.about + " ")
    yield rule("≈≃∼", r"[≈≃∼] ?(?=[$€£¥\w])", signs.about + " ")
    yield rule("a", r"(?<=[0-9])[xX](?=[0-9])|(?<=[0-9] )[xX](?= ?[0-9])", read.cross)
    yield rule("a", r"(?<=[0-9])[xX](?! ?[+\-−=*/^()²³])(?!\w)", signs.times)
    yield rule(
        "×⋅·∙",
        r"(?<=[\w)])× ?(?=[\w(])|(?<=[\w)] )× ?(?=[\w(])|(?<=[0-9])×"
        r"|(?<=[0-9])[⋅∙·](?=[0-9])|(?<=[0-9] )[⋅∙·](?= [0-9])",
        read.cross,
    )
    yield rule("×", r"× ?(?=[0-9])", signs.times + " ")
    yield rule("*", r"\*", read.star)
    yield rule("⋅·∙", r"[⋅∙·]", " ")
    yield rule("÷∶", r"[÷∶]", signs.divided)
    yield rule("/", r"(?<=[0-9] )/(?= [0-9])", signs.divided)
    yield rule("=", r"(?<=[\w)\"'²³%½ ])={1,3}(?=[\s\w(\-−.$€£])", read.between(signs.equals))
    yield rule("!≠", r"≠|(?<=[\w)] )!=(?= ?[\w(])|(?<=[\w)])!=(?=[\w(])", signs.unequal)
    yield rule("<", r"<=(?= ?[\w$€£-])", signs.at_most)
    yield rule(">", r">=(?= ?[\w$€£-])", signs.at_least)
    yield rule("≤≦", r"[≤≦]", signs.at_most)
    yield rule("≥≧", r"[≥≧]", signs.at_least)
    yield rule("<", r"<(?= ?[$€£-]?[0-9])|(?<=[\w)] )<(?= \w)|(?<=\w)<(?=\w)", signs.less)
    yield rule(">", r">(?= ?[$€£-]?[0-9])|(?<=[\w)] )>(?= \w)|(?<=\w)>(?=[0-9])", signs.more)
    yield rule("√", r"√", signs.root)
    yield rule("∞", r"∞", signs.infinity)
    yield rule("a", r"π(?!\w)", "pi" if lexicon.is_english else "π")
    yield rule("→⇒➔➜", r"[→⇒➔➜]", read.between(signs.to))
    yield rule("-=", r"[-=]>", read.between(signs.to))
    yield rule("←⇐↑↓↔⇔<", r"[←⇐↑↓↔⇔]|<[-=]{1,2}(?=\s)|<-", "")


class _Reader:
    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon, self._signs = lexicon, lexicon.signs

    def scientific(self, match: re.Match[str]) -> str:
        """1e-5 → "one times ten to the minus five"."""
        base = self._lexicon.number(match["base"])
        return f"{base} {self._signs.times} {self._lexicon.cardinal(10)} {self._power(match)}"

    def _power(self, match: re.Match[str]) -> str:
        minus = f"{self._signs.minus} " if match["sign"] in ("-", "−") else ""
        exponent = f"{minus}{self._lexicon.number(match['exponent'])}"
        return f"{self._signs.power.removesuffix(' power of')} {exponent}"

    def raised(self, match: re.Match[str]) -> str:
        """x^2, 10^5, 2**8."""
        return f" {self._up(match['sign'] or '', match['exponent'])}"

    def superscript(self, match: re.Match[str]) -> str:
        """x², 10⁻⁵."""
        plain = _normal(match.group())
        sign = plain[0] if plain[0] in "+-" else ""
        exponent = plain.removeprefix(sign)
        if not exponent.isdecimal():
            return ""
        return f" {self._up(sign, exponent)}" if self._lexicon.spaced else self._up(sign, exponent)

    def _up(self, sign: str, exponent: str) -> str:
        if not sign and exponent in ("2", "3"):
            return self._signs.squared if exponent == "2" else self._signs.cubed
        minus = f"{self._signs.minus} " if sign in ("-", "−") else ""
        power = "to the" if self._lexicon.is_english and minus else self._signs.power
        return f"{power} {minus}{self._lexicon.number(exponent)}"

    def close_dash(self, match: re.Match[str]) -> str:
        """5-10 is a range, 5-3=2 a difference."""
        left, right = before(match)[-8:], after(match)
        is_sum = re.match(r"[0-9.,]{1,12} ?=", right) or re.search(r"[=+*×÷]", left)
        return self._signs.minus if is_sum else self._signs.to

    def spaced_dash(self, match: re.Match[str]) -> str:
        """5 - 3 = 2 is a difference, 5 – 10 people are a range."""
        tail = re.match(r" [$€£¥]?[0-9.,]{1,20}(.{0,3})", after(match))
        near = re.split(r"[.!?\n]\s", before(match))[-1][-8:] + (tail[1] if tail else "")
        return self._signs.minus if _OPERATORS.search(near) else self._signs.to

    def plus(self, match: re.Match[str]) -> str:
        """+5, 2 + 2, 18+."""
        return self._signs.plus

    def cross(self, match: re.Match[str]) -> str:
        """3x4 and 1920×1080 are "by" in English; 3 x 4 and 3 × 4 = 12 "times"."""
        close = match.group() in "xX×" and not before(match).endswith(" ")
        is_size = close or re.match(r" ?[0-9.,]{1,8} [a-z]{3}", after(match))
        by = self._lexicon.is_english and is_size and "=" not in after(match)[:8]
        word = "by" if by else self._signs.times
        return f" {word} " if self._lexicon.spaced else word

    def star(self, match: re.Match[str]) -> str:
        """3 * 4; the key of a telephone; any other star is typography."""
        left, right = before(match).rstrip(" "), after(match).lstrip(" ")
        if self._lexicon.is_english and _DIAL.search(before(match)):
            return "star " if right[:1].isdigit() else "star"
        if (left[-1:].isdigit() and right[:1].isalnum()) or (
            left[-1:].isalnum() and right[:1].isdigit()
        ):
            return f" {self._signs.times} "
        if re.search(r"(?:^|\W)\w$", left) and re.match(r"\w(?:\W|$)", right):
            return f" {self._signs.times} "
        return ""

    def between(self, word: str) -> Say:
        """The word where something stands on both sides; nothing elsewhere."""

        def say(match: re.Match[str]) -> str:
            both = before(match).rstrip()[-1:] and after(match).lstrip()[:1]
            gap = " " if self._lexicon.spaced else ""
            return f"{gap}{word}{gap}" if both else ""

        return say


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2212", "-")
