"""The languages Kokoro's voices speak, and what turns their text into phonemes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from speech.errors import UsageError
from speech.kokoro.blend import heaviest

AMERICAN = "en-us"


@dataclass(frozen=True, slots=True)
class Language:
    """``code`` is espeak-ng's. ``modules`` are those of the misaki package that it needs.

    espeak-ng reads it where ``espeak`` is true: for Japanese it knows kana but no kanji, for
    Chinese the tones are lost, so those two are refused without misaki.
    """

    code: str
    name: str
    package: str = ""
    modules: tuple[str, ...] = ()
    espeak: bool = True

    @property
    def has_misaki(self) -> bool:
        """Whether every module of the package is installed; none is imported."""
        return bool(self.modules) and all(map(_is_installed, self.modules))


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):
        return False


_ENGLISH = ("misaki", "spacy", "num2words", "en_core_web_sm")
BY_LETTER = {
    "a": Language(AMERICAN, "American English", "misaki[en]", _ENGLISH),
    "b": Language("en-gb", "British English", "misaki[en]", _ENGLISH),
    "e": Language("es", "Spanish"),
    "f": Language("fr-fr", "French"),
    "h": Language("hi", "Hindi"),
    "i": Language("it", "Italian"),
    "j": Language(
        "ja",
        "Japanese",
        "misaki[ja]",
        ("misaki", "pyopenjtalk", "fugashi", "jaconv", "mojimoji"),
        espeak=False,
    ),
    "p": Language("pt-br", "Brazilian Portuguese"),
    "z": Language(
        "cmn",
        "Mandarin Chinese",
        "misaki[zh]",
        ("misaki", "jieba", "pypinyin", "cn2an"),
        espeak=False,
    ),
}
"""By the first letter of a voice's name."""

LANGUAGES = {letter: language.code for letter, language in BY_LETTER.items()}
BY_CODE = {language.code: language for language in BY_LETTER.values()}


def language_of(voice: str) -> str:
    """The code of a voice's language; a voice named otherwise speaks American.

    A blend speaks as its heaviest voice does, the first of equals.
    """
    return LANGUAGES.get(heaviest(voice)[:1], AMERICAN)


def check_language(voice: str) -> None:
    """Raise ``UsageError`` with the package to install where the voice's language needs one."""
    language = BY_CODE[language_of(voice)]
    if not language.espeak and not language.has_misaki:
        raise UsageError(missing(language, voice))


def missing(language: Language, voice: str = "") -> str:
    """The line that says what to install."""
    who = f"voice {voice} speaks {language.name}, which" if voice else language.name
    return f"{who} needs {language.package}: pip install '{language.package}'"
