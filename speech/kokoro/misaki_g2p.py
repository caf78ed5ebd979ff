"""misaki, the grapheme-to-phoneme package Kokoro was trained with, where it is installed."""

from __future__ import annotations

import copy
import importlib
import logging
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from speech.kokoro.languages import AMERICAN, Language

Reader = Callable[[str], str]
"""Phonemes of a text; raises nearly anything for texts its makers did not think of."""

_LETTER = r"[A-Za-z\u00c0-\u024f]"
_LATIN = re.compile(rf"{_LETTER}(?:[’'.& -]*{_LETTER})*")


_SPACE_BEFORE_MARK = re.compile(r"\s+(?=[,.;:!?])")
_WORD = re.compile(r"([A-Za-z]+(?:['’][A-Za-z]+)*)([,.;:!?…]*)\s*")
_CACHED = 1_024
"""Readings remembered; words come again and again when a unit's words are timed."""
_FIRST = {"ja": "はい", "cmn": "你好"}
"""Read at once: the dictionaries load with the first text (Chinese took 3 s)."""


def load_misaki(language: Language, read_latin: Reader) -> Reader:
    """misaki for a language that ``has_misaki``: takes 1 to 7 s.

    ``read_latin`` reads the words in Latin letters of a Japanese or Chinese text. Raises
    ``ImportError`` and what the packages raise where a part of them is broken. Nothing is
    fetched.
    """
    if language.package == "misaki[en]":
        reader = _english(british=language.code != AMERICAN)
    else:
        reader = _mixed(_japanese() if language.code == "ja" else _chinese(), read_latin)
        reader(_FIRST[language.code])
    return lru_cache(_CACHED)(reader)


def _english(*, british: bool) -> Reader:
    english = _module("misaki.en")
    fallback = _module("misaki.espeak").EspeakFallback(british=british)
    g2p = english.G2P(trf=False, british=british, fallback=fallback, unk="")
    alone = copy.copy(g2p)
    alone.nlp = g2p.nlp.make_doc

    def read(text: str) -> str:
        # A word by itself has no part of speech to be found, which is where the time goes:
        # 6 ms a word, and timing a unit's words asks for each.
        word = _WORD.fullmatch(text)
        # Its own notion of markup is switched off: hints are ours.
        phonemes, _ = (alone if word else g2p)(word[1] if word else text, preprocess=False)
        return f"{phonemes}{word[2]}" if word else str(phonemes)

    return read


def _japanese() -> Reader:
    g2p = _module("misaki.ja").JAG2P(unk="")
    return lambda text: str(g2p(text)[0])


def _chinese() -> Reader:
    _module("jieba").setLogLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module="cn2an")  # it would print the text
    g2p = _module("misaki.zh").ZHG2P(unk="")
    return lambda text: str(g2p(text)[0])


def _module(name: str) -> Any:
    """The module, kept from printing: that would show texts, and spoil samples on a pipe."""
    module = importlib.import_module(name)
    if name.startswith("misaki."):
        vars(module)["print"] = _silent
    return module


def _silent(*_words: object, **_options: object) -> None:
    pass


def _mixed(reader: Reader, read_latin: Reader) -> Reader:
    """Each script by its own reader: misaki takes Latin letters for phonemes."""

    def read(text: str) -> str:
        phonemes, position = [], 0
        for match in _LATIN.finditer(text):
            phonemes += [_rest(text[position : match.start()], reader), read_latin(match.group())]
            position = match.end()
        phonemes.append(_rest(text[position:], reader))
        return _SPACE_BEFORE_MARK.sub("", " ".join(phonemes))

    return read


def _rest(text: str, reader: Reader) -> str:
    return reader(text) if text.strip() else ""
