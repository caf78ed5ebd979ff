"""The words of a text as it writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from speech.kokoro.markup import Part, parts
from speech.kokoro.speakable import speakable

_IDEOGRAPH = r"[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""Kana and Han, written without spaces; so each is a word of its own."""
_BREAK = r"\s|[—…。、，！？：；]|-{2,}|\.{2,}"
_LONGEST_RUN = 256
"""Characters; a longer run without a space is no word and is cut, as ``speakable`` does."""
_RUN = re.compile(
    rf"{_IDEOGRAPH}[ーゃゅょっャュョッ]*|(?:(?!{_BREAK}|{_IDEOGRAPH}).){{1,{_LONGEST_RUN}}}",
    re.DOTALL,
)

_SAID_MARKS = frozenset("%‰&@#§¶/\\")
_ABBREVIATION = re.compile(
    r"(?:\w\.)+\w$|(?:Dr|Mrs?|Ms|Prof|St|Jr|Sr|Rev|Gen|Col|Capt|Lt|Sgt|Mt|Inc|Ltd|Co|Corp|vs|etc"
    r"|approx|dept|Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$",
    re.IGNORECASE,
)
"""A full stop after these is theirs."""


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """``text`` without the marks around it, ``spelled`` with them.

    ``maybe_silent`` where it has no letter or digit: "&" is said in company but not alone.
    """

    text: str
    spelled: str

    @property
    def maybe_silent(self) -> bool:
        return not any(map(str.isalnum, self.text))


def written_words(text: str) -> list[WrittenWord]:
    """The words in order; parts of ``text`` as they are, numbers, prices and addresses whole.

    Marks, emoji and other typography between words are none, nor is markup; what has a hint
    is one word.
    """
    return [word for part in parts(text) for word in _words(part)]


def _words(part: Part) -> Iterator[WrittenWord]:
    if part.hint is not None:
        label = part.text.strip()
        yield WrittenWord(label, f"[{label}](/{part.hint}/)")
        return
    for match in _RUN.finditer(part.text):
        run, start = match.group(), match.start()
        bare = _bare(run)
        if not part.text[start - 1].isspace() if start else part.joins:
            bare = _without_leading_signs(bare)
        word = WrittenWord(bare, run)
        if bare and _has_sound(word):
            yield word


def _without_leading_signs(bare: str) -> str:
    """Signs that cling to the word before are taken for its marks by whoever cuts the text."""
    return bare[next((at for at, c in enumerate(bare) if c.isalnum()), len(bare)) :]


def _bare(run: str) -> str:
    start, stop = 0, len(run)
    while start < stop and _is_mark(run[start]):
        start += 1
    while stop > start and _is_mark(run[stop - 1]):
        stop -= 1
    if run[stop : stop + 1] == "." and _ABBREVIATION.search(run[start:stop]):
        stop += 1
    if run[start - 1 : start] == "-" and run[start : start + 1].isdigit():
        start -= 1
    return run[start:stop]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PC" and character not in _SAID_MARKS


def _has_sound(word: WrittenWord) -> bool:
    # The letter is there because nothing is speakable without one.
    return not word.maybe_silent or speakable(f"x{word.text}") != "x"
