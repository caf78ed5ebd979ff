"""Kings, popes, centuries and chapters in other languages than English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, alternatives, rule
from speech.spoken.rules.roman import NUMERAL, numeral_value
from speech.spoken.words import words

_NAMES = words(
    "Albert Albrecht Alexander August Benedikt Christian Elisabeth Ernst Ferdinand Franz Friedrich"
    " Georg Gustav Heinrich Johann Johannes Joseph Karl Katharina Konrad Leopold Ludwig Maximilian"
    " Napoleon Nikolaus Otto Paul Peter Philipp Pius Rudolf Wilhelm"
    " Charles François Henri Jean Louis Napoléon Philippe Élisabeth Benoît Pie"
    " Alfonso Carlos Felipe Fernando Isabel Juan Pablo Pío Benedicto Luis Enrique"
    " Carlo Emanuele Enrico Federico Ferdinando Francesco Giovanni Luigi Napoleone Paolo Pio"
    " Umberto Elisabetta Benedetto João José Luís Manuel Pedro Afonso Henrique Isabela Bento"
)
_QUEENS = words("Elisabeth Katharina Élisabeth Isabel Elisabetta Isabela")
_PARTS = {
    "de": "Kapitel Band Teil Akt Abschnitt Klasse Typ Stufe Phase",
    "fr": "chapitre tome volume acte scène partie article livre type phase classe",
    "es": "capítulo tomo volumen acto escena parte artículo libro tipo fase clase",
    "it": "capitolo tomo volume atto scena parte articolo libro tipo fase classe",
    "pt": "capítulo tomo volume ato cena parte artigo livro tipo fase classe",
}
_LAST_ORDINAL = {"es": 10, "pt": 10, "fr": 1, "it": 10**6, "de": 10**6}
"""Up to it a ruler's number is an ordinal."""


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    parts = _PARTS.get(lexicon.language)
    if parts is None:
        return

    def numbered(match: re.Match[str]) -> str | None:
        value = numeral_value(match["numeral"])
        return f"{match['name']} {lexicon.cardinal(value)}" if value else None

    def ruler(match: re.Match[str]) -> str | None:
        value = numeral_value(match["numeral"])
        if not value:
            return None
        if value > _LAST_ORDINAL[lexicon.language]:
            return f"{match['name']} {lexicon.cardinal(value)}"
        feminine = match["name"] in _QUEENS
        return f"{match['name']} {_ordinal(lexicon, value, feminine=feminine)}" + _stop(match)

    either = alternatives([*parts.split(), *parts.title().split()])
    yield rule("a", rf"(?P<name>{either}) (?P<numeral>{NUMERAL})(?!\w)", numbered)
    stop = r"(?P<stop>\.?)" if lexicon.language == "de" else "(?P<stop>)"
    ordinal = "(?:er)?" if lexicon.language == "fr" else ""
    numeral = rf"(?P<numeral>{NUMERAL}){ordinal}(?!\w){stop}"
    yield rule("a", rf"(?P<name>{alternatives(_NAMES)}) {numeral}", ruler)
    yield rule("a", r"(?P<name>[^\W\d_a-zß-ÿ][^\W\d_A-Z]{2,20}) (?P<numeral>(?=[IVX]{2,5}(?!\w))"
               rf"{NUMERAL})(?!\w)", numbered)  # fmt: skip
    if lexicon.language == "it":
        yield rule("a", rf"(?P<numeral>{NUMERAL})(?= secolo\b)",
                   lambda m: lexicon.ordinal(numeral_value(m["numeral"])))  # fmt: skip


def _ordinal(lexicon: Lexicon, value: int, *, feminine: bool) -> str:
    said = lexicon.ordinal(value)
    if lexicon.language == "de":
        return f"{'die' if feminine else 'der'} {said.capitalize()}"
    return re.sub("o$", "a", said) if feminine else said


def _stop(match: re.Match[str]) -> str:
    """The German numeral's full stop is the sentence's too where nothing follows."""
    return "." if match["stop"] and not after(match).strip(" \"'”“«»)") else ""
