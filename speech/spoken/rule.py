"""A rule: what is said for what a pattern finds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from loguru import logger

from speech.spoken.draft import Draft, Edit

Say = Callable[[re.Match[str]], str | None]
"""The words for a match; None where the rule does not apply after all."""

DIGIT, LETTER = "0", "a"
_NUMBERED = "siglo|secolo|chapitre|capitolo|tom[eo]|acte|acto|atto|partie|parte|volume"
_PLAIN_WORD = rf"(?!(?:vs|aka|{_NUMBERED})\b)[a-z]{{2,30}}(?:[ ,;!?)\n]|$)"
"""What no rule begins with; most words are such, so that most of the time is saved."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``first`` lists what a match may begin with: ``DIGIT``, ``LETTER``, signs as they are.

    A pattern repeats nothing without bound, so that a text is read in time linear in its
    length. A rule is asked at the beginning of words and of digits and at signs.
    """

    first: str
    pattern: re.Pattern[str]
    say: Say


def rule(first: str, pattern: str, say: Say | str) -> Rule:
    """A rule from its pattern's source; ``say`` may be what is said in any case."""
    words = say if callable(say) else _always(say)
    return Rule(first, re.compile(pattern), words)


def _always(words: str) -> Say:
    return lambda _match: words


class RuleBook:
    """Rules, the most special first."""

    def __init__(self, rules: Iterable[Rule], *, spaced: bool = True) -> None:
        """``spaced``: the language writes spaces between words."""
        by_first: defaultdict[str, list[Rule]] = defaultdict(list)
        for each in rules:
            for first in each.first:
                by_first[first].append(each)
        self._by_first = dict(by_first)
        self._spaced = spaced
        signs = "".join(re.escape(first) for first in by_first if first not in (DIGIT, LETTER))
        word = rf"(?<![^\W\d_])(?!{_PLAIN_WORD})[^\W\d_]"
        self._begins = re.compile(rf"(?<![0-9])[0-9]|{word}|[{signs}_]")

    def edits(self, draft: Draft) -> list[Edit]:
        """What the rules make of the text, from left to right."""
        edits: list[Edit] = []
        text, at = draft.text, 0
        limit = draft.next_fixed(0)
        while found := self._begins.search(text, at):
            at = found.start()
            if at >= limit:
                at = draft.next_free(limit)
                limit = draft.next_fixed(at)
                continue
            edit = self._first(text, at, limit)
            if edit:
                edits.append(edit)
            at = edit[1] if edit else at + 1
        return edits

    def _first(self, text: str, at: int, limit: int) -> Edit | None:
        for each in self._by_first.get(_kind(text[at]), ()):
            match = each.pattern.match(text, at, limit)
            words = _said(each, match) if match and match.end() > at else None
            if match and words is not None:
                return at, match.end(), self._parted(text, at, match.end(), words)
        return None

    def _parted(self, text: str, start: int, stop: int, words: str) -> str:
        """The words, with a space to a letter or digit right before or after them."""
        if not self._spaced or not words:
            return words
        before = " " * (words[0].isalnum() and text[start - 1 : start].isalnum())
        return before + words + " " * (words[-1].isalnum() and text[stop : stop + 1].isalnum())


def _said(each: Rule, match: re.Match[str]) -> str | None:
    """The rule's words; a rule that fails is a fault of ours, but no reason for silence."""
    try:
        return each.say(match)
    except (ArithmeticError, LookupError, ValueError) as error:
        logger.warning("a rule for spoken text failed: {}", type(error).__name__)
        return None


def _kind(character: str) -> str:
    if character in "0123456789":
        return DIGIT
    return LETTER if character.isalpha() else character


def alternatives(words: Sequence[str] | Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
