"""Where a sentence can be parted before its end."""

from __future__ import annotations

import re

from speech.units.characters import CLOSERS, SPEAKABLE, Undecided, Window, clings
from speech.units.full_stop import ends_open
from speech.units.language import Language

LEAST_CLAUSE = 80
"""Letters. A shorter clause is no place to cut an overlong sentence: it would sound chopped."""
FEW_WORDS = 4
"""Fewer are not worth a unit of their own: their melody would be that of a whole sentence."""

_CLAUSE = re.compile(r"[,:;–—)\]\"”…،؛](?=\s)|[、，；：]|\n")
_BLANK = re.compile(r"\s")
_ENDED = re.compile(rf"[.!?…。！？।؟۔][{re.escape(CLOSERS)}]*\s*$")
_NO_BREAK_AFTER = re.compile(
    r"(?:^|\s)(?:not|no|never|n't|the|a|an|of|to|in|on|at|for|and|or|but|with|by|is|are|was|nicht"
    r"|kein|keine|der|die|das|ein|eine|und|oder|ne|pas|le|la|les|un|une|de|et|ou|el|los|las|una|y|o"
    r"|non|il|lo|di|e|não|nao|um|uma|niet|geen|een|nie|не|и|в|на)$",
    re.IGNORECASE,
)
_DANGLING = re.compile(r"[\d$€£#@/(\[{«„¿¡+=*_-]$|\d[.,:]$")


def best_break(window: Window, start: int, limit: int, language: Language) -> int:
    """Where to cut a sentence of which only ``limit`` can be one unit: behind its last clause,
    else its last word, else at the limit, but never inside a character."""
    text = window.text
    clause = _last(_CLAUSE, text, start, limit, LEAST_CLAUSE)
    if clause:
        return clause
    words = [found.start() for found in _BLANK.finditer(text, start, limit)]
    if text[limit : limit + 1].isspace():
        words.append(limit)
    words = [end for end in words if SPEAKABLE.search(text, start, end)]
    for end in reversed(words[-8:]):
        if not _dangles(text, start, end):
            return end
    if words:
        return words[-1]
    while limit - 1 > start and clings(text, limit):
        limit -= 1
    return max(limit, start + 1)


def safe_break(window: Window, language: Language, *, whole: bool) -> int:
    """Where what waits can be parted so that both parts make sense; 0 for nowhere.

    Behind a sentence whose end only wants confirming, else a clause, else, unless it must be
    ``whole``, a word; never behind a number, an abbreviation, a negation or an article.
    """
    text = window.text
    ended = _ENDED.search(text)
    if ended and SPEAKABLE.search(text) and not _ends_open(window, ended.start(), language):
        return len(text)
    last = max((found.start() for found in _BLANK.finditer(text)), default=0)
    for pattern in (_CLAUSE,) if whole else (_CLAUSE, _BLANK):
        ends = [m.end() if pattern is _CLAUSE else m.start() for m in pattern.finditer(text)]
        for end in reversed([end for end in ends if end <= last]):
            if len(text[:end].split()) < FEW_WORDS:
                break
            if not _dangles(text, 0, end) and not _inside(text[:end]):
                return end
    return 0


def _ends_open(window: Window, at: int, language: Language) -> bool:
    if window.text[at] != ".":
        return False
    try:
        return ends_open(window, 0, at, language)
    except Undecided:
        return True


def _dangles(text: str, start: int, end: int) -> bool:
    """Whether the words before ``end`` lean on what follows."""
    before = text[max(start, end - 64) : end].rstrip()
    bare = before.rstrip(",;:")
    return bool(_DANGLING.search(before) or _NO_BREAK_AFTER.search(bare)) or before.endswith(".")


def _inside(text: str) -> bool:
    """Whether code or a bracket is still open."""
    return text.count("`") % 2 == 1 or any(
        text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}")
    )


def _last(pattern: re.Pattern[str], text: str, start: int, limit: int, least: int) -> int:
    ends = [found.end() for found in pattern.finditer(text, start, limit)]
    return max((end for end in ends if end - start >= least), default=0)
