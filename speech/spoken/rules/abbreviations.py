"""Abbreviations and titles."""

from __future__ import annotations

import re
from collections.abc import Iterator

from speech.spoken.context import after, before
from speech.spoken.lexicon import Lexicon
from speech.spoken.rule import Rule, Say, alternatives, rule
from speech.spoken.words import words

_TITLES = {
    "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Dr": "Doctor", "Prof": "Professor",
    "Rev": "Reverend", "Gen": "General", "Col": "Colonel", "Capt": "Captain",
    "Lt": "Lieutenant", "Sgt": "Sergeant", "Gov": "Governor", "Sen": "Senator",
    "Rep": "Representative", "Pres": "President", "Hon": "Honorable", "Fr": "Father",
    "Mt": "Mount", "Ft": "Fort",
}  # fmt: skip
"""Before a name; the full stop is theirs."""
_UK = frozenset({"Mr", "Mrs", "Ms", "Dr", "Prof"})
"""Written without a full stop too."""

_ANYWHERE = {
    "en": {
        "e.g.": "for example", "eg.": "for example", "i.e.": "that is", "etc.": "et cetera",
        "vs.": "versus", "v.s.": "versus", "approx.": "approximately", "dept.": "department",
        "Dept.": "Department", "est.": "established", "max.": "maximum", "min.": "minimum",
        "misc.": "miscellaneous", "incl.": "including", "excl.": "excluding", "tel.": "telephone",
        "Tel.": "Telephone", "Jr.": "Junior", "Sr.": "Senior", "Inc.": "Incorporated",
        "Ltd.": "Limited", "Corp.": "Corporation", "Co.": "Company", "Ave.": "Avenue",
        "Blvd.": "Boulevard", "Rd.": "Road", "Ln.": "Lane", "Hwy.": "Highway", "Pkwy.": "Parkway",
        "Apt.": "Apartment", "apt.": "apartment", "Ste.": "Suite",
        "Univ.": "University", "ref.": "reference", "cf.": "compare",
        "ca.": "circa", "hrs.": "hours", "a.k.a.": "also known as", "aka": "also known as",
        "w/o": "without", "w/": "with ", "b/c": "because", "c/o": "care of",
    },
    "de": {
        "z.B.": "zum Beispiel", "z. B.": "zum Beispiel", "d.h.": "das heißt",
        "d. h.": "das heißt", "usw.": "und so weiter", "bzw.": "beziehungsweise",
        "ca.": "circa", "u.a.": "unter anderem", "u. a.": "unter anderem", "Nr.": "Nummer",
        "Str.": "Straße", "Dr.": "Doktor", "Prof.": "Professor", "Hr.": "Herr", "Fr.": "Frau",
        "evtl.": "eventuell", "ggf.": "gegebenenfalls", "inkl.": "inklusive", "max.": "maximal",
        "min.": "minimal", "St.": "Sankt", "Tel.": "Telefon", "vgl.": "vergleiche",
        "Jh.": "Jahrhundert", "Mio.": "Millionen", "Mrd.": "Milliarden", "sog.": "sogenannte",
        "Kap.": "Kapitel", "Abb.": "Abbildung", "Bd.": "Band",
    },
    "fr": {
        "M.": "Monsieur", "Mme": "Madame", "Mlle": "Mademoiselle", "etc.": "et cetera",
        "p. ex.": "par exemple", "p.ex.": "par exemple", "c.-à-d.": "c'est-à-dire",
        "n°": "numéro", "N°": "numéro", "Dr": "Docteur", "env.": "environ", "tél.": "téléphone",
        "av.": "avenue", "bd": "boulevard",
    },
    "es": {
        "Sr.": "señor", "Sra.": "señora", "Srta.": "señorita", "Dr.": "doctor",
        "Dra.": "doctora", "etc.": "etcétera", "p. ej.": "por ejemplo", "p.ej.": "por ejemplo",
        "n.º": "número", "nº": "número", "N.º": "número", "Ud.": "usted", "Uds.": "ustedes",
        "aprox.": "aproximadamente", "tel.": "teléfono", "EE. UU.": "Estados Unidos",
        "EE.UU.": "Estados Unidos",
    },
    "it": {
        "Sig.": "Signor", "Sig.ra": "Signora", "sig.": "signor", "sig.ra": "signora",
        "sig.na": "signorina", "prof.": "professor", "avv.": "avvocato", "sec.": "secolo",
        "dott.": "dottor", "Dott.": "Dottor",
        "dott.ssa": "dottoressa", "Prof.": "Professor", "ecc.": "eccetera",
        "p.es.": "per esempio", "ad es.": "ad esempio", "n.": "numero", "tel.": "telefono",
    },
    "pt": {
        "Sr.": "senhor", "Sra.": "senhora", "Dr.": "doutor", "Dra.": "doutora",
        "etc.": "et cetera", "p. ex.": "por exemplo", "p.ex.": "por exemplo", "nº": "número",
        "n.º": "número", "tel.": "telefone", "aprox.": "aproximadamente",
    },
}  # fmt: skip
_MAY_END = words("etc. Jr. Sr. Inc. Ltd. Corp. Co. Ave. Blvd. Rd. Ln. hrs.")
_OTHERS_MAY_END = frozenset(["etc.", "usw.", "ecc.", "Str."])
"""What a sentence often ends with: there the full stop is also the sentence's."""
_NEEDS_NAME = frozenset(
    {"Fr.", "M.", "n.", "min.", "max.", "est.", "ref.", "av.", "Co.", "Sr.", "ca."}
)
"""Said in full only where something follows."""


