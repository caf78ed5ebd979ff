"""Words of a transcript in the form in which they can be compared."""

from __future__ import annotations

import re
import unicodedata

from speech.spoken.numerals import cardinal

_ASIDE = re.compile(
    r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|（[^）]*）|【[^】]*】|<[^<>]{1,40}>|\{[^{}]*\}|♪[^♪]*♪?"
)
"""What recognisers write for sounds: [cough], (laughs), *sighs*, <noise>, ♪ la la ♪."""
_JOINERS = re.compile("['’ʼ`´]")
_CLOCK = re.compile(r"(\d{1,2})[:.]00\b")
_DIGIT = re.compile(r"\d")
_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
"""Japanese, Chinese, Thai, Lao, Burmese, Khmer: no blank between words."""
_LONGEST_NUMBER = 6


def tokens(text: str, language: str = "en") -> list[str]:
    """Small letters without marks; numbers as words; scripts without blanks by the character.

    Latin accents go too, as recognisers are not at one about them.
    """
    plain = _JOINERS.sub("", _CLOCK.sub(r"\1", text))
    return [part for word in _words(plain) for part in _spoken(word, language)]


def language_code(tag: str) -> str:
    """ "pt" for "pt-BR"; English where there is no tag."""
    return (tag or "en").replace("_", "-").split("-")[0].casefold()


def without_asides(transcript: str) -> str:
    """The words alone, without the names of sounds."""
    return _ASIDE.sub(" ", transcript)


def by_digits(text: str) -> str:
    """Each digit a number of its own, as telephone numbers are said."""
    return _DIGIT.sub(r" \g<0> ", text)


def is_question(text: str) -> bool:
    """Whether the text ends with a question mark of any script, in quotes or not."""
    return text.rstrip("\"'”’»)] 」』\n").endswith(("?", "？", "؟"))


def unspaced(token: str) -> bool:
    """Whether the token is a character of a script that has no blanks."""
    return len(token) <= 2 and _UNSPACED.match(token) is not None


def _words(text: str) -> list[str]:
    spaced = _UNSPACED.sub(lambda found: f" {found.group()} ", _fold(text))
    kept = (c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in spaced)
    return "".join(kept).split()


def _fold(text: str) -> str:
    wide = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", wide))


def _spoken(word: str, language: str) -> list[str]:
    if not word.isdecimal() or len(word) > _LONGEST_NUMBER:
        return [word]
    return _words(cardinal(int(word), language))
