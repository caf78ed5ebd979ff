"""Text to Kokoro's phonemes through espeak-ng."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator

import espeakng_loader
from kokoro_onnx.chunker import split_phonemes
from kokoro_onnx.config import DEFAULT_VOCAB, MAX_PHONEME_LENGTH
from phonemizer.backend import EspeakBackend
from phonemizer.backend.espeak.wrapper import EspeakWrapper

from speech.kokoro.speakable import speakable

LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr-fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "cmn",
}
"""espeak-ng's language for the first letter of a Kokoro voice. For ``j`` it knows kana but
no kanji, for ``z`` the tones are lost: those voices speak English and romanised text."""

VOCABULARY: dict[str, int] = DEFAULT_VOCAB

_PAUSE = re.compile(r"(?:\s*(?:[;!?¡¿—…\"“”«»()\[\]{}]|[.,:](?!\w)|(?<!\w)[.,:](?!\d)))+\s*")
"""Marks that part clauses; not the ones inside 3.14, 9:30 and e.g."""

_SEGMENT_CHARACTERS = 300
"""espeak cannot be interrupted, so it gets a few milliseconds of work at a time."""
_SEGMENT = re.compile(rf".{{1,{_SEGMENT_CHARACTERS}}}(?:\s|$)")
_NOT_A_MARK = re.compile(r"(?!)")


def language_of(voice: str) -> str:
    """espeak-ng's language for a voice name; a voice named otherwise speaks American."""
    return LANGUAGES.get(voice[:1], "en-us")


def ids_of(phonemes: str) -> list[int]:
    """The model's numbers for phonemes; unknown symbols are left out."""
    return [VOCABULARY[symbol] for symbol in phonemes if symbol in VOCABULARY]


def split(phonemes: str) -> list[str]:
    """Pieces the model can take, cut at sentence, clause or word borders; nothing lost."""
    pieces: list[str] = split_phonemes(phonemes, MAX_PHONEME_LENGTH)
    return pieces


class Phonemizer:
    """espeak-ng with one loaded language a backend.

    Not thread-safe, as espeak keeps its state in globals: use it from one thread only.
    """

    def __init__(self) -> None:
        EspeakWrapper.set_data_path(espeakng_loader.get_data_path())
        EspeakWrapper.set_library(espeakng_loader.get_library_path())
        self._backends: dict[str, EspeakBackend] = {}

    def phonemes(
        self, text: str, language: str, stopped: Callable[[], bool] = lambda: False
    ) -> str:
        """Phonemes and marks of Kokoro's vocabulary; empty where nothing can be spoken.

        Never raises for what the text holds. ``stopped`` is asked between clauses; once it
        is true the rest is left out.
        """
        plain = speakable(text)
        if not plain:
            return ""
        parts: list[str] = []
        for part, is_speech in _clauses(plain):
            if stopped():
                break
            parts.append(self._speak(part, language) if is_speech else part)
        phonemes = "".join(_known("".join(parts)))
        return " ".join(phonemes.split()) if any(map(str.isalpha, phonemes)) else ""

    def _speak(self, clause: str, language: str) -> str:
        backend = self._backends.get(language)
        if backend is None:
            backend = self._backends[language] = _backend(language)
        segments = _SEGMENT.findall(clause)
        return " ".join(backend.phonemize(segments, strip=True))


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
