"""Text to Kokoro's phonemes."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator

from kokoro_onnx.chunker import split_phonemes
from kokoro_onnx.config import DEFAULT_VOCAB, MAX_PHONEME_LENGTH
from loguru import logger
from phonemizer.backend import EspeakBackend

from speech.errors import UsageError
from speech.kokoro.espeak import use_bundled_espeak
from speech.kokoro.languages import AMERICAN, BY_CODE, Language, missing
from speech.kokoro.markup import Part, parts
from speech.kokoro.misaki_g2p import Reader, load_misaki
from speech.kokoro.speakable import readable, speakable

VOCABULARY: dict[str, int] = DEFAULT_VOCAB

_PAUSE = re.compile(r"(?:\s*(?:[;!?¡¿—…\"“”«»()\[\]{}]|[.,:](?!\w)|(?<!\w)[.,:](?!\d)))+\s*")
"""Marks that part clauses; not the ones inside 3.14, 9:30 and e.g."""

_SEGMENT_CHARACTERS = 300
"""espeak cannot be interrupted, so it gets a few milliseconds of work at a time."""
_SEGMENT = re.compile(rf".{{1,{_SEGMENT_CHARACTERS}}}(?:\s|$)")
_SENTENCES = re.compile(
    rf"\S.{{0,{_SEGMENT_CHARACTERS - 1}}}(?:(?<=[.!?…])|(?<=[.!?…][”\"')\]]))(?:\s+|$)"
    rf"|\S.{{0,{_SEGMENT_CHARACTERS - 1}}}(?:\s+|$)"
)
"""misaki looks at the words around a word, so it gets as many sentences as fit."""
_ARTICLE = re.compile(r"(?:^|(?<=\s))a$", re.IGNORECASE)
_NOT_A_MARK = re.compile(r"(?!)")


def ids_of(phonemes: str) -> list[int]:
    """The model's numbers for phonemes; unknown symbols are left out."""
    return [VOCABULARY[symbol] for symbol in phonemes if symbol in VOCABULARY]


def split(phonemes: str) -> list[str]:
    """Pieces the model can take, cut at sentence, clause or word borders; nothing lost."""
    pieces: list[str] = split_phonemes(phonemes, MAX_PHONEME_LENGTH)
    return pieces


class Phonemizer:
    """Every language's reader, loaded when first needed: misaki where installed, or espeak-ng.

    Not thread-safe, as espeak keeps its state in globals: use it from one thread only.
    """

    def __init__(self) -> None:
        use_bundled_espeak()
        self._backends: dict[str, EspeakBackend] = {}
        self._misaki: dict[str, Reader | None] = {}

    def prepare(self, language: str) -> None:
        """Load what reads the language. Raises ``UsageError`` where its package is missing."""
        if language not in self._misaki:
            self._misaki[language] = self._load_misaki(BY_CODE[language])

    def phonemes(
        self, text: str, language: str, stopped: Callable[[], bool] = lambda: False
    ) -> str:
        """Phonemes and marks of Kokoro's vocabulary; empty where nothing can be spoken.

        ``[word](/phonemes/)`` is said as it asks, other markup is left out. Never raises for
        what the text holds; ``UsageError`` as ``prepare``. ``stopped`` is asked between
        clauses; once it is true the rest is left out.
        """
        spoken = "".join(self._parts(text, language, stopped))
        return " ".join(spoken.split()) if any(map(str.isalpha, spoken)) else ""

    def _parts(self, text: str, language: str, stopped: Callable[[], bool]) -> Iterator[str]:
        found = list(parts(text))
        hints = [_hint(part) for part in found]
        if not any(hints) and not speakable("".join(part.text for part in found)):
            return
        for part, hint, following in zip(found, hints, [*hints[1:], ""], strict=True):
            if hint:
                yield hint
            elif plain := readable(part.text):
                yield " " * part.text[:1].isspace()
                # By itself the article would be read as the letter.
                article = _ARTICLE.search(plain) if following and language[:2] == "en" else None
                said = plain[: article.start()] if article else plain
                yield from map("".join, map(_known, self._read(said, language, stopped)))
                yield " ɐ" if article else ""
            yield " " * part.text[-1:].isspace()

    def _read(self, plain: str, language: str, stopped: Callable[[], bool]) -> Iterator[str]:
        self.prepare(language)
        reader = self._misaki[language]
        if reader is None:
            yield from self._by_espeak(plain, language, stopped)
            return
        for match in _SENTENCES.finditer(plain):
            if stopped():
                return
            try:
                yield reader(match.group()) + " " * match.group()[-1:].isspace()
            except Exception:  # it asserts and indexes; a text it cannot read is still to be said
                yield from self._by_espeak(match.group(), language, stopped)

    def _by_espeak(self, plain: str, language: str, stopped: Callable[[], bool]) -> Iterator[str]:
        for stretch, is_speech in _clauses(plain):
            if stopped():
                return
            yield self._speak(stretch, language) if is_speech else stretch

    def _load_misaki(self, language: Language) -> Reader | None:
        if not language.has_misaki:
            if not language.espeak:
                raise UsageError(missing(language))
            return None
        try:
            return load_misaki(language, lambda text: self._speak(text, AMERICAN))
        except Exception as error:  # a package half installed fails in its own way
            if not language.espeak:
                raise UsageError(f"{missing(language)} (now: {_line(error)})") from error
            logger.warning("misaki cannot be used, espeak-ng reads English: {}", _line(error))
            return None

    def _speak(self, clause: str, language: str) -> str:
        backend = self._backends.get(language)
        if backend is None:
            backend = self._backends[language] = _backend(language)
        segments = _SEGMENT.findall(clause)
        return " ".join(backend.phonemize(segments, strip=True))


def _hint(part: Part) -> str:
    """What the part's writer wants it said as; "" without a wish, or one that has no sound."""
    hint = "".join(_known(part.hint or ""))
    return (
        hint if any(unicodedata.category(symbol) in ("Ll", "Lu", "Lo") for symbol in hint) else ""
    )


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _backend(language: str) -> EspeakBackend:
    quiet = logging.getLogger("speech.kokoro.phonemizer")
    quiet.disabled = True
    # Marks are ours (see _PAUSE): phonemizer 3.4 finds them again by text and so takes
    # the point of "It's 3.14." for the full stop.
    return EspeakBackend(
        language,
        punctuation_marks=_NOT_A_MARK,
        with_stress=True,
        language_switch="remove-flags",
        logger=quiet,
    )


def _clauses(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order: (speech, True) and (marks between it, False)."""
    position = 0
    for match in _PAUSE.finditer(text):
        if match.start() > position:
            yield text[position : match.start()], True
        yield match.group(), False
        position = match.end()
    if position < len(text):
        yield text[position:], True


def _known(phonemes: str) -> Iterator[str]:
    """Symbols of the vocabulary; a letter with an unknown accent keeps the letter."""
    for symbol in phonemes:
        if symbol in VOCABULARY:
            yield symbol
        else:
            yield from (part for part in unicodedata.normalize("NFD", symbol) if part in VOCABULARY)
