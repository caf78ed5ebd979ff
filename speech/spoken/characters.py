"""Single characters: what cannot be said goes, what is only dressed up becomes plain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from html import unescape

from speech.spoken.draft import Edit

_SAME = str.maketrans(
    {"\u066b": ".", "\u066c": ","}
    | dict.fromkeys("\u2018\u2019\u02bc\u201b", "'")
    | dict.fromkeys("\u2010\u2011", "-")
    | dict.fromkeys("\u00a0\u2007\u2009\u202f\u2002\u2003", " ")
)
_FIRST_PICTURE = "\u2190"
"""Below it lie the symbols that have a name (degree, copyright, numero sign); from here on
"other symbols" are boxes, ornaments and emoji."""
_STYLED = ("<circle>", "<font>", "<wide>", "<narrow>", "<square>")
_JOINERS = "\u200c\u200d"
_SPECIAL = re.compile(
    r"\x1b\[[0-9;]{0,20}[A-Za-z]"  # a terminal's colours
    r"|&(?:[A-Za-z]{2,8}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});"
    r"|[^\x20-\x7e\n]"
)


def character_edits(text: str) -> Iterator[Edit]:
    """Emoji, control characters and halves of characters go; apostrophes become straight ones,
    circled and styled letters and digits plain; HTML's ``&amp;`` what it stands for."""
    for match in _SPECIAL.finditer(text):
        found = match.group()
        if len(found) > 1:
            plain = "" if found[0] == "\x1b" else _entity(found)
        elif found in _JOINERS:
            plain = found if _joins_letters(text, match.start()) else ""
        else:
            plain = _plain(found)
        if plain != found:
            yield match.start(), match.end(), plain


def _entity(found: str) -> str:
    character = unescape(found)
    # "&copy" without a semicolon would be taken too, and a code point there is none for.
    if len(character) != 1 or not (character.isprintable() or character == "\xa0"):
        return found
    return character.replace("\xa0", " ")


def _joins_letters(text: str, at: int) -> bool:
    """Whether the joiner shapes letters, as in Persian or Hindi, and not emoji."""
    return unicodedata.category(text[at - 1 : at] or " ")[0] in "LM"


def _dress(character: str) -> str:
    """How a character with a plain form differs from it; "" for one without."""
    return unicodedata.decomposition(character).partition(" ")[0]


@lru_cache(maxsize=8_192)
def _plain(character: str) -> str:
    if character == "\t":
        return character
    same = character.translate(_SAME)
    category = unicodedata.category(character)
    if same != character:
        return same
    if category in ("Cc", "Cf", "Cs", "Co", "Cn", "Me") or "\ufe00" <= character <= "\ufe0f":
        return " " if category == "Cc" else ""
    if unicodedata.decomposition(character).startswith(_STYLED):
        letter = unicodedata.normalize("NFKC", character)
        if letter.isalnum():
            return f" {letter} " if category in ("No", "So") else letter
    if category == "Nd" and not character.isascii():
        return str(unicodedata.decimal(character))
    if category == "Nl" and unicodedata.decomposition(character):
        return unicodedata.normalize("NFKC", character)  # Ⅷ
    if category == "No" and _dress(character) in ("", "<compat>"):  # ➀, and ⑴ ⒈
        return f" {unicodedata.numeric(character):g} "
    is_picture = category in ("So", "Sk") and character >= _FIRST_PICTURE
    return "" if is_picture else character
