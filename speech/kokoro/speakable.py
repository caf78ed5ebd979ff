"""What of a text can be spoken at all."""

from __future__ import annotations

import re
import unicodedata

_LONGEST_WORD = 45
_CUT_WORD = 16
"""espeak loses what is over about 200 phonemes of a word, and a letter that is spelled out
takes up to 7. The longest English word has 45 letters; longer runs are no words."""

_SAME = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u02bc": "'",
        "\u0964": ".",
        "\u3002": ". ",
        "\u3001": ", ",
        "\uff0c": ", ",
        "\uff01": "! ",
        "\uff1f": "? ",
        "\uff1a": ": ",
        "\uff1b": "; ",
    }
)
"""Curly apostrophes made contractions come out letter by letter (case B08); the marks of
Hindi, Chinese and Japanese are the model's under other code points."""

_STYLED = ("<circle>", "<font>", "<wide>", "<narrow>", "<square>")
_FIRST_PICTURE = 0x2190
"""Below it lie the symbols that have a reading (degree, copyright, numero sign); from here
on "other symbols" are arrows, boxes and emoji."""
_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
_CUT = re.compile(rf"\S{{1,{_CUT_WORD}}}")


def speakable(text: str) -> str:
    """``text`` on one line without control characters, lone surrogates and emoji.

    Circled and styled letters and digits become plain. Empty where no letter or digit is
    left: marks alone ("...", "**", "&") are typography in a reply, not something to say.
    """
    plain = readable(text)
    return plain if any(map(str.isalnum, plain)) else ""


def readable(text: str) -> str:
    """As ``speakable``, but marks alone stay: those of a part of a text."""
    plain = "".join(map(_plain, text.translate(_SAME)))
    return _LONG_WORD.sub(_cut, " ".join(plain.split()))


def _cut(word: re.Match[str]) -> str:
    return " ".join(_CUT.findall(word.group()))


def _plain(character: str) -> str:
    if character.isascii():
        return character if character.isprintable() else " "
    category = unicodedata.category(character)
    if category in ("Cf", "Cs", "Mn", "Me"):
        return character if category == "Mn" and not _is_selector(character) else ""
    if unicodedata.decomposition(character).startswith(_STYLED):
        letter = unicodedata.normalize("NFKC", character)
        return f" {letter} " if category in ("No", "So") else letter
    if category == "Nd":  # espeak knows those of its language's script only
        return str(unicodedata.decimal(character))
    if category == "No" and _dress(character) in ("", "<compat>"):  # ➀, and ⑴ ⒈
        return f" {unicodedata.numeric(character):g} "
    is_picture = category in ("So", "Sk") and ord(character) >= _FIRST_PICTURE
    return " " if category[0] in "CZ" or is_picture else character


def _dress(character: str) -> str:
    """How a character with a plain form differs from it; "" for one without."""
    return unicodedata.decomposition(character).partition(" ")[0]


def _is_selector(character: str) -> bool:
    """Variation selectors, which ask for an emoji's coloured form."""
    return "\ufe00" <= character <= "\ufe0f"
