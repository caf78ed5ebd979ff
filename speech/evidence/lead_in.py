"""Words that claim nothing: "Sure, let me check that." """

from __future__ import annotations

import re

MOST_WORDS = 14
"""Longer ones go on to say something: "Let me see, your table is booked for seven, and …"."""

_ACKNOWLEDGED = re.compile(
    r"(?:(?:sure(?: thing)?|ok|okay|yes|of course|certainly|absolutely|alright|all right|right|"
    r"great|got it|no problem|hm+|well|now|so|then)\b\s*)+"
)
_OPENERS = re.compile(
    r"(?:please )?(?:"
    r"(?:one|just a|a|wait a|give me (?:just )?(?:a|one)) (?:moment|second|sec|minute)\b|"
    r"(?:please )?(?:hold on|hang on|bear with me|stand by|please wait)\b|"
    r"(?:let me|let's|let us|i will|i'll|i am going to|i'm going to|i am|i'm)"
    r"(?: just| quickly| now)* "
    r"(?:check|look|see|find out|have a look|take a look|search|look up|verify|ask|pull|"
    r"checking|looking|searching|verifying)\b|"
    r"(?:checking|looking|searching|verifying)\b)"
)
_ALONE = frozenset({"yes", "right", "so", "then", "now"})
"""An answer, when nothing else is said."""

_SENTENCES = re.compile(r"[^.!?…]+[.!?…]*")
_NOT_A_WORD = re.compile(r"[^\w\s']")


def is_lead_in(text: str) -> bool:
    """Whether every sentence announces a check, or only acknowledges (English).

    On the safe side: what is not known for a lead-in counts as a claim.
    """
    sentences = _sentences(text)
    return bool(sentences) and all(map(_leads_in, sentences))


def announces(text: str) -> bool:
    """Whether it says that something is being looked into: then no filler need say so."""
    return is_lead_in(text) and any(_OPENERS.match(_rest(_plain(s))) for s in _sentences(text))


def is_claim(text: str) -> bool:
    """Whether a sentence says something that may turn out wrong; questions do not."""
    return any(not _leads_in(s) and not s.endswith("?") for s in _sentences(text))


def _sentences(text: str) -> list[str]:
    found = (sentence.strip() for sentence in _SENTENCES.findall(text))
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def _plain(sentence: str) -> str:
    return " ".join(_NOT_A_WORD.sub(" ", sentence.lower().replace("’", "'")).split())


def _rest(plain: str) -> str:
    """What follows the acknowledgements."""
    acknowledged = _ACKNOWLEDGED.match(plain)
    return plain[acknowledged.end() :].strip() if acknowledged else plain


def _leads_in(sentence: str) -> bool:
    plain = _plain(sentence)
    if sentence.endswith("?") or len(plain.split()) > MOST_WORDS:
        return False
    rest = _rest(plain)
    return bool(_OPENERS.match(rest)) if rest else plain not in _ALONE