def rules(lexicon: Lexicon) -> Iterator[Rule]:
    """See the module."""
    table = _ANYWHERE.get(lexicon.language, {})
    if lexicon.is_english:
        yield rule(
            "a",
            rf"(?P<title>{alternatives(_TITLES)})\.(?= ?[A-Z&]| and [A-Z])",
            lambda m: _TITLES[m["title"]],
        )
        yield rule(
            "a", rf"(?P<title>{alternatives(_UK)})(?= [A-Z][\w'])", lambda m: _TITLES[m["title"]]
        )
        yield rule("a", r"(?P<short>St|Dr)\.?(?!\w)", _street)
        yield rule("a", r"(?:N[oO]s?\.|nos?\.|№) ?(?=#?[0-9])", f"{lexicon.signs.number} ")
        yield rule("a", r"vs(?=[ ,;])|VS(?= )|v\.(?= [A-Z])", "versus")
        yield rule(
            "a",
            r"(?P<word>pp|p)\. ?(?=[0-9])",
            lambda m: "pages " if m["word"] == "pp" else "page ",
        )
        yield rule("a", r"Hwy\.? (?=[0-9])", "Highway ")
        yield rule("a", r"(?:Fig|Eq|Sec|Ch|Vol|Ed|Art)\.(?= ?[0-9IVX])", _numbered)
    yield rule("№", r"№ ?(?=\w)", f"{lexicon.signs.number} ")
    if table:
        names = alternatives(name for name in table)
        yield rule(
            "a",
            rf"(?P<short>{names})(?![^\W_])",
            _in_full(table, _MAY_END if lexicon.is_english else _OTHERS_MAY_END),
        )


_NUMBERED = {"Fig": "Figure", "Eq": "Equation", "Sec": "Section", "Ch": "Chapter", "Vol": "Volume",
             "Ed": "Edition", "Art": "Article"}  # fmt: skip


def _numbered(match: re.Match[str]) -> str:
    return _NUMBERED[match.group().rstrip(".")]


def _street(match: re.Match[str]) -> str | None:
    """St. John is a saint; Main St. is a street."""
    named = re.search(r"[A-Z][\w']{2,20} $", before(match))
    short, stop = match["short"], match.group().endswith(".")
    is_place = bool(named) or _is_ordinal(match)
    following = re.match(r" ([A-Z])", after(match))
    if is_place and not (short == "St" and following and not stop):
        ends = stop and (not after(match).strip() or following)
        return ("Street" if short == "St" else "Drive") + "." * bool(ends)
    if following:
        return "Saint" if short == "St" else "Doctor"
    return None


def _is_ordinal(match: re.Match[str]) -> bool:
    return bool(re.search(r"[0-9](?:st|nd|rd|th) $", before(match)))


def _in_full(table: dict[str, str], may_end: frozenset[str]) -> Say:
    def say(match: re.Match[str]) -> str | None:
        short = match["short"]
        rest = after(match)
        named = re.match(r" ?[0-9]" if short == "est." else r" ?[A-Z0-9]", rest)
        if short in _NEEDS_NAME and not named and short not in may_end:
            return None
        last = not rest.strip() or re.match(r"[\"')\]]?\s+[A-ZÄÖÜ]", rest)
        ends = short.endswith(".") and short in may_end and last
        return table[short] + "." * bool(ends)

    return say
